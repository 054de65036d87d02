//! Impulses that are no solution, and must not explode.

use super::Set;
use super::laws::{Problem, State, find_velocity};

/// The most limits that are made to hold, one after another.
const MOST: usize = 200;

/// The speed in m/s or rad/s beyond a limit that nobody sees.
const UNSEEN: f64 = 1e-9;

impl State {
    /// Makes the limits of an island hold, the worst first, with the impulses of all else as they
    /// are: nobody lets a joint pass because a contact has no solution. Impulses only grow, and
    /// each stops what goes beyond its limit: that takes energy, unless it is beyond already.
    ///
    /// Returns whether they changed.
    pub fn hold_limits(&mut self, problem: &Problem<'_>, free: &[f64]) -> bool {
        let rows = problem.rows;
        for count in 0..MOST {
            find_velocity(self, free, rows);
            let (mut worst, mut least) = (None, -UNSEEN);
            for &i in self.response.islands.parts(problem.island).blocks {
                let block = &rows.blocks[i];
                if block.law.set != Set::NonNegative {
                    continue;
                }
                let z = rows.read(&rows.readings[block.reading], &self.velocity);
                let speed = block.velocity(&z)[0] + block.law.bias[0];
                if speed < least {
                    (worst, least) = (Some(i), speed);
                }
            }
            let Some(i) = worst else {
                return count > 0;
            };
            self.blocks.best[i][0] -= least / self.blocks.response[i];
        }
        true
    }

    /// Scales the impulses of an island so that they gain no energy. With u* and u⁺ the velocities
    /// without and with impulses, biases not in them, impulses do the work
    ///
    /// ```text
    /// λ · (u* + u⁺)/2 = λ · u* + ½ λᵀ W λ
    /// ```
    ///
    /// and those of a solution at most −λ · b, for what overlaps and is pushed apart. Impulses that
    /// are none may ask for any speed where a mechanism jams, and those of two walls against each
    /// other have no bound: what one block is allowed is b²/w, what pushing it apart takes.
    ///
    /// Returns whether they changed.
    pub fn restrain(&mut self, problem: &Problem<'_>, free: &[f64]) -> bool {
        let rows = problem.rows;
        let part = self.response.islands.parts(problem.island);
        let [mut at_free, mut own, mut allowed] = [0.0; 3];
        for &i in part.blocks {
            let (block, impulse) = (&rows.blocks[i], self.blocks.best[i]);
            let reading = &rows.readings[block.reading];
            let before = block.velocity(&rows.read(reading, free));
            let after = block.velocity(&rows.read(reading, &self.velocity));
            let [mut by_bias, mut most] = [0.0_f64; 2];
            for row in 0..block.law.set.rows() {
                at_free += impulse[row] * before[row];
                own += impulse[row] * (after[row] - before[row]);
                let bias = block.law.bias[row];
                if bias != 0.0 {
                    by_bias -= impulse[row] * bias;
                    most += bias * bias / self.blocks.response[i];
                }
            }
            allowed += by_bias.clamp(0.0, most);
        }
        if at_free + 0.5 * own <= allowed {
            return false;
        }
        // The factor of λ for which both sides agree; none for what is no number.
        let factor = (2.0 * (allowed - at_free) / own).clamp(0.0, 1.0);
        let factor = if factor.is_finite() { factor } else { 0.0 };
        for &i in part.blocks {
            for impulse in &mut self.blocks.best[i] {
                *impulse = if factor > 0.0 { *impulse * factor } else { 0.0 };
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{Problem, State, find_responses, find_velocity};
    use super::super::{FrictionLaw, Law, Rows, Set};
    use featherline::model::EliminationTree;

    /// Two coupled coordinates that go beyond their limits, with impulses that throw the other one
    /// at its own: both stop, and no impulse is taken back.
    #[test]
    fn limits_hold_with_any_impulses() {
        let mut state = State::new(&EliminationTree::new(vec![None, Some(0)]).unwrap());
        assert!(state.response.set_mass(&[2.0, 0.5, 2.0]));
        let mut rows = Rows::new();
        for coordinate in [0, 1] {
            rows.push_coordinate(coordinate, 1.0, Law::rigid(Set::NonNegative));
        }
        let free = [-1.0, -3.0];
        let problem = Problem {
            rows: &rows,
            law: FrictionLaw::Exact,
            island: 0,
        };
        for impulses in [[0.0, 0.0], [5.0, 0.0], [0.0, 9.0]] {
            state.resize(&rows);
            state.response.take(&free, &rows);
            state.response.begin(problem.place());
            find_responses(&mut state, &problem);
            for (best, impulse) in state.blocks.best.iter_mut().zip(impulses) {
                *best = [impulse, 0.0, 0.0];
            }
            assert!(state.hold_limits(&problem, &free), "{impulses:?}");
            for k in [0, 1] {
                let (impulse, velocity) = (state.blocks.best[k][0], state.velocity[k]);
                assert!(impulse >= impulses[k] && velocity > -1e-8, "{impulses:?}");
            }
        }
        assert!(!state.hold_limits(&problem, &free));
    }

    /// A mass of 1 kg at 1 m/s against a stop: an impulse of 1 N·s stops it, 2 N·s throw it back
    /// with its energy, which is the most that is let pass.
    #[test]
    fn impulses_throw_back_no_faster_than_it_came() {
        let mut state = State::new(&EliminationTree::new(vec![None]).unwrap());
        assert!(state.response.set_mass(&[1.0]));
        let mut rows = Rows::new();
        rows.push_coordinate(0, 1.0, Law::rigid(Set::NonNegative));
        let free = [-1.0];
        let problem = Problem {
            rows: &rows,
            law: FrictionLaw::Exact,
            island: 0,
        };
        for (impulse, velocity, is_restrained) in [
            (1.0, 0.0, false),
            (1.5, 0.5, false),
            (1e16, 1.0, true),
            (f64::NAN, -1.0, true),
        ] {
            state.resize(&rows);
            state.response.take(&free, &rows);
            state.blocks.best[0] = [impulse, 0.0, 0.0];
            find_velocity(&mut state, &free, &rows);
            assert_eq!(state.restrain(&problem, &free), is_restrained, "{impulse}");
            find_velocity(&mut state, &free, &rows);
            assert!((state.velocity[0] - velocity).abs() < 1e-12, "{impulse}");
        }
    }

    /// A mass of 1 kg at rest between two walls that overlap it by 1 µm, with impulses of 1e6 N·s
    /// from both and a little more from one: it moves no faster than pushing both walls off takes.
    #[test]
    fn opposite_impulses_are_allowed_no_more_than_pushing_apart_takes() {
        let mut state = State::new(&EliminationTree::new(vec![None]).unwrap());
        assert!(state.response.set_mass(&[1.0]));
        let mut rows = Rows::new();
        let push = 1e-3;
        for direction in [1.0, -1.0] {
            let mut law = Law::rigid(Set::NonNegative);
            law.bias[0] = -push;
            rows.push_coordinate(0, direction, law);
        }
        let problem = Problem {
            rows: &rows,
            law: FrictionLaw::Exact,
            island: 0,
        };
        let free = [0.0];
        state.resize(&rows);
        state.response.take(&free, &rows);
        state.response.begin(problem.place());
        find_responses(&mut state, &problem);
        state.blocks.best = vec![[1e6 + 30.0, 0.0, 0.0], [1e6, 0.0, 0.0]];
        find_velocity(&mut state, &free, &rows);
        assert!(state.velocity[0] > 29.0);
        assert!(state.restrain(&problem, &free));
        find_velocity(&mut state, &free, &rows);
        let energy = 0.5 * state.velocity[0].powi(2);
        assert!(energy <= 2.0 * push * push * (1.0 + 1e-6), "{energy} J");
    }
}
