//! Arguments of spatial types: arrays of fixed shapes.

use crate::array;
use featherline::spatial::{Mat3, Motion, Se3, Vec3};
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

/// A rotation: a matrix, or an object that has one, such as a quaternion.
pub fn rotation(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Mat3<f64>> {
    match value.getattr_opt("toRotationMatrix")? {
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

/// A placement, or a homogeneous matrix.
pub fn placement(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Se3<f64>> {
    if let Ok(placement) = value.cast::<super::SE3>() {
        return Ok(placement.get().value());
    }
    let m = array::fixed::<16>(name, value, &[4, 4])?;
    let rotation = Mat3::from_rows([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]);
    Ok(Se3::new(rotation, Vec3::new(m[3], m[7], m[11])))
}
