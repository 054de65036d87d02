//! Placements, motions, forces and inertias, and the maps between rotations and vectors.

// Layers, bottom to top: memory; read, vectors, inertia and placement, which know each other;
// functions.
pub mod functions;
mod inertia;
mod memory;
mod placement;
pub mod read;
mod vectors;

pub use inertia::Inertia;
pub use placement::SE3;
pub use vectors::{Force, Motion};

use crate::error::natural;
use featherline::random::{RandomSource, SplitMix64};
use memory::Memory;
use pyo3::prelude::*;

/// Objects are values: equal where their numbers are, and copied with them.
macro_rules! values {
    ($($class:ident),*) => {$(
        #[pymethods]
        impl $class {
            fn __eq__(&self, other: &Self) -> bool {
                self.0.equals(&other.0)
            }

            fn __hash__(&self) -> u64 {
                self.0.hash()
            }

            /// An independent object of the same numbers.
            fn copy(&self) -> Self {
                Self(Memory::new(self.0.get()))
            }

            fn __copy__(&self) -> Self {
                self.copy()
            }

            fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
                self.copy()
            }
        }
    )*};
}

values!(SE3, Motion, Force, Inertia);

macro_rules! same {
    ($($class:ident),*) => {$(
        impl $class {
            /// Whether both hold the same numbers.
            pub fn same(&self, other: &Self) -> bool {
                self.0.equals(&other.0)
            }
        }
    )*};
}

same!(SE3, Motion, Force, Inertia);

/// Random numbers in [-1, 1].
fn random_numbers<const N: usize>(seed: i128) -> PyResult<[f64; N]> {
    let mut source = SplitMix64::new(natural("seed", seed)?);
    Ok(std::array::from_fn(|_| source.uniform().mul_add(2.0, -1.0)))
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
