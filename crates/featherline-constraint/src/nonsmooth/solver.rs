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

use super::Rows;
use super::gauss_seidel::sweep;
use super::laws::{
    ConeLaw, Correction, Problem, State, estimate_residuals, find_velocity, freeze, mean_responses,
    natural_map,
};
use featherline::model::EliminationTree;

/// How far and how long a solution is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// The residual that is aimed at, relative to that of no impulses.
    pub tolerance: f64,
    /// The residual up to which a solution counts as one where rounding stops it, relative to that
    /// of no impulses; 1e-9 m/s and rad/s count in any case.
    pub acceptable: f64,
    /// The most outer steps of an attempt.
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

/// The first factor c of the penalties ρ = c/w, that near the solution, and the largest.
const FIRST_PENALTY: f64 = 10.0;
const NEAR_PENALTY: f64 = 1e4;
const LARGEST_PENALTY: f64 = 1e8;

/// An attempt where the first one fails.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    /// With another first penalty.
    Penalty(f64),
    /// From where sweeps of block Gauss-Seidel lead to.
    Sweeps,
    /// From the solution of the convex law.
    Convex,
}

const ATTEMPTS: [Attempt; 4] = [
    Attempt::Sweeps,
    Attempt::Penalty(1e3),
    Attempt::Convex,
    Attempt::Penalty(1.0),
];

/// The most matrices that are factorised for an island: the best solution so far is taken then.
const MOST_FACTORISATIONS: usize = 1000;

/// Sweeps of block Gauss-Seidel.
const SWEEPS: usize = 100;

/// The part of the residual of no impulses below which a warm start is near the solution.
const NEAR: f64 = 1e-2;

/// The part of its residual to which an outer step solves its equation. Far from the solution the
/// way decides which of several is found, and must not depend on the order of rows; near it, more
/// is the next outer step's work.
const INNER: f64 = 1e-4;
const INNER_NEAR: f64 = 0.1;

/// The least factor after steps without progress.
const LEAST_PENALTY: f64 = 1.0;

/// A residual in m/s and rad/s that nobody sees: a millimetre in two weeks.
const UNSEEN: f64 = 1e-9;

/// The memory of the solver for robots of one structure.
#[derive(Clone, Debug)]
pub struct Solver {
    state: State,
    /// For each coordinate that is an island's first, whether its last solution was a new one.
    is_new: Vec<bool>,
    /// The part of the tolerance that a warm start must reach after a new solution.
    settling: f64,
    /// The islands without a solution.
    failed: Vec<usize>,
}

impl Solver {
    /// Memory for mass matrices with an elimination tree, such as
    /// [`kernel::elimination_tree`](featherline::kernel::elimination_tree) of a model.
    pub fn new(mass: &EliminationTree) -> Self {
        Self {
            state: State::new(mass),
            is_new: vec![true; mass.len()],
            settling: 1.0,
            failed: Vec::new(),
        }
    }

    /// The same for steps in time: where the last solution of an island was a new one, a warm start
    /// must reach this part of the tolerance to be taken as it is. New impulses stop what had built
    /// up below the tolerance, and are those of rest in the step after at the earliest.
    #[must_use]
    pub fn with_settling(mut self, part: f64) -> Self {
        self.settling = part;
        self
    }

    /// The velocity v of the last solution.
    pub fn velocity(&self) -> &[f64] {
        &self.state.velocity
    }

    /// For each coordinate that is an island's first, whether its last solution was a new one: what
    /// [`with_settling`](Self::with_settling) asks.
    pub fn is_new(&self) -> &[bool] {
        &self.is_new
    }

    /// Goes on as after solutions of which that was kept; as before any, if none was.
    pub fn set_new(&mut self, is_new: &[bool]) {
        if is_new.len() == self.is_new.len() {
            self.is_new.copy_from_slice(is_new);
        } else {
            self.is_new.fill(true);
        }
    }

    /// Takes M̂, packed without padding along the tree, and factorises it. False if it is not
    /// positive definite.
    pub fn set_mass(&mut self, mass: &[f64]) -> bool {
        self.state.response.set_mass(mass)
    }

    /// Replaces x by M̂⁻¹ x.
    pub fn respond(&mut self, x: &mut [f64]) {
        self.state.response.solve(x);
    }

    /// Replaces x by (M̂ + A)⁻¹ x, for an A on the pattern of M̂ that need not be symmetric: its
    /// lower and upper triangles are packed as M̂ is. False, with x as it was, if a pivot is not
    /// positive.
    pub fn respond_with(&mut self, lower: &[f64], upper: &[f64], x: &mut [f64]) -> bool {
        self.state.response.solve_square(lower, upper, x)
    }

    /// Solves for the velocity and the impulses of all rows. Impulses that are no solution are
    /// scaled so that they gain no energy, but for what pushes overlaps apart.
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
        self.state.resize(rows);
        self.state.response.take(free, rows);
        for (i, block) in rows.blocks.iter().enumerate() {
            let (first, count) = (rows.first_row[i], block.law.set.rows());
            let mut warm = [0.0; 3];
            warm[..count].copy_from_slice(&impulses[first..first + count]);
            self.state.blocks.best[i] = block.law.set.project(warm);
        }
        let mut outcome = Outcome {
            residual: 0.0,
            scale: 0.0,
            factorisations: 0,
            has_converged: true,
        };
        find_velocity(&mut self.state, free, rows);
        let mut is_new = false;
        self.failed.clear();
        for island in 0..self.state.response.islands.len() {
            let problem = Problem {
                rows,
                law: options.law,
                island,
            };
            let own = match self.begin_island(&problem, free, options) {
                Some(same) => same,
                None => {
                    is_new = true;
                    self.solve_island(&problem, options)
                }
            };
            outcome.residual = outcome.residual.max(own.residual);
            outcome.scale = outcome.scale.max(own.scale);
            outcome.factorisations += own.factorisations;
            outcome.has_converged &= own.has_converged;
            if !own.has_converged {
                self.failed.push(island);
            }
        }
        if is_new {
            find_velocity(&mut self.state, free, rows);
        }
        if self.restrain(free, rows, options.law) {
            find_velocity(&mut self.state, free, rows);
        }
        for (i, best) in self.state.blocks.best.iter().enumerate() {
            let (first, count) = (rows.first_row[i], rows.blocks[i].law.set.rows());
            impulses[first..first + count].copy_from_slice(&best[..count]);
        }
        outcome
    }

    /// Restrains the islands that have no solution; returns whether impulses changed.
    fn restrain(&mut self, free: &[f64], rows: &Rows, law: ConeLaw) -> bool {
        let mut changed = false;
        for &island in &self.failed {
            let problem = Problem { rows, law, island };
            changed |= self.state.restrain(&problem, free);
            changed |= self.state.hold_limits(&problem, free);
        }
        changed
    }

    /// What the multipliers in `best` are worth, if they are the solution.
    fn begin_island(
        &mut self,
        problem: &Problem<'_>,
        free: &[f64],
        options: &SolverOptions,
    ) -> Option<Outcome> {
        let [scale, residual] = estimate_residuals(&mut self.state, problem, free);
        let first_coordinate = self.state.response.islands.first_coordinate(problem.island);
        let is_new = &mut self.is_new[first_coordinate];
        let part = if *is_new { self.settling } else { 1.0 };
        let is_enough = residual <= part * options.tolerance * scale && residual.is_finite();
        *is_new = !is_enough;
        is_enough.then_some(Outcome {
            residual,
            scale,
            factorisations: 0,
            has_converged: true,
        })
    }

    /// Solves an island from the multipliers in `best`.
    fn solve_island(&mut self, problem: &Problem<'_>, options: &SolverOptions) -> Outcome {
        self.state.response.begin(problem.place());
        mean_responses(&mut self.state, problem);
        let blocks = &mut self.state.blocks;
        for &i in self.state.response.islands.parts(problem.island).blocks {
            blocks.multipliers[i] = [0.0; 3];
        }
        let scale = natural_map(&mut self.state, problem);
        let tolerance = options.tolerance * scale;
        let acceptable = (options.acceptable * scale).max(UNSEEN);
        self.state.return_to_best(problem);
        let mut outcome = Outcome {
            residual: natural_map(&mut self.state, problem),
            scale,
            factorisations: 0,
            has_converged: false,
        };
        // Near the solution, what holds and what slides is known.
        let is_near = outcome.residual <= NEAR * scale;
        let first = if is_near { NEAR_PENALTY } else { FIRST_PENALTY };
        let limits = (tolerance, acceptable);
        let most_steps = options.most_steps;
        self.outer_steps(problem, most_steps, first, limits, &mut outcome);
        for attempt in ATTEMPTS {
            let is_spent = outcome.factorisations >= MOST_FACTORISATIONS;
            if outcome.residual <= acceptable || is_spent {
                break;
            }
            match attempt {
                Attempt::Penalty(penalty) => {
                    self.state.return_to_best(problem);
                    natural_map(&mut self.state, problem);
                    self.outer_steps(problem, most_steps, penalty, limits, &mut outcome);
                }
                Attempt::Sweeps => self.begin_swept(problem, most_steps, limits, &mut outcome),
                Attempt::Convex if problem.law == ConeLaw::Exact => {
                    self.begin_convex(problem, most_steps, limits, &mut outcome);
                }
                Attempt::Convex => {}
            }
        }
        outcome.has_converged = outcome.residual <= acceptable && outcome.residual.is_finite();
        outcome
    }

    /// Outer steps from where block Gauss-Seidel leads to: it goes on where Newton's method stalls.
    fn begin_swept(
        &mut self,
        problem: &Problem<'_>,
        most_steps: usize,
        limits: (f64, f64),
        outcome: &mut Outcome,
    ) {
        self.state.return_to_best(problem);
        natural_map(&mut self.state, problem);
        sweep(&mut self.state, problem, SWEEPS);
        let residual = natural_map(&mut self.state, problem);
        if residual < outcome.residual {
            outcome.residual = residual;
            for &i in self.state.response.islands.parts(problem.island).blocks {
                self.state.blocks.best[i] = self.state.blocks.multipliers[i];
            }
        }
        if residual > limits.0 {
            let is_near = residual <= NEAR * outcome.scale;
            let first = if is_near { NEAR_PENALTY } else { FIRST_PENALTY };
            self.outer_steps(problem, most_steps, first, limits, outcome);
        }
    }

    /// Outer steps from the solution of the convex law, which is found from anywhere: where all
    /// contacts stick it is that of the exact law, too. Sliding may lead away from it (P. Painlevé,
    /// "Sur les lois du frottement de glissement", Comptes Rendus 121, 1895).
    fn begin_convex(
        &mut self,
        problem: &Problem<'_>,
        most_steps: usize,
        limits: (f64, f64),
        outcome: &mut Outcome,
    ) {
        for &i in self.state.response.islands.parts(problem.island).blocks {
            self.state.blocks.kept[i] = self.state.blocks.best[i];
        }
        let mut own = *outcome;
        for law in [ConeLaw::Convex, ConeLaw::Exact] {
            let problem = Problem { law, ..*problem };
            self.state.return_to_best(&problem);
            own.residual = natural_map(&mut self.state, &problem);
            if own.residual > limits.0 {
                self.outer_steps(&problem, most_steps, FIRST_PENALTY, limits, &mut own);
            }
        }
        outcome.factorisations = own.factorisations;
        if own.residual < outcome.residual {
            outcome.residual = own.residual;
            return;
        }
        for &i in self.state.response.islands.parts(problem.island).blocks {
            self.state.blocks.best[i] = self.state.blocks.kept[i];
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
        let mut stalled = false;
        for _ in 0..most_steps {
            if outcome.factorisations >= MOST_FACTORISATIONS {
                return;
            }
            if correction == Correction::Frozen {
                freeze(&mut self.state, problem);
            }
            self.state.response.keep(); // to return to
            let is_near = residual <= NEAR * outcome.scale;
            let goal = if is_near { INNER_NEAR } else { INNER };
            let (is_solved, factorised) = self.state.newton(
                problem,
                correction,
                penalty,
                (tolerance, acceptable),
                (residual, goal),
            );
            outcome.factorisations += factorised;
            // What the multipliers would be.
            self.state.exchange_multipliers(problem);
            self.state.response.keep_end();
            let next = natural_map(&mut self.state, problem);
            if correction == Correction::Live && !is_solved && next > 0.9 * residual {
                self.state.exchange_multipliers(problem);
                self.state
                    .response
                    .return_to_kept(problem.place(), &mut self.state.readings.z);
                correction = Correction::Frozen;
                penalty = (0.1 * penalty).max(LEAST_PENALTY);
                continue;
            }
            if correction == Correction::Frozen || next > 0.1 * residual {
                penalty = (10.0 * penalty).min(LARGEST_PENALTY);
            }
            // Rounding stops what converged.
            let stalls = next > 0.5 * outcome.residual;
            let is_at_rounding = next <= acceptable && stalls && stalled;
            stalled = stalls;
            correction = Correction::Live;
            residual = next;
            if residual < outcome.residual {
                outcome.residual = residual;
                for &i in self.state.response.islands.parts(problem.island).blocks {
                    self.state.blocks.best[i] = self.state.blocks.multipliers[i];
                }
            }
            if residual <= tolerance || is_at_rounding {
                return;
            }
            self.state.move_along(problem, 0.0); // where Newton's method ended
        }
    }
}
