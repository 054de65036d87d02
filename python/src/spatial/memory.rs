//! Numbers of a spatial object, which numpy arrays may look at.

use numpy::ndarray::{ArrayView1, ArrayView2, ShapeBuilder};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::cell::UnsafeCell;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Numbers at an address that stays while their object lives.
pub struct Memory<const N: usize>(UnsafeCell<[f64; N]>);

// SAFETY: objects are read and written while the interpreter's lock is held (`gil_used`). Code that
// writes an array while another thread reads it without the lock breaks numpy's own rule.
#[expect(unsafe_code)]
unsafe impl<const N: usize> Sync for Memory<N> {}

impl<const N: usize> Memory<N> {
    pub fn new(numbers: [f64; N]) -> Self {
        Self(UnsafeCell::new(numbers))
    }

    /// The numbers as they are now.
    #[expect(unsafe_code)]
    pub fn get(&self) -> [f64; N] {
        // SAFETY: aligned, initialised, and copied at once.
        unsafe { self.0.get().read() }
    }

    /// Writes all numbers.
    #[expect(unsafe_code)]
    pub fn set(&self, numbers: [f64; N]) {
        // SAFETY: aligned, and no reference to the numbers is ever handed out.
        unsafe { self.0.get().write(numbers) }
    }

    /// Writes some of the numbers.
    pub fn set_part(&self, first: usize, part: &[f64]) {
        let mut numbers = self.get();
        numbers[first..first + part.len()].copy_from_slice(part);
        self.set(numbers);
    }

    /// An array (length,) of the numbers themselves, which keeps their `owner` alive.
    #[expect(unsafe_code)]
    pub fn vector<'py>(
        &self,
        owner: Bound<'py, PyAny>,
        first: usize,
        length: usize,
    ) -> Bound<'py, PyArray1<f64>> {
        assert!(first + length <= N);
        // SAFETY: within the numbers, which live in `owner` and never move.
        unsafe {
            let start = self.0.get().cast::<f64>().add(first);
            let view = ArrayView1::from_shape_ptr(length, start.cast_const());
            PyArray1::borrow_from_array(&view, owner)
        }
    }

    /// An array (3, 3) of the first nine numbers, column by column.
    #[expect(unsafe_code)]
    pub fn matrix<'py>(&self, owner: Bound<'py, PyAny>) -> Bound<'py, PyArray2<f64>> {
        assert!(N >= 9);
        // SAFETY: within the numbers, which live in `owner` and never move.
        unsafe {
            let start = self.0.get().cast::<f64>().cast_const();
            let view = ArrayView2::from_shape_ptr((3, 3).f(), start);
            PyArray2::borrow_from_array(&view, owner)
        }
    }

    /// A hash of the numbers, the same for both zeros.
    pub fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for x in self.get() {
            (x + 0.0).to_bits().hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// A new array of the rows.
pub fn from_rows<'py, const R: usize, const C: usize>(
    py: Python<'py>,
    rows: &[[f64; C]; R],
) -> Bound<'py, PyArray2<f64>> {
    let flat = PyArray1::from_slice(py, rows.as_flattened());
    // The numbers of R rows of C fill such an array.
    flat.reshape([R, C]).unwrap_or_else(|_| unreachable!())
}
