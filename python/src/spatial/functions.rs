//! Exponentials and logarithms, their Jacobians, and roll, pitch and yaw.

use super::memory::from_rows;
use super::{Motion, SE3, read};
use crate::array;
use crate::array::Value;
use featherline::spatial::{self as core, Mat3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

fn array<'py>(py: Python<'py>, m: &Mat3<f64>) -> Bound<'py, PyArray2<f64>> {
    from_rows(py, &m.to_rows())
}

/// The rotation (3, 3) of a rotation vector (3,).
#[pyfunction]
pub fn exp3<'py>(vector: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(array(
        vector.py(),
        &core::exp3(read::vector("vector", vector)?),
    ))
}

/// The rotation vector (3,) of a rotation (3, 3).
#[pyfunction]
pub fn log3<'py>(rotation: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let w = core::log3(&read::rotation("rotation", rotation)?);
    Ok(PyArray1::from_slice(rotation.py(), &w.to_array()))
}

/// The placement that is reached in one second with a velocity, a Motion or (6,).
#[pyfunction]
pub fn exp6(motion: Value<'_, '_>) -> PyResult<SE3> {
    let placement = core::exp6(&read::motion("motion", motion)?);
    Ok(SE3::from_value(&placement))
}

/// The velocity that leads to a placement, an SE3 or (4, 4), in one second.
#[pyfunction]
pub fn log6(placement: Value<'_, '_>) -> PyResult<Motion> {
    let motion = core::log6(&read::placement("placement", placement)?);
    Ok(Motion::from_value(motion))
}

/// The right Jacobian (3, 3) of `exp3`: the angular velocity in the turned frame for a rate.
#[pyfunction]
#[pyo3(name = "Jexp3")]
pub fn jexp3<'py>(vector: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let w = read::vector("vector", vector)?;
    Ok(array(vector.py(), &core::right_jacobian3(w)))
}

/// The Jacobian (3, 3) of `log3`, the inverse of `Jexp3` there.
#[pyfunction]
#[pyo3(name = "Jlog3")]
pub fn jlog3<'py>(rotation: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let w = core::log3(&read::rotation("rotation", rotation)?);
    Ok(array(rotation.py(), &core::right_jacobian3_inverse(w)))
}

/// The right Jacobian (6, 6) of `exp6`: the velocity in the moved frame for a rate.
#[pyfunction]
#[pyo3(name = "Jexp6")]
pub fn jexp6<'py>(motion: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let motion_value = read::motion("motion", motion)?;
    Ok(from_rows(
        motion.py(),
        &core::right_jacobian6(&motion_value),
    ))
}

/// The Jacobian (6, 6) of `log6`, the inverse of `Jexp6` there.
#[pyfunction]
#[pyo3(name = "Jlog6")]
pub fn jlog6<'py>(placement: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let motion = core::log6(&read::placement("placement", placement)?);
    Ok(from_rows(
        placement.py(),
        &core::right_jacobian6_inverse(&motion),
    ))
}

/// A matrix (6, 6) in the other order: of [angular; linear], as Featherstone has inertias and
/// transforms of motions and forces, if it was of [linear; angular], and the reverse.
///
/// >>> import featherline as fl
/// >>> from featherline.spatial import swap_linear_angular
/// >>> placement, motion = fl.SE3.random(1), fl.Motion.random(2)
/// >>> moved = swap_linear_angular(placement.action) @ motion.to_angular_first()
/// >>> fl.Motion.from_angular_first(moved).is_close(placement * motion)
/// True
#[pyfunction]
pub fn swap_linear_angular<'py>(matrix: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = read::six_by_six("matrix", matrix)?;
    Ok(from_rows(matrix.py(), &core::swap_linear_angular(&rows)))
}

/// The matrix (3, 3) of the cross product with a vector (3,).
#[pyfunction]
pub fn skew<'py>(vector: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    Ok(array(
        vector.py(),
        &Mat3::skew(read::vector("vector", vector)?),
    ))
}

/// The vector (3,) of a skew-symmetric matrix (3, 3).
#[pyfunction]
pub fn unskew<'py>(matrix: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let [[_, xy, xz], [yx, _, yz], [zx, zy, _]] = read::matrix("matrix", matrix)?.to_rows();
    let vector = [zy - yz, xz - zx, yx - xy].map(|x| x / 2.0);
    Ok(PyArray1::from_slice(matrix.py(), &vector))
}

/// The rotation (3, 3) Rz(yaw) Ry(pitch) Rx(roll) of [roll, pitch, yaw] in radians.
#[pyfunction]
pub fn rpy_to_matrix<'py>(rpy: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let [roll, pitch, yaw] = array::fixed::<3>("rpy", rpy, &[3])?;
    Ok(array(
        rpy.py(),
        &Mat3::from_roll_pitch_yaw(roll, pitch, yaw),
    ))
}

/// Roll, pitch and yaw (3,) of a rotation (3, 3), the pitch within a quarter turn.
#[pyfunction]
pub fn matrix_to_rpy<'py>(rotation: Value<'_, 'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let rpy = read::rotation("rotation", rotation)?.to_roll_pitch_yaw();
    Ok(PyArray1::from_slice(rotation.py(), &rpy))
}
