//! Exponentials, logarithms and their like by Pinocchio's names of arguments.

use super::{Matrix, Value, Vector};
use crate::argument::one_of;
use crate::array;
use crate::spatial::functions as native;
use crate::spatial::{Motion, SE3};
use featherline::spatial::{Quaternion, Se3, Vec3};
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyEllipsis;

/// An argument that has two names.
fn by_either<'a, 'py>(
    call: &str,
    one: Option<Value<'a, 'py>>,
    other: Option<Value<'a, 'py>>,
) -> PyResult<Value<'a, 'py>> {
    match (one, other) {
        (Some(value), None) | (None, Some(value)) => Ok(value),
        _ => Err(PyTypeError::new_err(format!(
            "{call} takes one argument: see help({call})"
        ))),
    }
}

/// Native functions of one argument, which may have another name beside.
macro_rules! renamed {
    ($($(#[doc = $doc:literal])+ $function:ident $name:literal ($argument:ident $(or $other:ident)?)
        -> $answer:ty = $native:path;)*) => {$(
        $(#[doc = $doc])+
        #[pyfunction]
        #[pyo3(name = $name, signature = ($argument $(= None, *, $other = None)?))]
        #[allow(non_snake_case, reason = "Pinocchio's names")]
        pub fn $function<'py>(
            $argument: Option<Value<'_, 'py>>,
            $($other: Option<Value<'_, 'py>>)?
        ) -> PyResult<$answer> {
            $native(by_either($name, $argument, None$(.or($other))?)?)
        }
    )*};
}

renamed! {
    /// The rotation (3, 3) of a rotation vector (3,).
    exp3 "exp3" (w) -> Matrix<'py> = native::exp3;
    /// The placement that is reached in one second with a velocity, a Motion or (6,).
    exp6 "exp6" (motion or v) -> SE3 = native::exp6;
    /// The velocity that leads to a placement, an SE3 or (4, 4), in one second.
    log6 "log6" (M or homegeneous_matrix) -> Motion = native::log6;
    /// The right Jacobian (3, 3) of `exp3`.
    jexp3 "Jexp3" (w) -> Matrix<'py> = native::jexp3;
    /// The right Jacobian (6, 6) of `exp6`.
    jexp6 "Jexp6" (motion or v) -> Matrix<'py> = native::jexp6;
    /// The Jacobian (3, 3) of `log3`.
    jlog3 "Jlog3" (R) -> Matrix<'py> = native::jlog3;
    /// The Jacobian (6, 6) of `log6`.
    jlog6 "Jlog6" (M) -> Matrix<'py> = native::jlog6;
    /// The matrix (3, 3) of the cross product with a vector (3,).
    skew "skew" (u) -> Matrix<'py> = native::skew;
    /// The vector (3,) of a skew-symmetric matrix (3, 3).
    unskew "unSkew" (U) -> Vector<'py> = native::unskew;
}

/// The rotation vector (3,) of a rotation (3, 3), a Quaternion or (x, y, z, w): at most π long.
///
/// An array theta becomes its length, the angle in rad.
#[pyfunction]
#[pyo3(signature = (R=None, theta=None, *, quat=None))]
#[expect(non_snake_case, reason = "Pinocchio's names")]
pub fn log3<'py>(
    R: Option<Value<'_, 'py>>,
    theta: Option<Value<'_, 'py>>,
    quat: Option<Value<'_, 'py>>,
) -> PyResult<Vector<'py>> {
    let rotation = by_either("log3", R, quat)?;
    let py = rotation.py();
    let vector = match numbers_of_quaternion(rotation)? {
        Some(numbers) => PyArray1::from_slice(py, &Quaternion::from(numbers).log().to_array()),
        None => native::log3(rotation)?,
    };
    if let Some(theta) = theta.filter(|theta| theta.is_instance_of::<PyUntypedArray>()) {
        let norm = py.import(intern!(py, "numpy.linalg"))?.getattr("norm")?;
        theta.set_item(PyEllipsis::get(py), norm.call1((&vector,))?)?;
    }
    Ok(vector)
}

/// The placement of a translation and a unit quaternion: of an array, a list or a tuple of seven
/// numbers.
#[pyfunction]
#[pyo3(name = "XYZQUATToSE3", signature = (array=None, *, tuple=None, list=None))]
pub fn xyzquat_to_se3(
    array: Option<Value<'_, '_>>,
    tuple: Option<Value<'_, '_>>,
    list: Option<Value<'_, '_>>,
) -> PyResult<SE3> {
    let names = [("array", array), ("tuple", tuple), ("list", list)];
    let given = one_of("XYZQUATToSE3", names)?;
    let [x, y, z, quaternion @ ..] = array::fixed::<7>("array", given, &[7])?;
    let rotation = Quaternion::from(quaternion).to_rotation();
    if let Some(fault) = rotation.rotation_fault() {
        return Err(PyValueError::new_err(format!(
            "XYZQUATToSE3: the last four numbers are no unit quaternion: {fault}"
        )));
    }
    Ok(SE3::from_value(&Se3::new(rotation, Vec3::new(x, y, z))))
}

/// The numbers (x, y, z, w) of a quaternion; none of a rotation matrix.
fn numbers_of_quaternion(value: Value<'_, '_>) -> PyResult<Option<[f64; 4]>> {
    let numbers = match value.cast::<PyUntypedArray>() {
        Ok(array) if array.len() == 4 => value.call_method0(intern!(value.py(), "ravel"))?,
        Ok(_) => return Ok(None),
        Err(_) => match value.getattr_opt(intern!(value.py(), "coeffs"))? {
            Some(coefficients) => coefficients.call0()?,
            None if value.len().is_ok_and(|n| n == 4) => value.clone(),
            None => return Ok(None),
        },
    };
    array::fixed::<4>("quat", &numbers, &[4]).map(Some)
}
