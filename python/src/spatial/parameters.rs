//! Dynamic parameters of a body, its pseudo-inertia and its log-Cholesky parameters.

use super::memory::from_rows;
use crate::array::{Value, fixed};
use featherline::spatial::{DynamicParameters, LogCholesky};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn parameters(value: Value<'_, '_>) -> PyResult<DynamicParameters<f64>> {
    let ten = fixed::<10>("parameters", value, &[10])?;
    Ok(DynamicParameters::from_array(ten))
}

fn log_cholesky(value: Value<'_, '_>) -> PyResult<LogCholesky> {
    let ten = fixed::<10>("log_cholesky", value, &[10])?;
    Ok(LogCholesky::from_array(ten))
}

/// The pseudo-inertia (4, 4) of the ten parameters of a body: [Σ h; hᵀ m] with the first moment h
/// and Σ = ∫ r rᵀ dm = ½ tr(I) 1 − I about the frame's origin.
///
/// It is positive definite for each body that is neither flat nor a point, and for no others
/// (Wensing, Kim and Slotine 2018).
#[pyfunction]
pub fn parameters_to_pseudo_inertia<'py>(
    parameters: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = self::parameters(parameters)?.pseudo_inertia();
    Ok(from_rows(parameters.py(), &rows))
}

/// The ten parameters (10,) of a pseudo-inertia (4, 4), of which the upper triangle is read.
#[pyfunction]
pub fn pseudo_inertia_to_parameters<'py>(
    matrix: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let flat = fixed::<16>("matrix", matrix, &[4, 4])?;
    let mut rows = [[0.0; 4]; 4];
    rows.as_flattened_mut().copy_from_slice(&flat);
    let ten = DynamicParameters::from_pseudo_inertia(&rows).to_array();
    Ok(PyArray1::from_slice(matrix.py(), &ten))
}

/// The log-Cholesky parameters (10,) of the ten parameters of a body: α, d1, d2, d3, s12, s23, s13,
/// t1, t2, t3. ValueError where no body has the parameters.
///
/// The pseudo-inertia is U Uᵀ of the triangular matrix
/// U = exp(α) [exp(d1) s12 s13 t1; 0 exp(d2) s23 t2; 0 0 exp(d3) t3; 0 0 0 1]
/// (Rucker and Wensing 2022). Each ten numbers are those of a body that can be.
///
/// >>> import featherline as fl
/// >>> from featherline.spatial import log_cholesky_to_parameters, parameters_to_log_cholesky
/// >>> free = parameters_to_log_cholesky(fl.Inertia.random(1).to_dynamic_parameters())
/// >>> free[7:] += 10.0
/// >>> body = fl.Inertia.from_dynamic_parameters(log_cholesky_to_parameters(free))
/// >>> (body.lever - fl.Inertia.random(1).lever).round(9).tolist()
/// [10.0, 10.0, 10.0]
#[pyfunction]
pub fn parameters_to_log_cholesky<'py>(
    parameters: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let found = LogCholesky::from_parameters(&self::parameters(parameters)?);
    let free = found
        .map_err(|fault| PyValueError::new_err(format!("no body has these parameters: {fault}")))?;
    Ok(PyArray1::from_slice(parameters.py(), &free.to_array()))
}

/// The ten parameters (10,) of a body of log-Cholesky parameters (10,).
#[pyfunction]
pub fn log_cholesky_to_parameters<'py>(
    log_cholesky: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let parameters = self::log_cholesky(log_cholesky)?.to_parameters();
    Ok(PyArray1::from_slice(
        log_cholesky.py(),
        &parameters.to_array(),
    ))
}

/// The derivative (10, 10) of the ten parameters of a body by its log-Cholesky parameters (10,).
#[pyfunction]
pub fn log_cholesky_jacobian<'py>(
    log_cholesky: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = self::log_cholesky(log_cholesky)?.jacobian();
    Ok(from_rows(log_cholesky.py(), &rows))
}

/// Why no body of positive density has these ten parameters; None where one has.
///
/// >>> from featherline.spatial import consistency_fault
/// >>> consistency_fault([-1, 0, 0, 0, 1, 0, 1, 0, 0, 1])
/// 'its mass is -1 kg, and that of a body is positive'
#[pyfunction]
pub fn consistency_fault(parameters: Value<'_, '_>) -> PyResult<Option<String>> {
    let fault = self::parameters(parameters)?.consistency_fault();
    Ok(fault.map(|fault| fault.to_string()))
}
