//! Rows of the arrays of a batch.

use crate::array::{Argument, Numbers};
use crate::error;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;

/// Rows that a caller gave: as many as are needed, or one for all.
pub fn spread(name: &str, value: &Bound<'_, PyAny>, width: usize, n: usize) -> PyResult<Vec<f64>> {
    let numbers = Numbers::<f64>::read(&Argument { name, value, width })?;
    match numbers.states {
        None => Ok(numbers.repeat(n)),
        Some(found) if found == n => Ok(numbers.to_vec()),
        Some(found) => {
            let expected = format!("({width},) or ({n}, {width})");
            Err(error::shape(name, &[found, width], &expected))
        }
    }
}

/// The numbers of an array of rows that callers write.
pub fn copied(name: &str, array: &Bound<'_, PyArray2<f64>>) -> PyResult<Vec<f64>> {
    let own: PyReadonlyArray2<'_, f64> = array
        .try_readonly()
        .map_err(|reason| PyRuntimeError::new_err(format!("the array {name}: {reason}")))?;
    Ok(own.as_slice()?.to_vec())
}

/// Writes such an array.
pub fn fill(array: &Bound<'_, PyArray2<f64>>, numbers: &[f64]) -> PyResult<()> {
    let mut own = array
        .try_readwrite()
        .map_err(|reason| PyRuntimeError::new_err(format!("an array of the batch: {reason}")))?;
    own.as_slice_mut()?.copy_from_slice(numbers);
    Ok(())
}

/// The error of a row that does not exist.
pub fn no_row(row: usize, n: usize) -> PyErr {
    PyIndexError::new_err(format!("there is no row {row}: there are {n}"))
}
