//! The linear system of bodies and the constraints between them, eliminated block by block.
//!
//! ```text
//! ⎡ M  Cᵀ  Wᵀ ⎤ ⎡ v ⎤   ⎡ forces on bodies      ⎤
//! ⎢ C  0   0  ⎥ ⎢ λ ⎥ = ⎢ targets of constraints ⎥
//! ⎣ W  0   −1 ⎦ ⎣ μ ⎦   ⎣ targets of drives      ⎦
//! ```
//!
//! with v the accelerations of bodies, or their velocities where forces are impulses, λ the
//! multipliers of constraints, and W the directions of drives, weighted by the roots of their
//! reflected inertias, so that a drive's inertia resists as one more multiplier. Each constraint
//! has six rows; those that stand for nothing are zero but for −1 on the diagonal.
//!
//! Solutions of this system are the accelerations of the bodies that loops tie together
//! ([`clusters`](super::clusters)), and the steps of [`MaximalVariationalIntegrator`]. The blocks
//! are eliminated in an order of least fill that is found once
//! ([`elimination`](super::elimination)). The regularisation ([`Proximal`]) is corrected for by the
//! residual of a solution in the matrix without it.
//!
//! [`MaximalVariationalIntegrator`]: crate::integrator::MaximalVariationalIntegrator

use super::block::{Block, Row, add_scaled};
use super::elimination::matrix::{factorise, solve, subtract_product};
use super::elimination::pattern::{BlockCount, Pattern};
use super::elimination::{Constraint, Proximal, Readiness};
use featherline::spatial::Force;

/// By what part constraints yield more than they do. Rounding of pivots, some 10⁻¹⁵ of them, is
/// little beside it, and so is what a correction leaves of it on a chain of thousands of links.
const PROXIMAL: f64 = 1e-9;

/// The inertia that a massless body is given, relative to the inertia beside it. Rounding of what
/// it lets constraints yield, 10⁻¹⁶ over this of what others let them, has to stay below
/// [`PROXIMAL`]; a correction leaves this part.
const MASSLESS: f64 = 1e-3;

/// How many of its longest lever a robot measures, or a metre if that is less.
const LEVERS: f64 = 10.0;

/// The largest relative error by the factors, and so what a correction leaves of it.
const UNSOUND: f64 = 1e-2;

/// Where a correction by more than this part of the velocities is left, they are none.
const UNSETTLED: f64 = 1e-10;

/// More corrections than a velocity takes where each is at most [`STALLED`] of the one before.
const MOST_CORRECTIONS: usize = 100;

/// A correction that is not less than this part of the one before does not converge any more.
const STALLED: f64 = 0.9;

/// Slow corrections, from this part on, are summed if the cosine between them squared is ALIKE.
const SLOW: f64 = 0.25;
const ALIKE: f64 = 0.9999;

/// A correction by this part of the velocities is rounding.
const EXACT: f64 = 1e-15;

/// Six rows of the matrix: a constraint between two bodies, and the drive beside it.
#[derive(Clone, Debug)]
pub(crate) struct ConstraintRows {
    /// The predecessor and the successor, 0 for a body that is not in the system.
    pub bodies: [usize; 2],
    /// Which rows are constraints. The others are drives, or stand for nothing.
    pub is_rigid: [bool; 6],
    /// The force of each row on the predecessor and on the successor.
    pub forces: [Block; 2],
}

impl ConstraintRows {
    /// Rows between two bodies, of which the first so many are constraints.
    pub fn new(bodies: [usize; 2], rigid: usize) -> Self {
        Self {
            bodies,
            is_rigid: std::array::from_fn(|row| row < rigid),
            forces: [Block::zero(); 2],
        }
    }

    /// The same as a part of the graph.
    fn constraint(&self) -> Constraint {
        let bodies = self.bodies.iter();
        Constraint {
            bodies: bodies.filter_map(|body| body.checked_sub(1)).collect(),
            rank: self.is_rigid.iter().filter(|&&rigid| rigid).count(),
        }
    }
}

/// The system in one order of elimination, with the memory to solve it.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pattern: Pattern,
    /// Where a body is on the diagonal and in vectors; body 0 is nowhere.
    body: Vec<usize>,
    held: Vec<ConstraintPlace>,
    proximal: Proximal,
    /// The robot's size in m, at most one: the unit in which turns are ways, and moments forces.
    length: f64,
    matrix: Vec<Block>,
    factors: Vec<Block>,
    right: Vec<Row>,
    left: Vec<Row>,
    /// The correction before the last.
    before: Vec<Row>,
    /// The multipliers so far, zero for bodies; or all unknowns.
    solution: Vec<Row>,
    /// Whether no correction has been made since the multipliers were forgotten.
    is_begun: bool,
}

/// Where a constraint is in the matrix.
#[derive(Clone, Debug, PartialEq)]
struct ConstraintPlace {
    place: usize,
    /// Blocks across and along for predecessor and successor, none where that is not in the system.
    ends: [Option<[usize; 2]>; 2],
}

impl System {
    /// The system of bodies, from 1 on, and constraints, which are eliminated with some readiness.
    /// `all` has the inertias of the robot, `longest` is its longest lever in m.
    fn new(
        inertias: &[Block],
        rows: &[ConstraintRows],
        all: &[Block],
        longest: f64,
        readiness: Readiness,
    ) -> Self {
        let bodies = inertias.len() - 1;
        let constraints: Vec<Constraint> = rows.iter().map(ConstraintRows::constraint).collect();
        let pattern = Pattern::new(bodies, &constraints, readiness);
        let nodes = pattern.nodes();
        let body = (0..bodies).map(|node| pattern.position(node));
        let parts = [PROXIMAL, MASSLESS];
        let proximal = Proximal::new(parts, &pattern, &inertias[1..], &constraints, all.iter());
        let held = |(k, rows): (usize, &ConstraintRows)| {
            let node = bodies + k;
            let pair = |body: usize| {
                let other = body.checked_sub(1)?;
                Some([pattern.block(node, other), pattern.block(other, node)])
            };
            ConstraintPlace {
                place: pattern.position(node),
                ends: rows.bodies.map(pair),
            }
        };
        let length = (LEVERS * longest).min(1.0);
        Self {
            body: std::iter::once(nodes).chain(body).collect(),
            held: rows.iter().enumerate().map(held).collect(),
            proximal,
            length: if longest > 0.0 { length } else { 1.0 },
            matrix: vec![Block::zero(); pattern.blocks()],
            factors: vec![Block::zero(); pattern.blocks()],
            right: vec![[0.0; 8]; nodes],
            left: vec![[0.0; 8]; nodes],
            before: vec![[0.0; 8]; nodes],
            solution: vec![[0.0; 8]; nodes],
            is_begun: true,
            pattern,
        }
    }

    /// Sets the force on a body: the momentum that it lacks, or has where velocities are sought.
    #[inline(always)]
    pub fn set_force(&mut self, body: usize, force: &Force<f64>) {
        let [a, b, c, d, e, f] = force.to_array();
        self.right[self.body[body]] = [a, b, c, d, e, f, 0.0, 0.0];
    }

    /// Sets the targets of a constraint's rows.
    #[inline(always)]
    pub fn set_targets(&mut self, constraint: usize, targets: &Row) {
        self.right[self.held[constraint].place] = *targets;
    }

    /// Writes the matrix and factorises it. Fails with the index of a singular pivot.
    #[inline(always)]
    fn factorise(&mut self, inertias: &[Block], rows: &[ConstraintRows]) -> Result<(), usize> {
        for block in &mut self.matrix {
            *block = Block::zero();
        }
        for i in 1..self.body.len() {
            self.matrix[self.body[i]] = inertias[i];
        }
        for (held, rows) in self.held.iter().zip(rows) {
            for (end, forces) in held.ends.iter().zip(&rows.forces) {
                let Some([across, along]) = *end else {
                    continue;
                };
                self.matrix[across] = *forces;
                self.matrix[along] = forces.transposed();
                for (r, force) in forces.0.iter().enumerate() {
                    self.proximal.let_yield(held.place, r, force);
                }
            }
            for (r, is_rigid) in rows.is_rigid.iter().enumerate() {
                if !is_rigid {
                    self.matrix[held.place].0[r][r] = -1.0;
                }
            }
        }
        self.factors.copy_from_slice(&self.matrix);
        self.eliminate()
    }

    /// Whether the factors of [`factorise`](Self::factorise) give back velocities, if no joint
    /// passes on an impulse, from the momenta and gaps that these make. Forgets what is on the
    /// right side.
    #[inline(always)]
    fn is_sound(&mut self) -> bool {
        for row in self.left.iter_mut().chain(&mut self.right) {
            *row = [0.0; 8];
        }
        for i in 1..self.body.len() {
            for c in 0..6 {
                self.right[self.body[i]][c] = velocity_to_try(i, c, self.length);
            }
        }
        // With what was added to the matrix, so that only what is lost shows.
        subtract_product(&self.pattern, &self.matrix, &self.right, &mut self.left);
        for i in 1..self.body.len() {
            let place = self.body[i];
            for c in 0..6 {
                self.left[place][c] -= self.proximal.shift(place)[c] * self.right[place][c];
            }
        }
        solve(&self.pattern, &self.factors, &mut self.left);
        let mut lost = 0.0_f64;
        for i in 1..self.body.len() {
            let (found, own) = (&self.left[self.body[i]], &self.right[self.body[i]]);
            for c in 0..6 {
                let share = ((found[c] + own[c]) / own[c]).abs();
                // Not a number counts.
                lost = if share <= lost { lost } else { share };
            }
        }
        lost <= UNSOUND
    }

    /// Factorises anew, with constraints and drives as they see motions elsewhere. The directions
    /// of their forces stay. Fails with the index of a singular pivot.
    #[inline(always)]
    fn renew(&mut self, rows: &[ConstraintRows]) -> Result<(), usize> {
        self.factors.copy_from_slice(&self.matrix);
        for (held, rows) in self.held.iter().zip(rows) {
            for (end, forces) in held.ends.iter().zip(&rows.forces) {
                if let Some([across, _]) = *end {
                    self.factors[across] = *forces;
                }
            }
        }
        self.eliminate()
    }

    /// Replaces the matrix that stands where its factors go by these.
    #[inline(always)]
    fn eliminate(&mut self) -> Result<(), usize> {
        factorise(&self.pattern, &mut self.factors, &self.proximal)
    }

    /// The body of a row of blocks, or its constraint's successor; 0 if that is not in the system.
    fn owner(&self, place: usize, rows: &[ConstraintRows]) -> usize {
        let body = self.body.iter().position(|&own| own == place);
        let constraint = self.held.iter().position(|held| held.place == place);
        body.or_else(|| constraint.map(|k| rows[k].bodies[1]))
            .unwrap_or(0)
    }

    /// Forgets the multipliers of the step before.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.is_begun = true;
        for row in &mut self.solution {
            *row = [0.0; 8];
        }
    }

    /// Corrects the multipliers. [`found`](Self::found) then tells the bodies' velocities. Returns
    /// twice the kinetic energy of these and of the drives' momenta.
    #[inline(always)]
    pub fn correct(&mut self) -> f64 {
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
        if std::mem::take(&mut self.is_begun) {
            // All impulses are yet to come, with what was added to the matrix: the next gaps.
            self.before.copy_from_slice(&self.left);
            solve(&self.pattern, &self.factors, &mut self.left);
            subtract_product(&self.pattern, &self.matrix, &self.left, &mut self.before);
            solve(&self.pattern, &self.factors, &mut self.before);
            for (step, rest) in self.left.iter_mut().zip(&self.before) {
                add_scaled(step, 1.0, rest);
            }
        } else {
            solve(&self.pattern, &self.factors, &mut self.left);
        }
        let mut energy = 0.0;
        for &place in &self.body[1..] {
            let velocity = &self.left[place];
            let momentum = self.matrix[place].times_vector(velocity);
            for c in 0..6 {
                energy = velocity[c].mul_add(momentum[c], energy);
            }
        }
        for held in &self.held {
            let (step, own) = (self.left[held.place], &self.matrix[held.place]);
            add_scaled(&mut self.solution[held.place], 1.0, &step);
            // Minus one for drives.
            for r in 0..6 {
                energy -= own.0[r][r] * step[r] * step[r];
            }
        }
        energy
    }

    /// Computes right − A x, for the solution x: the forces that constraints and drives leave.
    #[inline(always)]
    pub fn take_off_impulses(&mut self) {
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
    }

    /// A body's entries of what was computed last: its velocity, or its momentum.
    #[inline(always)]
    pub fn found(&self, body: usize) -> [f64; 6] {
        let [a, b, c, d, e, f, ..] = self.left[self.body[body]];
        [a, b, c, d, e, f]
    }

    /// A multiplier; of a drive its momentum by the root of its inertia.
    #[inline(always)]
    pub fn multiplier(&self, constraint: usize, row: usize) -> f64 {
        self.solution[self.held[constraint].place][row]
    }

    /// Solves for the velocities that go with the momenta on the right side, or for the
    /// accelerations that go with its forces. [`found`](Self::found) tells them. Whether they are
    /// found, or the factors have lost too many digits or are nearly singular.
    #[inline(always)]
    pub fn solve(&mut self) -> bool {
        self.begin();
        let (mut last, mut settled) = (f64::INFINITY, false);
        // The scale of corrections is at least the largest velocity, or acceleration, without
        // joints.
        let mut unheld = 0.0_f64;
        for &place in &self.body[1..] {
            let (force, inertia) = (&self.right[place], &self.matrix[place]);
            for r in 0..6 {
                if inertia.0[r][r] > 0.0 {
                    unheld = unheld.max((force[r] / inertia.0[r][r]).abs());
                }
            }
        }
        let mut has_before = false;
        for k in 0..MOST_CORRECTIONS {
            self.take_off_impulses();
            solve(&self.pattern, &self.factors, &mut self.left);
            let (mut change, mut whole) = (0.0_f64, unheld);
            let (mut along, mut squares) = (0.0, [0.0; 2]);
            for &place in &self.body[1..] {
                for r in 0..6 {
                    let (step, before) = (self.left[place][r], self.before[place][r]);
                    change = change.max(step.abs());
                    whole = whole.max(self.solution[place][r].abs());
                    let unit = if r < 3 { 1.0 } else { self.length };
                    let (step, before) = (unit * step, unit * before);
                    along += step * before;
                    squares[0] += step * step;
                    squares[1] += before * before;
                }
            }
            settled = change <= UNSETTLED * whole;
            // Next to a singular configuration one motion is left that shrinks by the same part
            // each time, or hardly: all that is to come of it is taken at once.
            let ratio = along / squares[1];
            let is_alike = along * along > ALIKE * squares[0] * squares[1];
            let is_slow = has_before && !settled && is_alike && ratio > SLOW && ratio < 1.0;
            let is_stalled = change > STALLED * last && (settled || change >= last);
            if !is_slow && is_stalled {
                break;
            }
            let factor = if is_slow { (1.0 - ratio).recip() } else { 1.0 };
            for (x, step) in self.solution.iter_mut().zip(&self.left) {
                add_scaled(x, factor, step);
            }
            if change <= EXACT * whole {
                break;
            }
            // The first is the solution itself, which does not show convergence.
            has_before = k > 0 && !is_slow;
            if k > 0 {
                last = change;
                self.before.copy_from_slice(&self.left);
            }
        }
        self.left.copy_from_slice(&self.solution);
        settled
    }

    /// Solves for seven right sides, one a column of the blocks, of bodies first and of constraints
    /// after them. Writes solutions and what these miss. Whether all were found.
    #[inline(always)]
    pub fn solve_columns(
        &mut self,
        right: &[Block],
        solution: &mut [Block],
        missed: &mut [Block],
    ) -> bool {
        let mut settled = true;
        for column in 0..7 {
            let places = || {
                self.body[1..]
                    .iter()
                    .chain(self.held.iter().map(|h| &h.place))
            };
            for (&place, block) in places().zip(right) {
                self.right[place] = block.column(column);
            }
            settled &= self.solve();
            self.take_off_impulses();
            let places = || {
                self.body[1..]
                    .iter()
                    .chain(self.held.iter().map(|h| &h.place))
            };
            for ((&place, found), missed) in places().zip(&mut *solution).zip(&mut *missed) {
                found.set_column(column, &self.solution[place]);
                missed.set_column(column, &self.left[place]);
            }
        }
        settled
    }
}

/// A velocity in m/s or rad/s with which factors are tried: none like those next to it.
#[inline(always)]
fn velocity_to_try(body: usize, component: usize, length: f64) -> f64 {
    let size = 1.0 + ((5 * body + 3 * component) % 7) as f64 / 7.0;
    if component < 3 { size } else { size / length }
}

/// The system in two orders of elimination.
///
/// The sparser order counts freedoms, which need not be those that a constraint takes: some robots
/// lose all digits in it. The stable one gives each constraint a body of its own, as far as they
/// go. It is taken where a solution that is known is not found again, where the sparser order has
/// no pivots, and where solutions do not settle.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    /// Of the bodies, from 1 on.
    pub inertias: Vec<Block>,
    pub rows: Vec<ConstraintRows>,
    sparse: System,
    /// None if it is the sparser one.
    stable: Option<System>,
    is_stable: bool,
}

impl Orders {
    /// The system of bodies, from 1 on, and constraints. `all` has the inertias of the robot,
    /// `longest` is its longest lever in m.
    pub fn new(
        inertias: Vec<Block>,
        rows: Vec<ConstraintRows>,
        all: &[Block],
        longest: f64,
    ) -> Self {
        let system = |readiness| System::new(&inertias, &rows, all, longest, readiness);
        let (sparse, stable) = (system(Readiness::CountFreedoms), system(Readiness::OwnBody));
        let is_other = stable.body != sparse.body || stable.held != sparse.held;
        Self {
            stable: is_other.then_some(stable),
            sparse,
            is_stable: false,
            inertias,
            rows,
        }
    }

    /// How many blocks the sparser order keeps and computes with.
    pub fn count(&self) -> BlockCount {
        self.sparse.pattern.count()
    }

    /// Whether a body has no mass.
    pub fn is_massless(&self, body: usize) -> bool {
        self.sparse.proximal.is_massless(self.sparse.body[body])
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present(&self) -> &System {
        match &self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &self.sparse,
        }
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present_mut(&mut self) -> &mut System {
        match &mut self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &mut self.sparse,
        }
    }

    /// Factorises the system, in the stable order if that is needed. Fails with the
    /// [owner](System::owner) of a singular pivot.
    #[inline(always)]
    pub fn factorise(&mut self) -> Result<(), usize> {
        self.is_stable = false;
        let factorised = self.sparse.factorise(&self.inertias, &self.rows);
        match &mut self.stable {
            Some(stable) if factorised.is_err() || !self.sparse.is_sound() => {
                self.is_stable = true;
                let factorised = stable.factorise(&self.inertias, &self.rows);
                factorised.map_err(|place| stable.owner(place, &self.rows))
            }
            _ => factorised.map_err(|place| self.sparse.owner(place, &self.rows)),
        }
    }

    /// Factorises the system, of which one is factorised, in the stable order. Whether that is
    /// another one.
    #[inline(always)]
    pub fn switch_to_stable(&mut self) -> Result<bool, usize> {
        match &mut self.stable {
            Some(stable) if !self.is_stable => {
                self.is_stable = true;
                stable.begin();
                stable.is_begun = self.sparse.is_begun;
                for (own, held) in stable.held.iter().zip(&self.sparse.held) {
                    stable.solution[own.place] = self.sparse.solution[held.place];
                }
                let factorised = stable.factorise(&self.inertias, &self.rows);
                factorised.map_err(|place| stable.owner(place, &self.rows))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Factorises the system, which has been factorised in the stable order, with rows as they see
    /// motions elsewhere; the directions of their forces stay.
    #[inline(always)]
    pub fn renew(&mut self, write: impl FnOnce(&mut [ConstraintRows])) -> Result<(), usize> {
        self.switch_to_stable()?;
        write(&mut self.rows);
        let present = match &mut self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &mut self.sparse,
        };
        let renewed = present.renew(&self.rows);
        renewed.map_err(|place| present.owner(place, &self.rows))
    }
}
