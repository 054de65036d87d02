//! Newton's method on g(v) = M̂ (v − v*) − Jᵀ Π(y(v)).

use super::laws::{ConeLaw, Correction, Problem, State, evaluate, weigh};

/// Newton steps of an outer step, and of a convex one.
const NEWTON_STEPS: usize = 12;
const CONVEX_NEWTON_STEPS: usize = 30;

/// Halvings of a Newton step.
const HALVINGS: usize = 10;

/// Bisections of a Newton step of a convex problem: to rounding.
const BISECTIONS: usize = 50;

impl State {
    /// Newton's method on g from the velocity as it is, to the part `goal` of the residual before.
    /// Returns whether g is small, and how many matrices were factorised. `impulse` is then Π(y).
    pub fn newton(
        &mut self,
        problem: &Problem<'_>,
        correction: Correction,
        penalty: f64,
        (tolerance, acceptable): (f64, f64),
        (residual, goal): (f64, f64),
    ) -> (bool, usize) {
        // ‖J M̂⁻¹ g‖ ≤ √(3 w) ‖g‖, the norm that of M̂⁻¹.
        let part = self.response.islands.parts(problem.island);
        let responses = part.blocks.iter().map(|&i| self.blocks.response[i]);
        let most_response = responses.fold(0.0, f64::max);
        let enough = (0.1 * tolerance).max(goal * residual) / most_response.sqrt();
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
            // Rounding stops what is nearly solved.
            let is_at_rounding = residual <= acceptable && found > 0.5 * merit;
            merit = found;
            if is_at_rounding {
                break;
            }
        }
        (merit <= enough, factorised)
    }

    /// The iterate at a part of the Newton step.
    pub fn move_along(&mut self, problem: &Problem<'_>, length: f64) {
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
