//! `Inertia`: mass, centre of mass and rotational inertia of a body.

use super::memory::{Memory, from_rows};
use super::{Force, Motion, random_numbers, read};
use crate::argument::{Forms, Given, one_of};
use crate::array;
use crate::array::{Answer, Value};
use crate::properties::properties;
use featherline::spatial::{self as core, DynamicParameters, Sym3, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The inertia of a body: mass in kg, lever (the centre of mass) in m, and the rotational inertia
/// about the centre of mass in kg·m².
///
/// `Inertia()` is zero; others are `Inertia(mass, lever, inertia)` and `Inertia(matrix)` (6, 6).
/// `Y * v` is the momentum of a velocity. `lever` is a view.
#[pyclass(frozen, module = "featherline", name = "Inertia", subclass)]
pub struct Inertia(pub(super) Memory<10>);

const FORMS: Forms<'_> = Forms {
    call: "Inertia",
    forms: &["", "mass lever inertia", "matrix", "clone"],
};

impl Inertia {
    pub fn from_value(y: &core::Inertia<f64>) -> Self {
        Self(Memory::new(numbers(y)))
    }

    pub fn set(&self, y: &core::Inertia<f64>) {
        self.0.set(numbers(y));
    }

    pub fn value(&self) -> core::Inertia<f64> {
        let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = self.0.get();
        core::Inertia::new(mass, Vec3::new(x, y, z), Sym3::new(xx, xy, xz, yy, yz, zz))
    }
}

fn numbers(y: &core::Inertia<f64>) -> [f64; 10] {
    let mut numbers = [0.0; 10];
    numbers[0] = y.mass;
    numbers[1..4].copy_from_slice(&y.com.to_array());
    numbers[4..].copy_from_slice(&y.rotational.to_elements());
    numbers
}

fn symmetric(name: &'static str, value: Value<'_, '_>) -> PyResult<Sym3<f64>> {
    let matrix = read::matrix(name, value)?;
    let rows = matrix.to_rows();
    let largest = rows.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        // Pinocchio's own measure.
        if (rows[i][j] - rows[j][i]).abs() > 1e-12 * largest.max(1.0) {
            return Err(PyValueError::new_err(format!(
                "{name} is not symmetric: {name}[{i}, {j}] is {}, {name}[{j}, {i}] is {}",
                rows[i][j], rows[j][i]
            )));
        }
    }
    Ok(Sym3::from_upper(&matrix))
}

properties! { Inertia:
    /// The mass in kg.
    mass: f64 = |self| self.0.get()[0];
    /// The rotational inertia (3, 3) about the centre of mass, a copy.
    inertia: Bound<'py, PyArray2<f64>> =
        |self, py: 'py| from_rows(py, &self.value().rotational.to_mat().to_rows());
}

#[pymethods]
impl Inertia {
    #[new]
    #[pyo3(signature = (*parts, **named))]
    fn new(parts: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = Given { parts, named };
        let value = match FORMS.parts::<3>(given)? {
            [None, ..] => core::Inertia::zero(),
            [Some(one), None, _] => match one.cast::<Self>() {
                Ok(other) => other.get().value(),
                Err(_) => {
                    let rows = read::six_by_six("matrix", &one)?;
                    core::Inertia::from_matrix(&rows)
                }
            },
            [Some(mass), Some(lever), Some(inertia)] => core::Inertia::new(
                mass.extract()?,
                read::vector("lever", &lever)?,
                symmetric("inertia", &inertia)?,
            ),
            [Some(_), Some(_), None] => return Err(FORMS.refused(given)),
        };
        Ok(Self::from_value(&value))
    }

    /// No inertia.
    #[staticmethod]
    fn zero() -> Self {
        Self::from_value(&core::Inertia::zero())
    }

    /// One kg at the origin, with unit rotational inertia.
    #[staticmethod]
    fn identity() -> Self {
        Self::from_value(&core::Inertia::new(1.0, Vec3::zero(), Sym3::scalar(1.0)))
    }

    /// A random body: an ellipsoid of at most 1 kg with semi-axes below 1 m, turned and moved.
    #[staticmethod]
    fn random(seed: i128) -> PyResult<Self> {
        let n = random_numbers::<10>(seed)?;
        let positive = |x: f64| x.mul_add(0.49, 0.51);
        let mass = positive(n[0]);
        let [a, b, c] = [n[1], n[2], n[3]].map(|x| positive(x).powi(2) * mass / 5.0);
        let principal = Sym3::diagonal(Vec3::new(b + c, a + c, a + b));
        let turn = core::exp3(Vec3::new(n[4], n[5], n[6]) * 3.0);
        let lever = Vec3::new(n[7], n[8], n[9]);
        Ok(Self::from_value(&core::Inertia::new(
            mass,
            lever,
            principal.conjugated_by(&turn),
        )))
    }

    /// The body of ten parameters: mass, first moments (3), and second moments xx, xy, yy, xz, yz,
    /// zz about the frame's origin.
    #[staticmethod]
    #[pyo3(
        signature = (parameters=None, *, dynamic_parameters=None),
        text_signature = "(parameters)"
    )]
    fn from_dynamic_parameters<'py>(
        parameters: Option<Value<'_, 'py>>,
        dynamic_parameters: Option<Value<'_, 'py>>,
    ) -> PyResult<Self> {
        let names = [
            ("parameters", parameters),
            ("dynamic_parameters", dynamic_parameters),
        ];
        let parameters = one_of("from_dynamic_parameters", names)?;
        let ten = array::fixed::<10>("parameters", parameters, &[10])?;
        let value = core::Inertia::from_parameters(&DynamicParameters::from_array(ten));
        Ok(Self::from_value(&value))
    }

    /// The ten parameters (10,), in which dynamics are linear.
    fn to_dynamic_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.value().to_parameters().to_array())
    }

    #[setter]
    fn set_mass(&self, mass: f64) {
        self.0.set_part(0, &[mass]);
    }

    /// The centre of mass (3,), a view.
    #[getter]
    fn lever<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<f64>> {
        slf.get().0.vector(slf.clone().into_any(), 1, 3)
    }

    #[setter]
    fn set_lever(&self, value: Value<'_, '_>) -> PyResult<()> {
        self.0
            .set_part(1, &read::vector("lever", value)?.to_array());
        Ok(())
    }

    #[setter]
    fn set_inertia(&self, value: Value<'_, '_>) -> PyResult<()> {
        let rotational = symmetric("inertia", value)?;
        self.0.set_part(4, &rotational.to_elements());
        Ok(())
    }

    /// The matrix (6, 6) that takes velocities to momenta, [linear; angular].
    fn matrix<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        from_rows(py, &self.value().to_matrix())
    }

    fn __mul__(&self, velocity: &Motion) -> Force {
        Force::from_value(self.value().mul_motion(&velocity.value()))
    }

    fn __add__(&self, other: &Self) -> Self {
        Self::from_value(&self.value().sum(&other.value()))
    }

    /// A body without a part of it.
    fn __sub__(&self, other: &Self) -> Self {
        let part = other.value();
        let less = core::Inertia::new(-part.mass, part.com, Sym3::zero() - part.rotational);
        Self::from_value(&self.value().sum(&less))
    }

    fn __iadd__(&self, other: &Self) {
        self.set(&self.value().sum(&other.value()));
    }

    fn __isub__(&self, other: &Self) {
        self.set(&self.__sub__(other).value());
    }

    /// The force of the velocity alone: v ×* (Y v).
    #[pyo3(signature = (velocity=None, *, v=None), text_signature = "($self, velocity)")]
    fn velocity_force<'py>(
        &self,
        velocity: Option<Value<'_, 'py>>,
        v: Option<Value<'_, 'py>>,
    ) -> PyResult<Force> {
        let velocity = one_of("velocity_force", [("velocity", velocity), ("v", v)])?;
        let velocity = velocity.cast::<Motion>()?.get().value();
        Ok(Force::from_value(self.value().velocity_force(&velocity)))
    }

    /// Twice the kinetic energy in J.
    #[pyo3(signature = (velocity=None, *, v=None), text_signature = "($self, velocity)")]
    fn vtiv<'py>(
        &self,
        velocity: Option<Value<'_, 'py>>,
        v: Option<Value<'_, 'py>>,
    ) -> PyResult<f64> {
        let velocity = one_of("vtiv", [("velocity", velocity), ("v", v)])?;
        let velocity = velocity.cast::<Motion>()?.get().value();
        Ok(2.0 * self.value().kinetic_energy(&velocity))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Value<'_, 'py>>,
        copy: Option<bool>,
    ) -> Answer<'py> {
        let _ = copy;
        super::as_type(self.matrix(py).into_any(), dtype)
    }

    fn __str__(&self) -> String {
        let y = self.value();
        let (mass, lever) = (super::short(y.mass), super::line(&y.com.to_array()));
        let rows = super::lines(y.rotational.to_mat().to_rows());
        format!("  m = {mass}\n  c = {lever}\n  I =\n{rows}")
    }

    fn __repr__(&self) -> String {
        let y = self.value();
        let rows = y.rotational.to_mat().to_rows();
        let rows = rows.map(|row| super::list(&row)).join(", ");
        let lever = super::list(&y.com.to_array());
        format!("Inertia({:?}, {lever}, [{rows}])", y.mass)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let py = slf.py();
        let this = slf.get();
        let lever = PyArray1::from_slice(py, &this.value().com.to_array());
        let parts = (this.mass(), lever, this.inertia(py));
        Ok((py.get_type::<Self>(), parts).into_pyobject(py)?.into_any())
    }
}
