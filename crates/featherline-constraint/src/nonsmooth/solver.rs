//! Constraints with sets, solved island by island.
//!
//! ```text
//! find v and λ:   M̂ (v − v*) = Jᵀ λ,   −(J v + b + R λ + s(v)) ∈ N(λ)
//! ```
//!
//! s is μ‖u_t‖ on the normal row of each contact. A warm start that obeys the laws is the solution.
//! Near it, Newton's method finds it ([`newton`](super::newton)); from afar the central path leads
//! to it ([`path`](super::path)), and Newton's method takes the last digits.
//!
//! Blocks read few numbers z of the velocity, such as twists of pairs of bodies: u = X z + b.
//! Velocities, impulses on the readings and the steps between them are with
//! [`Response`](super::response::Response).

use super::gauss_seidel::sweep;
use super::laws::{
    Problem, State, UNSEEN, estimate_residuals, find_responses, find_velocity, largest_speed,
    natural_map, rounding, take_projected,
};
use super::path::{begin_path, follow_path, largest_velocity, take_impulses};
use super::{FrictionLaw, Rows};
use featherline::model::EliminationTree;

/// How far and how long a solution is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// The residual that is aimed at, relative to that of no impulses.
    pub tolerance: f64,
    /// The residual that is aimed at in motion, relative to the largest speed of an island's rows
    /// before the step ([`Solver::set_motion`]), and at most 1e-4 of that of no impulses. The
    /// greater of the two counts.
    pub in_motion: f64,
    /// The residual up to which a solution counts as one where rounding stops it, relative to that
    /// of no impulses; 1e-9 m/s and rad/s count in any case.
    pub acceptable: f64,
    /// The most matrices that are factorised for an island: the best impulses so far are taken
    /// then.
    pub most_factorisations: usize,
    /// The law of contacts.
    pub law: FrictionLaw,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            in_motion: 1e-6,
            acceptable: 1e-8,
            most_factorisations: 30,
            law: FrictionLaw::Exact,
        }
    }
}

/// The quality of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The largest entry of the natural map w (λ − Π(λ − u/w)), in m/s or rad/s: zero where all
    /// laws hold. w is the mean response of a block's rows to a unit impulse.
    pub residual: f64,
    /// The residual of no impulses, which the residual is small beside.
    pub scale: f64,
    /// The residual that was asked for, in the same units: the greatest of all islands.
    pub asked: f64,
    /// How many matrices were factorised, M̂ not counted.
    pub factorisations: usize,
    /// Whether the residual is acceptable.
    pub has_converged: bool,
}

impl Outcome {
    /// The worse of two: the greater residuals, all factorisations, and whether both converged.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        Self {
            residual: self.residual.max(other.residual),
            scale: self.scale.max(other.scale),
            asked: self.asked.max(other.asked),
            factorisations: self.factorisations + other.factorisations,
            has_converged: self.has_converged && other.has_converged,
        }
    }
}

/// The residual that a warm start may leave, in multiples of the aim: contacts that roll or creep
/// at the rounding of their gaps are not solved anew in each step.
const KEPT: f64 = 10.0;

/// The part of the residual of no impulses from which a warm start knows what holds and slides.
const NEAR: f64 = 1e-5;

/// The most matrices that Newton's method factorises from a warm start, and from the path.
const MOST_NEAR: usize = 5;
const MOST_ON_PATH: usize = 5;

/// The most of the residual of no impulses that is left in motion, whose impulses are small.
const MOST_IN_MOTION: f64 = 1e-4;

/// The most matrices that are factorised for the last digits of what is acceptable, and of a small
/// island in motion, where they cost little, and how many times more than them was asked for.
const MOST_LAST: usize = 2;
const LAST: f64 = 10.0;

/// The part of the residual of no impulses for Newton's method, and from the second path on.
const HAND_OVER: f64 = 1e-5;
const PROGRESS: f64 = 0.1;

/// Impulses so many aims farther from the faces than the residual are no solution yet.
const FAR: f64 = 100.0;

/// The parts of the largest velocity between which the path begins.
const CLOSEST: f64 = 1e-4;
const FARTHEST: f64 = 0.1;

/// The part of a step at a face that is jammed: the path begins again, farther from the faces.
const JAMMED: f64 = 0.2;
const CLOSEST_AGAIN: f64 = 1e-5;
const FARTHER: f64 = 3.0;

/// Sweeps of block Gauss-Seidel where the path jams or is long: what is left is local. The path
/// comes first: sweeps depend on the order of the rows. They begin below a part of the residual of
/// no impulses.
const SWEEPS: usize = 10;
const SWEPT: f64 = 1e-2;
const LATE: usize = 10;

/// The residuals that are sought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub tolerance: f64,
    pub acceptable: f64,
}

/// The memory of the solver for robots of one structure.
#[derive(Clone, Debug)]
pub struct Solver {
    state: State,
    /// For each coordinate that is an island's first, whether its last solution was a new one.
    is_new: Vec<bool>,
    /// The part of the tolerance that a warm start must reach after a new solution.
    settling: f64,
    /// The islands without a solution to the last digits.
    failed: Vec<usize>,
    /// The velocity before the step.
    motion: Vec<f64>,
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
            motion: vec![0.0; mass.len()],
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

    /// Takes the velocity before a step: what moves is solved to a part of its speed,
    /// [`SolverOptions::in_motion`]. It holds for all solutions until the next one; zero at first.
    pub fn set_motion(&mut self, v: &[f64]) {
        self.motion.copy_from_slice(v);
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
            asked: 0.0,
            factorisations: 0,
            has_converged: true,
        };
        find_velocity(&mut self.state, free, rows);
        let mut is_new = false;
        self.failed.clear();
        let law = options.law;
        for island in 0..self.state.response.islands.len() {
            let problem = Problem { rows, law, island };
            let mut own = self.begin_island(&problem, free, options);
            if !own.has_converged {
                is_new = true;
                self.solve_island(&problem, options, &mut own);
            }
            outcome = outcome.or_worse(own);
        }
        if is_new {
            find_velocity(&mut self.state, free, rows);
        }
        if self.restrain(free, rows, law) {
            find_velocity(&mut self.state, free, rows);
        }
        for (i, best) in self.state.blocks.best.iter().enumerate() {
            let (first, count) = (rows.first_row[i], rows.blocks[i].law.set.rows());
            impulses[first..first + count].copy_from_slice(&best[..count]);
        }
        outcome
    }

    /// Restrains the islands that have no solution; returns whether impulses changed.
    fn restrain(&mut self, free: &[f64], rows: &Rows, law: FrictionLaw) -> bool {
        let mut changed = false;
        for &island in &self.failed {
            let problem = Problem { rows, law, island };
            changed |= self.state.restrain(&problem, free);
            changed |= self.state.hold_limits(&problem, free);
        }
        changed
    }

    /// The residual of the multipliers in `best`, and whether they are the solution.
    fn begin_island(
        &mut self,
        problem: &Problem<'_>,
        free: &[f64],
        options: &SolverOptions,
    ) -> Outcome {
        let [scale, residual] = estimate_residuals(&mut self.state, problem, free);
        let first_coordinate = self.state.response.islands.first_coordinate(problem.island);
        let is_new = &mut self.is_new[first_coordinate];
        let part = if *is_new { self.settling } else { 1.0 };
        let mut asked = options.tolerance * scale;
        let mut is_enough = residual <= part * KEPT * asked;
        if is_enough {
            asked *= KEPT;
        } else {
            let speed = largest_speed(&mut self.state, problem, &self.motion);
            let in_motion = (options.in_motion * speed).min(MOST_IN_MOTION * scale);
            is_enough = residual <= in_motion;
            asked = asked.max(in_motion);
        }
        is_enough &= residual.is_finite();
        *is_new = !is_enough;
        Outcome {
            residual,
            scale,
            asked,
            factorisations: 0,
            has_converged: is_enough,
        }
    }

    /// Solves an island from the multipliers in `best`.
    fn solve_island(
        &mut self,
        problem: &Problem<'_>,
        options: &SolverOptions,
        outcome: &mut Outcome,
    ) {
        self.state.response.begin(problem.place());
        find_responses(&mut self.state, problem);
        self.state
            .for_blocks(problem, |blocks, i| blocks.multipliers[i] = [0.0; 3]);
        outcome.scale = natural_map(&mut self.state, problem);
        let acceptable = (options.acceptable * outcome.scale).max(UNSEEN);
        let goal = Goal {
            tolerance: outcome.asked,
            acceptable: acceptable.max(outcome.asked),
        };
        outcome.residual = self.state.return_to_best(problem);
        if outcome.residual <= NEAR * outcome.scale {
            let most = MOST_NEAR.min(options.most_factorisations);
            self.state.polish(problem, goal, most, outcome);
        }
        if outcome.residual > goal.acceptable || outcome.residual.is_nan() {
            let most = options.most_factorisations;
            self.follow(problem, goal, most, outcome);
        }
        let is_small = self.state.response.is_small(problem.island);
        if is_small && outcome.residual > goal.acceptable && problem.law == FrictionLaw::Exact {
            self.follow_convex(problem, goal, options.most_factorisations, outcome);
        }
        let tolerance = options.tolerance * outcome.scale;
        let is_last = outcome.residual > tolerance && outcome.residual <= goal.tolerance;
        if is_small && is_last && goal.tolerance > LAST * tolerance {
            let most = MOST_LAST.min(options.most_factorisations);
            let last = Goal { tolerance, ..goal };
            self.state.polish(problem, last, most, outcome);
        }
        outcome.residual = outcome.residual.max(rounding(&self.state, problem));
        // An island that did not converge may still gain no energy, and pass no limit.
        if outcome.residual > acceptable || outcome.residual.is_nan() {
            self.failed.push(problem.island);
        }
        outcome.has_converged = outcome.residual <= goal.acceptable && outcome.residual.is_finite();
    }

    /// The path of the convex law, which leads to its solution from anywhere, and Newton's method
    /// from there: where all contacts stick both laws have the same solution. Sliding may lead away
    /// from it (P. Painlevé, "Sur les lois du frottement de glissement", Comptes Rendus 121, 1895).
    fn follow_convex(
        &mut self,
        problem: &Problem<'_>,
        goal: Goal,
        most: usize,
        outcome: &mut Outcome,
    ) {
        let mut own = Outcome {
            residual: f64::INFINITY,
            factorisations: 0,
            ..*outcome
        };
        self.state
            .for_blocks(problem, |blocks, i| blocks.kept[i] = blocks.best[i]);
        let convex = Problem {
            law: FrictionLaw::Convex,
            ..*problem
        };
        self.follow(&convex, goal, most, &mut own);
        own.residual = self.state.return_to_best(problem);
        if own.residual > goal.tolerance {
            let most = own.factorisations + MOST_NEAR;
            self.state.polish(problem, goal, most, &mut own);
        }
        outcome.factorisations += own.factorisations;
        if own.residual < outcome.residual {
            outcome.residual = own.residual;
        } else {
            self.state
                .for_blocks(problem, |blocks, i| blocks.best[i] = blocks.kept[i]);
        }
    }

    /// Follows the path from the best multipliers to the goal, or for `most` matrices.
    fn follow(&mut self, problem: &Problem<'_>, goal: Goal, most: usize, outcome: &mut Outcome) {
        let state = &mut self.state;
        state.return_to_best(problem);
        let size = largest_velocity(state, problem).max(outcome.scale);
        let epsilon = outcome.residual.clamp(CLOSEST * size, FARTHEST * size);
        begin_path(state, problem, epsilon);
        let mut handed_over = f64::INFINITY;
        let (mut steps, mut restarts, mut most) = (0, 0, most);
        while outcome.factorisations < most {
            if outcome.residual <= goal.acceptable {
                most = most.min(outcome.factorisations + MOST_LAST);
            }
            outcome.factorisations += 1;
            steps += 1;
            let step = follow_path(state, problem);
            let hand_over = (HAND_OVER * outcome.scale).min(PROGRESS * handed_over);
            let goes_on = step.is_some_and(|step| step.length >= JAMMED);
            let far = FAR * goal.tolerance.max(hand_over);
            let is_far = step.is_some_and(|step| step.distance > far) && steps < LATE;
            if goes_on && is_far && outcome.factorisations < most {
                continue;
            }
            if step.is_some() {
                state.response.keep();
                take_impulses(state, problem);
                judge(state, problem, 0.0, outcome);
                // On the path all contacts push: what is open has no impulse.
                take_projected(state, problem);
                judge(state, problem, goal.tolerance, outcome);
            }
            let is_late = restarts > 0 || steps >= LATE;
            if is_late && outcome.residual < SWEPT * outcome.scale {
                state.return_to_best(problem);
                sweep(state, problem, SWEEPS);
                judge(state, problem, 0.0, outcome);
            }
            if outcome.residual > goal.tolerance && outcome.residual <= hand_over {
                handed_over = outcome.residual;
                let most = MOST_ON_PATH.min(most - outcome.factorisations);
                state.polish(problem, goal, most, outcome);
            }
            if outcome.residual <= goal.tolerance {
                return;
            }
            if goes_on {
                state
                    .response
                    .return_to_kept(problem.place(), &mut state.readings.z);
            } else {
                state.return_to_best(problem);
                let epsilon = outcome.residual.max(CLOSEST_AGAIN * size);
                begin_path(state, problem, epsilon * FARTHER.powi(restarts));
                restarts += 1;
            }
        }
    }
}

/// Keeps the multipliers if they are the best or are `enough`, and their residual.
fn judge(state: &mut State, problem: &Problem<'_>, enough: f64, outcome: &mut Outcome) {
    let residual = natural_map(state, problem);
    if residual < outcome.residual || residual <= enough || outcome.residual.is_nan() {
        outcome.residual = residual;
        state.keep_best(problem);
    }
}
