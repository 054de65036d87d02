//! The KKT system of a cluster of bodies that loops tie together, as blocks on the graph of bodies
//! and constraints.
//!
//! It is solved for accelerations beside those that the cluster would have as a rigid part of the
//! link that carries it, for seven right-hand sides at once: what that link's acceleration takes,
//! component by component, and what the forces do. A row of a block has eight numbers in any case.
//!
//! A body's node holds its acceleration, a joint's the multipliers of its constraints and of its
//! armature, and a loop joint is a joint like any other. What the blocks are is
//! [`equations`](super::equations)'s business, in which order they are eliminated is
//! [`elimination`](super::elimination)'s.
//!
//! What is added to make the system regular ([`Proximal`]), the solution is corrected for, by what
//! it misses in the system as it is, until that changes no more.

use super::MaximalError;
use super::block::{Block, Row, add_scaled};
use super::elimination::matrix::{factorise, solve, subtract_product};
use super::elimination::pattern::{BlockCount, Pattern};
use super::elimination::{Constraint, Proximal, Readiness};
use super::equations::Equations;
use super::state::MaximalState;
use featherline::kernel::ConstraintBasis;
use featherline::kernel::links;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Motion, Se3, Vec3};
use featherline_constraint::Stabilisation;
use featherline_constraint::kernel::{Loop, ROUNDED_AXES, loop_bias, read_loop, transmitted};

/// By what part constraints yield more than they do. Rounding of pivots, some 10⁻¹⁵ of them, is
/// little beside it.
const PROXIMAL: f64 = 1e-10;

/// What part of the inertia beside it a massless body is given. Rounding of what it lets
/// constraints yield, 10⁻¹⁶ over this of what others let them, has to stay below [`PROXIMAL`]; a
/// correction leaves this part.
const MASSLESS: f64 = 1e-3;

/// A force on a massless body that is left over, as a part of the largest force on any body, where
/// nothing holds it.
const LEFT_OVER: f64 = 1e-6;

/// More corrections than are made anywhere but next to a singular configuration.
const MOST_CORRECTIONS: usize = 30;

/// A correction that is not less than this part of the one before does not converge any more.
const STALLED: f64 = 0.9;

/// Where corrections by more than this part of the accelerations are left, the factors have lost
/// their digits.
const UNSETTLED: f64 = 1e-10;

/// A correction by this part of the accelerations is rounding.
const EXACT: f64 = 1e-15;

/// The weights of the seven columns in a state: the acceleration of the link that carries the
/// cluster, and one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried(pub Row);

impl Carried {
    /// The column of what the forces do.
    pub const FORCES: usize = 6;

    /// For the carrying link's acceleration, gravity taken for one.
    #[inline(always)]
    pub fn by(acceleration: &Motion<f64>) -> Self {
        let [a, b, c, d, e, f] = acceleration.to_array();
        Self([a, b, c, d, e, f, 1.0, 0.0])
    }
}

/// The memory and the pattern of a cluster's system.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pattern: Pattern,
    joints: Vec<Held>,
    loops: Vec<Closing>,
    /// By place in the elimination: how many unknowns.
    size: Vec<usize>,
    proximal: Proximal,
    matrix: Vec<Block>,
    factors: Vec<Block>,
    /// In seven columns.
    right: Vec<Block>,
    left: Vec<Block>,
    solution: Vec<Block>,
    /// Whether the corrections that are left are small.
    is_settled: bool,
}

/// Where a body and its joint are in the matrix.
#[derive(Clone, Debug)]
struct Held {
    /// The body's link.
    link: usize,
    /// Places of body and joint on the diagonal, and in vectors.
    body: usize,
    joint: usize,
    /// Blocks: the joint's rows for the body and for the one above, and their mirror images.
    own: [usize; 2],
    above: Option<Above>,
    /// Which of the joint's six rows count: constraints, and drives with armature.
    rows: [usize; 6],
    count: usize,
    is_massless: bool,
}

/// The body above in the same cluster.
#[derive(Clone, Copy, Debug)]
struct Above {
    place: usize,
    blocks: [usize; 2],
}

/// Where a loop joint is in the matrix.
#[derive(Clone, Debug)]
struct Closing {
    closing: Loop,
    /// Which one of the model's it is.
    index: usize,
    place: usize,
    /// Blocks across and along for predecessor and successor, none where it is not in the cluster.
    ends: [Option<[usize; 2]>; 2],
}

impl Graph {
    /// The system of some bodies, given by their links, and the loops that tie them.
    pub fn new<'a>(
        model: &Model,
        members: &[usize],
        bodies: &[Equations],
        loops: impl Iterator<Item = &'a (usize, Loop)>,
        inertias: impl Iterator<Item = &'a Block>,
        readiness: Readiness,
    ) -> Self {
        let count = members.len();
        let number = |link: usize| members.binary_search(&link).ok();
        let above = |link: usize| number(links(model)[link].parent);
        let mut constraints = Vec::new();
        let mut rows = Vec::new();
        for (k, (&link, body)) in members.iter().zip(bodies).enumerate() {
            let own: Vec<usize> = (0..6)
                .filter(|&k| k < body.rigid || body.constraints.0[k] != [0.0; 8])
                .collect();
            constraints.push(Constraint {
                bodies: above(link).into_iter().chain([k]).collect(),
                rank: body.rigid,
            });
            rows.push(own);
        }
        let mut closings = Vec::new();
        for (index, closing) in loops {
            let ends = [closing.joint.predecessor, closing.joint.successor];
            let ends = ends.map(|end| number(end.index()));
            constraints.push(Constraint {
                bodies: ends.iter().flatten().copied().collect(),
                rank: closing.joint.constraints(),
            });
            closings.push((*index, closing.clone(), ends));
        }
        let pattern = Pattern::new(count, &constraints, readiness);
        let nodes = pattern.nodes();
        let mut size = vec![0; nodes];
        let pair =
            |row: usize, column: usize| [pattern.block(row, column), pattern.block(column, row)];
        let own: Vec<Block> = bodies.iter().map(|body| body.inertia).collect();
        let proximal = Proximal::new([PROXIMAL, MASSLESS], &pattern, &own, &constraints, inertias);
        let mut joints = Vec::new();
        for (k, (own, &link)) in rows.into_iter().zip(members).enumerate() {
            let joint = count + k;
            let mut kept = [0; 6];
            kept[..own.len()].copy_from_slice(&own);
            size[pattern.position(k)] = 6;
            size[pattern.position(joint)] = own.len();
            joints.push(Held {
                link,
                body: pattern.position(k),
                joint: pattern.position(joint),
                own: pair(joint, k),
                above: above(link).map(|above| Above {
                    place: pattern.position(above),
                    blocks: pair(joint, above),
                }),
                rows: kept,
                count: own.len(),
                is_massless: proximal.is_massless(pattern.position(k)),
            });
        }
        let mut ties = Vec::new();
        for (k, (index, closing, ends)) in closings.into_iter().enumerate() {
            let own = 2 * count + k;
            size[pattern.position(own)] = closing.joint.constraints();
            ties.push(Closing {
                index,
                place: pattern.position(own),
                ends: ends.map(|end| end.map(|body| pair(own, body))),
                closing,
            });
        }
        Self {
            matrix: vec![Block::zero(); pattern.blocks()],
            factors: vec![Block::zero(); pattern.blocks()],
            right: vec![Block::zero(); nodes],
            left: vec![Block::zero(); nodes],
            solution: vec![Block::zero(); nodes],
            proximal,
            size,
            joints,
            loops: ties,
            pattern,
            is_settled: false,
        }
    }

    pub fn count(&self) -> BlockCount {
        self.pattern.count()
    }

    /// Solves for what the bodies' and joints' equations are; `loads` are the forces that the
    /// bodies take as a rigid part of the carrying link.
    #[inline(always)]
    pub fn solve(
        &mut self,
        model: &Model,
        bodies: &[Equations],
        loads: &[Block],
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        let blocks = self.matrix.iter_mut().chain(&mut self.right);
        blocks.for_each(|block| *block = Block::zero());
        for (k, (body, load)) in bodies.iter().zip(loads).enumerate() {
            self.add_joint(k, body);
            let right = &mut self.right[self.joints[k].body];
            for (own, load) in right.0.iter_mut().zip(&load.0) {
                add_scaled(own, -1.0, load);
            }
        }
        for k in 0..self.loops.len() {
            self.add_loop(model, k, state, stabilisation)?;
        }
        self.factors.copy_from_slice(&self.matrix);
        factorise(&self.pattern, &mut self.factors, &self.size, &self.proximal)
            .map_err(|place| self.singular(model, place))?;
        self.correct();
        Ok(())
    }

    /// Whether the solution is one: the corrections that are left are small.
    #[inline(always)]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Whether another system of the same cluster is eliminated in the same order.
    pub fn has_order_of(&self, other: &Self) -> bool {
        let places = |graph: &Self| -> Vec<usize> {
            let joints = graph.joints.iter().flat_map(|held| [held.body, held.joint]);
            joints
                .chain(graph.loops.iter().map(|tie| tie.place))
                .collect()
        };
        places(self) == places(other)
    }

    /// The error of an index at which the elimination ended.
    #[cold]
    pub fn singular(&self, model: &Model, place: usize) -> MaximalError {
        let own = |held: &&Held| held.body == place || held.joint == place;
        let joint = match self.joints.iter().find(own) {
            Some(held) => model.joints()[held.link].name.clone(),
            None => String::new(),
        };
        MaximalError::SingularInertia { joint }
    }

    /// A body's acceleration beside that which it would have on a rigid cluster, in seven columns.
    #[inline(always)]
    pub fn response(&self, body: usize) -> &Block {
        &self.solution[self.joints[body].body]
    }

    /// The force that a joint passes on to its body.
    #[inline(always)]
    pub fn force(&self, joint: usize, body: &Equations, carried: &Carried) -> Row {
        let held = &self.joints[joint];
        let multipliers = self.solution[held.joint].weighted(&carried.0);
        let mut force = body.drive;
        for k in 0..held.count {
            let row = &body.constraints.0[held.rows[k]];
            add_scaled(&mut force, -multipliers[k], row);
        }
        force
    }

    /// Writes the forces that the loop joints pass on to their successors, each to its own place
    /// among the model's.
    #[inline(always)]
    pub fn loop_forces(&self, carried: &Carried, forces: &mut [Force<f64>]) {
        for tie in &self.loops {
            let rigid = tie.closing.basis.rigid();
            // Multipliers stand on the bodies' side of the equations.
            let opposite = self.solution[tie.place].weighted(&carried.0).map(|x| -x);
            forces[tie.index] = transmitted(&tie.closing.basis, &opposite[..rigid]);
        }
    }

    /// The largest acceleration that a joint or a loop joint should not allow.
    #[inline(always)]
    pub fn residual(&self, carried: &Carried) -> f64 {
        let joints = self.joints.iter().map(|held| held.joint);
        let mut largest = 0.0_f64;
        for place in joints.chain(self.loops.iter().map(|tie| tie.place)) {
            let left = self.left[place].weighted(&carried.0);
            for own in &left[..self.size[place]] {
                largest = largest.max(own.abs());
            }
        }
        largest
    }

    #[inline(always)]
    fn add_joint(&mut self, k: usize, body: &Equations) {
        let held = &self.joints[k];
        add_to_column(&mut self.right[held.body], &body.drive);
        let mut target = [0.0; 8];
        for (r, &row) in held.rows[..held.count].iter().enumerate() {
            let own = &body.constraints.0[row];
            let [across, along] = held.own;
            self.matrix[across].0[r] = *own;
            for c in 0..6 {
                self.matrix[along].0[c][r] = own[c];
            }
            if let Some(Above {
                blocks: [across, along],
                ..
            }) = held.above
            {
                self.matrix[across].0[r] = body.above.0[row];
                for c in 0..6 {
                    self.matrix[along].0[c][r] = body.above.0[row][c];
                }
            }
            if row >= body.rigid {
                self.matrix[held.joint].0[r][r] = -1.0;
            }
            self.proximal.let_yield(held.joint, r, own);
            target[r] = body.constraint[row];
        }
        add_to_column(&mut self.right[held.joint], &target);
        let own = &mut self.matrix[held.body];
        for r in 0..6 {
            add_scaled(&mut own.0[r], 1.0, &body.inertia.0[r]);
        }
        if let Some(above) = held.above {
            add_to_column(&mut self.right[above.place], &body.recoil);
        }
    }

    #[inline(always)]
    fn add_loop(
        &mut self,
        model: &Model,
        k: usize,
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        let Closing {
            closing,
            place,
            ends,
            ..
        } = &mut self.loops[k];
        let joint = &closing.joint;
        let bodies = [joint.predecessor, joint.successor];
        let placements = bodies.map(|body| match body {
            JointId::UNIVERSE => Se3::identity(),
            body => state.poses[body.index()].placement(),
        });
        let output = placements[1].compose(&joint.successor_placement);
        // The output frame in both bodies.
        let seen = [
            placements[0].inverse_compose(&output),
            joint.successor_placement,
        ];
        let apart = joint.predecessor_placement.inverse_compose(&seen[0]);
        let velocities = [0, 1].map(|end| match bodies[end] {
            JointId::UNIVERSE => Motion::zero(),
            body => seen[end].inverse_act_motion(&state.velocities[body.index()]),
        });
        let followed = read_loop(&mut *closing, &apart);
        followed.ok_or_else(|| MaximalError::DependentMotions {
            joint: closing.joint.name.clone(),
        })?;
        if *stabilisation == Stabilisation::NONE {
            closing.length = farthest(model, state, closing, &output.translation);
            if closing.is_open(ROUNDED_AXES, |_| true) {
                return Err(MaximalError::OpenLoop {
                    joint: closing.joint.name.clone(),
                    gap: closing.gap_length(),
                });
            }
        }
        closing.velocity = velocities[1] - velocities[0];
        let stay = loop_bias(&*closing, velocities[1], Motion::zero());
        let basis = &closing.basis;
        let pulls = stabilisation.pulls(basis, &closing.gap, &closing.velocity);
        let mut target = [0.0; 8];
        for r in 0..basis.rigid() {
            target[r] = stay[r] - pulls[r];
            let force = column(basis, r);
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                let Some([across, along]) = ends[end] else {
                    continue;
                };
                let through = seen[end].act_force(&force).to_array();
                for c in 0..6 {
                    let value = sign * through[c];
                    self.matrix[across].0[r][c] = value;
                    self.matrix[along].0[c][r] = value;
                }
                self.proximal.let_yield(*place, r, &through);
            }
        }
        add_to_column(&mut self.right[*place], &target);
        Ok(())
    }

    /// The place of a massless body on which a force is left over, if there is one.
    #[inline(always)]
    pub fn loose(&self, carried: &Carried) -> Option<usize> {
        let mut largest = 0.0_f64;
        for held in &self.joints {
            let right = self.right[held.body].weighted(&carried.0);
            for own in &right[..6] {
                largest = largest.max(own.abs());
            }
        }
        for held in &self.joints {
            if !held.is_massless {
                continue;
            }
            let left = self.left[held.body].weighted(&carried.0);
            for own in &left[..6] {
                // False for what is not a number, which shows in the accelerations.
                if own.abs() > LEFT_OVER * largest {
                    return Some(held.body);
                }
            }
        }
        None
    }

    /// Adds corrections to the solution until they are rounding, in each column by itself.
    #[inline(always)]
    fn correct(&mut self) {
        self.solution.iter_mut().for_each(|x| *x = Block::zero());
        let (mut last, mut before) = ([f64::INFINITY; 8], [0.0; 8]);
        for k in 0..MOST_CORRECTIONS {
            self.left.copy_from_slice(&self.right);
            subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
            solve(&self.pattern, &self.factors, &mut self.left);
            // Six columns are beside a unit acceleration of the carrying link, and may be nothing
            // but rounding.
            let mut whole = [1.0_f64; 8];
            whole[Carried::FORCES..].fill(0.0);
            let mut change = [0.0_f64; 8];
            for held in &self.joints {
                let pairs = self.left[held.body]
                    .0
                    .iter()
                    .zip(&self.solution[held.body].0);
                for (left, own) in pairs {
                    for c in 0..8 {
                        change[c] = change[c].max(left[c].abs());
                        whole[c] = whole[c].max(own[c].abs());
                    }
                }
            }
            // Columns that do not converge any more are left as they are.
            let mut taken = [1.0; 8];
            let mut left = change;
            let mut goes_on = false;
            for c in 0..8 {
                if change[c] > STALLED * last[c] {
                    (taken[c], last[c]) = (0.0, 0.0);
                    continue;
                }
                let mut next = change[c];
                if k > 1 {
                    // As much less than this one as this one is less than the one before.
                    next *= (change[c] / before[c]).min(1.0);
                }
                goes_on |= next > EXACT * whole[c];
                left[c] = next;
                before[c] = change[c];
                // The first is the solution itself, which does not show convergence.
                if k > 0 {
                    last[c] = change[c];
                }
            }
            for (x, step) in self.solution.iter_mut().zip(&self.left) {
                for (x, step) in x.0.iter_mut().zip(&step.0) {
                    for c in 0..8 {
                        x[c] = step[c].mul_add(taken[c], x[c]);
                    }
                }
            }
            self.is_settled = (0..8).all(|c| left[c] <= UNSETTLED * whole[c]);
            if !goes_on {
                break;
            }
        }
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
    }
}

/// Adds to the column of forces.
#[inline(always)]
fn add_to_column(rows: &mut Block, column: &Row) {
    for r in 0..6 {
        rows.0[r][Carried::FORCES] += column[r];
    }
}

#[inline(always)]
fn column(basis: &ConstraintBasis, k: usize) -> Force<f64> {
    basis.columns.column(k).into_owned().into()
}

/// The farthest of a loop's joints from the loop joint, in m, and the loop's least length at least.
fn farthest(model: &Model, state: &MaximalState, closing: &Loop, from: &Vec3<f64>) -> f64 {
    let mut farthest = closing.least_length;
    for end in [closing.joint.predecessor, closing.joint.successor] {
        let mut body = end.index();
        while body != closing.common {
            farthest = farthest.max((state.poses[body].position - *from).norm());
            body = links(model)[body].parent;
        }
    }
    farthest
}
