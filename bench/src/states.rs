//! The states that all contenders are given.

use featherline::Model;
pub use featherline_bench_protocol::states::State;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws states: configurations within the joints' limits, the rest uniformly from −1 to 1. The same seed gives the same.
pub fn draw(model: &Model, count: usize, seed: u64) -> Vec<State> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|_| State {
            q: model.random_configuration(&mut rng),
            v: tangent(model, &mut rng),
            a: tangent(model, &mut rng),
            tau: tangent(model, &mut rng),
        })
        .collect()
}

fn tangent(model: &Model, rng: &mut impl Rng) -> Vec<f64> {
    (0..model.nv())
        .map(|_| rng.random_range(-1.0..1.0))
        .collect()
}
