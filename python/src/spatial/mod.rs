//! Placements, motions, forces and inertias, and the maps between rotations and vectors.

// Layers, bottom to top: memory; read, vectors, inertia and placement, which know each other;
// functions.
pub mod functions;
mod inertia;
mod memory;
mod placement;
mod read;
mod vectors;

pub use inertia::Inertia;
pub use placement::SE3;
pub use vectors::{Force, Motion};

use featherline::random::{RandomSource, SplitMix64};
use pyo3::prelude::*;

/// Random numbers in [-1, 1].
fn random_numbers<const N: usize>(seed: u64) -> [f64; N] {
    let mut source = SplitMix64::new(seed);
    std::array::from_fn(|_| source.uniform().mul_add(2.0, -1.0))
}

/// Numbers as Python prints a list of them.
fn list(numbers: &[f64]) -> String {
    format!("{numbers:?}")
}

/// Whether numbers differ by at most `tolerance`, beside the largest of them or one.
fn are_close<const N: usize>(a: &[f64; N], b: &[f64; N], tolerance: f64) -> bool {
    let size = (a.iter().chain(b)).fold(1.0_f64, |size, x| size.max(x.abs()));
    a.iter()
        .zip(b)
        .all(|(a, b)| (a - b).abs() <= tolerance * size)
}

/// An array in the type that numpy asks for.
fn as_type<'py>(
    array: Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match dtype {
        Some(dtype) if !dtype.is_none() => {
            let keywords = pyo3::types::PyDict::new(array.py());
            keywords.set_item("copy", false)?;
            array.call_method("astype", (dtype,), Some(&keywords))
        }
        _ => Ok(array),
    }
}
