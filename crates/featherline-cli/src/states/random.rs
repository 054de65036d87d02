//! Random states.

use super::state::State;
use featherline::Model;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// States drawn within the robot's limits.
pub struct RandomStates<'a> {
    model: &'a Model,
    rng: ChaCha8Rng,
    pub seed: u64,
    /// How many there are, and how many of them were drawn.
    pub count: u64,
    pub drawn: u64,
}

impl<'a> RandomStates<'a> {
    pub fn new(model: &'a Model, count: u64, seed: u64) -> Self {
        Self {
            model,
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            count,
            drawn: 0,
        }
    }
}

impl Iterator for RandomStates<'_> {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        if self.drawn == self.count {
            return None;
        }
        self.drawn += 1;
        let mut state = State {
            q: self.model.random_configuration(&mut self.rng),
            ..State::neutral(self.model)
        };
        for joint in self.model.joints().iter().filter(|j| j.mimic.is_none()) {
            let limits = &joint.limits;
            let own = joint.idx_v..joint.idx_v + joint.nv;
            for (values, bounds) in [
                (&mut state.v, &limits.velocity),
                (&mut state.a, &limits.acceleration),
                (&mut state.tau, &limits.effort),
            ] {
                for (value, &bound) in values[own.clone()].iter_mut().zip(bounds) {
                    let bound = if bound.is_finite() { bound } else { 1.0 };
                    *value = bound * self.rng.random_range(-1.0..=1.0);
                }
            }
        }
        Some(state)
    }
}
