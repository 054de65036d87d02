//! The proximal-multiplier Newton method.
//!
//! ```text
//! find v and λ:   M̂ (v − v*) = Jᵀ λ,   −(J v + b + R λ + s(v)) ∈ N(λ)
//! ```
//!
//! s is μ‖u_t‖ on the normal row of each contact. The multipliers λ are those of an augmented
//! Lagrangian (R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point
//! algorithm in convex programming", Mathematics of Operations Research 1, 1976): an outer step
//! takes λ ← Π(y), y = ρ' (λ/ρ − u − s), with 1/ρ' = R + 1/ρ, the projection in the norm of 1/ρ',
//! at the velocity where
//!
//! ```text
//! g(v) = M̂ (v − v*) − Jᵀ Π(y(v)) = 0
//! ```
//!
//! That is found by a semismooth Newton method on g with s in it, whose matrix
//! M̂ + Jᵀ ρ' DΠ (1 + e_n ∇s) J is not symmetric where contacts slide (P. Alart and A. Curnier, "A
//! mixed formulation for frictional contact problems prone to Newton like solution methods",
//! Computer Methods in Applied Mechanics and Engineering 92, 1991). Where it does not converge, an
//! outer step with s frozen is a convex problem, which Newton's method with line search solves (F.
//! Cadoux, thesis, Grenoble 2009). Every fixed point is the exact solution, whatever ρ is.
//!
//! Blocks read few numbers z of the velocity, such as twists of pairs of bodies: u = X z + b. The
//! laws are here; velocities, impulses on the readings and Newton's steps are with [`Response`].

use super::response::{Place, Response};
use super::rows::{Block, add, dot};
use super::{Rows, Set};
use featherline::kernel;
use featherline::model::EliminationTree;

/// Which law contacts follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConeLaw {
    /// Signorini's condition and Coulomb's law, exactly.
    #[default]
    Exact,
    /// Their convex relaxation, which most engines solve: what slides lifts off at the speed
    /// μ‖u_t‖.
    Convex,
}

/// How far and how long a solution is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// The residual that is aimed at, relative to that of no impulses.
    pub tolerance: f64,
    /// The residual up to which a solution counts as one where rounding stops it, relative to that
    /// of no impulses; 1e-9 m/s and rad/s count in any case.
    pub acceptable: f64,
    /// The most outer steps.
    pub most_steps: usize,
    /// The law of contacts.
    pub law: ConeLaw,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            acceptable: 1e-8,
            most_steps: 60,
            law: ConeLaw::Exact,
        }
    }
}

/// What a solution is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The largest entry of the natural map w (λ − Π(λ − u/w)), in m/s or rad/s: zero where all
    /// laws hold. w is the mean response of a block's rows to a unit impulse.
    pub residual: f64,
    /// The residual of no impulses, which the residual is small beside.
    pub scale: f64,
    /// How many matrices were factorised, M̂ not counted.
    pub factorisations: usize,
    /// Whether the residual is acceptable.
    pub has_converged: bool,
}

/// The first factor c of the penalties ρ = c/w, that near the solution, the second attempt's, and
/// the largest.
const FIRST_PENALTY: f64 = 10.0;
const NEAR_PENALTY: f64 = 1e4;
const OTHER_PENALTIES: [f64; 4] = [1e3, 1.0, 100.0, 1e5];
const LARGEST_PENALTY: f64 = 1e8;

/// The part of the residual of no impulses below which a warm start is near the solution.
const NEAR: f64 = 1e-2;

/// The least factor after steps without progress.
const LEAST_PENALTY: f64 = 1.0;

/// The rounding of velocities and of what impulses make of them, relative to their size: some
/// operations deep.
const ROUNDING: f64 = 1e-14;

/// A residual in m/s and rad/s that nobody sees: a millimetre in two weeks.
const UNSEEN: f64 = 1e-9;

/// Compliances below this part of the response w count as rigid.
const STIFF: f64 = 1e-8;

/// Newton steps of an outer step, and of a convex one.
const NEWTON_STEPS: usize = 12;
const CONVEX_NEWTON_STEPS: usize = 30;

/// Halvings of a Newton step.
const HALVINGS: usize = 10;

/// Bisections of a Newton step of a convex problem: to rounding.
const BISECTIONS: usize = 50;

/// The memory of the solver for robots of one structure.
#[derive(Clone, Debug)]
pub struct Solver {
    response: Response,
    velocity: Vec<f64>,
    readings: Readings,
    blocks: Blocks,
}

/// What belongs to readings.
#[derive(Clone, Debug, Default)]
struct Readings {
    /// z at the iterate.
    z: Vec<[f64; 6]>,
    /// f: Xᵀ λ, or Xᵀ Π(y).
    impulses: Vec<[f64; 6]>,
    /// K = Xᵀ ρ' DΠ (1 + e_n ∇s) X.
    weights: Vec<[[f64; 6]; 6]>,
}

/// What belongs to blocks of rows.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// w: the mean of the diagonal of X W Xᵀ.
    response: Vec<f64>,
    multipliers: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    /// u, y and Π(y) of the last evaluation.
    velocity: Vec<[f64; 3]>,
    argument: Vec<[f64; 3]>,
    impulse: Vec<[f64; 3]>,
    /// s of a convex step.
    frozen: Vec<f64>,
}

/// How s enters an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Correction {
    Live,
    Frozen,
}

/// The equations of one solution.
#[derive(Clone, Copy, Debug)]
struct Problem<'a> {
    rows: &'a Rows,
    law: ConeLaw,
    island: usize,
}

impl<'a> Problem<'a> {
    #[inline(always)]
    fn place(&self) -> Place<'a> {
        Place {
            rows: self.rows,
            island: self.island,
        }
    }
}

impl Solver {
    /// Memory for mass matrices with an elimination tree, such as
    /// [`kernel::elimination_tree`](featherline::kernel::elimination_tree) of a model.
    pub fn new(mass: &EliminationTree) -> Self {
        Self {
            response: Response::new(mass),
            velocity: vec![0.0; mass.len()],
            readings: Readings::default(),
            blocks: Blocks::default(),
        }
    }

    /// The velocity v of the last solution.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Takes M̂, packed without padding along the tree, and factorises it. False if it is not
    /// positive definite.
    pub fn set_mass(&mut self, mass: &[f64]) -> bool {
        self.response.set_mass(mass)
    }

    /// Replaces x by M̂⁻¹ x.
    pub fn respond(&mut self, x: &mut [f64]) {
        self.response.solve(x);
    }

    /// Solves for the velocity and the impulses of all rows.
    ///
    /// [`set_mass`](Self::set_mass) comes before. `free` is v*, the velocity without impulses.
    /// `impulses` has an entry for each row: the warm start, zero if there is none, and then the
    /// solution. Where it is a solution already, nothing is factorised. Islands, trees that no row
    /// couples, are solved one by one, in an order that does not depend on that of the rows.
    pub fn solve(
        &mut self,
        free: &[f64],
        rows: &Rows,
        impulses: &mut [f64],
        options: &SolverOptions,
    ) -> Outcome {
        self.resize(rows);
        self.response.take(free, rows);
        for (i, block) in rows.blocks.iter().enumerate() {
            let (first, count) = (rows.first_row[i], block.law.set.rows());
            let mut warm = [0.0; 3];
            warm[..count].copy_from_slice(&impulses[first..first + count]);
            self.blocks.best[i] = block.law.set.project(warm);
        }
        let mut outcome = Outcome {
            residual: 0.0,
            scale: 0.0,
            factorisations: 0,
            has_converged: true,
        };
        for island in 0..self.response.islands.len() {
            let problem = Problem {
                rows,
                law: options.law,
                island,
            };
            let own = self.solve_island(&problem, options);
            outcome.residual = outcome.residual.max(own.residual);
            outcome.scale = outcome.scale.max(own.scale);
            outcome.factorisations += own.factorisations;
            outcome.has_converged &= own.has_converged;
        }
        find_velocity(self, free, rows);
        for (i, best) in self.blocks.best.iter().enumerate() {
            let (first, count) = (rows.first_row[i], rows.blocks[i].law.set.rows());
            impulses[first..first + count].copy_from_slice(&best[..count]);
        }
        outcome
    }

    fn resize(&mut self, rows: &Rows) {
        let Readings {
            z,
            impulses,
            weights,
        } = &mut self.readings;
        let count = rows.readings.len();
        for list in [z, impulses] {
            list.resize(count, [0.0; 6]);
        }
        weights.resize(count, [[0.0; 6]; 6]);
        let Blocks {
            response,
            multipliers,
            best,
            velocity,
            argument,
            impulse,
            frozen,
        } = &mut self.blocks;
        let count = rows.blocks();
        response.resize(count, 0.0);
        for list in [multipliers, best, velocity, argument, impulse] {
            list.resize(count, [0.0; 3]);
        }
        frozen.resize(count, 0.0);
    }

    /// Solves an island from the multipliers in `best`.
    fn solve_island(&mut self, problem: &Problem<'_>, options: &SolverOptions) -> Outcome {
        self.response.begin(problem.place());
        mean_responses(self, problem);
        let blocks = &mut self.blocks;
        for &i in self.response.islands.parts(problem.island).blocks {
            blocks.multipliers[i] = [0.0; 3];
        }
        let scale = natural_map(self, problem);
        let tolerance = options.tolerance * scale;
        let acceptable = (options.acceptable * scale).max(UNSEEN);
        self.return_to_best(problem);
        let mut outcome = Outcome {
            residual: natural_map(self, problem),
            scale,
            factorisations: 0,
            has_converged: false,
        };
        // Near the solution, what holds and what slides is known.
        let is_near = outcome.residual <= NEAR * scale;
        let first = if is_near { NEAR_PENALTY } else { FIRST_PENALTY };
        let limits = (tolerance, acceptable);
        if outcome.residual > tolerance {
            self.outer_steps(problem, options.most_steps, first, limits, &mut outcome);
        }
        for penalty in OTHER_PENALTIES {
            if outcome.residual <= acceptable {
                break;
            }
            self.return_to_best(problem);
            natural_map(self, problem);
            self.outer_steps(problem, options.most_steps, penalty, limits, &mut outcome);
        }
        outcome.has_converged = outcome.residual <= acceptable;
        outcome
    }

    fn return_to_best(&mut self, problem: &Problem<'_>) {
        for &i in self.response.islands.parts(problem.island).blocks {
            self.blocks.multipliers[i] = self.blocks.best[i];
        }
    }

    /// Outer steps from the multipliers, at the velocity that they lead to; the best are kept.
    fn outer_steps(
        &mut self,
        problem: &Problem<'_>,
        most_steps: usize,
        first_penalty: f64,
        (tolerance, acceptable): (f64, f64),
        outcome: &mut Outcome,
    ) {
        let mut penalty = first_penalty;
        let mut residual = outcome.residual;
        let mut correction = Correction::Live;
        for _ in 0..most_steps {
            if correction == Correction::Frozen {
                freeze(self, problem);
            }
            self.response.keep(); // to return to
            let (is_solved, factorised) =
                self.newton(problem, correction, penalty, tolerance, residual);
            outcome.factorisations += factorised;
            // What the multipliers would be.
            self.exchange_multipliers(problem);
            self.response.keep_end();
            let next = natural_map(self, problem);
            if correction == Correction::Live && !is_solved && next > 0.9 * residual {
                self.exchange_multipliers(problem);
                self.response
                    .return_to_kept(problem.place(), &mut self.readings.z);
                correction = Correction::Frozen;
                penalty = (0.1 * penalty).max(LEAST_PENALTY);
                continue;
            }
            if correction == Correction::Frozen || next > 0.1 * residual {
                penalty = (10.0 * penalty).min(LARGEST_PENALTY);
            }
            // Rounding stops what converged.
            let is_at_rounding = next <= acceptable && next > 0.5 * residual;
            correction = Correction::Live;
            residual = next;
            if residual < outcome.residual {
                outcome.residual = residual;
                for &i in self.response.islands.parts(problem.island).blocks {
                    self.blocks.best[i] = self.blocks.multipliers[i];
                }
            }
            if residual <= tolerance || is_at_rounding {
                return;
            }
            self.move_along(problem, 0.0); // where Newton's method ended
        }
    }

    fn exchange_multipliers(&mut self, problem: &Problem<'_>) {
        let blocks = &mut self.blocks;
        for &i in self.response.islands.parts(problem.island).blocks {
            std::mem::swap(&mut blocks.impulse[i], &mut blocks.multipliers[i]);
        }
    }

    /// Newton's method on g from the velocity as it is. Returns whether g is small, and how many
    /// matrices were factorised. `impulse` is then Π(y).
    fn newton(
        &mut self,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
        tolerance: f64,
        residual: f64,
    ) -> (bool, usize) {
        // ‖J M̂⁻¹ g‖ ≤ √(3 w) ‖g‖, the norm that of M̂⁻¹.
        let part = self.response.islands.parts(problem.island);
        let responses = part.blocks.iter().map(|&i| self.blocks.response[i]);
        let most_response = responses.fold(0.0, f64::max);
        let enough = (0.1 * tolerance).max(1e-4 * residual) / most_response.sqrt();
        let is_convex = correction == Correction::Frozen || problem.law == ConeLaw::Convex;
        let steps = if is_convex {
            CONVEX_NEWTON_STEPS
        } else {
            NEWTON_STEPS
        };
        let mut merit = evaluate(self, problem, correction, penalty);
        let mut factorised = 0;
        for _ in 0..steps {
            if merit <= enough {
                return (true, factorised);
            }
            let is_symmetric = weigh(self, problem, correction, penalty);
            factorised += 1;
            let weights = &self.readings.weights;
            if !self.response.newton(problem.place(), weights, is_symmetric) {
                return (false, factorised);
            }
            let found = match is_convex {
                true => self.minimise_along(problem, correction, penalty),
                false => self.best_halving(problem, correction, penalty, merit),
            };
            let Some(found) = found else {
                self.move_along(problem, 0.0);
                evaluate(self, problem, correction, penalty);
                return (false, factorised);
            };
            merit = found;
        }
        (merit <= enough, factorised)
    }

    /// The iterate at a part of the Newton step.
    fn move_along(&mut self, problem: &Problem<'_>, length: f64) {
        self.response
            .move_along(problem.place(), length, &mut self.readings.z);
    }

    /// The full Newton step, or the best of some halvings of it: ‖g‖ there, if it is less.
    fn best_halving(
        &mut self,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
        merit: f64,
    ) -> Option<f64> {
        let (mut best, mut best_length) = (f64::INFINITY, 0.0);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            self.move_along(problem, length);
            let found = evaluate(self, problem, correction, penalty);
            if found < best {
                (best, best_length) = (found, length);
            }
            if found <= (1.0 - 1e-3 * length) * merit {
                return Some(found);
            }
            length *= 0.5;
        }
        if best >= (1.0 - 1e-9) * merit {
            return None;
        }
        self.move_along(problem, best_length);
        Some(evaluate(self, problem, correction, penalty))
    }

    /// The minimum along the Newton step of the energy whose gradient g is, by bisection: ‖g‖
    /// there.
    fn minimise_along(
        &mut self,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
    ) -> Option<f64> {
        let first = self.response.slope(problem.place());
        if first.partial_cmp(&0.0) != Some(std::cmp::Ordering::Less) {
            return None;
        }
        let (mut low, mut high, mut length) = (0.0, 1.0, 1.0);
        for _ in 0..BISECTIONS {
            self.move_along(problem, length);
            let found = evaluate(self, problem, correction, penalty);
            let own = self.response.slope(problem.place());
            if own <= -1e-3 * first && (own >= 1e-3 * first || length == 1.0) {
                return Some(found);
            }
            if own > 0.0 {
                high = length;
            } else {
                low = length;
            }
            length = 0.5 * (low + high);
        }
        Some(evaluate(self, problem, correction, penalty))
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
fn velocity(block: &Block, z: &[[f64; 6]]) -> [f64; 3] {
    let mut u = block.velocity(&z[block.reading]);
    for (u, bias) in u.iter_mut().zip(block.law.bias) {
        *u += bias;
    }
    u
}

kernel!(
    /// v = v* + M̂⁻¹ Jᵀ Xᵀ λ
    fn find_velocity(solver: &mut Solver, free: &[f64], rows: &Rows) {
        let (v, wrenches) = (&mut solver.velocity, &mut solver.readings.impulses);
        v.fill(0.0);
        wrenches.fill([0.0; 6]);
        for (block, best) in rows.blocks.iter().zip(&solver.blocks.best) {
            block.add_transposed(1.0, *best, &mut wrenches[block.reading]);
        }
        for (reading, wrench) in rows.readings.iter().zip(&*wrenches) {
            rows.add_transposed(reading, wrench, v);
        }
        solver.response.solve(v);
        for (v, free) in v.iter_mut().zip(free) {
            *v += free;
        }
    }
);

kernel!(
    /// Finds u, y, Π(y) and g; returns ‖g‖ in the norm of M̂⁻¹.
    fn evaluate(
        solver: &mut Solver,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
    ) -> f64 {
        let Solver {
            response,
            readings,
            blocks,
            ..
        } = solver;
        let part = response.islands.parts(problem.island);
        let Readings { z, impulses, .. } = readings;
        for &index in part.readings {
            impulses[index] = [0.0; 6];
        }
        for &i in part.blocks {
            let block = &problem.rows.blocks[i];
            let set = &block.law.set;
            let u = velocity(block, z);
            let s = match (problem.law, correction) {
                (ConeLaw::Convex, _) => 0.0,
                (ConeLaw::Exact, Correction::Live) => set.correction(u).0,
                (ConeLaw::Exact, Correction::Frozen) => blocks.frozen[i],
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
    fn weigh(
        solver: &mut Solver,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
    ) -> bool {
        let part = solver.response.islands.parts(problem.island);
        let weights = &mut solver.readings.weights;
        for &index in part.readings {
            weights[index] = [[0.0; 6]; 6];
        }
        let is_live = problem.law == ConeLaw::Exact && correction == Correction::Live;
        let blocks = &solver.blocks;
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
            // K += Xᵀ G X
            let (x, k) = (&block.matrix, &mut weights[block.reading]);
            let count = set.rows();
            for r in 0..count {
                let mut gx = [0.0; 6];
                for c in 0..count {
                    add(&mut gx, rho * g[r][c], &x[c]);
                }
                for (row, x) in k.iter_mut().zip(x[r]) {
                    add(row, x, &gx);
                }
            }
        }
        is_symmetric
    }
);

kernel!(
    /// Keeps s as it is at the velocity.
    fn freeze(solver: &mut Solver, problem: &Problem<'_>) {
        for &i in solver.response.islands.parts(problem.island).blocks {
            let block = &problem.rows.blocks[i];
            let u = velocity(block, &solver.readings.z);
            solver.blocks.frozen[i] = block.law.set.correction(u).0;
        }
    }
);

kernel!(
    /// The velocity that the multipliers lead to; returns the largest entry of the natural map.
    fn natural_map(solver: &mut Solver, problem: &Problem<'_>) -> f64 {
        let Solver {
            response,
            readings,
            blocks,
            ..
        } = solver;
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
            let set = &block.law.set;
            let (lambda, w) = (blocks.multipliers[i], blocks.response[i]);
            let mut u = velocity(block, z);
            if problem.law == ConeLaw::Exact {
                u[2] += set.correction(u).0;
            }
            let mut moved = [0.0; 3];
            for k in 0..set.rows() {
                u[k] = block.law.compliance_of(k).mul_add(lambda[k], u[k]);
                moved[k] = lambda[k] - u[k] / w;
            }
            let moved = set.project(moved);
            for k in 0..set.rows() {
                // What rounding of w λ and u may be does not count. A residual that is no number is
                // the largest of all.
                let rounding = ROUNDING * (w * lambda[k].abs() + u[k].abs());
                let left = (lambda[k] - moved[k]).abs() * w - rounding;
                most = if left <= most { most } else { left };
            }
        }
        if most.is_nan() { f64::INFINITY } else { most }
    }
);

kernel!(
    /// w of each block: the mean of the diagonal of X W Xᵀ.
    fn mean_responses(solver: &mut Solver, problem: &Problem<'_>) {
        let response = &solver.response;
        for &i in response.islands.parts(problem.island).blocks {
            let block = &problem.rows.blocks[i];
            let count = block.law.set.rows();
            let own = &response.blocks[block.reading];
            let mut sum = 0.0;
            for x in &block.matrix[..count] {
                for (row, factor) in own.iter().zip(x) {
                    sum = dot(row, x).mul_add(*factor, sum);
                }
            }
            // A row that moves nothing has no impulse that helps; any positive number will do.
            let mean = sum / count as f64;
            solver.blocks.response[i] = if mean > 0.0 { mean } else { 1.0 };
        }
    }
);
