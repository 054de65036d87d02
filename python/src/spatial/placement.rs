//! `SE3`: placements.

use super::memory::{Memory, from_rows};
use super::{Force, Inertia, Motion, random_numbers, read};
use crate::argument::{Forms, Given, one_of};
use crate::array::{Answer, Value};
use crate::properties::properties;
use featherline::spatial::{Mat3, Quaternion, Se3, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyTuple};
use std::f64::consts::PI;

/// A placement: a rotation and a translation, which take points of a frame into another.
///
/// `SE3()` is the identity; others are `SE3(rotation, translation)` and `SE3(homogeneous)`.
/// `A * B` composes, and `A * x` acts on motions, forces, inertias and points (3,).
/// `rotation` and `translation` are views: what is written to them changes the placement.
#[pyclass(frozen, module = "featherline", name = "SE3", subclass)]
pub struct SE3(pub(super) Memory<12>);

/// Pinocchio's names of the arguments serve, too.
const FORMS: Forms<'_> = Forms {
    call: "SE3",
    forms: &[
        "",
        "rotation translation",
        "quat translation",
        "array",
        "clone",
        "int",
    ],
};

/// The object that a placement moves, by any of its names.
fn moved<'a, 'py>(
    method: &str,
    [value, point, placement, motion, force, inertia]: [Option<Value<'a, 'py>>; 6],
) -> PyResult<Value<'a, 'py>> {
    one_of(
        method,
        [
            ("value", value),
            ("point", point),
            ("M", placement),
            ("motion", motion),
            ("force", force),
            ("inertia", inertia),
        ],
    )
}

impl SE3 {
    pub fn from_value(m: &Se3<f64>) -> Self {
        Self(Memory::new(numbers(m)))
    }

    pub fn value(&self) -> Se3<f64> {
        let n = self.0.get();
        let column = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
        let rotation = Mat3::from_columns(column(0), column(3), column(6));
        Se3::new(rotation, column(9))
    }

    pub fn set(&self, m: &Se3<f64>) {
        self.0.set(numbers(m));
    }
}

fn numbers(m: &Se3<f64>) -> [f64; 12] {
    let mut numbers = [0.0; 12];
    let Mat3 { x, y, z } = m.rotation;
    for (to, from) in numbers.chunks_exact_mut(3).zip([x, y, z, m.translation]) {
        to.copy_from_slice(&from.to_array());
    }
    numbers
}

/// Composes with a placement, or takes what belongs to a frame into another.
fn act<'py>(m: &Se3<f64>, value: Value<'_, 'py>) -> Answer<'py> {
    let py = value.py();
    if let Ok(other) = value.cast::<SE3>() {
        let composed = m.compose(&other.get().value());
        return Ok(Bound::new(py, SE3::from_value(&composed))?.into_any());
    }
    if let Ok(motion) = value.cast::<Motion>() {
        let moved = m.act_motion(&motion.get().value());
        return Ok(Bound::new(py, Motion::from_value(moved))?.into_any());
    }
    if let Ok(force) = value.cast::<Force>() {
        let moved = m.act_force(&force.get().value());
        return Ok(Bound::new(py, Force::from_value(moved))?.into_any());
    }
    if let Ok(inertia) = value.cast::<Inertia>() {
        let moved = m.act_inertia(&inertia.get().value());
        return Ok(Bound::new(py, Inertia::from_value(&moved))?.into_any());
    }
    let point = read::vector("point", value)?;
    Ok(PyArray1::from_slice(py, &m.act_point(point).to_array()).into_any())
}

properties! { SE3:
    /// The homogeneous matrix (4, 4).
    homogeneous: Bound<'py, PyArray2<f64>> =
        |self, py: 'py| from_rows(py, &self.value().to_homogeneous());
    /// The matrix (6, 6) that takes motions [linear; angular] along.
    action: Bound<'py, PyArray2<f64>> = |self, py: 'py| from_rows(py, &self.value().action_matrix());
    /// The matrix (6, 6) of the inverse placement's action.
    action_inverse: Bound<'py, PyArray2<f64>> =
        |self, py: 'py| from_rows(py, &self.value().inverse().action_matrix());
    /// The matrix (6, 6) that takes forces [linear; angular] along.
    dual_action: Bound<'py, PyArray2<f64>> =
        |self, py: 'py| from_rows(py, &self.value().dual_action_matrix());
}

#[pymethods]
impl SE3 {
    #[new]
    #[pyo3(signature = (*parts, **named))]
    fn new(parts: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let value = match FORMS.parts::<2>(Given { parts, named })? {
            [None, _] => Se3::identity(),
            // Of any other object `extract` would make an error first.
            [Some(one), None] if one.is_instance_of::<PyInt>() && one.eq(1)? => Se3::identity(),
            [Some(all), None] => read::placement("homogeneous", &all)?,
            [Some(rotation), Some(translation)] => {
                let rotation = read::rotation("rotation", &rotation)?;
                if let Some(fault) = rotation.rotation_fault() {
                    let text = format!("rotation is no rotation matrix: {fault}");
                    return Err(PyValueError::new_err(text));
                }
                Se3::new(rotation, read::vector("translation", &translation)?)
            }
        };
        Ok(Self::from_value(&value))
    }

    /// The placement that moves nothing.
    #[staticmethod]
    fn identity() -> Self {
        Self::from_value(&Se3::identity())
    }

    /// A random placement: any rotation, and a translation of entries in [-1, 1].
    #[staticmethod]
    fn random(seed: i128) -> PyResult<Self> {
        let n = random_numbers::<6>(seed)?;
        // K. Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
        let [u, a, b] = [(n[0] + 1.0) / 2.0, n[1] * PI, n[2] * PI];
        let (s, c) = ((1.0 - u).sqrt(), u.sqrt());
        let quaternion = Quaternion::new(s * a.sin(), s * a.cos(), c * b.sin(), c * b.cos());
        let rotation = quaternion.to_rotation();
        Ok(Self::from_value(&Se3::new(
            rotation,
            Vec3::new(n[3], n[4], n[5]),
        )))
    }

    /// The rotation (3, 3), a view.
    #[getter]
    fn rotation<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray2<f64>> {
        slf.get().0.matrix(slf.clone().into_any())
    }

    #[setter]
    fn set_rotation(&self, value: Value<'_, '_>) -> PyResult<()> {
        let rotation = read::rotation("rotation", value)?;
        self.set(&Se3::new(rotation, self.value().translation));
        Ok(())
    }

    /// The translation (3,), a view.
    #[getter]
    fn translation<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
        slf.get().0.vector(slf.clone().into_any(), 9, 3)
    }

    #[setter]
    fn set_translation(&self, value: Value<'_, '_>) -> PyResult<()> {
        let translation = read::vector("translation", value)?;
        self.0.set_part(9, &translation.to_array());
        Ok(())
    }

    /// The inverse placement.
    fn inverse(&self) -> Self {
        Self::from_value(&self.value().inverse())
    }

    /// The same as `*`. Pinocchio's names of the argument, as `point` and `motion`, serve, too.
    #[expect(non_snake_case)]
    #[pyo3(
        signature = (value=None, *, point=None, M=None, motion=None, force=None, inertia=None),
        text_signature = "($self, value)"
    )]
    fn act<'py>(
        &self,
        value: Option<Value<'_, 'py>>,
        point: Option<Value<'_, 'py>>,
        M: Option<Value<'_, 'py>>,
        motion: Option<Value<'_, 'py>>,
        force: Option<Value<'_, 'py>>,
        inertia: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let value = moved("act", [value, point, M, motion, force, inertia])?;
        act(&self.value(), value)
    }

    /// The action of the inverse.
    #[expect(non_snake_case)]
    #[pyo3(
        signature = (value=None, *, point=None, M=None, motion=None, force=None, inertia=None),
        text_signature = "($self, value)"
    )]
    fn act_inv<'py>(
        &self,
        value: Option<Value<'_, 'py>>,
        point: Option<Value<'_, 'py>>,
        M: Option<Value<'_, 'py>>,
        motion: Option<Value<'_, 'py>>,
        force: Option<Value<'_, 'py>>,
        inertia: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let value = moved("act_inv", [value, point, M, motion, force, inertia])?;
        act(&self.value().inverse(), value)
    }

    fn __mul__<'py>(&self, value: Value<'_, 'py>) -> Answer<'py> {
        act(&self.value(), value)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Value<'_, 'py>>,
        copy: Option<bool>,
    ) -> Answer<'py> {
        let _ = copy;
        super::as_type(self.homogeneous(py).into_any(), dtype)
    }

    fn __str__(&self) -> String {
        let m = self.value();
        let rotation = super::lines(m.rotation.to_rows());
        let translation = super::line(&m.translation.to_array());
        format!("  R =\n{rotation}\n  p = {translation}\n")
    }

    fn __repr__(&self) -> String {
        let m = self.value();
        let rows = m.rotation.to_rows().map(|row| super::list(&row)).join(", ");
        format!("SE3([{rows}], {})", super::list(&m.translation.to_array()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let py = slf.py();
        let m = slf.get().value();
        let rotation = from_rows(py, &m.rotation.to_rows());
        let translation = PyArray1::from_slice(py, &m.translation.to_array());
        let parts = (rotation, translation);
        Ok((py.get_type::<Self>(), parts).into_pyobject(py)?.into_any())
    }
}
