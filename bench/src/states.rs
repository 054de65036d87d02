//! The states that all contenders are given.

use featherline::Model;
pub use featherline_bench_protocol::states::State;
use featherline_constraint::{LoopError, LoopWorkspace};
use featherline_constraint::{assemble, project_velocity};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws states: configurations within the joints' limits, the rest uniformly from −1 to 1. The
/// same seed gives the same.
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

/// How far joints are turned or pushed from zero, in rad or m, before loops are closed.
const DISPLACEMENT: f64 = 0.3;

/// Draws states of a robot whose loops close at zero, as [`draw`] does, but with configurations
/// near zero at which all loops are closed, and velocities that keep them so.
///
/// # Errors
/// If loops do not close from where they were drawn.
pub fn draw_closed(model: &Model, count: usize, seed: u64) -> Result<Vec<State>, LoopError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ws = LoopWorkspace::new(model)?;
    (0..count)
        .map(|_| {
            let mut displacement = tangent(model, &mut rng);
            displacement.iter_mut().for_each(|x| *x *= DISPLACEMENT);
            let mut q = model.integrate(&model.neutral_configuration(), &displacement)?;
            assemble(model, &mut ws, &mut q)?;
            let mut v = tangent(model, &mut rng);
            project_velocity(model, &mut ws, &q, &mut v)?;
            let [a, tau] = [(); 2].map(|()| tangent(model, &mut rng));
            Ok(State { q, v, a, tau })
        })
        .collect()
}

fn tangent(model: &Model, rng: &mut impl Rng) -> Vec<f64> {
    (0..model.nv())
        .map(|_| rng.random_range(-1.0..1.0))
        .collect()
}
