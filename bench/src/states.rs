//! The states that all contenders are given, and the file that carries them.

use anyhow::{Context, Result, bail};
use featherline::Model;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::path::Path;

/// One state of a robot, and what inverse and forward dynamics are asked about it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Configuration, nq entries.
    pub q: Vec<f64>,
    /// Velocity, nv entries.
    pub v: Vec<f64>,
    /// Acceleration, nv entries.
    pub a: Vec<f64>,
    /// Joint forces, nv entries.
    pub tau: Vec<f64>,
}

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

/// Writes states in the layout of `bench/README.md`.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, model: &Model, states: &[State]) -> Result<()> {
    let mut bytes = Vec::new();
    for size in [states.len(), model.nq(), model.nv()] {
        bytes.extend((size as u64).to_le_bytes());
    }
    for state in states {
        for values in [&state.q, &state.v, &state.a, &state.tau] {
            bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        }
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads the states of a model.
///
/// # Errors
/// If the file cannot be read, holds states of another size or none, or is too short or too long.
pub fn read(path: &Path, model: &Model) -> Result<Vec<State>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (words, rest) = bytes.as_chunks::<8>();
    let [count, nq, nv, numbers @ ..] = words else {
        bail!("{}: file ends too early", path.display());
    };
    let [count, nq, nv] = [count, nq, nv].map(|word| u64::from_le_bytes(*word));
    if (nq, nv) != (model.nq() as u64, model.nv() as u64) {
        bail!(
            "{}: holds states of nq {nq} and nv {nv}, the model has {} and {}",
            path.display(),
            model.nq(),
            model.nv()
        );
    }
    let (nq, nv) = (model.nq(), model.nv());
    let size = nq + 3 * nv;
    let is_whole = rest.is_empty() && count.checked_mul(size as u64) == Some(numbers.len() as u64);
    if count == 0 || size == 0 || !is_whole {
        bail!("{}: does not hold {count} whole states", path.display());
    }
    let numbers: Vec<f64> = numbers
        .iter()
        .map(|word| f64::from_le_bytes(*word))
        .collect();
    Ok(numbers
        .chunks_exact(size)
        .map(|state| {
            let (q, rest) = state.split_at(nq);
            let (v, rest) = rest.split_at(nv);
            let (a, tau) = rest.split_at(nv);
            let [q, v, a, tau] = [q, v, a, tau].map(<[f64]>::to_vec);
            State { q, v, a, tau }
        })
        .collect())
}
