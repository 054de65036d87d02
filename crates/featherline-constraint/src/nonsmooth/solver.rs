//! The proximal-multiplier Newton method.
//!
//! ```text
//! find v and λ:   M̂ (v − v*) = Jᵀ λ,   −(J v + b + R λ + s(v)) ∈ N(λ)
//! ```
//!
//! s is μ‖u_t‖ on the normal row of each contact. The multipliers λ are those of an augmented
//! Lagrangian (R. T. Rockafellar, "Augmented Lagrangians and applications of the proximal point
//! algorithm in convex programming", Mathematics of Operations Research 1, 1976): an outer step
//! takes λ ← Π(y), y = ρ' (λ/ρ − u − s), with 1/ρ' = R + 1/ρ, at the velocity where
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

use super::elimination::{Elimination, assemble_and_factorise, solve_factorised};
use super::rows::Block;
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
const SECOND_PENALTY: f64 = 1e3;
const LARGEST_PENALTY: f64 = 1e5;

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
    mass_tree: EliminationTree,
    mass_matrix: Vec<f64>,
    no_rows: Rows,
    /// The factors of M̂.
    mass: Elimination,
    /// Those of Newton's matrix.
    newton: Elimination,
    iterate: Vec<f64>,
    velocity: Vec<f64>,
    trial: Vec<f64>,
    begin: Vec<f64>,
    step: Vec<f64>,
    force: Vec<f64>,
    response: Vec<f64>,
    gradient: Vec<f64>,
    /// M̂ (v − v*).
    momentum: Vec<f64>,
    difference: Vec<f64>,
    blocks: Blocks,
}

/// What belongs to blocks of rows and to pairs.
#[derive(Clone, Debug, Default)]
struct Blocks {
    twists: Vec<[f64; 6]>,
    /// Of the last solution.
    best_twists: Vec<[f64; 6]>,
    wrenches: Vec<[f64; 6]>,
    /// w: a third of the trace of J M̂⁻¹ Jᵀ.
    response: Vec<f64>,
    multipliers: Vec<[f64; 3]>,
    best: Vec<[f64; 3]>,
    /// u, y and Π(y) of the last evaluation.
    velocity: Vec<[f64; 3]>,
    argument: Vec<[f64; 3]>,
    impulse: Vec<[f64; 3]>,
    /// s of a convex step.
    frozen: Vec<f64>,
    weights: Vec<[[f64; 3]; 3]>,
}

impl Blocks {
    fn resize(&mut self, blocks: usize, pairs: usize) {
        self.twists.resize(pairs, [0.0; 6]);
        self.best_twists.resize(pairs, [0.0; 6]);
        self.wrenches.resize(pairs, [0.0; 6]);
        self.response.resize(blocks, 0.0);
        for list in [
            &mut self.multipliers,
            &mut self.best,
            &mut self.velocity,
            &mut self.argument,
            &mut self.impulse,
        ] {
            list.resize(blocks, [0.0; 3]);
        }
        self.frozen.resize(blocks, 0.0);
        self.weights.resize(blocks, [[0.0; 3]; 3]);
    }
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
    free: &'a [f64],
    rows: &'a Rows,
    law: ConeLaw,
}

impl Solver {
    /// Memory for mass matrices with an elimination tree, such as
    /// [`kernel::elimination_tree`](featherline::kernel::elimination_tree) of a model.
    pub fn new(mass: &EliminationTree) -> Self {
        let zeros = || vec![0.0; mass.len()];
        Self {
            mass_tree: mass.clone(),
            mass_matrix: Vec::with_capacity(mass.tight_len()),
            no_rows: Rows::new(),
            mass: Elimination::new(mass),
            newton: Elimination::new(mass),
            iterate: zeros(),
            velocity: zeros(),
            trial: zeros(),
            begin: zeros(),
            step: zeros(),
            force: zeros(),
            response: zeros(),
            gradient: zeros(),
            momentum: zeros(),
            difference: zeros(),
            blocks: Blocks::default(),
        }
    }

    /// The velocity v of the last solution.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// The velocity u of a block's rows in the last solution, without bias.
    ///
    /// # Panics
    /// If `rows` are not those that were solved, or have no such block.
    pub fn row_velocity(&self, rows: &Rows, block: usize) -> [f64; 3] {
        let block = &rows.blocks[block];
        rows.read(block, &self.velocity, &self.blocks.best_twists)
    }

    /// Takes M̂, packed without padding along the tree, and factorises it. False if it is not
    /// positive definite.
    pub fn set_mass(&mut self, mass: &[f64]) -> bool {
        self.mass_matrix.clear();
        self.mass_matrix.extend_from_slice(mass);
        assemble_and_factorise(&mut self.mass, mass, &self.no_rows, &[], true)
    }

    /// Replaces x by M̂⁻¹ x.
    pub fn respond(&mut self, x: &mut [f64]) {
        solve_factorised(&mut self.mass, x);
    }

    /// Solves for the velocity and the impulses of all rows.
    ///
    ///
    /// [`set_mass`](Self::set_mass) comes before. `free` is v*, the velocity without impulses.
    /// `impulses` has an entry for each row: the warm start, zero if there is none, and then the
    /// solution. Where it is a solution already, nothing is factorised.
    pub fn solve(
        &mut self,
        free: &[f64],
        rows: &Rows,
        impulses: &mut [f64],
        options: &SolverOptions,
    ) -> Outcome {
        let problem = Problem {
            free,
            rows,
            law: options.law,
        };
        self.blocks.resize(rows.blocks(), rows.pairs.len());
        self.newton.set_pattern(&self.mass_tree, rows);
        self.find_responses(&problem);
        self.blocks.multipliers.fill([0.0; 3]);
        let scale = self.set_velocity_of_multipliers(&problem);
        let tolerance = options.tolerance * scale;
        let acceptable = (options.acceptable * scale).max(UNSEEN);
        for (block, multiplier) in self.blocks.multipliers.iter_mut().enumerate() {
            let law = &rows.blocks[block].law;
            let first = rows.first_row[block];
            let mut warm = [0.0; 3];
            for (k, warm) in warm.iter_mut().enumerate().take(law.set.rows()) {
                *warm = impulses[first + k];
            }
            *multiplier = law.set.project(warm);
        }
        let mut outcome = Outcome {
            residual: self.set_velocity_of_multipliers(&problem),
            scale,
            factorisations: 0,
            has_converged: false,
        };
        self.blocks.best.clone_from(&self.blocks.multipliers);
        self.velocity.clone_from(&self.iterate);
        // Near the solution, what holds and what slides is known.
        let is_near = outcome.residual <= NEAR * scale;
        let first = if is_near { NEAR_PENALTY } else { FIRST_PENALTY };
        for penalty in [first, SECOND_PENALTY] {
            if outcome.residual
                <= if penalty == first {
                    tolerance
                } else {
                    acceptable
                }
            {
                break;
            }
            self.blocks.multipliers.clone_from(&self.blocks.best);
            self.iterate.clone_from(&self.velocity);
            self.outer_steps(
                &problem,
                options.most_steps,
                penalty,
                (tolerance, acceptable),
                &mut outcome,
            );
        }
        outcome.has_converged = outcome.residual <= acceptable;
        rows.read_pairs(&self.velocity, &mut self.blocks.best_twists);
        for (block, best) in self.blocks.best.iter().enumerate() {
            let first = rows.first_row[block];
            for (k, best) in best
                .iter()
                .enumerate()
                .take(rows.blocks[block].law.set.rows())
            {
                impulses[first + k] = *best;
            }
        }
        outcome
    }

    /// Outer steps from the multipliers and the velocity as they are; the best are kept.
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
                self.freeze(problem);
            }
            self.trial.clone_from(&self.iterate); // to return to
            let (is_solved, factorised) =
                self.newton(problem, correction, penalty, tolerance, residual);
            outcome.factorisations += factorised;
            // What the multipliers would be.
            std::mem::swap(&mut self.blocks.impulse, &mut self.blocks.multipliers);
            self.begin.clone_from(&self.iterate);
            let next = self.set_velocity_of_multipliers(problem);
            if correction == Correction::Live && !is_solved && next > 0.9 * residual {
                std::mem::swap(&mut self.blocks.impulse, &mut self.blocks.multipliers);
                self.iterate.clone_from(&self.trial);
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
                self.blocks.best.clone_from(&self.blocks.multipliers);
                self.velocity.clone_from(&self.iterate);
            }
            if residual <= tolerance || is_at_rounding {
                return;
            }
            self.iterate.clone_from(&self.begin);
        }
    }

    /// Newton's method on g(v) from the velocity as it is. Returns whether g is small, and how many
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
        let most_response = self.blocks.response.iter().copied().fold(0.0, f64::max);
        let enough = (0.1 * tolerance).max(1e-4 * residual) / most_response.sqrt();
        let is_convex = correction == Correction::Frozen || problem.law == ConeLaw::Convex;
        let steps = if is_convex {
            CONVEX_NEWTON_STEPS
        } else {
            NEWTON_STEPS
        };
        let mut merit = self.evaluate(problem, correction, penalty);
        let mut factorised = 0;
        for _ in 0..steps {
            if merit <= enough {
                return (true, factorised);
            }
            let is_symmetric = self.weigh(problem, correction, penalty);
            let Self {
                newton,
                blocks,
                mass_matrix,
                ..
            } = self;
            factorised += 1;
            let rows = problem.rows;
            if !assemble_and_factorise(newton, mass_matrix, rows, &blocks.weights, is_symmetric) {
                return (false, factorised);
            }
            for (step, g) in self.step.iter_mut().zip(&self.gradient) {
                *step = -g;
            }
            solve_factorised(&mut self.newton, &mut self.step);
            self.begin.clone_from(&self.iterate);
            let found = match is_convex {
                true => self.minimise_along(problem, correction, penalty),
                false => self.best_halving(problem, correction, penalty, merit),
            };
            let Some(found) = found else {
                self.move_along(0.0);
                self.evaluate(problem, correction, penalty);
                return (false, factorised);
            };
            merit = found;
        }
        (merit <= enough, factorised)
    }

    /// The velocity at a part of the Newton step.
    fn move_along(&mut self, length: f64) {
        for k in 0..self.iterate.len() {
            self.iterate[k] = self.step[k].mul_add(length, self.begin[k]);
        }
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
            self.move_along(length);
            let found = self.evaluate(problem, correction, penalty);
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
        self.move_along(best_length);
        Some(self.evaluate(problem, correction, penalty))
    }

    /// The minimum along the Newton step of the energy whose gradient g is, by bisection: ‖g‖
    /// there.
    fn minimise_along(
        &mut self,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
    ) -> Option<f64> {
        let slope = |solver: &Self| -> f64 {
            let products = solver.gradient.iter().zip(&solver.step);
            products.map(|(g, step)| g * step).sum()
        };
        let first = slope(self);
        if first.partial_cmp(&0.0) != Some(std::cmp::Ordering::Less) {
            return None;
        }
        let (mut low, mut high, mut length) = (0.0, 1.0, 1.0);
        for _ in 0..BISECTIONS {
            self.move_along(length);
            let found = self.evaluate(problem, correction, penalty);
            let own = slope(self);
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
        Some(self.evaluate(problem, correction, penalty))
    }

    /// 1/ρ of a block: w/c, or nothing where compliance makes the dual problem strictly convex.
    #[inline(always)]
    fn inverse_penalty(block: &Block, response: f64, penalty: f64) -> f64 {
        if block.law.compliance > STIFF * response {
            0.0
        } else {
            response / penalty
        }
    }

    /// ρ' = 1/(R + 1/ρ) of a block.
    #[inline(always)]
    fn weight(block: &Block, response: f64, penalty: f64) -> f64 {
        (block.law.compliance + Self::inverse_penalty(block, response, penalty)).recip()
    }

    /// Finds u, y, Π(y), g and M̂⁻¹ g; returns ‖g‖ in the norm of M̂⁻¹.
    fn evaluate(&mut self, problem: &Problem<'_>, correction: Correction, penalty: f64) -> f64 {
        evaluate(self, problem, correction, penalty)
    }

    /// ρ' DΠ (1 + e_n ∇s) of each block at the last evaluation. Returns whether all are symmetric.
    fn weigh(&mut self, problem: &Problem<'_>, correction: Correction, penalty: f64) -> bool {
        let is_live = problem.law == ConeLaw::Exact && correction == Correction::Live;
        let blocks = &mut self.blocks;
        let mut is_symmetric = true;
        for (i, block) in problem.rows.blocks.iter().enumerate() {
            let set = &block.law.set;
            let rho = Self::weight(block, blocks.response[i], penalty);
            let mut d = set.derivative(blocks.argument[i]);
            if is_live && matches!(set, Set::Cone { .. }) {
                let (_, slope) = set.correction(blocks.velocity[i]);
                for row in &mut d {
                    for c in 0..2 {
                        row[c] = row[2].mul_add(slope[c], row[c]);
                    }
                }
                is_symmetric &= d[0][2] == d[2][0] && d[1][2] == d[2][1] && d[0][1] == d[1][0];
            }
            for row in &mut d {
                for entry in row {
                    *entry *= rho;
                }
            }
            blocks.weights[i] = d;
        }
        is_symmetric
    }

    /// Keeps s as it is at the velocity.
    fn freeze(&mut self, problem: &Problem<'_>) {
        let rows = problem.rows;
        rows.read_pairs(&self.iterate, &mut self.blocks.twists);
        for (i, block) in rows.blocks.iter().enumerate() {
            let mut u = rows.read(block, &self.iterate, &self.blocks.twists);
            for k in 0..block.law.set.rows() {
                u[k] += block.law.bias[k];
            }
            self.blocks.frozen[i] = block.law.set.correction(u).0;
        }
    }

    /// v = v* + M̂⁻¹ Jᵀ λ; returns the largest entry of the natural map.
    fn set_velocity_of_multipliers(&mut self, problem: &Problem<'_>) -> f64 {
        set_velocity_of_multipliers(self, problem)
    }

    /// w of each block: the mean of the diagonal of J H⁻¹ Jᵀ, where H is M̂ with what compliant
    /// rows add where their impulses are within their sets: drives make light links heavy.
    fn find_responses(&mut self, problem: &Problem<'_>) {
        let rows = problem.rows;
        let is_compliant = |block: &Block| block.law.compliance > 0.0;
        let mut with_drives = false;
        if rows.blocks.iter().any(is_compliant) {
            for (weight, block) in self.blocks.weights.iter_mut().zip(&rows.blocks) {
                *weight = [[0.0; 3]; 3];
                if is_compliant(block) {
                    for (k, row) in weight.iter_mut().enumerate().take(block.law.set.rows()) {
                        row[k] = block.law.compliance.recip();
                    }
                }
            }
            let weights = &self.blocks.weights;
            with_drives =
                assemble_and_factorise(&mut self.newton, &self.mass_matrix, rows, weights, true);
        }
        let factors = match with_drives {
            true => &mut self.newton,
            false => &mut self.mass,
        };
        mean_responses(rows, factors, &mut self.force, &mut self.blocks.response);
    }
}

kernel!(
    /// [`Solver::evaluate`].
    fn evaluate(
        solver: &mut Solver,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
    ) -> f64 {
        let Problem { free, rows, law } = *problem;
        let Blocks {
            twists,
            wrenches,
            response,
            multipliers,
            velocity: block_velocity,
            argument,
            impulse,
            frozen,
            ..
        } = &mut solver.blocks;
        rows.read_pairs(&solver.iterate, twists);
        for (i, block) in rows.blocks.iter().enumerate() {
            let mut u = rows.read(block, &solver.iterate, twists);
            let set = &block.law.set;
            for k in 0..set.rows() {
                u[k] += block.law.bias[k];
            }
            let s = match (law, correction) {
                (ConeLaw::Convex, _) => 0.0,
                (ConeLaw::Exact, Correction::Live) => set.correction(u).0,
                (ConeLaw::Exact, Correction::Frozen) => frozen[i],
            };
            // y = ρ' (λ/ρ − u − s e_n)
            let rho = Solver::weight(block, response[i], penalty);
            let inverse = Solver::inverse_penalty(block, response[i], penalty);
            let mut y = [0.0; 3];
            for k in 0..set.rows() {
                let s = if k == 2 { s } else { 0.0 };
                y[k] = rho * (multipliers[i][k] * inverse - u[k] - s);
            }
            block_velocity[i] = u;
            argument[i] = y;
            impulse[i] = set.project(y);
        }
        solver.force.fill(0.0);
        rows.add_transposed(impulse, wrenches, &mut solver.force);
        for k in 0..free.len() {
            solver.difference[k] = solver.iterate[k] - free[k];
        }
        solver.mass.multiply(
            &solver.mass_matrix,
            &solver.difference,
            &mut solver.momentum,
        );
        solver.response.clone_from(&solver.force);
        solver.mass.solve(&mut solver.response);
        let mut square = 0.0;
        for k in 0..free.len() {
            // g = M̂ (v − v*) − Jᵀ l
            solver.gradient[k] = solver.momentum[k] - solver.force[k];
            square = solver.gradient[k].mul_add(solver.difference[k] - solver.response[k], square);
        }
        square.max(0.0).sqrt()
    }
);

kernel!(
    /// [`Solver::set_velocity_of_multipliers`].
    fn set_velocity_of_multipliers(solver: &mut Solver, problem: &Problem<'_>) -> f64 {
        let Problem { free, rows, law } = *problem;
        let blocks = &mut solver.blocks;
        solver.iterate.fill(0.0);
        rows.add_transposed(
            &blocks.multipliers,
            &mut blocks.wrenches,
            &mut solver.iterate,
        );
        solver.mass.solve(&mut solver.iterate);
        for (v, free) in solver.iterate.iter_mut().zip(free) {
            *v += free;
        }
        rows.read_pairs(&solver.iterate, &mut blocks.twists);
        let mut most: f64 = 0.0;
        for (i, block) in rows.blocks.iter().enumerate() {
            let set = &block.law.set;
            let (lambda, w) = (blocks.multipliers[i], blocks.response[i]);
            let mut u = rows.read(block, &solver.iterate, &blocks.twists);
            for k in 0..set.rows() {
                u[k] += block.law.bias[k];
            }
            if law == ConeLaw::Exact {
                u[2] += set.correction(u).0;
            }
            let mut moved = [0.0; 3];
            for k in 0..set.rows() {
                u[k] = block.law.compliance.mul_add(lambda[k], u[k]);
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
    /// The mean of the diagonal of J H⁻¹ Jᵀ of each block; `row` is room for a row of J.
    fn mean_responses(
        rows: &Rows,
        factors: &mut Elimination,
        row: &mut [f64],
        response: &mut [f64],
    ) {
        for i in 0..rows.blocks() {
            let count = rows.blocks[i].law.set.rows();
            let mut sum = 0.0;
            for k in 0..count {
                row.fill(0.0);
                rows.write_row(i, k, row);
                sum += factors.inverse_square(row);
            }
            // A row that moves nothing has no impulse that helps; any positive number will do.
            let mean = sum / count as f64;
            response[i] = if mean > 0.0 { mean } else { 1.0 };
        }
    }
);
