//! Placements, motions, forces and inertias, and the maps between rotations and vectors.

// Layers, bottom to top: memory; read, vectors, inertia and placement, which know each other;
// functions, parameters.
pub mod functions;
mod inertia;
mod memory;
pub mod parameters;
mod placement;
pub mod read;
mod vectors;

pub use inertia::Inertia;
pub use placement::SE3;
pub use vectors::{Force, Motion};

use crate::array::Answer;
use crate::error::natural;
use featherline::random::{RandomSource, SplitMix64};
use memory::Memory;
use pyo3::prelude::*;

/// Objects are values: equal where their numbers are, and copied with them.
macro_rules! values {
    ($($class:ident),*) => {$(
        impl $class {
            /// Whether both hold the same numbers.
            pub fn same(&self, other: &Self) -> bool {
                self.0.get() == other.0.get()
            }
        }

        #[pymethods]
        impl $class {
            fn __eq__(&self, other: &Self) -> bool {
                self.same(other)
            }

            fn __hash__(&self) -> u64 {
                self.0.hash()
            }

            /// Whether entries differ by at most `tolerance`, beside the largest of them or one.
            #[pyo3(signature = (other, tolerance=1e-12))]
            fn is_close(&self, other: &Self, tolerance: f64) -> bool {
                are_close(&self.0.get(), &other.0.get(), tolerance)
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
fn as_type<'py>(array: Bound<'py, PyAny>, dtype: Option<&Bound<'py, PyAny>>) -> Answer<'py> {
    match dtype {
        Some(dtype) if !dtype.is_none() => {
            let keywords = pyo3::types::PyDict::new(array.py());
            keywords.set_item("copy", false)?;
            array.call_method("astype", (dtype,), Some(&keywords))
        }
        _ => Ok(array),
    }
}

/// A number in six digits.
fn short(x: f64) -> String {
    let written = format!("{x:.5e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match usize::try_from(5 - exponent) {
        Ok(decimals) if exponent >= -5 => without_zeros(&format!("{x:.decimals$}")),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            let exponent = exponent.abs();
            format!("{}e{sign}{exponent:02}", without_zeros(digits))
        }
    }
}

/// Numbers in six digits, side by side.
fn line(numbers: &[f64]) -> String {
    numbers
        .iter()
        .map(|&x| short(x))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A matrix in six digits, its columns in line.
fn lines(rows: [[f64; 3]; 3]) -> String {
    let rows = rows.map(|row| row.map(short));
    let width = rows
        .as_flattened()
        .iter()
        .map(String::len)
        .max()
        .unwrap_or(0);
    let line = |row: &[String; 3]| row.each_ref().map(|x| format!("{x:>width$}")).join(" ");
    rows.each_ref().map(line).join("\n")
}
