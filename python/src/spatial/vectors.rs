//! `Motion` and `Force`: spatial vectors [linear; angular].

use super::memory::{Memory, from_rows};
use super::{random_numbers, read};
use crate::argument::{Forms, Given, one_of};
use crate::array;
use crate::array::{Answer, Value};
use crate::properties::properties;
use featherline::spatial as core;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

macro_rules! spatial_vector {
    ($(#[$documentation:meta])* $name:ident, $text:literal, $linear:literal, $angular:literal) => {
        $(#[$documentation])*
        #[pyclass(frozen, module = "featherline", name = $text, subclass)]
        pub struct $name(pub(super) Memory<6>);

        impl $name {
            pub fn from_value(value: core::$name<f64>) -> Self {
                Self(Memory::new(value.to_array()))
            }

            pub fn value(&self) -> core::$name<f64> {
                core::$name::from_array(self.0.get())
            }

            pub fn set(&self, value: core::$name<f64>) {
                self.0.set(value.to_array());
            }
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*parts, **named))]
            fn new(
                parts: &Bound<'_, PyTuple>,
                named: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<Self> {
                const FORMS: Forms<'_> = Forms {
                    call: $text,
                    forms: &["", "linear angular", "vector", "array", "clone"],
                };
                let value = match FORMS.parts::<2>(Given { parts, named })? {
                    [None, _] => core::$name::zero(),
                    [Some(one), None] => match one.cast::<Self>() {
                        Ok(other) => other.get().value(),
                        Err(_) => core::$name::from_array(array::fixed::<6>("vector", &one, &[6])?),
                    },
                    [Some(linear), Some(angular)] => core::$name::new(
                        read::vector("linear", &linear)?,
                        read::vector("angular", &angular)?,
                    ),
                };
                Ok(Self::from_value(value))
            }

            /// Zero.
            #[staticmethod]
            fn zero() -> Self {
                Self::from_value(core::$name::zero())
            }

            /// Random entries in [-1, 1].
            #[staticmethod]
            fn random(seed: i128) -> PyResult<Self> {
                Ok(Self(Memory::new(random_numbers(seed)?)))
            }

            /// The vector of six numbers with the angular part first, as Featherstone has them.
            ///
            /// >>> import featherline as fl
            /// >>> fl.Motion.from_angular_first([0, 0, 1, 2, 0, 0])
            /// Motion([2.0, 0.0, 0.0], [0.0, 0.0, 1.0])
            #[staticmethod]
            fn from_angular_first(vector: Value<'_, '_>) -> PyResult<Self> {
                let six = array::fixed::<6>("vector", vector, &[6])?;
                Ok(Self::from_value(core::$name::from_angular_first(six)))
            }

            /// All six numbers [angular; linear], a copy.
            ///
            /// >>> import featherline as fl
            /// >>> fl.Force([2, 0, 0], [0, 0, 1]).to_angular_first().tolist()
            /// [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]
            fn to_angular_first<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                PyArray1::from_slice(py, &self.value().to_angular_first())
            }

            /// The linear part (3,), a view.
            #[getter]
            fn linear<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
                slf.get().0.vector(slf.clone().into_any(), 0, 3)
            }

            #[setter]
            fn set_linear(&self, value: Value<'_, '_>) -> PyResult<()> {
                self.0.set_part(0, &read::vector("linear", value)?.to_array());
                Ok(())
            }

            /// The angular part (3,), a view.
            #[getter]
            fn angular<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
                slf.get().0.vector(slf.clone().into_any(), 3, 3)
            }

            #[setter]
            fn set_angular(&self, value: Value<'_, '_>) -> PyResult<()> {
                self.0.set_part(3, &read::vector("angular", value)?.to_array());
                Ok(())
            }

            /// All six numbers [linear; angular], a view.
            #[getter]
            fn vector<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
                slf.get().0.vector(slf.clone().into_any(), 0, 6)
            }

            #[setter]
            fn set_vector(&self, value: Value<'_, '_>) -> PyResult<()> {
                self.0.set(array::fixed::<6>("vector", value, &[6])?);
                Ok(())
            }

            fn __add__(&self, other: &Self) -> Self {
                Self::from_value(self.value() + other.value())
            }

            fn __sub__(&self, other: &Self) -> Self {
                Self::from_value(self.value() - other.value())
            }

            fn __iadd__(&self, other: &Self) {
                self.set(self.value() + other.value());
            }

            fn __isub__(&self, other: &Self) {
                self.set(self.value() - other.value());
            }

            fn __neg__(&self) -> Self {
                Self::from_value(-self.value())
            }

            fn __mul__(&self, factor: f64) -> Self {
                Self::from_value(self.value() * factor)
            }

            fn __rmul__(&self, factor: f64) -> Self {
                Self::from_value(self.value() * factor)
            }

            fn __truediv__(&self, divisor: f64) -> Self {
                Self(Memory::new(self.0.get().map(|x| x / divisor)))
            }

            #[pyo3(signature = (dtype=None, copy=None))]
            fn __array__<'py>(
                slf: &Bound<'py, Self>,
                dtype: Option<Value<'_, 'py>>,
                copy: Option<bool>,
            ) -> Answer<'py> {
                let array = match copy {
                    Some(true) => PyArray1::from_slice(slf.py(), &slf.get().0.get()),
                    _ => Self::vector(slf),
                };
                super::as_type(array.into_any(), dtype)
            }

            fn __str__(&self) -> String {
                let [a, b, c, d, e, f] = self.0.get();
                let (linear, angular) = (super::line(&[a, b, c]), super::line(&[d, e, f]));
                format!(concat!($linear, " = {}\n", $angular, " = {}\n"), linear, angular)
            }

            fn __repr__(&self) -> String {
                let [a, b, c, d, e, f] = self.0.get();
                let (linear, angular) = (super::list(&[a, b, c]), super::list(&[d, e, f]));
                format!(concat!($text, "({}, {})"), linear, angular)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
                let py = slf.py();
                let parts = (PyArray1::from_slice(py, &slf.get().0.get()),);
                Ok((py.get_type::<Self>(), parts).into_pyobject(py)?.into_any())
            }
        }
    };
}

spatial_vector! {
    /// A spatial velocity or acceleration: [linear; angular].
    ///
    /// `Motion()` is zero; others are `Motion(vector)` of six numbers and
    /// `Motion(linear, angular)`. `linear`, `angular` and `vector` are views. `a ^ b` is the cross
    /// product.
    Motion, "Motion", "  v", "  w"
}

spatial_vector! {
    /// A spatial force: [force; moment].
    ///
    /// `Force()` is zero; others are `Force(vector)` of six numbers and `Force(linear, angular)`.
    /// `linear`, `angular` and `vector` are views.
    Force, "Force", "  f", "tau"
}

properties! { Motion:
    /// The matrix (6, 6) of the cross product with motions.
    action: Bound<'py, PyArray2<f64>> = |self, py: 'py| from_rows(py, &self.value().cross_matrix());
    /// The matrix (6, 6) of the cross product with forces.
    dual_action: Bound<'py, PyArray2<f64>> =
        |self, py: 'py| from_rows(py, &self.value().cross_force_matrix());
}

#[pymethods]
impl Motion {
    /// The cross product with a motion, or with a force.
    #[pyo3(signature = (other=None, *, m=None, f=None), text_signature = "($self, other)")]
    fn cross<'py>(
        &self,
        other: Option<Value<'_, 'py>>,
        m: Option<Value<'_, 'py>>,
        f: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let other = one_of("cross", [("other", other), ("m", m), ("f", f)])?;
        let py = other.py();
        if let Ok(motion) = other.cast::<Self>() {
            let product = self.value().cross(&motion.get().value());
            return Ok(Bound::new(py, Self::from_value(product))?.into_any());
        }
        let force = other
            .cast::<Force>()
            .map_err(|_| PyTypeError::new_err("the other must be a Motion or a Force"))?;
        let product = self.value().cross_force(&force.get().value());
        Ok(Bound::new(py, Force::from_value(product))?.into_any())
    }

    fn __xor__<'py>(&self, other: Value<'_, 'py>) -> Answer<'py> {
        self.cross(Some(other), None, None)
    }

    /// The power of a force with this velocity.
    #[pyo3(signature = (force=None, *, f=None), text_signature = "($self, force)")]
    fn dot<'py>(&self, force: Option<Value<'_, 'py>>, f: Option<Value<'_, 'py>>) -> PyResult<f64> {
        let force = one_of("dot", [("force", force), ("f", f)])?;
        Ok(self.value().dot(&force.cast::<Force>()?.get().value()))
    }
}

#[pymethods]
impl Force {
    /// The power of this force with a velocity.
    #[pyo3(signature = (motion=None, *, m=None), text_signature = "($self, motion)")]
    fn dot<'py>(&self, motion: Option<Value<'_, 'py>>, m: Option<Value<'_, 'py>>) -> PyResult<f64> {
        let motion = one_of("dot", [("motion", motion), ("m", m)])?;
        Ok(self.value().dot(&motion.cast::<Motion>()?.get().value()))
    }
}
