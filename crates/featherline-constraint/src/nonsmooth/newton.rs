//! The proximal-multiplier Newton method: few steps near the solution.
//!
//! The multipliers λ are those of an augmented Lagrangian (R. T. Rockafellar, "Augmented
//! Lagrangians and applications of the proximal point algorithm in convex programming", Mathematics
//! of Operations Research 1, 1976): an outer step takes λ ← Π(y), y = ρ' (λ/ρ − u − s), with
//! 1/ρ' = R + 1/ρ, the projection in the norm of 1/ρ', at the velocity where
//!
//! ```text
//! g(v) = M̂ (v − v*) − Jᵀ Π(y(v)) = 0
//! ```
//!
//! That is found by a semismooth Newton method on g with s in it, whose matrix
//! M̂ + Jᵀ ρ' DΠ (1 + e_n ∇s) J is not symmetric where contacts slide (P. Alart and A. Curnier, "A
//! mixed formulation for frictional contact problems prone to Newton like solution methods",
//! Computer Methods in Applied Mechanics and Engineering 92, 1991). Every fixed point is the exact
//! solution, whatever ρ is.

use super::laws::{Problem, State, evaluate, natural_map, weigh};
use super::solver::{Goal, Outcome};

/// The factor c of the penalties ρ = c/w, and the largest.
const PENALTY: f64 = 1e4;
const LARGEST_PENALTY: f64 = 1e8;

/// The part of its residual to which an outer step solves its equation: more is the next one's.
const INNER: f64 = 0.1;

impl State {
    /// Outer steps from the best multipliers, at the velocity that they lead to, until the goal is
    /// reached, nothing is gained, or `most` matrices are factorised. The best are kept.
    pub fn polish(
        &mut self,
        problem: &Problem<'_>,
        goal: Goal,
        most: usize,
        outcome: &mut Outcome,
    ) {
        let mut residual = self.return_to_best(problem);
        let last = outcome.factorisations + most;
        let mut penalty = PENALTY;
        let mut stalled = false;
        // An outer step may find its equation solved already.
        for _ in 0..2 * most {
            if outcome.factorisations >= last {
                return;
            }
            let is_solved = self.newton(problem, penalty, (goal, residual), last, outcome);
            // The candidate multipliers.
            self.for_blocks(problem, |blocks, i| {
                std::mem::swap(&mut blocks.impulse[i], &mut blocks.multipliers[i]);
            });
            self.response.keep_end();
            let next = natural_map(self, problem);
            if next < outcome.residual {
                outcome.residual = next;
                self.keep_best(problem);
            }
            // Rounding stops what converged.
            let stalls = next > 0.5 * residual;
            let is_at_rounding = next <= goal.acceptable && stalls && stalled;
            let is_lost = !is_solved && next > (0.9 * residual).max(goal.acceptable);
            if next <= goal.tolerance || is_at_rounding || is_lost || next.is_nan() {
                return;
            }
            if next > 0.1 * residual {
                if penalty == LARGEST_PENALTY && stalls {
                    return;
                }
                penalty = (10.0 * penalty).min(LARGEST_PENALTY);
            }
            (stalled, residual) = (stalls, next);
            self.move_along(problem, 0.0); // where Newton's method ended
        }
    }

    /// Newton's method on g from here: whether g is small. `impulse` is then Π(y).
    fn newton(
        &mut self,
        problem: &Problem<'_>,
        penalty: f64,
        (goal, residual): (Goal, f64),
        last: usize,
        outcome: &mut Outcome,
    ) -> bool {
        // ‖J M̂⁻¹ g‖ ≤ √(3 w) ‖g‖, the norm that of M̂⁻¹.
        let part = self.response.islands.parts(problem.island);
        let responses = part.blocks.iter().map(|&i| self.blocks.response[i]);
        let most_response = responses.fold(0.0, f64::max);
        let enough = (0.1 * goal.tolerance).max(INNER * residual) / most_response.sqrt();
        let mut merit = evaluate(self, problem, penalty);
        let mut stalled = false;
        while merit > enough && outcome.factorisations < last {
            let is_symmetric = weigh(self, problem, penalty);
            outcome.factorisations += 1;
            let weights = &self.readings.weights;
            if !self.response.newton(problem.place(), weights, is_symmetric) {
                return false;
            }
            self.move_along(problem, 1.0);
            let found = evaluate(self, problem, penalty);
            if found >= merit || found.is_nan() {
                self.move_along(problem, 0.0);
                evaluate(self, problem, penalty);
                return false;
            }
            let stalls = found > 0.5 * merit;
            merit = found;
            // Near the solution a step halves g, but for one that a face of a cone stops.
            if stalls && (stalled || residual > goal.acceptable) {
                break;
            }
            stalled = stalls;
        }
        merit <= enough
    }

    /// The iterate at a part of the Newton step.
    fn move_along(&mut self, problem: &Problem<'_>, length: f64) {
        self.response
            .move_along(problem.place(), length, &mut self.readings.z);
    }
}
