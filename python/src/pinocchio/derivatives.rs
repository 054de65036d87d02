//! Derivatives of dynamics and of motions along configurations, velocities and accelerations: the
//! same algorithms in dual numbers, eight directions at a time.

use super::data::{DataBase, matrix, no_joint};
use super::joints::move_joints;
use super::kernels;
use super::late::State;
use super::model::ModelBase;
use super::whole::external;
use super::{D, M, Matrix, Value, configuration, reference, tangent};
use crate::model::Model;
use crate::spatial::SE3;
use crate::states::Outcome;
use featherline::configuration::integrate_into;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::scalar::Dual;
use featherline::spatial::{self as core, Se3};
use featherline::{Error, Workspace};
use nalgebra::DMatrix;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// Directions at a time.
const N: usize = 8;
type S = Dual<f64, N>;

/// Memory of algorithms in dual numbers.
pub type DualWorkspace = Workspace<S>;

fn fixed(numbers: &[f64]) -> Vec<S> {
    numbers.iter().map(|&x| S::fixed(x)).collect()
}

/// Calls a function of (q, v, a) with all directions of one of them in turn: 0 for q, 1 for v, 2
/// for a. The function gets the first direction with the state.
fn along(
    m: &featherline::Model,
    state: [&[f64]; 3],
    which: usize,
    mut function: impl FnMut(usize, &[S], &[S], &[S]) -> Result<(), Error>,
) -> Result<(), Error> {
    let nv = m.nv();
    let [q, mut v, mut a] = state.map(fixed);
    let mut turned = q.clone();
    let mut step = vec![S::fixed(0.0); nv];
    for first in (0..nv).step_by(N) {
        let directions = first..(first + N).min(nv);
        match which {
            0 => {
                step.fill(S::fixed(0.0));
                for k in directions {
                    step[k] = S::variable(0.0, k - first);
                }
                integrate_into(m, &q, &step, &mut turned)?;
                function(first, &turned, &v, &a)?;
            }
            _ => {
                let (numbers, seeded) = match which {
                    1 => (state[1], &mut v),
                    _ => (state[2], &mut a),
                };
                for k in directions.clone() {
                    seeded[k] = S::variable(numbers[k], k - first);
                }
                function(first, &q, &v, &a)?;
                let seeded = if which == 1 { &mut v } else { &mut a };
                for k in directions {
                    seeded[k] = S::fixed(numbers[k]);
                }
            }
        }
    }
    Ok(())
}

/// The derivatives (nv, nv) of inverse dynamics along q (0) or v (1).
fn of_inverse_dynamics(
    m: &featherline::Model,
    ws: &mut DualWorkspace,
    state: [&[f64]; 3],
    forces: &[core::Force<f64>],
    which: usize,
) -> Result<DMatrix<f64>, Error> {
    let nv = m.nv();
    let forces: Vec<core::Force<S>> = forces
        .iter()
        .map(|f| core::Force::from_array(f.to_array().map(S::fixed)))
        .collect();
    let mut out = DMatrix::zeros(nv, nv);
    along(m, state, which, |first, q, v, a| {
        let mut options = DynamicsOptions::default().with_forces(&forces);
        options.passive_forces = false;
        let tau = m.inverse_dynamics(ws, q, v, a, options)?;
        for (row, torque) in tau.iter().enumerate() {
            for (k, x) in torque.tangent.iter().enumerate().take(nv - first) {
                out[(row, first + k)] = *x;
            }
        }
        Ok(())
    })?;
    Ok(out)
}

/// What memory in dual numbers is, and what it is lent for.
impl DataBase {
    fn lend_dual(&mut self, m: &featherline::Model) -> Box<DualWorkspace> {
        self.dual
            .take()
            .unwrap_or_else(|| Box::new(Workspace::recursive(m)))
    }
}

fn array<'py>(py: Python<'py>, m: &DMatrix<f64>) -> Matrix<'py> {
    matrix(py, m.nrows(), m.as_slice())
}

fn forces_of(native: &Model, fext: Option<Value<'_, '_>>) -> PyResult<Vec<core::Force<f64>>> {
    fext.map_or(Ok(Vec::new()), |forces| external(native, forces))
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
    super::whole::rnea(model, data, q, v, a, fext)?;
    super::whole::crba(model, data, q, None)?;
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, Some(v), Some(a))?;
    let (q, v) = super::motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let state: [&[f64]; 3] = [&q, &v, &a];
    let forces = forces_of(native, fext)?;
    let mut ws = data.lend_dual(m);
    let along = [0, 1].map(|which| of_inverse_dynamics(m, &mut ws, state, &forces, which));
    data.dual = Some(ws);
    let [along_q, along_v] = along;
    let along_q = array(py, &along_q?);
    let along_v = array(py, &along_v?);
    data.dtau_dq = along_q.clone().into_any().unbind();
    data.dtau_dv = along_v.clone().into_any().unbind();
    let state = Arc::new(State::new(&made, state[0], state[1], state[2]));
    data.late_matrices(&state);
    data.derived = Some(state);
    let mass = data.mass_matrix.bind(py).cast::<PyArray2<f64>>();
    let mass = mass
        .map_err(|e| PyTypeError::new_err(e.to_string()))?
        .clone();
    Ok((along_q, along_v, mass))
}

/// The derivatives of forward dynamics along q, v and tau, each (nv, nv), in data.ddq_dq,
/// data.ddq_dv and data.Minv too.
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
    let (Some(q), Some(v), Some(tau)) = (q, v, tau) else {
        let text =
            "computeABADerivatives without q, v and tau has no counterpart in featherline yet";
        return Err(PyNotImplementedError::new_err(text).into());
    };
    let py = model.py();
    let acceleration = super::whole::aba(model, data, q, v, tau, fext, None)?;
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, Some(v), Some(acceleration.as_any()))?;
    let (q, v) = super::motion(native, q, v)?;
    let acceleration = acceleration.readonly();
    let acceleration = acceleration.as_slice().map_err(PyErr::from)?;
    let state: [&[f64]; 3] = [&q, &v, acceleration];
    let forces = forces_of(native, fext)?;
    let mut ws = data.lend_dual(m);
    let along = [0, 1].map(|which| of_inverse_dynamics(m, &mut ws, state, &forces, which));
    data.dual = Some(ws);
    let [along_q, along_v] = along;
    let (scratch, _) = data.parts(native)?;
    let inverse = m.mass_matrix_inverse(scratch, state[0])?.clone();
    // τ(q, v, q̈(q, v, τ)) = τ, so that ∂q̈/∂x = −M⁻¹ ∂τ/∂x.
    let (torque_q, torque_v) = (along_q?, along_v?);
    let along_q = array(py, &(-&inverse * &torque_q));
    let along_v = array(py, &(-&inverse * &torque_v));
    let inverse = array(py, &inverse);
    data.dtau_dq = array(py, &torque_q).into_any().unbind();
    data.dtau_dv = array(py, &torque_v).into_any().unbind();
    data.ddq_dq = along_q.clone().into_any().unbind();
    data.ddq_dv = along_v.clone().into_any().unbind();
    data.inverse = inverse.clone().into_any().unbind();
    let state = Arc::new(State::new(&made, state[0], state[1], state[2]));
    data.late_matrices(&state);
    data.derived = Some(state);
    Ok((along_q, along_v, inverse))
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
    if fext.is_none() {
        super::whole::compute_generalized_gravity(model, data, q)?;
    }
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, None, None)?;
    let q = configuration(native, q)?;
    let zeros = vec![0.0; m.nv()];
    let forces = forces_of(native, fext)?;
    let mut ws = data.lend_dual(m);
    let state: [&[f64]; 3] = [&q, &zeros, &zeros];
    let along_q = of_inverse_dynamics(m, &mut ws, state, &forces, 0);
    data.dual = Some(ws);
    let state = Arc::new(State::new(&made, &q, &[], &[]));
    data.late.jacobian = Some(state.clone());
    data.late.inertia = Some(state);
    Ok(array(model.py(), &along_q?))
}

/// The Coriolis matrix (nv, nv), in data.C too, after derivatives of dynamics.
#[pyfunction]
#[pyo3(name = "getCoriolisMatrix")]
pub fn get_coriolis_matrix<'py>(model: M<'_, 'py>, data: D<'_, 'py>) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let native = native.get();
    let mut data = data.borrow_mut();
    let Some(state) = data.derived.clone() else {
        let text = "computeRNEADerivatives or computeABADerivatives must be called before";
        return Err(PyValueError::new_err(text).into());
    };
    let (ws, _) = data.parts(native)?;
    let coriolis = native.model.coriolis_matrix(ws, &state.q, &state.v)?;
    let coriolis = array(model.py(), coriolis);
    data.coriolis = coriolis.clone().into_any().unbind();
    Ok(coriolis)
}

/// Placements, velocities and accelerations, of which derivatives are asked afterwards.
#[pyfunction]
#[pyo3(name = "computeForwardKinematicsDerivatives", signature = (model, data, q, v, a=None))]
pub fn compute_forward_kinematics_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    a: Option<Value<'_, 'py>>,
) -> PyResult<()> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, Some(v), a)?;
    let (q, v) = super::motion(native, q, v)?;
    let mut state = State::new(&made, &q, &v, &[]);
    state.a = match a {
        Some(a) => tangent(native, "a", a)?.to_vec(),
        None => vec![0.0; native.model.nv()],
    };
    let state = Arc::new(state);
    data.late.jacobian = Some(state.clone());
    data.late.jacobian_rate = Some(state.clone());
    data.motion_derived = Some(state);
    Ok(())
}

/// The derivatives (6, nv) of a frame's velocity and acceleration along q (0), v (1) or a (2), in
/// it or in the world.
fn of_motion(
    m: &featherline::Model,
    ws: &mut DualWorkspace,
    state: [&[f64]; 3],
    joint: featherline::model::JointId,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
    which: usize,
) -> Result<[DMatrix<f64>; 2], Error> {
    let nv = m.nv();
    let mut out = [DMatrix::zeros(6, nv), DMatrix::zeros(6, nv)];
    let constant = Se3::constant(placement);
    along(m, state, which, |first, q, v, a| {
        let view = m.forward_kinematics_accelerations(ws, q, v, a)?;
        let body = view.placement(joint);
        let placed = body.compose(&constant);
        let motions = [
            view.velocity(joint, ReferenceFrame::Local),
            view.acceleration(joint, ReferenceFrame::Local),
        ];
        for (out, motion) in out.iter_mut().zip(motions) {
            let local = constant.inverse_act_motion(&motion);
            let motion = match reference {
                ReferenceFrame::Local => local,
                _ => placed.act_motion(&local),
            };
            for (row, x) in motion.to_array().iter().enumerate() {
                for (k, x) in x.tangent.iter().enumerate().take(nv - first) {
                    out[(row, first + k)] = *x;
                }
            }
        }
        Ok(())
    })?;
    Ok(out)
}

/// The derivatives of the velocity along q and v, of the acceleration along q, v and a.
fn derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint: usize,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
) -> Outcome<[Matrix<'py>; 5]> {
    let py = model.py();
    let native = ModelBase::native(model)?;
    let m = &native.get().model;
    let id = super::joints::joint_id(m, joint).map_err(|_| no_joint(joint, m.joints().len()))?;
    let mut data = data.borrow_mut();
    let Some(state) = data.motion_derived.clone() else {
        let text = "computeForwardKinematicsDerivatives must be called before";
        return Err(PyValueError::new_err(text).into());
    };
    let state = [&state.q[..], &state.v, &state.a];
    let mut ws = data.lend_dual(m);
    let all = [0, 1, 2].map(|which| of_motion(m, &mut ws, state, id, placement, reference, which));
    data.dual = Some(ws);
    let [q, v, a] = all;
    let [velocity_q, acceleration_q] = q?;
    let [velocity_v, acceleration_v] = v?;
    let [_, acceleration_a] = a?;
    let all = [
        velocity_q,
        velocity_v,
        acceleration_q,
        acceleration_v,
        acceleration_a,
    ];
    // As in Pinocchio, the world's derivatives about the frame's origin, which counts as fixed.
    let aligned = reference == ReferenceFrame::LocalWorldAligned;
    let placed = kernels::compose(&data.joint(joint)?, placement);
    Ok(all.map(|mut m| {
        if aligned {
            kernels::express(m.as_mut_slice(), &placed, reference);
        }
        array(py, &m)
    }))
}

type Pair<'py> = PyResult<(Matrix<'py>, Matrix<'py>)>;
type Four<'py> = PyResult<(Matrix<'py>, Matrix<'py>, Matrix<'py>, Matrix<'py>)>;

/// The derivatives (6, nv) of a joint's velocity along q and v, after
/// computeForwardKinematicsDerivatives.
#[pyfunction]
#[pyo3(name = "getJointVelocityDerivatives")]
pub fn get_joint_velocity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Pair<'py> {
    let word = reference(Some(reference_frame))?;
    let [q, v, ..] = derivatives(model, data, joint_id, &Se3::identity(), word)?;
    Ok((q, v))
}

/// The derivatives (6, nv) of a joint's velocity along q, and of its spatial acceleration along q,
/// v and a, after computeForwardKinematicsDerivatives.
#[pyfunction]
#[pyo3(name = "getJointAccelerationDerivatives")]
pub fn get_joint_acceleration_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Four<'py> {
    let word = reference(Some(reference_frame))?;
    let [velocity, _, q, v, a] = derivatives(model, data, joint_id, &Se3::identity(), word)?;
    Ok((velocity, q, v, a))
}

/// A frame, or a joint and a placement.
fn frame_of(
    model: M<'_, '_>,
    first: usize,
    second: Value<'_, '_>,
    third: Option<Value<'_, '_>>,
) -> PyResult<(usize, Se3<f64>, ReferenceFrame)> {
    match second.cast::<SE3>() {
        Ok(placement) => Ok((first, placement.get().value(), reference(third)?)),
        Err(_) => {
            let (joint, placement) = ModelBase::frame(model, first)?;
            Ok((joint, placement, reference(Some(second))?))
        }
    }
}

/// getJointVelocityDerivatives of a frame: (frame_id, reference_frame), or
/// (joint_id, placement, reference_frame).
#[pyfunction]
#[pyo3(name = "getFrameVelocityDerivatives", signature = (model, data, frame_id, placement, reference_frame=None))]
pub fn get_frame_velocity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: usize,
    placement: Value<'_, 'py>,
    reference_frame: Option<Value<'_, 'py>>,
) -> Pair<'py> {
    let (joint, placement, word) = frame_of(model, frame_id, placement, reference_frame)?;
    let [q, v, ..] = derivatives(model, data, joint, &placement, word)?;
    Ok((q, v))
}

/// getJointAccelerationDerivatives of a frame: (frame_id, reference_frame), or
/// (joint_id, placement, reference_frame).
#[pyfunction]
#[pyo3(name = "getFrameAccelerationDerivatives", signature = (model, data, frame_id, placement, reference_frame=None))]
pub fn get_frame_acceleration_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: usize,
    placement: Value<'_, 'py>,
    reference_frame: Option<Value<'_, 'py>>,
) -> Four<'py> {
    let (joint, placement, word) = frame_of(model, frame_id, placement, reference_frame)?;
    let [velocity, _, q, v, a] = derivatives(model, data, joint, &placement, word)?;
    Ok((velocity, q, v, a))
}

/// The matrix (nq, nv) whose product with a small velocity is the change of q.
#[pyfunction]
#[pyo3(name = "tangentMap")]
pub fn tangent_map<'py>(model: M<'_, 'py>, q: Value<'_, 'py>) -> Outcome<Matrix<'py>> {
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let q = configuration(native.get(), q)?;
    let zeros = vec![0.0; m.nv()];
    let mut out = DMatrix::zeros(m.nq(), m.nv());
    along(m, [&q, &zeros, &zeros], 0, |first, q, _, _| {
        for (row, x) in q.iter().enumerate() {
            for (k, x) in x.tangent.iter().enumerate().take(m.nv() - first) {
                out[(row, first + k)] = *x;
            }
        }
        Ok(())
    })?;
    Ok(array(model.py(), &out))
}
