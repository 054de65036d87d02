//! The laws' functions of velocities: arguments, impulses, their derivatives and residuals.
//!
//! Blocks read few numbers z of the velocity, such as twists of pairs of bodies: u = X z + b.
//! Velocities and the steps between them are with [`Response`].

use super::path::OnPath;
use super::response::{Place, Response};
use super::rows::{Block, add, dot};
use super::{FrictionLaw, Rows, Set};
use featherline::kernel;
use featherline::model::EliminationTree;

/// The rounding of velocities and of impulses' parts of them: some operations deep.
const ROUNDING: f64 = 1e-14;

/// A residual in m/s and rad/s that nobody sees: a millimetre in two weeks.
pub(super) const UNSEEN: f64 = 1e-9;

/// Compliances below this part of the response w count as rigid.
const STIFF: f64 = 1e-8;

/// The velocities and impulses of a search.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub response: Response,
    pub velocity: Vec<f64>,
    pub readings: Readings,
    pub blocks: Blocks,
}

/// The quantities of readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Readings {
    /// z at the iterate, and at v*.
    pub z: Vec<[f64; 6]>,
    pub free: Vec<[f64; 6]>,
    /// diag J D⁻¹ Jᵀ with M̂ = Lᵀ D L.
    pub estimates: Vec<[f64; 6]>,
    /// f: Xᵀ λ, or Xᵀ Π(y).
    pub impulses: Vec<[f64; 6]>,
    /// K = Xᵀ ρ' DΠ (1 + e_n ∇s) X, or Xᵀ Tᵀ S A T X on the path.
    pub weights: Vec<[[f64; 6]; 6]>,
    /// J dv of a step.
    pub step: Vec<[f64; 6]>,
}

/// The quantities of blocks of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// X W Xᵀ, and w: the mean of its diagonal.
    pub delassus: Vec<[[f64; 3]; 3]>,
    pub response: Vec<f64>,
    pub multipliers: Vec<[f64; 3]>,
    pub best: Vec<[f64; 3]>,
    /// u, y and Π(y) of the last evaluation.
    pub velocity: Vec<[f64; 3]>,
    pub argument: Vec<[f64; 3]>,
    pub impulse: Vec<[f64; 3]>,
    /// The best before another law was tried.
    pub kept: Vec<[f64; 3]>,
    /// Where the central path is.
    pub path: Vec<OnPath>,
}

/// The equations of one solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub rows: &'a Rows,
    pub law: FrictionLaw,
    pub island: usize,
}

impl<'a> Problem<'a> {
    #[inline(always)]
    pub fn place(&self) -> Place<'a> {
        Place {
            rows: self.rows,
            island: self.island,
        }
    }
}

impl State {
    pub fn new(mass: &EliminationTree) -> Self {
        Self {
            response: Response::new(mass),
            velocity: vec![0.0; mass.len()],
            readings: Readings::default(),
            blocks: Blocks::default(),
        }
    }

    /// Takes the sizes of some rows.
    pub fn resize(&mut self, rows: &Rows) {
        let Readings {
            z,
            free,
            estimates,
            impulses,
            weights,
            step,
        } = &mut self.readings;
        let count = rows.readings.len();
        for list in [z, free, estimates, impulses, step] {
            list.resize(count, [0.0; 6]);
        }
        weights.resize(count, [[0.0; 6]; 6]);
        let Blocks {
            delassus,
            response,
            multipliers,
            best,
            velocity,
            argument,
            impulse,
            kept,
            path,
        } = &mut self.blocks;
        let count = rows.blocks();
        delassus.resize(count, [[0.0; 3]; 3]);
        response.resize(count, 0.0);
        for list in [multipliers, best, velocity, argument, impulse, kept] {
            list.resize(count, [0.0; 3]);
        }
        path.resize(count, OnPath::default());
    }

    /// Changes the quantities of each block of an island.
    pub fn for_blocks(&mut self, problem: &Problem<'_>, change: impl Fn(&mut Blocks, usize)) {
        for &i in self.response.islands.parts(problem.island).blocks {
            change(&mut self.blocks, i);
        }
    }

    /// Goes back to the best multipliers; returns their residual.
    pub fn return_to_best(&mut self, problem: &Problem<'_>) -> f64 {
        self.for_blocks(problem, |blocks, i| blocks.multipliers[i] = blocks.best[i]);
        natural_map(self, problem)
    }

    /// Keeps the multipliers as the best.
    pub fn keep_best(&mut self, problem: &Problem<'_>) {
        self.for_blocks(problem, |blocks, i| blocks.best[i] = blocks.multipliers[i]);
    }
}

/// 1/ρ of a block: w/c, or nothing where compliance makes the dual problem strictly convex.
#[inline(always)]
fn inverse_penalty(block: &Block, response: f64, penalty: f64) -> f64 {
    let is_cone = matches!(block.law.set, Set::Cone { .. });
    if !is_cone && block.law.compliance > STIFF * response {
        0.0
    } else {
        response / penalty
    }
}

/// u = X z + b of a block.
#[inline(always)]
pub(super) fn velocity(block: &Block, z: &[[f64; 6]]) -> [f64; 3] {
    let mut u = block.velocity(&z[block.reading]);
    for (u, bias) in u.iter_mut().zip(block.law.bias) {
        *u += bias;
    }
    u
}

/// Π(λ − (u + R λ + s)/w), and u + R λ + s.
#[inline(always)]
fn projected(
    block: &Block,
    law: FrictionLaw,
    mut u: [f64; 3],
    lambda: [f64; 3],
    w: f64,
) -> ([f64; 3], [f64; 3]) {
    let set = &block.law.set;
    if law == FrictionLaw::Exact {
        u[2] += set.correction(u).0;
    }
    let mut moved = [0.0; 3];
    for k in 0..set.rows() {
        u[k] = block.law.compliance_of(k).mul_add(lambda[k], u[k]);
        moved[k] = lambda[k] - u[k] / w;
    }
    (set.project(moved), u)
}

/// The largest entry of the natural map w |λ − Π(λ − (u + R λ + s)/w)| of a block.
#[inline(always)]
fn violation(block: &Block, law: FrictionLaw, u: [f64; 3], lambda: [f64; 3], w: f64) -> f64 {
    let set = &block.law.set;
    let (moved, u) = projected(block, law, u, lambda, w);
    let mut most: f64 = 0.0;
    for k in 0..set.rows() {
        // The rounding of w λ and u does not count, unless it is seen: where a mechanism jams,
        // impulses have no bound.
        let rounding = ROUNDING * (w * lambda[k].abs() + u[k].abs());
        let rounding = rounding.min(UNSEEN);
        most = greater(most, (lambda[k] - moved[k]).abs() * w - rounding);
    }
    most
}

/// The greater of two residuals. One that is no number is the largest of all.
#[inline(always)]
fn greater(most: f64, left: f64) -> f64 {
    if left <= most {
        most
    } else if left.is_nan() {
        f64::INFINITY
    } else {
        left
    }
}

kernel!(
    /// The residuals of no impulses and of those in `best`, which led to `velocity`. The residual
    /// of what sticks, or is open, does not depend on w: an estimate of it,
    /// diag X J D⁻¹ Jᵀ Xᵀ with M̂ = Lᵀ D L, is enough.
    pub(super) fn estimate_residuals(
        state: &mut State,
        problem: &Problem<'_>,
        free: &[f64],
    ) -> [f64; 2] {
        let State {
            response,
            velocity: at_best,
            readings,
            blocks,
            ..
        } = state;
        let (rows, law) = (problem.rows, problem.law);
        let part = response.islands.parts(problem.island);
        for &index in part.readings {
            let (mut at_free, mut here, mut diagonal) = ([0.0; 6], [0.0; 6], [0.0; 6]);
            for (k, column) in rows.columns_of(&rows.readings[index]) {
                add(&mut at_free, free[k], column);
                add(&mut here, at_best[k], column);
                let inverse = response.inverse_pivot(k);
                for (sum, x) in diagonal.iter_mut().zip(column) {
                    *sum = (x * x).mul_add(inverse, *sum);
                }
            }
            readings.free[index] = at_free;
            readings.z[index] = here;
            readings.estimates[index] = diagonal;
        }
        let [mut scale, mut residual] = [0.0_f64; 2];
        for &i in part.blocks {
            let block = &rows.blocks[i];
            let (count, diagonal) = (block.law.set.rows(), &readings.estimates[block.reading]);
            let mut sum = 0.0;
            for row in &block.matrix[..count] {
                for (x, d) in row.iter().zip(diagonal) {
                    sum = (x * x).mul_add(*d, sum);
                }
            }
            let w = if sum > 0.0 { sum / count as f64 } else { 1.0 };
            let (u, lambda) = (velocity(block, &readings.free), [0.0; 3]);
            scale = greater(scale, violation(block, law, u, lambda, w));
            let (u, lambda) = (velocity(block, &readings.z), blocks.best[i]);
            residual = greater(residual, violation(block, law, u, lambda, w));
        }
        [scale, residual]
    }
);

kernel!(
    /// The largest speed of an island's rows at the velocity v.
    pub(super) fn largest_speed(state: &mut State, problem: &Problem<'_>, v: &[f64]) -> f64 {
        let (rows, mut speed) = (problem.rows, 0.0_f64);
        for &i in state.response.islands.parts(problem.island).blocks {
            let block = &rows.blocks[i];
            let own = block.velocity(&rows.read(&rows.readings[block.reading], v));
            speed = own.into_iter().fold(speed, |most, u| most.max(u.abs()));
        }
        speed
    }
);

kernel!(
    /// v = v* + M̂⁻¹ Jᵀ Xᵀ λ
    pub(super) fn find_velocity(state: &mut State, free: &[f64], rows: &Rows) {
        let (v, wrenches) = (&mut state.velocity, &mut state.readings.impulses);
        v.fill(0.0);
        wrenches.fill([0.0; 6]);
        for (block, best) in rows.blocks.iter().zip(&state.blocks.best) {
            block.add_transposed(1.0, *best, &mut wrenches[block.reading]);
        }
        for (reading, wrench) in rows.readings.iter().zip(&*wrenches) {
            rows.add_transposed(reading, wrench, v);
        }
        state.response.solve(v);
        for (v, free) in v.iter_mut().zip(free) {
            *v += free;
        }
    }
);

kernel!(
    /// Finds u, y, Π(y) and g; returns ‖g‖ in the norm of M̂⁻¹.
    pub(super) fn evaluate(state: &mut State, problem: &Problem<'_>, penalty: f64) -> f64 {
        let State {
            response,
            readings,
            blocks,
            ..
        } = state;
        let part = response.islands.parts(problem.island);
        let Readings { z, impulses, .. } = readings;
        for &index in part.readings {
            impulses[index] = [0.0; 6];
        }
        for &i in part.blocks {
            let block = &problem.rows.blocks[i];
            let set = &block.law.set;
            let u = velocity(block, z);
            let s = match problem.law {
                FrictionLaw::Convex => 0.0,
                FrictionLaw::Exact => set.correction(u).0,
            };
            // y = ρ' (λ/ρ − u − s e_n)
            let inverse = inverse_penalty(block, blocks.response[i], penalty);
            let (rho, sigma) = block.law.penalties(inverse);
            let lambda = blocks.multipliers[i];
            let y = [
                rho * lambda[0].mul_add(inverse, -u[0]),
                rho * lambda[1].mul_add(inverse, -u[1]),
                rho / (sigma * sigma) * (lambda[2].mul_add(inverse, -u[2]) - s),
            ];
            blocks.velocity[i] = u;
            blocks.argument[i] = y;
            let l = set.project_weighted(y, sigma);
            blocks.impulse[i] = l;
            block.add_transposed(1.0, l, &mut impulses[block.reading]);
        }
        response.find_residual(problem.place(), impulses)
    }
);

kernel!(
    /// K of each reading at the last evaluation. Returns whether all are symmetric.
    pub(super) fn weigh(state: &mut State, problem: &Problem<'_>, penalty: f64) -> bool {
        let part = state.response.islands.parts(problem.island);
        let weights = &mut state.readings.weights;
        for &index in part.readings {
            weights[index] = [[0.0; 6]; 6];
        }
        let is_live = problem.law == FrictionLaw::Exact;
        let blocks = &state.blocks;
        let mut is_symmetric = true;
        for &i in part.blocks {
            let block = &problem.rows.blocks[i];
            let set = &block.law.set;
            let inverse = inverse_penalty(block, blocks.response[i], penalty);
            let (rho, sigma) = block.law.penalties(inverse);
            // G = ρ' DΠ (1 + e_n ∇s)
            let mut g = set.derivative_weighted(blocks.argument[i], sigma);
            if is_live && matches!(set, Set::Cone { .. }) {
                let (_, slope) = set.correction(blocks.velocity[i]);
                for row in &mut g {
                    for c in 0..2 {
                        row[c] = row[2].mul_add(slope[c], row[c]);
                    }
                }
                is_symmetric &= g[0][2] == g[2][0] && g[1][2] == g[2][1] && g[0][1] == g[1][0];
            }
            for entry in g.iter_mut().flatten() {
                *entry *= rho;
            }
            block.add_weight(&g, &mut weights[block.reading]);
        }
        is_symmetric
    }
);

kernel!(
    /// The velocity that the multipliers lead to; returns the largest entry of the natural map.
    pub(super) fn natural_map(state: &mut State, problem: &Problem<'_>) -> f64 {
        let State {
            response,
            readings,
            blocks,
            ..
        } = state;
        let rows = problem.rows;
        let part = response.islands.parts(problem.island);
        let Readings { z, impulses, .. } = readings;
        for &index in part.readings {
            impulses[index] = [0.0; 6];
        }
        let mut is_free = true;
        for &i in part.blocks {
            let (block, lambda) = (&rows.blocks[i], blocks.multipliers[i]);
            is_free &= lambda == [0.0; 3];
            block.add_transposed(1.0, lambda, &mut impulses[block.reading]);
        }
        if is_free {
            response.set_free(problem.place(), z);
        } else {
            response.set(problem.place(), impulses, z);
        }
        let part = response.islands.parts(problem.island);
        let mut most: f64 = 0.0;
        for &i in part.blocks {
            let block = &rows.blocks[i];
            let (lambda, w) = (blocks.multipliers[i], blocks.response[i]);
            let u = velocity(block, z);
            most = greater(most, violation(block, problem.law, u, lambda, w));
        }
        most
    }
);

kernel!(
    /// The multipliers Π(λ − (u + R λ + s)/w) at the velocity that λ led to.
    pub(super) fn take_projected(state: &mut State, problem: &Problem<'_>) {
        let blocks = &mut state.blocks;
        for &i in state.response.islands.parts(problem.island).blocks {
            let block = &problem.rows.blocks[i];
            let u = velocity(block, &state.readings.z);
            let (lambda, w) = (blocks.multipliers[i], blocks.response[i]);
            blocks.multipliers[i] = projected(block, problem.law, u, lambda, w).0;
        }
    }
);

/// The rounding of an island's velocities, in m/s and rad/s, that its best impulses bring.
pub(super) fn rounding(state: &State, problem: &Problem<'_>) -> f64 {
    let blocks = &state.blocks;
    let parts = state.response.islands.parts(problem.island).blocks.iter();
    let sizes = parts.flat_map(|&i| blocks.best[i].map(|impulse| blocks.response[i] * impulse));
    f64::EPSILON * sizes.fold(0.0, |most, size| size.abs().max(most))
}

kernel!(
    /// X W Xᵀ of each block, and w: the mean of its diagonal.
    pub(super) fn find_responses(state: &mut State, problem: &Problem<'_>) {
        let response = &state.response;
        for &i in response.islands.parts(problem.island).blocks {
            let block = &problem.rows.blocks[i];
            let count = block.law.set.rows();
            let own = &response.blocks[block.reading];
            let matrix = &mut state.blocks.delassus[i];
            let mut sum = 0.0;
            for r in 0..count {
                let mut wx = [0.0; 6];
                for (x, row) in wx.iter_mut().zip(own) {
                    *x = dot(row, &block.matrix[r]);
                }
                for c in 0..count {
                    matrix[r][c] = dot(&wx, &block.matrix[c]);
                }
                sum += matrix[r][r];
            }
            // A row that moves nothing has no impulse that helps; any positive number will do.
            let mean = sum / count as f64;
            state.blocks.response[i] = if mean > 0.0 { mean } else { 1.0 };
        }
    }
);
