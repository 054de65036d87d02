//! The file that carries the states.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// One state of a robot, and what inverse and forward dynamics are asked about it.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S = f64> {
    /// Configuration, nq entries.
    pub q: Vec<S>,
    /// Velocity, nv entries.
    pub v: Vec<S>,
    /// Acceleration, nv entries.
    pub a: Vec<S>,
    /// Joint forces, nv entries.
    pub tau: Vec<S>,
}

impl<S: Copy> State<S> {
    /// The same state in other numbers.
    pub fn map<T>(&self, convert: impl Fn(S) -> T) -> State<T> {
        let convert = |values: &[S]| values.iter().map(|x| convert(*x)).collect();
        State {
            q: convert(&self.q),
            v: convert(&self.v),
            a: convert(&self.a),
            tau: convert(&self.tau),
        }
    }
}

/// Writes states in the layout of `bench/README.md`.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, nq: usize, nv: usize, states: &[State]) -> Result<()> {
    let mut bytes = Vec::new();
    for size in [states.len(), nq, nv] {
        bytes.extend((size as u64).to_le_bytes());
    }
    for state in states {
        for values in [&state.q, &state.v, &state.a, &state.tau] {
            bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        }
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads the states of a model of those sizes.
///
/// # Errors
/// If the file cannot be read, holds states of another size or none, or is too short or too long.
pub fn read(path: &Path, nq: usize, nv: usize) -> Result<Vec<State>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (words, rest) = bytes.as_chunks::<8>();
    let [count, their_nq, their_nv, numbers @ ..] = words else {
        bail!("{}: file ends too early", path.display());
    };
    let [count, their_nq, their_nv] =
        [count, their_nq, their_nv].map(|word| u64::from_le_bytes(*word));
    if (their_nq, their_nv) != (nq as u64, nv as u64) {
        bail!(
            "{}: holds states of nq {their_nq} and nv {their_nv}, the model has {nq} and {nv}",
            path.display()
        );
    }
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
