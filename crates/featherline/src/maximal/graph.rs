//! The KKT system of bodies with loops, as blocks on the graph of bodies and constraints.
//!
//! A body's node holds its acceleration, a joint's the multipliers of its constraints and of its armature, and a loop joint is
//! a joint like any other. What the blocks are is [`equations`](super::equations)'s business, in which order they are eliminated is
//! [`elimination`](super::elimination)'s.
//!
//! Where constraints repeat each other, the last of them to be eliminated find pivots of zero; where a body has no inertia, it
//! does. A small number is added to the pivots of massless bodies and subtracted from those of constraints, which makes a
//! system that can be factorised in any order (R. J. Vanderbei, "Symmetric quasidefinite matrices", SIAM J. Optimization 5,
//! 1995), and the solution is corrected by what it misses in the system as it is, until that changes no more.

use super::MaximalError;
use super::elimination::Constraint;
use super::elimination::matrix::{factorise, solve, subtract_product};
use super::elimination::pattern::{BlockCount, Pattern};
use super::equations::Equations;
use super::small_matrix::{Factors, Row, Rows, add_scaled};
use super::state::MaximalState;
use crate::joint::ConstraintBasis;
use crate::loops::{Follow, Loop, Stabilisation, Stay, prepare, transmitted};
use crate::model::{JointId, Model};
use crate::scalar::dispatch;
use crate::spatial::{Force, Motion, Se3};

/// What is subtracted from the pivots of a constraint, as a part of what its bodies yield on their own, and added to those of
/// a massless body, as a part of the bodies' average inertia.
const PROXIMAL: f64 = 1e-10;

/// A force on a massless body that is left over, as a part of the largest force on any body, where nothing holds it.
const LEFT_OVER: f64 = 1e-6;

/// More corrections than are made anywhere but next to a singular configuration.
const MOST_CORRECTIONS: usize = 30;

/// A correction that is not less than this part of the one before does not converge any more.
const STALLED: f64 = 0.9;

/// A correction by this part of the accelerations is rounding.
const EXACT: f64 = 1e-15;

/// The memory and the pattern of a system with loops.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pattern: Pattern,
    joints: Vec<Held>,
    loops: Vec<Closing>,
    /// By place in the elimination: how many unknowns, and what is added to the diagonal while factorising.
    size: Vec<usize>,
    shift: Vec<f64>,
    matrix: Vec<Rows>,
    factors: Vec<Rows>,
    right: Vec<Row>,
    left: Vec<Row>,
    solution: Vec<Row>,
    /// The bodies' average inertia.
    typical: f64,
    pub loop_forces: Vec<Force<f64>>,
    pub residual: f64,
}

/// Where a body and its joint are in the matrix.
#[derive(Clone, Debug)]
struct Held {
    /// Places of body and joint on the diagonal, and in vectors.
    body: usize,
    joint: usize,
    /// Blocks: the joint's rows for the body and for the one above, and their mirror images.
    own: [usize; 2],
    above: Option<[usize; 2]>,
    /// Which of the joint's six rows count: constraints, and drives with armature.
    rows: [usize; 6],
    count: usize,
    /// The inverse of the body's own inertia; none for a massless body.
    response: Option<Rows>,
}

/// Where a loop joint is in the matrix.
#[derive(Clone, Debug)]
struct Closing {
    closing: Loop,
    place: usize,
    /// Blocks for predecessor and successor, none for the universe.
    ends: [Option<[usize; 2]>; 2],
}

impl Graph {
    pub fn new(model: &Model, bodies: &[Equations]) -> Result<Self, MaximalError> {
        let count = bodies.len() - 1;
        let node = |joint: usize| joint - 1;
        let mut constraints = Vec::new();
        let mut rows = Vec::new();
        for (id, body) in model.joint_ids().zip(&bodies[1..]) {
            let own: Vec<usize> = (0..6)
                .filter(|&k| k < body.rigid || body.constraints.0[k] != [0.0; 8])
                .collect();
            let ends = [model.parent(id).index(), id.index()];
            constraints.push(Constraint {
                bodies: ends.iter().filter(|&&b| b != 0).map(|&b| node(b)).collect(),
                rank: body.rigid,
            });
            rows.push(own);
        }
        let mut loops = Vec::new();
        for closing in model.loop_joints() {
            let prepared =
                prepare(model, closing, 0).map_err(|_| MaximalError::DependentMotions {
                    joint: closing.name.clone(),
                })?;
            let ends = [closing.predecessor.index(), closing.successor.index()];
            constraints.push(Constraint {
                bodies: ends.iter().filter(|&&b| b != 0).map(|&b| node(b)).collect(),
                rank: closing.constraints(),
            });
            loops.push((prepared, ends));
        }
        let response: Vec<Option<Rows>> = bodies[1..]
            .iter()
            .map(|body| Factors::inverse_of(&body.inertia))
            .collect();
        let pattern = Pattern::new(count, &constraints);
        let nodes = pattern.nodes();
        let mut size = vec![0; nodes];
        let pair =
            |row: usize, column: usize| [pattern.block(row, column), pattern.block(column, row)];
        let mut joints = Vec::new();
        for (id, (own, response)) in model.joint_ids().zip(rows.into_iter().zip(response)) {
            let (body, above) = (node(id.index()), model.parent(id).index());
            let joint = count + body;
            let mut kept = [0; 6];
            kept[..own.len()].copy_from_slice(&own);
            size[pattern.position(body)] = 6;
            size[pattern.position(joint)] = own.len();
            joints.push(Held {
                body: pattern.position(body),
                joint: pattern.position(joint),
                own: pair(joint, body),
                above: (above != 0).then(|| pair(joint, node(above))),
                rows: kept,
                count: own.len(),
                response,
            });
        }
        let mut ties = Vec::new();
        for (k, (closing, ends)) in loops.into_iter().enumerate() {
            let own = 2 * count + k;
            size[pattern.position(own)] = closing.joint.constraints();
            ties.push(Closing {
                place: pattern.position(own),
                ends: ends.map(|body| (body != 0).then(|| pair(own, node(body)))),
                closing,
            });
        }
        let inertias = bodies[1..].iter().map(|b| trace(&b.inertia));
        Ok(Self {
            matrix: vec![Rows::zero(); pattern.blocks()],
            factors: vec![Rows::zero(); pattern.blocks()],
            right: vec![[0.0; 8]; nodes],
            left: vec![[0.0; 8]; nodes],
            solution: vec![[0.0; 8]; nodes],
            shift: vec![0.0; nodes],
            size,
            joints,
            loop_forces: vec![Force::zero(); ties.len()],
            loops: ties,
            typical: inertias.sum::<f64>() / (6 * count.max(1)) as f64,
            pattern,
            residual: 0.0,
        })
    }

    pub fn count(&self) -> BlockCount {
        self.pattern.count()
    }

    /// Solves for what the bodies' and joints' equations are. Afterwards [`acceleration`](Self::acceleration) and
    /// [`force`](Self::force) tell.
    #[inline(always)]
    pub fn solve(
        &mut self,
        model: &Model,
        bodies: &[Equations],
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        let blocks = self.matrix.iter_mut();
        blocks.for_each(|block| *block = Rows::zero());
        for (k, body) in bodies[1..].iter().enumerate() {
            self.right[self.joints[k].body] = body.force;
        }
        for (id, body) in model.joint_ids().zip(&bodies[1..]) {
            self.add_joint(id.index() - 1, model.parent(id).index(), body);
        }
        for k in 0..self.loops.len() {
            self.add_loop(k, state, stabilisation)?;
        }
        self.factors.copy_from_slice(&self.matrix);
        for k in 0..self.size.len() {
            for r in 0..self.size[k] {
                self.factors[k].0[r][r] += self.shift[k];
            }
        }
        factorise(&self.pattern, &mut self.factors, &self.size)
            .map_err(|place| self.singular(model, place))?;
        self.correct();
        if let Some(place) = self.loose() {
            return Err(self.singular(model, place));
        }
        for (tie, force) in self.loops.iter().zip(&mut self.loop_forces) {
            let rigid = tie.closing.basis.rigid();
            // Multipliers stand on the bodies' side of the equations.
            let opposite = self.solution[tie.place].map(|x| -x);
            *force = transmitted(&tie.closing.basis, &opposite[..rigid]);
        }
        Ok(())
    }

    #[cold]
    fn singular(&self, model: &Model, place: usize) -> MaximalError {
        let own = |held: &Held| held.body == place || held.joint == place;
        let joint = match self.joints.iter().position(own) {
            Some(k) => model.joints()[k + 1].name.clone(),
            None => String::new(),
        };
        MaximalError::SingularInertia { joint }
    }

    /// A body's acceleration.
    #[inline(always)]
    pub fn acceleration(&self, joint: usize) -> Row {
        self.solution[self.joints[joint - 1].body]
    }

    /// The force that a joint passes on to its body.
    #[inline(always)]
    pub fn force(&self, joint: usize, body: &Equations) -> Row {
        let held = &self.joints[joint - 1];
        let mut force = body.drive;
        for k in 0..held.count {
            let row = &body.constraints.0[held.rows[k]];
            let multiplier = self.solution[held.joint][k];
            add_scaled(&mut force, -multiplier, row);
        }
        force
    }

    #[inline(always)]
    fn add_joint(&mut self, k: usize, above: usize, body: &Equations) {
        let held = &self.joints[k];
        add_scaled(&mut self.right[held.body], 1.0, &body.drive);
        let mut target = [0.0; 8];
        let mut scale = 0.0_f64;
        for (r, &row) in held.rows[..held.count].iter().enumerate() {
            let own = &body.constraints.0[row];
            let [across, along] = held.own;
            self.matrix[across].0[r] = *own;
            for c in 0..6 {
                self.matrix[along].0[c][r] = own[c];
            }
            if let Some([across, along]) = held.above {
                self.matrix[across].0[r] = body.above.0[row];
                for c in 0..6 {
                    self.matrix[along].0[c][r] = body.above.0[row][c];
                }
            }
            if row >= body.rigid {
                self.matrix[held.joint].0[r][r] = -1.0;
            }
            scale = scale.max(yielding(&held.response, self.typical, own));
            target[r] = body.constraint[row];
        }
        self.right[held.joint] = target;
        self.shift[held.joint] = -PROXIMAL * scale;
        let massless = held.response.is_none();
        self.shift[held.body] = if massless {
            PROXIMAL * self.typical
        } else {
            0.0
        };
        let own = &mut self.matrix[held.body];
        for r in 0..6 {
            add_scaled(&mut own.0[r], 1.0, &body.inertia.0[r]);
        }
        if above != 0 {
            let place = self.joints[above - 1].body;
            add_scaled(&mut self.right[place], 1.0, &body.recoil);
        }
    }

    #[inline(always)]
    fn add_loop(
        &mut self,
        k: usize,
        state: &MaximalState,
        stabilisation: &Stabilisation,
    ) -> Result<(), MaximalError> {
        let Closing {
            closing,
            place,
            ends,
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
        if *stabilisation != Stabilisation::NONE || !joint.kind.has_constant_subspace() {
            let followed = dispatch(Follow {
                closing: &mut *closing,
                apart: &apart,
            });
            followed.ok_or_else(|| MaximalError::DependentMotions {
                joint: closing.joint.name.clone(),
            })?;
        }
        closing.velocity = velocities[1] - velocities[0];
        let stay = dispatch(Stay {
            closing: &*closing,
            carried: velocities[1],
            bias: Motion::zero(),
        });
        let basis = &closing.basis;
        let pulls = stabilisation.pulls(basis, &closing.gap, &closing.velocity);
        let mut target = [0.0; 8];
        let mut scale = 0.0_f64;
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
                let response = &self.joints[bodies[end].index() - 1].response;
                let row = &self.matrix[across].0[r];
                scale = scale.max(yielding(response, self.typical, row));
            }
        }
        self.right[*place] = target;
        self.shift[*place] = -PROXIMAL * scale;
        Ok(())
    }

    /// The place of a massless body on which a force is left over, if there is one.
    #[inline(always)]
    fn loose(&self) -> Option<usize> {
        let mut largest = 0.0_f64;
        for held in &self.joints {
            for r in 0..6 {
                largest = largest.max(self.right[held.body][r].abs());
            }
        }
        for held in &self.joints {
            for r in 0..6 {
                let left = self.left[held.body][r].abs();
                // False for what is not a number, which shows in the accelerations.
                if held.response.is_none() && left > LEFT_OVER * largest {
                    return Some(held.body);
                }
            }
        }
        None
    }

    /// Adds corrections to the solution until they are rounding.
    #[inline(always)]
    fn correct(&mut self) {
        self.solution.iter_mut().for_each(|x| *x = [0.0; 8]);
        let mut last = f64::INFINITY;
        for k in 0..MOST_CORRECTIONS {
            self.left.copy_from_slice(&self.right);
            subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
            solve(&self.pattern, &self.factors, &mut self.left);
            let (mut change, mut whole) = (0.0_f64, 0.0_f64);
            for held in &self.joints {
                for r in 0..6 {
                    change = change.max(self.left[held.body][r].abs());
                    whole = whole.max(self.solution[held.body][r].abs());
                }
            }
            if change > STALLED * last {
                break;
            }
            for (x, step) in self.solution.iter_mut().zip(&self.left) {
                add_scaled(x, 1.0, step);
            }
            // The first is the solution itself, which says nothing about convergence.
            if k > 0 {
                last = change;
            }
            if change <= EXACT * whole {
                break;
            }
        }
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
        self.residual = 0.0;
        let joints = self.joints.iter().map(|held| held.joint);
        for place in joints.chain(self.loops.iter().map(|tie| tie.place)) {
            for r in 0..self.size[place] {
                self.residual = self.residual.max(self.left[place][r].abs());
            }
        }
    }
}

/// How far a body yields to a unit force of constraint; a massless one is taken to have the bodies' average inertia.
#[inline(always)]
fn yielding(response: &Option<Rows>, typical: f64, row: &Row) -> f64 {
    let mut moved = row.map(|x| x / typical);
    if let Some(response) = response {
        moved = response.times_vector(row);
    }
    let mut sum = 0.0;
    for c in 0..6 {
        sum = row[c].mul_add(moved[c], sum);
    }
    sum
}

#[inline(always)]
fn column(basis: &ConstraintBasis, k: usize) -> Force<f64> {
    basis.columns.column(k).into_owned().into()
}

fn trace(inertia: &Rows) -> f64 {
    (0..6).map(|k| inertia.0[k][k]).sum()
}
