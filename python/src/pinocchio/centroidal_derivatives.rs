//! Derivatives of the centroidal momentum and its rate, and of the centre of mass.

use super::data::{DataBase, array, filled, for_writing};
use super::fields::Field;
use super::joints::move_joints;
use super::late::State;
use super::model::ModelBase;
use super::world_columns::CountedForces;
use super::{D, M, Matrix, Value, tangent};
use crate::model::Model;
use crate::spatial::Force;
use crate::states::Outcome;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The fields that are computed when they are read.
const LEAVES: &[Field] = &[
    Field::J,
    Field::DJ,
    Field::Inertia,
    Field::DAdq,
    Field::DAdv,
    Field::DFdq,
    Field::DFdv,
    Field::DFda,
    Field::MotionDerived,
    Field::Derived,
];

type Fourfold<'py> = Outcome<(Matrix<'py>, Matrix<'py>, Matrix<'py>, Matrix<'py>)>;

/// The derivatives (6, nv) of the centroidal momentum along q, and of its rate along q, v and a;
/// the momentum and its rate in data.hg and data.dhg too.
#[pyfunction]
#[pyo3(name = "computeCentroidalDynamicsDerivatives")]
pub fn compute_centroidal_dynamics_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    a: Value<'_, 'py>,
) -> Fourfold<'py> {
    let py = model.py();
    let made = ModelBase::native(model)?;
    let native = made.get();
    super::refuse_mimic_joints(&native.model, "computeCentroidalDynamicsDerivatives")?;
    super::momenta::ccrba(model, data, q, v)?;
    let mut data = for_writing(data)?;
    move_joints(native, &mut data, q, Some(v), Some(a))?;
    let (q, v) = super::motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let (ws, _) = data.parts(native)?;
    let rate = (native.model).centroidal_momentum_rate(ws, &q, &v, &a)?;
    data.dhg = Py::new(py, Force::from_value(rate))?;
    let mut state = State::new(&made, &q, &v, &a);
    state.counted = CountedForces::Motions;
    let state = Arc::new(state);
    data.leave(py, LEAVES, &state)?;
    centroidal(py, native, &mut data, &state)
}

/// The results of computeCentroidalDynamicsDerivatives, after derivatives of dynamics or of the
/// centroidal momentum: those of the last.
#[pyfunction]
#[pyo3(name = "getCentroidalDynamicsDerivatives")]
pub fn get_centroidal_dynamics_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
) -> Fourfold<'py> {
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    let state = data.derived_state()?;
    centroidal(model.py(), native.get(), &mut data, &state)
}

fn centroidal<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    state: &Arc<State>,
) -> Fourfold<'py> {
    data.fields.leave(&[Field::DHdq], state);
    let (ws, _) = data.parts(native)?;
    let found = (native.model).centroidal_derivatives(ws, &state.q, &state.v, &state.a)?;
    Ok((
        array(py, found.momentum_dq),
        array(py, found.rate_dq),
        array(py, found.rate_dv),
        array(py, found.map),
    ))
}

/// The derivative (3, nv) of the velocity of the centre of mass along q, after centerOfMass or
/// computeAllTerms.
#[pyfunction]
#[pyo3(name = "getCenterOfMassVelocityDerivatives")]
pub fn get_center_of_mass_velocity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let native = native.get();
    let m = &native.model;
    let mut data = for_writing(data)?;
    let Some(state) = data.fields.late(Field::CenterMotion) else {
        let text = "centerOfMass with q and v, or computeAllTerms must be called before";
        return Err(PyValueError::new_err(text).into());
    };
    let (ws, _) = data.parts(native)?;
    let found = m.centroidal_derivatives(ws, &state.q, &state.v, &state.a)?;
    let share = m.total_mass().recip();
    Ok(filled(model.py(), 3, m.nv(), |out| {
        let columns = found.momentum_dq.as_slice().chunks_exact(6);
        for (to, column) in out.chunks_exact_mut(3).zip(columns) {
            for (to, x) in to.iter_mut().zip(column) {
                *to = x * share;
            }
        }
    }))
}

impl DataBase {
    /// The state of which derivatives of dynamics were asked.
    fn derived_state(&self) -> PyResult<Arc<State>> {
        self.fields.late(Field::Derived).ok_or_else(|| {
            let text = "computeRNEADerivatives, computeABADerivatives or \
                        computeCentroidalDynamicsDerivatives must be called before";
            PyValueError::new_err(text)
        })
    }
}

/// The Coriolis matrix (nv, nv), in data.C too, after derivatives of dynamics.
#[pyfunction]
#[pyo3(name = "getCoriolisMatrix")]
pub fn get_coriolis_matrix<'py>(model: M<'_, 'py>, data: D<'_, 'py>) -> Outcome<Bound<'py, PyAny>> {
    let mut data = for_writing(data)?;
    let state = data.derived_state()?;
    data.fields.leave(&[Field::C], &state);
    data.read(model.py(), Field::C)
}
