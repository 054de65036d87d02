//! Derivatives of motions of joints, frames and points along q, v and a.

use super::data::{array, filled, for_writing, no_joint};
use super::fields::Field;
use super::joints::{JointFrame, joint_id};
use super::kernels;
use super::late::State;
use super::model::ModelBase;
use super::{D, M, Matrix, Value, reference, tangent};
use crate::spatial::SE3;
use crate::states::Outcome;
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::{self as core, Se3};
use nalgebra::DMatrix;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

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
    super::refuse_mimic_joints(m, "computeForwardKinematicsDerivatives")?;
    let (q, v) = super::motion(native, q, v)?;
    let given = a.map(|a| tangent(native, "a", a)).transpose()?;
    let state = State::new(&made, &q, &v, given.as_deref().unwrap_or(&[]));
    let mut data = for_writing(data)?;
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    let view = m.forward_kinematics_accelerations(ws, &q, &v, &state.a)?;
    objects.place(&view)?;
    objects.move_(&view)?;
    if a.is_some() {
        objects.accelerate(&view)?;
    }
    let state = Arc::new(state);
    data.fields
        .leave(&[Field::J, Field::DJ, Field::MotionDerived], &state);
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
fn derivatives(model: M<'_, '_>, data: D<'_, '_>, frame: &JointFrame) -> Outcome<Derivatives> {
    let (joint, placement) = (frame.joint, &frame.placement);
    let native = ModelBase::native(model)?;
    let m = &native.get().model;
    let id = joint_id(m, joint).map_err(|_| no_joint(joint, m.joints().len()))?;
    let mut data = for_writing(data)?;
    let Some(state) = data.fields.late(Field::MotionDerived) else {
        let text = "computeForwardKinematicsDerivatives, or derivatives of dynamics, must be called \
                    before";
        return Err(PyValueError::new_err(text).into());
    };
    for list in [Field::Velocities, Field::Accelerations] {
        data.settle(model.py(), list)?;
    }
    let placed = kernels::compose(&data.joint(model.py(), joint)?, placement);
    let velocity = data.velocities.values()[joint];
    let acceleration = data.accelerations.values()[joint];
    let (ws, _) = data.parts(native.get())?;
    let found = m.kinematics_derivatives(ws, &state.q, &state.v, &state.a)?;
    let mut matrices = [(); 5].map(|()| DMatrix::zeros(6, m.nv()));
    let [velocity_q, velocity_v, q, v, a] = &mut matrices;
    // All frames of a body share their motions in the world's coordinates.
    let of = match frame.reference {
        ReferenceFrame::Local => ReferenceFrame::Local,
        ReferenceFrame::World | ReferenceFrame::LocalWorldAligned => ReferenceFrame::World,
    };
    found.velocity_into(id, of, velocity_q, velocity_v)?;
    found.acceleration_into(id, of, q, v, a)?;
    // As in Pinocchio, the world's derivatives about the frame's origin, which counts as fixed.
    let to = match frame.reference {
        ReferenceFrame::Local => placement,
        ReferenceFrame::World | ReferenceFrame::LocalWorldAligned => &placed,
    };
    for matrix in &mut matrices {
        kernels::express(matrix.as_mut_slice(), to, frame.reference);
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

fn velocities<'py>(model: M<'_, 'py>, data: D<'_, 'py>, frame: &JointFrame) -> Pair<'py> {
    let [q, v, ..] = derivatives(model, data, frame)?.matrices;
    Ok((array(model.py(), &q), array(model.py(), &v)))
}

fn accelerations<'py>(model: M<'_, 'py>, data: D<'_, 'py>, frame: &JointFrame) -> Four<'py> {
    let found = derivatives(model, data, frame)?;
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
    let frame = JointFrame::of_joint(joint_id, reference(Some(reference_frame))?);
    velocities(model, data, &frame)
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
    let frame = JointFrame::of_joint(joint_id, reference(Some(reference_frame))?);
    accelerations(model, data, &frame)
}

/// getJointVelocityDerivatives of a frame: (frame_id, reference_frame), or
/// (joint_id, placement, reference_frame).
#[pyfunction]
#[pyo3(name = "getFrameVelocityDerivatives", signature = (model, data, frame_id=None, placement=None, reference_frame=None, *, joint_id=None))]
pub fn get_frame_velocity_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: Option<usize>,
    placement: Option<Value<'_, 'py>>,
    reference_frame: Option<Value<'_, 'py>>,
    joint_id: Option<usize>,
) -> Pair<'py> {
    let frame = JointFrame::of_request(model, frame_id, placement, reference_frame, joint_id)?;
    velocities(model, data, &frame)
}

/// getJointAccelerationDerivatives of a frame: (frame_id, reference_frame), or
/// (joint_id, placement, reference_frame).
#[pyfunction]
#[pyo3(name = "getFrameAccelerationDerivatives", signature = (model, data, frame_id=None, placement=None, reference_frame=None, *, joint_id=None))]
pub fn get_frame_acceleration_derivatives<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: Option<usize>,
    placement: Option<Value<'_, 'py>>,
    reference_frame: Option<Value<'_, 'py>>,
    joint_id: Option<usize>,
) -> Four<'py> {
    let frame = JointFrame::of_request(model, frame_id, placement, reference_frame, joint_id)?;
    accelerations(model, data, &frame)
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

/// A frame that is placed in a joint's frame, in its own axes.
fn in_joint(joint: usize, placement: &SE3) -> JointFrame {
    JointFrame {
        placement: placement.value(),
        ..JointFrame::of_joint(joint, ReferenceFrame::Local)
    }
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
    let (word, frame) = (of_point(reference_frame)?, in_joint(joint_id, placement));
    let found = derivatives(model, data, &frame)?;
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
    let (word, frame) = (of_point(reference_frame)?, in_joint(joint_id, placement));
    let found = derivatives(model, data, &frame)?;
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
