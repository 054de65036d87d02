//! Arguments of spatial types: arrays of fixed shapes.

use crate::array;
use featherline::spatial::{Mat3, Motion, PlacementFault, Se3, Vec3};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

/// A vector of three.
pub fn vector(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Vec3<f64>> {
    Ok(Vec3::from(array::fixed::<3>(name, value, &[3])?))
}

/// A matrix of three rows and columns.
pub fn matrix(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Mat3<f64>> {
    let rows = array::fixed::<9>(name, value, &[3, 3])?;
    let [a, b, c, d, e, f, g, h, i] = rows;
    Ok(Mat3::from_rows([[a, b, c], [d, e, f], [g, h, i]]))
}

/// A matrix of six rows and columns.
pub fn six_by_six(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<[[f64; 6]; 6]> {
    let flat = array::fixed::<36>(name, value, &[6, 6])?;
    let mut rows = [[0.0; 6]; 6];
    rows.as_flattened_mut().copy_from_slice(&flat);
    Ok(rows)
}

/// A rotation: a matrix, or an object that has one, such as a quaternion.
pub fn rotation(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Mat3<f64>> {
    if value.is_exact_instance_of::<PyUntypedArray>() {
        return matrix(name, value);
    }
    match value.getattr_opt(intern!(value.py(), "toRotationMatrix"))? {
        Some(method) => matrix(name, &method.call0()?),
        None => matrix(name, value),
    }
}

/// A motion, or six numbers.
pub fn motion(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Motion<f64>> {
    match value.cast::<super::Motion>() {
        Ok(motion) => Ok(motion.get().value()),
        Err(_) => Ok(Motion::from_array(array::fixed::<6>(name, value, &[6])?)),
    }
}

/// A placement, or a homogeneous matrix. One whose rotation is none is refused: what is written to
/// the views of an `SE3` may be anything.
pub fn placement(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Se3<f64>> {
    placement_or_fault(name, value)?
        .map_err(|fault| PyValueError::new_err(format!("{name} is no placement: {fault}")))
}

/// The same, with the fault of what is no placement.
pub fn placement_or_fault(
    name: &'static str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Result<Se3<f64>, PlacementFault>> {
    if let Ok(placement) = value.cast::<super::SE3>() {
        let placement = placement.get().value();
        let fault = placement.rotation.rotation_fault();
        return Ok(fault.map_or(Ok(placement), Err));
    }
    let m = array::fixed::<16>(name, value, &[4, 4])?;
    let row = |k: usize| [m[4 * k], m[4 * k + 1], m[4 * k + 2], m[4 * k + 3]];
    Ok(Se3::from_homogeneous([row(0), row(1), row(2), row(3)]))
}
