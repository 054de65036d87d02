//! Derivatives of dynamics along configurations, velocities, accelerations and joint forces.

use super::data::{DataBase, array, filled};
use super::joints::move_joints;
use super::late::State;
use super::model::ModelBase;
use super::whole::external;
use super::world_columns::Counted;
use super::{D, M, Matrix, Value, configuration, tangent};
use crate::model::Model;
use crate::spatial::Force;
use crate::states::{Failure, Outcome};
use featherline::dynamics::DynamicsOptions;
use featherline::spatial as core;
use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

fn forces_of(native: &Model, fext: Option<Value<'_, '_>>) -> PyResult<Vec<core::Force<f64>>> {
    fext.map_or(Ok(Vec::new()), |forces| external(native, forces))
}

/// A state and the external forces on it.
fn state_of(
    native: &Bound<'_, Model>,
    numbers: [&[f64]; 3],
    forces: Vec<core::Force<f64>>,
) -> State {
    let [q, v, a] = numbers;
    let mut state = State::new(native, q, v, a);
    state.forces = forces;
    state
}

impl DataBase {
    /// Leaves what derivatives of dynamics leave: placements, and all else to who reads it.
    fn leave(&mut self, py: Python<'_>, state: State) -> Outcome<()> {
        self.remember(&state.q);
        let native = state.model.bind(py).get();
        let (ws, mut objects) = self.parts(native)?;
        objects.place(&native.model.forward_kinematics(ws, &state.q)?)?;
        let state = Arc::new(state);
        self.late_matrices(&state);
        self.late.motion = Some(state.clone());
        self.late.velocities = Some(state.clone());
        self.late.accelerations = Some(state.clone());
        self.columns.of = Some((state.clone(), Counted::Forces));
        self.motion_derived = Some(state.clone());
        self.derived = Some(state);
        if self.velocities.any || self.accelerations.any {
            self.settle_velocities(py)?;
        }
        Ok(())
    }
}

type Three<'py> = Outcome<(Matrix<'py>, Matrix<'py>, Matrix<'py>)>;

/// The derivatives of inverse dynamics along q, v and a, each (nv, nv), in data.dtau_dq,
/// data.dtau_dv and data.M too.
#[pyfunction]
#[pyo3(name = "computeRNEADerivatives", signature = (model, data, q, v, a, fext=None))]
pub fn compute_rnea_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    a: Value<'_, 'py>,
    fext: Option<Value<'_, 'py>>,
) -> Three<'py> {
    let py = model.py();
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v) = super::motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let forces = forces_of(native, fext)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&forces);
    let found = (native.model).inverse_dynamics_derivatives(ws, &q, &v, &a, options)?;
    let tau = PyArray1::from_slice(py, found.tau);
    let [by_q, by_v, mass] = [found.dq, found.dv, found.da].map(|m| array(py, m));
    data.tau = tau.into_any().unbind();
    data.late.torque = None;
    data.dtau_dq = by_q.clone().into_any().unbind();
    data.dtau_dv = by_v.clone().into_any().unbind();
    data.mass_matrix = mass.clone().into_any().unbind();
    data.leave(py, state_of(&made, [&q, &v, &a], forces))?;
    Ok((by_q, by_v, mass))
}

/// The derivatives of forward dynamics along q, v and tau, each (nv, nv), in data.ddq_dq,
/// data.ddq_dv and data.Minv too: (model, data, q, v, tau[, fext]), or (model, data[, fext]) after
/// aba.
#[pyfunction]
#[pyo3(name = "computeABADerivatives", signature = (model, data, q=None, v=None, tau=None, fext=None))]
pub fn compute_aba_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
    tau: Option<Value<'_, 'py>>,
    fext: Option<Value<'_, 'py>>,
) -> Three<'py> {
    let py = model.py();
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v, tau, fext) = match (q, v, tau, fext) {
        (Some(q), Some(v), Some(tau), fext) => (q, v, tau, fext),
        (fext, None, None, None) | (None, None, None, fext) => {
            if fext.is_some_and(|fext| fext.is_instance_of::<PyUntypedArray>()) {
                return Err(incomplete());
            }
            let forces = forces_of(native, fext)?;
            let mut data = data.borrow_mut();
            let Some(state) = data.forward.clone() else {
                return Err(PyValueError::new_err("aba must be called before").into());
            };
            let (ws, _) = data.parts(native)?;
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&forces);
            let (q, v, a) = (&state.q, &state.v, &state.a);
            let tau = (native.model)
                .inverse_dynamics(ws, q, v, a, options)?
                .to_vec();
            return of_forward_dynamics(&made, &mut data, [q, v, &tau], forces, py);
        }
        _ => return Err(incomplete()),
    };
    let (q, v) = super::motion(native, q, v)?;
    let tau = tangent(native, "tau", tau)?;
    let forces = forces_of(native, fext)?;
    of_forward_dynamics(&made, &mut data.borrow_mut(), [&q, &v, &tau], forces, py)
}

fn incomplete() -> Failure {
    let text = "computeABADerivatives takes q, v and tau, or none of them after aba";
    PyTypeError::new_err(text).into()
}

fn of_forward_dynamics<'py>(
    made: &Bound<'py, Model>,
    data: &mut DataBase,
    [q, v, tau]: [&[f64]; 3],
    forces: Vec<core::Force<f64>>,
    py: Python<'py>,
) -> Three<'py> {
    let native = made.get();
    let (ws, _) = data.parts(native)?;
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&forces);
    let found = (native.model).forward_dynamics_derivatives(ws, q, v, tau, options)?;
    let acceleration = found.acceleration.to_vec();
    let [by_q, by_v, inverse] = [found.dq, found.dv, found.dtau].map(|m| array(py, m));
    data.ddq = PyArray1::from_slice(py, &acceleration).into_any().unbind();
    data.ddq_dq = by_q.clone().into_any().unbind();
    data.ddq_dv = by_v.clone().into_any().unbind();
    data.inverse = inverse.clone().into_any().unbind();
    data.leave(py, state_of(made, [q, v, &acceleration], forces))?;
    data.late.torque = data.derived.clone();
    data.forward = data.derived.clone();
    Ok((by_q, by_v, inverse))
}

/// The derivative (nv, nv) of the joint forces of gravity along q.
#[pyfunction]
#[pyo3(name = "computeGeneralizedGravityDerivatives")]
pub fn compute_generalized_gravity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    at_rest(model, data, q, None)
}

/// The derivative (nv, nv) along q of the joint forces that hold the robot against gravity and
/// external forces.
#[pyfunction]
#[pyo3(name = "computeStaticTorqueDerivatives")]
pub fn compute_static_torque_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    fext: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    at_rest(model, data, q, Some(fext))
}

fn at_rest<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    fext: Option<Value<'_, 'py>>,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let q = configuration(native, q)?;
    let forces = forces_of(native, fext)?;
    let still = vec![0.0; m.nv()];
    let mut data = data.borrow_mut();
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    objects.place(&m.forward_kinematics(ws, &q)?)?;
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&forces);
    let found = m.inverse_dynamics_derivatives(ws, &q, &still, &still, options)?;
    let (torque, by_q) = (PyArray1::from_slice(py, found.tau), array(py, found.dq));
    let state = Arc::new(state_of(&made, [&q, &still, &still], forces));
    match fext {
        None => data.g = torque.into_any().unbind(),
        Some(_) => data.tau = torque.into_any().unbind(),
    }
    data.late.motion = Some(state.clone());
    data.late.jacobian = Some(state.clone());
    data.late.inertia = Some(state.clone());
    data.columns.of = Some((state, Counted::ForcesAtRest));
    Ok(by_q)
}

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
    super::momenta::ccrba(model, data, q, v)?;
    let made = ModelBase::native(model)?;
    let native = made.get();
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, Some(v), Some(a))?;
    let (q, v) = super::motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let (ws, _) = data.parts(native)?;
    let rate = (native.model).centroidal_momentum_rate(ws, &q, &v, &a)?;
    data.dhg = Py::new(py, Force::from_value(rate))?;
    let state = Arc::new(State::new(&made, &q, &v, &a));
    data.late_matrices(&state);
    data.columns.of = Some((state.clone(), Counted::Motions));
    data.motion_derived = Some(state.clone());
    data.derived = Some(state.clone());
    centroidal(py, native, &mut data, &state)
}

/// What computeCentroidalDynamicsDerivatives gives, after derivatives of dynamics or of the
/// centroidal momentum: those of the last.
#[pyfunction]
#[pyo3(name = "getCentroidalDynamicsDerivatives")]
pub fn get_centroidal_dynamics_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
) -> Fourfold<'py> {
    let native = ModelBase::native(model)?;
    let mut data = data.borrow_mut();
    let state = data.derived_state()?;
    centroidal(model.py(), native.get(), &mut data, &state)
}

fn centroidal<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    state: &Arc<State>,
) -> Fourfold<'py> {
    data.columns.of_momentum = Some(state.clone());
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
    let mut data = data.borrow_mut();
    let Some([q, v]) = data.center_motion.clone() else {
        let text = "centerOfMass with q and v, or computeAllTerms must be called before";
        return Err(PyValueError::new_err(text).into());
    };
    let (ws, _) = data.parts(native)?;
    let still = vec![0.0; m.nv()];
    let found = m.centroidal_derivatives(ws, &q, &v, &still)?;
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
        self.derived.clone().ok_or_else(|| {
            let text = "computeRNEADerivatives, computeABADerivatives or \
                        computeCentroidalDynamicsDerivatives must be called before";
            PyValueError::new_err(text)
        })
    }
}

/// The Coriolis matrix (nv, nv), in data.C too, after derivatives of dynamics.
#[pyfunction]
#[pyo3(name = "getCoriolisMatrix")]
pub fn get_coriolis_matrix<'py>(model: M<'_, 'py>, data: D<'_, 'py>) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let native = native.get();
    let mut data = data.borrow_mut();
    let state = data.derived_state()?;
    let (ws, _) = data.parts(native)?;
    let coriolis = native.model.coriolis_matrix(ws, &state.q, &state.v)?;
    let coriolis = array(model.py(), coriolis);
    data.coriolis = coriolis.clone().into_any().unbind();
    Ok(coriolis)
}
