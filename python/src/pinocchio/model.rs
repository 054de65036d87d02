//! The bases of the Python classes `Model` and `Frame`.

use crate::model::Model;
use crate::properties::properties;
use crate::spatial::{Force, Inertia, Motion, SE3};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The native part of a model with Pinocchio's fields: the native model that has these fields, and
/// copies of those that a caller may be writing to.
#[pyclass(subclass, module = "featherline._native", name = "_ModelBase")]
pub struct ModelBase {
    #[pyo3(get, set)]
    _made: Option<Py<Model>>,
    #[pyo3(get, set)]
    _lent: Py<PyDict>,
}

#[pymethods]
impl ModelBase {
    #[new]
    #[pyo3(signature = (*_arguments, **_named))]
    fn new(
        py: Python<'_>,
        _arguments: &Bound<'_, PyAny>,
        _named: Option<&Bound<'_, PyAny>>,
    ) -> Self {
        Self {
            _made: None,
            _lent: PyDict::new(py).unbind(),
        }
    }
}

impl ModelBase {
    /// The native model that has the fields as they are now.
    pub fn native<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Model>> {
        let py = slf.py();
        {
            let this = slf.borrow();
            if let Some(made) = &this._made
                && this._lent.bind(py).is_empty()
            {
                return Ok(made.bind(py).clone());
            }
        }
        Ok(slf.call_method0(intern!(py, "native"))?.cast_into()?)
    }

    /// The native model, of which masses and placements may be out of date.
    pub fn structure<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Model>> {
        if let Some(made) = &slf.borrow()._made {
            return Ok(made.bind(slf.py()).clone());
        }
        Self::native(slf)
    }

    /// The frames of the Python object.
    pub fn frames<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        Ok(slf.getattr(intern!(slf.py(), "frames"))?.cast_into()?)
    }

    /// One frame: its joint and its placement there.
    pub fn frame<'py>(
        slf: &Bound<'py, Self>,
        frame: usize,
    ) -> PyResult<(usize, featherline::spatial::Se3<f64>)> {
        let frames = Self::frames(slf)?;
        let count = frames.len();
        let frame = frames.get_item(frame).map_err(|_| {
            PyValueError::new_err(format!(
                "frame {frame}, where frames are 0 to {}",
                count - 1
            ))
        })?;
        carried(&frame)
    }
}

/// A frame's joint and its placement there.
pub fn carried(frame: &Bound<'_, PyAny>) -> PyResult<(usize, featherline::spatial::Se3<f64>)> {
    let frame = frame
        .cast::<FrameBase>()
        .map_err(|e| PyTypeError::new_err(e.to_string()))?
        .borrow();
    Ok((frame.joint, frame.placement.get().value()))
}

/// The native part of a frame.
#[pyclass(subclass, module = "featherline._native", name = "_FrameBase")]
pub struct FrameBase {
    /// Its joint.
    #[pyo3(get, set, name = "parentJoint")]
    joint: usize,
    /// Its placement in the joint's frame.
    placement: Py<SE3>,
}

properties! { FrameBase:
    /// The placement in the joint's frame; what is written to it, or to its parts, counts.
    placement: Py<SE3> = |self, py: 'py| self.placement.clone_ref(py);
}

#[pymethods]
impl FrameBase {
    #[new]
    #[pyo3(signature = (*_arguments, **_named))]
    fn new(
        py: Python<'_>,
        _arguments: &Bound<'_, PyAny>,
        _named: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let identity = featherline::spatial::Se3::identity();
        Ok(Self {
            joint: 0,
            placement: Py::new(py, SE3::from_value(&identity))?,
        })
    }

    #[setter]
    fn set_placement(&self, value: &SE3) {
        self.placement.get().set(&value.value());
    }
}

/// Whether two arrays, spatial objects, or lists of such hold the same numbers.
#[pyfunction]
pub fn _same_parts(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let (Ok(one), Ok(other)) = (one.cast::<PyList>(), other.cast::<PyList>()) {
        if one.len() != other.len() {
            return Ok(false);
        }
        for (one, other) in one.iter().zip(other.iter()) {
            if !_same_parts(&one, &other)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    macro_rules! spatial {
        ($($class:ident),*) => {$(
            if let (Ok(one), Ok(other)) = (one.cast::<$class>(), other.cast::<$class>()) {
                return Ok(one.get().same(other.get()));
            }
        )*};
    }
    spatial!(Inertia, SE3, Motion, Force);
    if let (Ok(one), Ok(other)) = (
        one.cast::<PyArrayDyn<f64>>(),
        other.cast::<PyArrayDyn<f64>>(),
    ) {
        return Ok(one.shape() == other.shape()
            && one.readonly().as_array() == other.readonly().as_array());
    }
    one.eq(other)
}
