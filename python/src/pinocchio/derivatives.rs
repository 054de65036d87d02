//! Derivatives of dynamics and of motions along configurations, velocities and accelerations.

use super::data::{DataBase, filled, matrix, no_joint};
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
use nalgebra::DMatrix;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

fn array<'py>(py: Python<'py>, m: &DMatrix<f64>) -> Matrix<'py> {
    matrix(py, m.nrows(), m.as_slice())
}

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
            let forces = forces_of(native, fext)?;
            let mut data = data.borrow_mut();
            let Some(state) = data.forward.clone() else {
                return Err(PyValueError::new_err("aba must be called before").into());
            };
            let (ws, _) = data.parts(native)?;
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&forces);
            let (q, v, a) = (&state.q, &state.v, &state.a);
            let tau = (native.model).inverse_dynamics(ws, q, v, a, options)?.to_vec();
            return of_forward_dynamics(&made, &mut data, [q, v, &tau], forces, py);
        }
        _ => {
            let text = "computeABADerivatives takes q, v and tau, or none of them after aba";
            return Err(PyTypeError::new_err(text).into());
        }
    };
    let (q, v) = super::motion(native, q, v)?;
    let tau = tangent(native, "tau", tau)?;
    let forces = forces_of(native, fext)?;
    of_forward_dynamics(&made, &mut data.borrow_mut(), [&q, &v, &tau], forces, py)
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
    if fext.is_none() {
        data.g = torque.into_any().unbind();
        data.late.motion = Some(state.clone());
    }
    data.late.jacobian = Some(state.clone());
    data.late.inertia = Some(state);
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
    let of = (Some(q), Some(v), Some(a));
    super::whole::compute_centroidal_momentum_time_variation(model, data, of.0, of.1, of.2)?;
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v) = super::motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let mut data = data.borrow_mut();
    let state = Arc::new(State::new(&made, &q, &v, &a));
    data.late_matrices(&state);
    centroidal(model.py(), native, &mut data, &state)
}

/// What computeCentroidalDynamicsDerivatives gives, after derivatives of dynamics.
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
    state: &State,
) -> Fourfold<'py> {
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
            let text = "computeRNEADerivatives or computeABADerivatives must be called before";
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

/// Placements, velocities and accelerations, of which derivatives are asked afterwards.
#[pyfunction]
#[pyo3(name = "computeForwardKinematicsDerivatives", signature = (model, data, q, v, a=None))]
pub fn compute_forward_kinematics_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    a: Option<Value<'_, 'py>>,
) -> Outcome<()> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let (q, v) = super::motion(native, q, v)?;
    let mut state = State::new(&made, &q, &v, &[]);
    state.a = match a {
        Some(a) => tangent(native, "a", a)?.to_vec(),
        None => vec![0.0; m.nv()],
    };
    let mut data = data.borrow_mut();
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    let view = m.forward_kinematics_accelerations(ws, &q, &v, &state.a)?;
    objects.place(&view)?;
    objects.move_(&view)?;
    objects.accelerate(&view)?;
    let state = Arc::new(state);
    data.late.jacobian = Some(state.clone());
    data.late.jacobian_rate = Some(state.clone());
    data.motion_derived = Some(state);
    Ok(())
}

/// The derivatives (6, nv) of a motion, and the motion itself in the frame.
struct Derivatives {
    /// The velocity along q and v, the spatial acceleration along q, v and a.
    matrices: [DMatrix<f64>; 5],
    /// Where the frame is.
    placed: Se3<f64>,
    velocity: core::Motion<f64>,
    acceleration: core::Motion<f64>,
}

/// The derivatives of the velocity along q and v, of the acceleration along q, v and a.
fn derivatives(
    model: M<'_, '_>,
    data: D<'_, '_>,
    joint: usize,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
) -> Outcome<Derivatives> {
    let native = ModelBase::native(model)?;
    let m = &native.get().model;
    let id = super::joints::joint_id(m, joint).map_err(|_| no_joint(joint, m.joints().len()))?;
    let mut data = data.borrow_mut();
    let Some(state) = data.motion_derived.clone() else {
        let text = "computeForwardKinematicsDerivatives must be called before";
        return Err(PyValueError::new_err(text).into());
    };
    data.settle_velocities(model.py())?;
    let placed = kernels::compose(&data.joint(joint)?, placement);
    let velocity = data.velocities.values()[joint];
    let acceleration = data.accelerations.values()[joint];
    let (ws, _) = data.parts(native.get())?;
    let found = m.kinematics_derivatives(ws, &state.q, &state.v, &state.a)?;
    let mut matrices = [(); 5].map(|()| DMatrix::zeros(6, m.nv()));
    let [velocity_q, velocity_v, q, v, a] = &mut matrices;
    // All frames of a body share their motions in the world's coordinates.
    let of = match reference {
        ReferenceFrame::Local => ReferenceFrame::Local,
        _ => ReferenceFrame::World,
    };
    found.velocity_into(id, of, velocity_q, velocity_v)?;
    found.acceleration_into(id, of, q, v, a)?;
    // As in Pinocchio, the world's derivatives about the frame's origin, which counts as fixed.
    let (to, reference) = match reference {
        ReferenceFrame::Local => (placement, ReferenceFrame::Local),
        aligned => (&placed, aligned),
    };
    for matrix in &mut matrices {
        kernels::express(matrix.as_mut_slice(), to, reference);
    }
    Ok(Derivatives {
        matrices,
        placed,
        velocity: placement.inverse_act_motion(&velocity),
        acceleration: placement.inverse_act_motion(&acceleration),
    })
}

type Pair<'py> = PyResult<(Matrix<'py>, Matrix<'py>)>;
type Four<'py> = PyResult<(Matrix<'py>, Matrix<'py>, Matrix<'py>, Matrix<'py>)>;

fn velocities<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint: usize,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
) -> Pair<'py> {
    let [q, v, ..] = derivatives(model, data, joint, placement, reference)?.matrices;
    Ok((array(model.py(), &q), array(model.py(), &v)))
}

fn accelerations<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint: usize,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
) -> Four<'py> {
    let found = derivatives(model, data, joint, placement, reference)?;
    let [velocity, _, q, v, a] = found.matrices.map(|m| array(model.py(), &m));
    Ok((velocity, q, v, a))
}

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
    velocities(model, data, joint_id, &Se3::identity(), word)
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
    accelerations(model, data, joint_id, &Se3::identity(), word)
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
    velocities(model, data, joint, &placement, word)
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
    accelerations(model, data, joint, &placement, word)
}

/// Linear rows (3, nv) of derivatives in a frame, in the frame's axes or the world's.
///
/// In the world's axes a vector x changes by R (∂x + J_ω × x) while the frame turns.
fn linear_rows<'py>(
    py: Python<'py>,
    columns: &DMatrix<f64>,
    of_q: Option<(&DMatrix<f64>, core::Vec3<f64>)>,
    placed: &Se3<f64>,
    reference: ReferenceFrame,
) -> Matrix<'py> {
    filled(py, 3, columns.ncols(), |out| {
        for (k, to) in out.chunks_exact_mut(3).enumerate() {
            let mut x = motion_of(columns, k).linear;
            if reference == ReferenceFrame::LocalWorldAligned {
                if let Some((jacobian, value)) = of_q {
                    x = motion_of(jacobian, k).angular.cross_add(value, x);
                }
                x = placed.rotation.mul_vec(x);
            }
            to.copy_from_slice(&x.to_array());
        }
    })
}

/// A column as a motion.
fn motion_of(columns: &DMatrix<f64>, k: usize) -> core::Motion<f64> {
    core::Motion::from_array(std::array::from_fn(|row| columns[(row, k)]))
}

/// The reference of a point: the frame's axes, or the world's.
fn of_point(reference_frame: Value<'_, '_>) -> PyResult<ReferenceFrame> {
    let word = reference(Some(reference_frame))?;
    if word == ReferenceFrame::World {
        let text = "the reference frame of a point is LOCAL or LOCAL_WORLD_ALIGNED";
        return Err(PyValueError::new_err(text));
    }
    Ok(word)
}

/// The derivatives (3, nv) along q and v of the velocity of a frame's origin, after
/// computeForwardKinematicsDerivatives.
#[pyfunction]
#[pyo3(name = "getPointVelocityDerivatives")]
pub fn get_point_velocity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    placement: &SE3,
    reference_frame: Value<'_, 'py>,
) -> Pair<'py> {
    let py = model.py();
    let (word, placement) = (of_point(reference_frame)?, placement.value());
    let found = derivatives(model, data, joint_id, &placement, ReferenceFrame::Local)?;
    let ([q, v, ..], placed) = (&found.matrices, &found.placed);
    let of_q = Some((v, found.velocity.linear));
    Ok((
        linear_rows(py, q, of_q, placed, word),
        linear_rows(py, v, None, placed, word),
    ))
}

/// The derivatives (3, nv) of the velocity of a frame's origin along q, and of its classical
/// acceleration along q, v and a, after computeForwardKinematicsDerivatives.
#[pyfunction]
#[pyo3(name = "getPointClassicAccelerationDerivatives")]
pub fn get_point_classic_acceleration_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    placement: &SE3,
    reference_frame: Value<'_, 'py>,
) -> Four<'py> {
    let py = model.py();
    let (word, placement) = (of_point(reference_frame)?, placement.value());
    let found = derivatives(model, data, joint_id, &placement, ReferenceFrame::Local)?;
    let (velocity, acceleration, placed) = (found.velocity, found.acceleration, &found.placed);
    let [velocity_q, jacobian, mut q, mut v, a] = found.matrices;
    // The classical acceleration has ω × v besides.
    for (of, change) in [(&mut q, &velocity_q), (&mut v, &jacobian)] {
        for k in 0..of.ncols() {
            let change = motion_of(change, k);
            let turned = velocity.angular.cross(change.linear);
            let turned = change.angular.cross_add(velocity.linear, turned);
            for (row, x) in turned.to_array().into_iter().enumerate() {
                of[(row, k)] += x;
            }
        }
    }
    let classical = acceleration.to_classical(&velocity).linear;
    let of_velocity = Some((&jacobian, velocity.linear));
    Ok((
        linear_rows(py, &velocity_q, of_velocity, placed, word),
        linear_rows(py, &q, Some((&jacobian, classical)), placed, word),
        linear_rows(py, &v, None, placed, word),
        linear_rows(py, &a, None, placed, word),
    ))
}

/// Directions at a time.
const N: usize = 8;

/// The matrix (nq, nv) whose product with a small velocity is the change of q.
#[pyfunction]
#[pyo3(name = "tangentMap")]
pub fn tangent_map<'py>(model: M<'_, 'py>, q: Value<'_, 'py>) -> Outcome<Matrix<'py>> {
    type S = Dual<f64, N>;
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let (nq, nv) = (m.nq(), m.nv());
    let q: Vec<S> = configuration(native.get(), q)?
        .iter()
        .map(|&x| S::fixed(x))
        .collect();
    let mut out = DMatrix::zeros(nq, nv);
    let mut turned = q.clone();
    for first in (0..nv).step_by(N) {
        let mut step = vec![S::fixed(0.0); nv];
        for (k, direction) in step[first..].iter_mut().take(N).enumerate() {
            *direction = S::variable(0.0, k);
        }
        integrate_into(m, &q, &step, &mut turned)?;
        for (row, x) in turned.iter().enumerate() {
            for (k, x) in x.tangent.iter().enumerate().take(nv - first) {
                out[(row, first + k)] = *x;
            }
        }
    }
    Ok(array(model.py(), &out))
}
