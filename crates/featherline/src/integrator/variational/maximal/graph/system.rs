//! The linear system of a step's corrections, on the graph of bodies and constraints.
//!
//! ```text
//! ⎡ M  Cᵀ  Wᵀ ⎤ ⎡ v ⎤   ⎡ momentum that is missing        ⎤
//! ⎢ C  0   0  ⎥ ⎢ λ ⎥ = ⎢ −gap/h                          ⎥
//! ⎣ W  0   −1 ⎦ ⎣ μ ⎦   ⎣ motion of drives that is missing ⎦
//! ```
//!
//! with v the bodies' velocities, λ the impulses of constraint, C their directions at the instant at which the step begins,
//! and W those of the drives, weighted by the roots of their reflected inertias, so that a drive's momentum resists as one
//! more multiplier. The blocks are eliminated in an order of least fill that is found once. Where constraints repeat each
//! other, small numbers subtracted from their pivots make the matrix regular; the iterations of the step, which correct
//! what they have, make good for them, as proximal steps do (J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse
//! resolution of constrained dynamic equations", RSS 2021).

use super::constraint::Constraint;
use super::motion::{Step, body_motion};
use crate::integrator::variational::cayley::force_on_coordinates;
use crate::maximal::elimination::matrix::{factorise, solve, subtract_product};
use crate::maximal::elimination::pattern::Pattern;
use crate::maximal::elimination::{Caution, Constraint as Edge};
use crate::maximal::small_matrix::{Factors, Row, Rows, add_scaled};
use crate::spatial::{Force, Inertia, Se3};
use nalgebra::Matrix6;

/// What is subtracted from the pivots of a constraint, as a part of what its bodies yield on their own, and added to those of
/// a massless body, as a part of the bodies' average inertia.
const PROXIMAL: f64 = 1e-9;

/// More corrections than a velocity takes anywhere but next to a singular configuration.
const MOST_CORRECTIONS: usize = 30;

/// A correction that is not less than this part of the one before does not converge any more.
const STALLED: f64 = 0.9;

/// A correction by this part of the velocities is rounding.
const EXACT: f64 = 1e-15;

/// The system, with the memory to solve it.
#[derive(Clone, Debug)]
pub(super) struct System {
    pattern: Pattern,
    /// Where a body is on the diagonal and in vectors, by joint; the universe is nowhere.
    body: Vec<usize>,
    held: Vec<Held>,
    inertia: Vec<Rows>,
    size: Vec<usize>,
    shift: Vec<f64>,
    matrix: Vec<Rows>,
    factors: Vec<Rows>,
    right: Vec<Row>,
    left: Vec<Row>,
    /// The multipliers so far, zero for bodies; or all unknowns.
    solution: Vec<Row>,
}

/// Where a constraint is in the matrix.
#[derive(Clone, Debug)]
struct Held {
    place: usize,
    /// Blocks across and along for predecessor and successor, none for the universe.
    ends: [Option<[usize; 2]>; 2],
    /// Which of the joint's six forces count: those of constraint, and those of drives with armature.
    rows: [usize; 6],
    rigid: usize,
    count: usize,
}

impl System {
    /// The system of bodies, the universe first, and constraints.
    pub fn new(inertias: &[Inertia<f64>], constraints: &[Constraint]) -> Self {
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
        let pattern = Pattern::new(bodies, &edges, Caution::CountFreedoms);
        let nodes = pattern.nodes();
        let body = std::iter::once(nodes)
            .chain((0..bodies).map(|node| pattern.position(node)))
            .collect::<Vec<_>>();
        let inertia: Vec<Rows> = inertias.iter().map(|y| Rows::of(&y.to_matrix())).collect();
        let trace = |rows: &Rows| (0..6).map(|k| rows.0[k][k]).sum::<f64>();
        let typical = inertia.iter().map(trace).sum::<f64>() / (6 * bodies.max(1)) as f64;
        let responses: Vec<Option<Rows>> = inertia.iter().map(Factors::inverse_of).collect();
        let (mut size, mut shift) = (vec![0; nodes], vec![0.0; nodes]);
        for (place, response) in body.iter().zip(&responses).skip(1) {
            size[*place] = 6;
            if response.is_none() {
                shift[*place] = PROXIMAL * typical;
            }
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
                let mut rows = [0; 6];
                let mut count = 0;
                for row in 0..6 {
                    if row < c.rigid() || c.weights[row - c.rigid()] > 0.0 {
                        rows[count] = row;
                        count += 1;
                    }
                }
                let place = pattern.position(node);
                size[place] = count;
                // How much a unit force moves one of the bodies, the directions being of length one.
                let own = [c.successor, c.predecessor];
                let own = own.into_iter().find(|&body| body != 0).unwrap_or(0);
                let yielding = match &responses[own] {
                    Some(response) => trace(response),
                    None => 6.0 / typical,
                };
                shift[place] = -PROXIMAL * yielding / 6.0;
                Held {
                    place,
                    ends: [pair(c.predecessor), pair(c.successor)],
                    rows,
                    rigid: c.rigid(),
                    count,
                }
            })
            .collect();
        Self {
            body,
            held,
            inertia,
            size,
            shift,
            matrix: vec![Rows::zero(); pattern.blocks()],
            factors: vec![Rows::zero(); pattern.blocks()],
            right: vec![[0.0; 8]; nodes],
            left: vec![[0.0; 8]; nodes],
            solution: vec![[0.0; 8]; nodes],
            pattern,
        }
    }

    /// Sets the momentum that a body lacks, or has where velocities are sought.
    #[inline(always)]
    pub fn set_momentum(&mut self, body: usize, momentum: &Force<f64>) {
        let [a, b, c, d, e, f] = momentum.to_array();
        self.right[self.body[body]] = [a, b, c, d, e, f, 0.0, 0.0];
    }

    /// Writes the matrix for bodies that are placed in the world, and factorises it. Fails with the place of a singular pivot.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<(), usize> {
        for block in &mut self.matrix {
            *block = Rows::zero();
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

    /// Factorises anew, with constraints and drives as they see motions where a step leads. The directions of impulses stay
    /// those of the instant. `slopes` are, by constraint, covectors on the motion of the output frame. Fails with the place of
    /// a singular pivot.
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
        for k in 0..self.size.len() {
            for r in 0..self.size[k] {
                self.factors[k].0[r][r] += self.shift[k];
            }
        }
        factorise(&self.pattern, &mut self.factors, &self.size)
    }

    /// The body that a place of the matrix belongs to, or the successor of the constraint that does.
    pub fn owner(&self, place: usize, constraints: &[Constraint]) -> usize {
        let body = self.body.iter().position(|&own| own == place);
        let constraint = self.held.iter().position(|held| held.place == place);
        body.or_else(|| constraint.map(|k| constraints[k].successor))
            .unwrap_or(0)
    }

    /// Forgets the multipliers of the step before.
    #[inline(always)]
    pub fn begin(&mut self) {
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

    /// Corrects the multipliers. [`found`](Self::found) then tells the bodies' velocities. Returns twice the
    /// kinetic energy of these and of the drives' momenta.
    #[inline(always)]
    pub fn correct(&mut self) -> f64 {
        self.left.copy_from_slice(&self.right);
        subtract_product(&self.pattern, &self.matrix, &self.solution, &mut self.left);
        solve(&self.pattern, &self.factors, &mut self.left);
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
        let row = held.rigid + degree;
        let at = (held.rigid..held.count).find(|&r| held.rows[r] == row);
        at.map_or(0.0, |r| self.solution[held.place][r])
    }

    /// Solves for the velocities that go with the momenta on the right side, if nothing opens. [`found`](Self::found) tells
    /// them.
    #[inline(always)]
    pub fn solve_for_velocities(&mut self) {
        for held in &self.held {
            self.right[held.place] = [0.0; 8];
        }
        self.begin();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            self.take_off_impulses();
            solve(&self.pattern, &self.factors, &mut self.left);
            let (mut change, mut whole) = (0.0_f64, 0.0_f64);
            for i in 1..self.body.len() {
                for r in 0..6 {
                    change = change.max(self.left[self.body[i]][r].abs());
                    whole = whole.max(self.solution[self.body[i]][r].abs());
                }
            }
            if change > STALLED * last {
                break;
            }
            for (x, step) in self.solution.iter_mut().zip(&self.left) {
                add_scaled(x, 1.0, step);
            }
            if change <= EXACT * whole {
                break;
            }
            // The first is the solution itself, which says nothing about convergence.
            if whole > 0.0 {
                last = change;
            }
        }
        self.left.copy_from_slice(&self.solution);
    }
}

/// Writes a row of a constraint, and its mirror image.
#[inline(always)]
fn write(matrix: &mut [Rows], [across, along]: [usize; 2], r: usize, force: &Force<f64>) {
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
