//! The linear system of a step's corrections, on the graph of bodies and constraints.
//!
//! ```text
//! ⎡ M  Cᵀ  Wᵀ ⎤ ⎡ v ⎤   ⎡ momentum that is missing        ⎤
//! ⎢ C  0   0  ⎥ ⎢ λ ⎥ = ⎢ −gap/h                          ⎥
//! ⎣ W  0   −1 ⎦ ⎣ μ ⎦   ⎣ motion of drives that is missing ⎦
//! ```
//!
//! with v the bodies' velocities, λ the impulses of constraint, C their directions at the instant
//! at which the step begins, and W those of the drives, weighted by the roots of their reflected
//! inertias, so that a drive's momentum resists as one more multiplier. The blocks are eliminated
//! in an order of least fill that is found once. What is added to make the matrix regular
//! ([`Proximal`]), the iterations of the step make good for, which correct what they have.

use super::constraint::Constraint;
use super::motion::{Step, body_motion};
use crate::integrator::variational::cayley::force_on_coordinates;
use crate::maximal::block::{Block, Row, add_scaled};
use crate::maximal::elimination::matrix::{factorise, solve, subtract_product};
use crate::maximal::elimination::pattern::Pattern;
use crate::maximal::elimination::{Constraint as Edge, Proximal, Readiness};
use featherline::spatial::{Force, Inertia, Se3};
use nalgebra::Matrix6;

/// By what part constraints yield more than they do. Rounding of pivots, some 10⁻¹⁵ of them, is
/// little beside it, and so is what a correction leaves of it on a chain of thousands of links.
const PROXIMAL: f64 = 1e-9;

/// What part of the inertia beside it a massless body is given. Rounding of what it lets
/// constraints yield, 10⁻¹⁶ over this of what others let them, has to stay below [`PROXIMAL`]; with
/// less steps take more iterations.
const MASSLESS: f64 = 1e-3;

/// How many of its longest lever a robot measures, or a metre if that is less.
const LEVERS: f64 = 10.0;

/// What factors may lose of a solution: a correction shrinks what is wrong to this part, as it does
/// in most steps anyway.
const UNSOUND: f64 = 1e-2;

/// Where a correction by more than this part of the velocities is left, they are none.
const UNSETTLED: f64 = 1e-10;

/// More corrections than a velocity takes where each is at most [`STALLED`] of the one before.
const MOST_CORRECTIONS: usize = 100;

/// A correction that is not less than this part of the one before does not converge any more.
const STALLED: f64 = 0.9;

/// From this part on corrections that shrink alike are summed, if the square of the cosine between
/// them is as much as that.
const SLOW: f64 = 0.25;
const ALIKE: f64 = 0.9999;

/// A correction by this part of the velocities is rounding.
const EXACT: f64 = 1e-15;

/// The system, with the memory to solve it.
#[derive(Clone, Debug)]
pub(super) struct System {
    pattern: Pattern,
    /// Where a body is on the diagonal and in vectors, by joint; the universe is nowhere.
    body: Vec<usize>,
    held: Vec<Held>,
    inertia: Vec<Block>,
    size: Vec<usize>,
    proximal: Proximal,
    /// The robot's size, in m, or one metre for larger ones: what makes moments and forces, turns
    /// and ways, numbers of one size.
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
#[derive(Clone, Debug)]
struct Held {
    place: usize,
    /// Blocks across and along for predecessor and successor, none for the universe.
    ends: [Option<[usize; 2]>; 2],
    /// Which of the joint's six forces count: those of constraint, and those of drives with
    /// armature.
    rows: [usize; 6],
    /// How many of them are forces of constraint, and how many there are.
    rigid: usize,
    count: usize,
}

impl System {
    /// The system of bodies, the universe first, and constraints, which are eliminated with some
    /// readiness.
    pub fn new(
        inertias: &[Inertia<f64>],
        constraints: &[Constraint],
        readiness: Readiness,
    ) -> Self {
        let bodies = inertias.len() - 1;
        let edges: Vec<Edge> = constraints
            .iter()
            .map(|c| Edge {
                bodies: [c.predecessor, c.successor]
                    .into_iter()
                    .filter(|&body| body != 0)
                    .map(|body| body - 1)
                    .collect(),
                rank: c.rigid(),
            })
            .collect();
        let pattern = Pattern::new(bodies, &edges, readiness);
        let nodes = pattern.nodes();
        let body = std::iter::once(nodes)
            .chain((0..bodies).map(|node| pattern.position(node)))
            .collect::<Vec<_>>();
        let inertia: Vec<Block> = inertias.iter().map(|y| Block::of(&y.to_matrix())).collect();
        let levers = constraints.iter().flat_map(|c| [&c.input, &c.output]);
        let longest = levers.map(|frame| frame.translation.norm());
        let longest = longest.fold(0.0, f64::max);
        let length = if longest > 0.0 {
            (LEVERS * longest).min(1.0)
        } else {
            1.0
        };
        let mut size = vec![0; nodes];
        let own = &inertia[1..];
        let proximal = Proximal::new([PROXIMAL, MASSLESS], &pattern, own, &edges, own.iter());
        for place in &body[1..] {
            size[*place] = 6;
        }
        let held: Vec<Held> = constraints
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let node = bodies + k;
                let pair = |body: usize| {
                    let other = body.checked_sub(1)?;
                    Some([pattern.block(node, other), pattern.block(other, node)])
                };
                let place = pattern.position(node);
                let ends = [c.predecessor, c.successor];
                Held {
                    place,
                    ends: ends.map(pair),
                    rows: [0; 6],
                    rigid: 0,
                    count: 0,
                }
            })
            .collect();
        let mut system = Self {
            body,
            held,
            inertia,
            size,
            proximal,
            length,
            matrix: vec![Block::zero(); pattern.blocks()],
            factors: vec![Block::zero(); pattern.blocks()],
            right: vec![[0.0; 8]; nodes],
            left: vec![[0.0; 8]; nodes],
            before: vec![[0.0; 8]; nodes],
            solution: vec![[0.0; 8]; nodes],
            is_begun: true,
            pattern,
        };
        system.hold(constraints);
        system
    }

    /// Takes the forces of constraint that are not left out, and those of drives with armature.
    pub fn hold(&mut self, constraints: &[Constraint]) {
        for (held, constraint) in self.held.iter_mut().zip(constraints) {
            let rigid = constraint.rigid();
            let independent = (0..rigid).filter(|&row| !constraint.is_left_out[row]);
            let drives = (rigid..6).filter(|&row| constraint.weight(row) > 0.0);
            held.rigid = independent.clone().count();
            held.count = 0;
            for row in independent.chain(drives) {
                held.rows[held.count] = row;
                held.count += 1;
            }
            self.size[held.place] = held.count;
        }
    }

    /// Sets the momentum that a body lacks, or has where velocities are sought.
    #[inline(always)]
    pub fn set_momentum(&mut self, body: usize, momentum: &Force<f64>) {
        let [a, b, c, d, e, f] = momentum.to_array();
        self.right[self.body[body]] = [a, b, c, d, e, f, 0.0, 0.0];
    }

    /// Writes the matrix for bodies that are placed in the world, and factorises it. Fails with the
    /// index of a singular pivot.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<(), usize> {
        for block in &mut self.matrix {
            *block = Block::zero();
        }
        for i in 1..self.body.len() {
            self.matrix[self.body[i]] = self.inertia[i];
        }
        for (held, constraint) in self.held.iter().zip(constraints) {
            let (from, to) = (&world[constraint.predecessor], &world[constraint.successor]);
            // Action and reaction at the same place, wherever the joint would have the bodies.
            let across = from.inverse_compose(to);
            for (r, &row) in held.rows[..held.count].iter().enumerate() {
                let force = constraint.force(row) * constraint.weight(row);
                self.proximal.let_yield(held.place, r, &force.to_array());
                if let Some(blocks) = held.ends[1] {
                    write(&mut self.matrix, blocks, r, &force);
                }
                if let Some(blocks) = held.ends[0] {
                    write(&mut self.matrix, blocks, r, &-across.act_force(&force));
                }
                if row >= constraint.rigid() {
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
    pub fn is_sound(&mut self) -> bool {
        for row in &mut self.right {
            *row = [0.0; 8];
        }
        for i in 1..self.body.len() {
            let own = &mut self.right[self.body[i]];
            for c in 0..6 {
                own[c] = velocity_to_try(i, c, self.length);
            }
        }
        for row in &mut self.left {
            *row = [0.0; 8];
        }
        // The opposite of what a matrix that is not shifted makes of them.
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
                let share = (found[c] + own[c]) / own[c];
                // Not a number counts.
                lost = if share.abs() <= lost {
                    lost
                } else {
                    share.abs()
                };
            }
        }
        lost <= UNSOUND
    }

    /// Factorises anew, with constraints and drives as they see motions where a step leads. The
    /// directions of impulses stay those of the instant. `slopes` are, by constraint, covectors on
    /// the motion of the output frame. Fails with the index of a singular pivot.
    #[inline(always)]
    pub fn renew(&mut self, step: &Step<'_>, slopes: &[Matrix6<f64>]) -> Result<(), usize> {
        self.factors.copy_from_slice(&self.matrix);
        for ((held, constraint), slopes) in self.held.iter().zip(&*step.constraints).zip(slopes) {
            let (predecessor, successor) = (constraint.predecessor, constraint.successor);
            let across = step.world[predecessor].inverse_compose(&step.world[successor]);
            for (r, &row) in held.rows[..held.count].iter().enumerate() {
                let slope: Force<f64> = slopes.column(row).into_owned().into();
                let own = constraint
                    .output
                    .act_force(&(slope * constraint.weight(row)));
                let other = -across.act_force(&own);
                for (ends, body, force) in [
                    (held.ends[1], successor, own),
                    (held.ends[0], predecessor, other),
                ] {
                    let Some([across, _]) = ends else { continue };
                    let seen = force_on_coordinates(&force, &body_motion(step.xi, body));
                    let [a, b, c, d, e, f] = seen.to_array();
                    self.factors[across].0[r] = [a, b, c, d, e, f, 0.0, 0.0];
                }
            }
        }
        self.eliminate()
    }

    /// Replaces the matrix that stands where its factors go by these.
    #[inline(always)]
    fn eliminate(&mut self) -> Result<(), usize> {
        factorise(&self.pattern, &mut self.factors, &self.size, &self.proximal)
    }

    /// The body that a row of blocks belongs to, or the successor of the constraint that does.
    pub fn owner(&self, place: usize, constraints: &[Constraint]) -> usize {
        let body = self.body.iter().position(|&own| own == place);
        let constraint = self.held.iter().position(|held| held.place == place);
        body.or_else(|| constraint.map(|k| constraints[k].successor))
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

    /// Asks that gaps close and drives move as their momenta want, where a step of 1/`rate` leads.
    #[inline(always)]
    pub fn ask(&mut self, constraints: &[Constraint], rate: f64) {
        for (held, constraint) in self.held.iter().zip(constraints) {
            let mut wanted = [0.0; 8];
            for (r, &row) in held.rows[..held.count].iter().enumerate() {
                let moved = match row.checked_sub(constraint.rigid()) {
                    None => constraint.gap[row],
                    Some(k) => constraint.weights[k] * constraint.displacement[k],
                };
                wanted[r] = -rate * moved;
            }
            self.right[held.place] = wanted;
        }
    }

    /// Corrects the multipliers. [`found`](Self::found) then tells the bodies' velocities. Returns
    /// twice the kinetic energy of these and of the drives' momenta.
    #[inline(always)]
    pub fn correct(&mut self) -> f64 {
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
        if std::mem::take(&mut self.is_begun) {
            // All impulses are yet to come, and with them what was added to the matrix: gaps that
            // the next correction would find.
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
        for i in 1..self.body.len() {
            let velocity = &self.left[self.body[i]];
            let momentum = self.inertia[i].times_vector(velocity);
            for c in 0..6 {
                energy = velocity[c].mul_add(momentum[c], energy);
            }
        }
        for held in &self.held {
            let step = self.left[held.place];
            add_scaled(&mut self.solution[held.place], 1.0, &step);
            // Drives come after what is rigid.
            for momentum in &step[held.rigid..held.count] {
                energy = momentum.mul_add(*momentum, energy);
            }
        }
        energy
    }

    /// What of the bodies' momenta on the right side the impulses of joints and drives leave.
    #[inline(always)]
    pub fn take_off_impulses(&mut self) {
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
    }

    /// A body's entries of what was computed last: its velocity, or its momentum.
    #[inline(always)]
    pub fn found(&self, body: usize) -> [f64; 6] {
        six(self.left[self.body[body]])
    }

    /// A drive's momentum by the root of its inertia, zero without armature.
    #[inline(always)]
    pub fn drive_momentum(&self, constraint: usize, degree: usize) -> f64 {
        let held = &self.held[constraint];
        // Those of loop joints, of which forces may be left out, have no momentum.
        let row = held.rigid + degree;
        let at = (held.rigid..held.count).find(|&r| held.rows[r] == row);
        at.map_or(0.0, |r| self.solution[held.place][r])
    }

    /// Solves for the velocities that go with the momenta on the right side, if nothing opens.
    /// [`found`](Self::found) tells them. Whether they are found, or the factors have lost too many
    /// digits or are nearly singular.
    #[inline(always)]
    pub fn solve_for_velocities(&mut self) -> bool {
        for held in &self.held {
            self.right[held.place] = [0.0; 8];
        }
        self.begin();
        let (mut last, mut settled) = (f64::INFINITY, false);
        // What moves a little is as exact as what it would be without joints.
        let mut unheld = 0.0_f64;
        for i in 1..self.body.len() {
            let (momentum, inertia) = (&self.right[self.body[i]], &self.inertia[i]);
            for r in 0..6 {
                if inertia.0[r][r] > 0.0 {
                    unheld = unheld.max((momentum[r] / inertia.0[r][r]).abs());
                }
            }
        }
        let mut has_before = false;
        for k in 0..MOST_CORRECTIONS {
            self.take_off_impulses();
            solve(&self.pattern, &self.factors, &mut self.left);
            let (mut change, mut whole) = (0.0_f64, unheld);
            let (mut along, mut squares) = (0.0, [0.0; 2]);
            for i in 1..self.body.len() {
                let place = self.body[i];
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

    /// Takes the multipliers of the same system in another order.
    pub fn take_multipliers(&mut self, other: &Self) {
        self.begin();
        self.is_begun = other.is_begun;
        for (own, held) in self.held.iter().zip(&other.held) {
            self.solution[own.place] = other.solution[held.place];
        }
    }

    /// Whether another system is eliminated in the same order.
    pub fn has_order_of(&self, other: &Self) -> bool {
        let places = |held: &Held| held.place;
        self.body == other.body
            && self
                .held
                .iter()
                .map(places)
                .eq(other.held.iter().map(places))
    }
}

/// A velocity of a body with which factors are tried, in m/s or rad/s: none alike next to each
/// other.
#[inline(always)]
fn velocity_to_try(body: usize, component: usize, length: f64) -> f64 {
    let size = 1.0 + ((5 * body + 3 * component) % 7) as f64 / 7.0;
    if component < 3 { size } else { size / length }
}

/// Writes a row of a constraint, and its mirror image.
#[inline(always)]
fn write(matrix: &mut [Block], [across, along]: [usize; 2], r: usize, force: &Force<f64>) {
    let force = force.to_array();
    for c in 0..6 {
        matrix[across].0[r][c] = force[c];
        matrix[along].0[c][r] = force[c];
    }
}

#[inline(always)]
fn six([a, b, c, d, e, f, ..]: Row) -> [f64; 6] {
    [a, b, c, d, e, f]
}
