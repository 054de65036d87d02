//! Placements, velocities, accelerations and Jacobians of joints and frames.

use super::data::{DataBase, filled, for_writing, matrix, no_joint};
use super::fields::Field;
use super::kernels;
use super::late::{State, column_count, columns_of};
use super::model::ModelBase;
use super::object_list::{ListName, ObjectList};
use super::{D, M, Matrix, Value, configuration, reference, tangent};
use crate::model::Model;
use crate::spatial::{Motion, SE3};
use crate::states::Outcome;
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::spatial::{self, Se3};
use nalgebra::DMatrixViewMut;
use numpy::{PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The configuration that a caller gave, or that of the algorithm that must be called before.
pub fn given_or_last(
    data: &DataBase,
    native: &Model,
    q: Option<Value<'_, '_>>,
    before: &str,
) -> PyResult<Vec<f64>> {
    match q {
        Some(q) => Ok(configuration(native, q)?.to_vec()),
        None => data.q.clone().ok_or_else(|| {
            PyValueError::new_err(format!("{before} must be called before, or q be given"))
        }),
    }
}

/// Placements of joints in data.oMi; with v velocities in data.v; with a accelerations in data.a.
#[pyfunction]
#[pyo3(name = "forwardKinematics", signature = (model, data, q, v=None, a=None))]
pub fn forward_kinematics(
    model: M<'_, '_>,
    data: D<'_, '_>,
    q: Value<'_, '_>,
    v: Option<Value<'_, '_>>,
    a: Option<Value<'_, '_>>,
) -> Outcome<()> {
    let native = ModelBase::native(model)?;
    move_joints(native.get(), &mut *for_writing(data)?, q, v, a)
}

pub fn move_joints(
    native: &Model,
    data: &mut DataBase,
    q: Value<'_, '_>,
    v: Option<Value<'_, '_>>,
    a: Option<Value<'_, '_>>,
) -> Outcome<()> {
    let m = &native.model;
    let q = configuration(native, q)?;
    let v = v.map(|v| tangent(native, "v", v)).transpose()?;
    let a = a.map(|a| tangent(native, "a", a)).transpose()?;
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    let q = &q;
    match (v, a) {
        (None, _) => {
            let view = m.forward_kinematics(ws, q)?;
            objects.place(&view)
        }
        (Some(v), None) => {
            let view = m.forward_kinematics_velocities(ws, q, &v)?;
            objects.place(&view)?;
            objects.move_(&view)
        }
        (Some(v), Some(a)) => {
            let view = m.forward_kinematics_accelerations(ws, q, &v, &a)?;
            objects.place(&view)?;
            objects.move_(&view)?;
            objects.accelerate(&view)
        }
    }
}

/// Placements of frames in data.oMf from those of joints.
#[pyfunction]
#[pyo3(name = "updateFramePlacements")]
pub fn update_frame_placements(model: M<'_, '_>, data: D<'_, '_>) -> PyResult<()> {
    for_writing(data)?.place_frames(model)
}

/// The placement of one frame, which is written to data.oMf too.
#[pyfunction]
#[pyo3(name = "updateFramePlacement")]
pub fn update_frame_placement(model: M<'_, '_>, data: D<'_, '_>, frame_id: usize) -> PyResult<SE3> {
    let (joint, placement) = ModelBase::frame(model, frame_id)?;
    let mut data = for_writing(data)?;
    let placed = kernels::compose(&data.joint(model.py(), joint)?, &placement);
    let object = data.object(model.py(), ListName::Frames, frame_id)?;
    object.bind(model.py()).cast::<SE3>()?.get().set(&placed);
    Ok(SE3::from_value(&placed))
}

/// forwardKinematics and updateFramePlacements.
#[pyfunction]
#[pyo3(name = "framesForwardKinematics")]
pub fn frames_forward_kinematics(
    model: M<'_, '_>,
    data: D<'_, '_>,
    q: Value<'_, '_>,
) -> PyResult<()> {
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    move_joints(native.get(), &mut data, q, None, None)?;
    data.place_frames(model)
}

/// All columns of all Jacobians, in the world's coordinates, in data.J: (model, data[, q]).
#[pyfunction]
#[pyo3(name = "computeJointJacobians", signature = (model, data, q=None))]
pub fn compute_joint_jacobians<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    let q = given_or_last(&data, native.get(), q, "forwardKinematics")?;
    let state = Arc::new(State::new(&native, &q, &[], &[]));
    data.fields.leave(&[Field::J], &state);
    let jacobians = data.read(model.py(), Field::J)?;
    data.leave(model.py(), &[Field::Placements], &state)?;
    Ok(jacobians)
}

/// The numbers of an array that an algorithm left, column by column.
#[expect(unsafe_code)]
fn columns<'a>(
    array: &'a Bound<'_, PyArray2<f64>>,
    rows: usize,
    count: usize,
) -> PyResult<&'a [f64]> {
    let aligned = (array.data() as usize).is_multiple_of(align_of::<f64>());
    if array.shape() != [rows, count] || !array.is_fortran_contiguous() || !aligned {
        return Err(PyValueError::new_err(format!(
            "the matrix must be ({rows}, {count}), column by column"
        )));
    }
    // SAFETY: so many aligned numbers without a gap; nobody writes while the interpreter's lock is
    // held.
    Ok(unsafe { std::slice::from_raw_parts(array.data(), rows * count) })
}

pub fn joint_id(m: &featherline::Model, joint: usize) -> PyResult<JointId> {
    let count = m.joints().len();
    (m.subtree(JointId::UNIVERSE).nth(joint)).ok_or_else(|| no_joint(joint, count))
}

/// Calls a function with the columns that move a joint, of a model without mimic joints: those of a
/// limb at once.
fn for_each_limb(m: &featherline::Model, joint: JointId, mut act: impl FnMut(Range<usize>)) {
    let mut limb = 0..0;
    for joint in m.support(joint) {
        let joint = m.joint(joint);
        let own = joint.idx_v..joint.idx_v + joint.nv;
        if own.end == limb.start {
            limb.start = own.start;
        } else {
            act(6 * limb.start..6 * limb.end);
            limb = own;
        }
    }
    act(6 * limb.start..6 * limb.end);
}

/// Expresses the columns that move a joint, given in the world's coordinates, in those of a frame
/// that is placed there.
fn express(
    m: &featherline::Model,
    joint: JointId,
    placement: &Se3<f64>,
    reference: ReferenceFrame,
    columns: &mut [f64],
) {
    if m.has_mimic_joints() {
        // A coordinate that moves the joint may be one of a joint elsewhere.
        return kernels::express(columns, placement, reference);
    }
    for_each_limb(m, joint, |own| {
        kernels::express(&mut columns[own], placement, reference);
    });
}

/// The columns that move a joint, of a matrix in the world's coordinates, in those of a frame that
/// is placed there.
fn at<'py>(
    py: Python<'py>,
    native: &Model,
    world: &Bound<'py, PyAny>,
    frame: &JointFrame,
    placement: &Se3<f64>,
) -> Outcome<Matrix<'py>> {
    let m = &native.model;
    let world = world
        .cast::<PyArray2<f64>>()
        .map_err(|e| PyTypeError::new_err(e.to_string()))?;
    let from = columns(world, 6, column_count(m))?;
    let joint = joint_id(m, frame.joint)?;
    Ok(filled(py, 6, m.nv(), |to| {
        if m.has_mimic_joints() {
            for joint in m.support(joint) {
                let first = 6 * m.joint(joint).idx_v;
                let own = columns_of(m, joint);
                let own = &from[6 * own.start..6 * own.end];
                // Joints that share coordinates add up, as their velocities do.
                for (to, x) in to[first..].iter_mut().zip(own) {
                    *to += x;
                }
            }
            kernels::express(to, placement, frame.reference);
        } else {
            for_each_limb(m, joint, |own| {
                to[own.clone()].copy_from_slice(&from[own.clone()]);
                kernels::express(&mut to[own], placement, frame.reference);
            });
        }
    }))
}

/// The Jacobian (6, nv) of a joint's frame, from data.J.
#[pyfunction]
#[pyo3(name = "getJointJacobian")]
pub fn get_joint_jacobian<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let native = ModelBase::structure(model)?;
    let mut data = for_writing(data)?;
    let placement = data.joint(py, joint_id)?;
    let frame = JointFrame::of_joint(joint_id, reference(Some(reference_frame))?);
    let world = data.read(py, Field::J)?;
    at(py, native.get(), &world, &frame, &placement)
}

/// A frame that a joint carries, and the reference of what is asked of it.
pub struct JointFrame {
    pub joint: usize,
    /// In the joint's frame.
    pub placement: Se3<f64>,
    pub reference: ReferenceFrame,
}

impl JointFrame {
    /// A joint's own frame.
    pub fn of_joint(joint: usize, reference: ReferenceFrame) -> Self {
        let placement = Se3::identity();
        Self {
            joint,
            placement,
            reference,
        }
    }

    /// A frame of the model.
    pub fn of_frame(model: M<'_, '_>, id: usize, reference: ReferenceFrame) -> PyResult<Self> {
        let (joint, placement) = ModelBase::frame(model, id)?;
        Ok(Self {
            joint,
            placement,
            reference,
        })
    }

    /// [`Self::read`] of a request that must name its reference.
    pub fn of_request(
        model: M<'_, '_>,
        first: Option<usize>,
        second: Option<Value<'_, '_>>,
        third: Option<Value<'_, '_>>,
        joint: Option<usize>,
    ) -> PyResult<Self> {
        if third.is_none() && second.is_none_or(|value| value.is_instance_of::<SE3>()) {
            return Err(PyTypeError::new_err("reference_frame is missing"));
        }
        Self::read(model, first, second, third, joint)
    }

    /// The frame of a request: (frame_id[, reference]) or (joint_id, placement[, reference]).
    pub fn read(
        model: M<'_, '_>,
        first: Option<usize>,
        second: Option<Value<'_, '_>>,
        third: Option<Value<'_, '_>>,
        joint: Option<usize>,
    ) -> PyResult<Self> {
        let first = first.or(joint).ok_or_else(|| {
            PyTypeError::new_err("frame_id, or joint_id and placement, is missing")
        })?;
        if let Some(placement) = second.and_then(|value| value.cast::<SE3>().ok()) {
            return Ok(Self {
                joint: first,
                placement: placement.get().value(),
                reference: reference(third)?,
            });
        }
        Self::of_frame(model, first, reference(second.or(third))?)
    }
}

/// The Jacobian (6, nv) of a frame from data.J: (model, data, frame_id or joint_id and placement,
/// reference_frame).
#[pyfunction]
#[pyo3(name = "getFrameJacobian", signature = (model, data, frame_id=None, placement=None, reference_frame=None, *, joint_id=None))]
pub fn get_frame_jacobian<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: Option<usize>,
    placement: Option<Value<'_, 'py>>,
    reference_frame: Option<Value<'_, 'py>>,
    joint_id: Option<usize>,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let frame = JointFrame::of_request(model, frame_id, placement, reference_frame, joint_id)?;
    let native = ModelBase::structure(model)?;
    let mut data = for_writing(data)?;
    let placed = kernels::compose(&data.joint(py, frame.joint)?, &frame.placement);
    let world = data.read(py, Field::J)?;
    at(py, native.get(), &world, &frame, &placed)
}

/// The Jacobian (6, nv) of a joint's frame, in it.
#[pyfunction]
#[pyo3(name = "computeJointJacobian")]
pub fn compute_joint_jacobian<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    joint_id: usize,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let frame = JointFrame::of_joint(joint_id, ReferenceFrame::Local);
    fresh_jacobian(
        model.py(),
        native.get(),
        &mut *for_writing(data)?,
        q,
        &frame,
    )
}

/// The Jacobian (6, nv) of a frame, by default LOCAL: in its own axes, at its origin. WORLD and
/// LOCAL_WORLD_ALIGNED are the other values of reference_frame.
#[pyfunction]
#[pyo3(name = "computeFrameJacobian", signature = (model, data, q, frame_id, reference_frame=None))]
pub fn compute_frame_jacobian<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    frame_id: usize,
    reference_frame: Option<Value<'_, 'py>>,
) -> Outcome<Matrix<'py>> {
    let frame = JointFrame::of_frame(model, frame_id, reference(reference_frame)?)?;
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    fresh_jacobian(model.py(), native.get(), &mut data, q, &frame)
}

fn fresh_jacobian<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    q: Value<'_, 'py>,
    frame: &JointFrame,
) -> Outcome<Matrix<'py>> {
    let m = &native.model;
    let q = configuration(native, q)?;
    let joint = joint_id(m, frame.joint)?;
    let (ws, _) = data.parts(native)?;
    let view = m.forward_kinematics(ws, &q)?;
    let at = view.placement(joint);
    let placement = kernels::compose(&at, &frame.placement);
    let mut done = Ok(());
    let jacobian = filled(py, 6, m.nv(), |to| {
        let out = DMatrixViewMut::from_slice(to, 6, m.nv());
        done = view.jacobian_into(joint, ReferenceFrame::World, out);
        express(m, joint, &placement, frame.reference, to);
    });
    done?;
    Ok(jacobian)
}

/// The rates of all columns of all Jacobians, in the world's coordinates, in data.dJ.
#[pyfunction]
#[pyo3(name = "computeJointJacobiansTimeVariation")]
pub fn compute_joint_jacobians_time_variation<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = model.py();
    let made = ModelBase::native(model)?;
    let native = made.get();
    let mut data = for_writing(data)?;
    move_joints(native, &mut data, q, Some(v), None)?;
    let (q, v) = super::motion(native, q, v)?;
    let state = Arc::new(State::new(&made, &q, &v, &[]));
    data.fields.leave(&[Field::J, Field::DJ], &state);
    data.read(py, Field::DJ)
}

/// X⁻¹ (dJ − v × J), where X takes the chosen coordinates into the world's and moves with them.
fn rate_at<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    frame: &JointFrame,
) -> Outcome<Matrix<'py>> {
    let m = &native.model;
    let placement = kernels::compose(&data.joint(py, frame.joint)?, &frame.placement);
    let mut at = |field| {
        let world = data.read(py, field)?;
        at(py, native, &world, frame, &placement)
    };
    let rate = at(Field::DJ)?;
    if frame.reference == ReferenceFrame::World {
        return Ok(rate);
    }
    let jacobian = at(Field::J)?;
    data.settle(py, Field::Velocities)?;
    let local = frame
        .placement
        .inverse_act_motion(&(data.velocities.get(frame.joint)).unwrap_or(spatial::Motion::zero()));
    let velocity = match frame.reference {
        ReferenceFrame::LocalWorldAligned => spatial::Motion::new(
            placement.rotation.mul_vec(local.linear),
            spatial::Vec3::zero(),
        ),
        ReferenceFrame::World | ReferenceFrame::Local => local,
    };
    let (rate, jacobian) = (columns(&rate, 6, m.nv())?, columns(&jacobian, 6, m.nv())?);
    let mut numbers = rate.to_vec();
    for (to, column) in numbers.chunks_exact_mut(6).zip(jacobian.chunks_exact(6)) {
        let mut six = [0.0; 6];
        six.copy_from_slice(column);
        let moved = velocity.cross(&spatial::Motion::from_array(six)).to_array();
        for (to, x) in to.iter_mut().zip(moved) {
            *to -= x;
        }
    }
    Ok(matrix(py, 6, &numbers))
}

/// The rate (6, nv) of a joint's Jacobian, from data.dJ.
#[pyfunction]
#[pyo3(name = "getJointJacobianTimeVariation")]
pub fn get_joint_jacobian_time_variation<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::structure(model)?;
    let frame = JointFrame::of_joint(joint_id, reference(Some(reference_frame))?);
    let mut data = for_writing(data)?;
    rate_at(model.py(), native.get(), &mut data, &frame)
}

/// The rate (6, nv) of a frame's Jacobian, from data.dJ.
#[pyfunction]
#[pyo3(name = "getFrameJacobianTimeVariation")]
pub fn get_frame_jacobian_time_variation<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let frame = JointFrame::read(model, Some(frame_id), Some(reference_frame), None, None)?;
    let native = ModelBase::structure(model)?;
    let mut data = for_writing(data)?;
    rate_at(model.py(), native.get(), &mut data, &frame)
}

/// A quantity of the motion of a frame.
#[derive(Clone, Copy, PartialEq)]
enum MotionQuantity {
    Velocity,
    Acceleration,
    Classical,
}

/// A frame's velocity or acceleration, from those of its joint.
fn motion(data: D<'_, '_>, frame: &JointFrame, quantity: MotionQuantity) -> PyResult<Motion> {
    let py = data.py();
    let mut data = for_writing(data)?;
    data.settle(py, Field::Velocities)?;
    if quantity != MotionQuantity::Velocity {
        data.settle(py, Field::Accelerations)?;
    }
    let joint = data.joint(py, frame.joint)?;
    let of = |all: &ObjectList<Motion>| {
        let local = all
            .get(frame.joint)
            .ok_or_else(|| no_joint(frame.joint, all.len()))?;
        PyResult::Ok(kernels::in_frame(
            &joint,
            &frame.placement,
            local,
            frame.reference,
        ))
    };
    let mut moved = match quantity {
        MotionQuantity::Velocity => of(&data.velocities)?,
        MotionQuantity::Acceleration | MotionQuantity::Classical => of(&data.accelerations)?,
    };
    if quantity == MotionQuantity::Classical {
        let velocity = of(&data.velocities)?;
        moved.linear += velocity.angular.cross(velocity.linear);
    }
    Ok(Motion::from_value(moved))
}

macro_rules! motions {
    ($($(#[$documentation:meta])* $joint:ident $joint_name:literal, $frame:ident $frame_name:literal: $quantity:ident;)*) => {$(
        $(#[$documentation])*
        #[pyfunction]
        #[pyo3(name = $joint_name, signature = (model, data, joint_id, reference_frame=None))]
        pub fn $joint(
            model: M<'_, '_>,
            data: D<'_, '_>,
            joint_id: usize,
            reference_frame: Option<Value<'_, '_>>,
        ) -> PyResult<Motion> {
            let _ = model;
            let frame = JointFrame::of_joint(joint_id, reference(reference_frame)?);
            motion(data, &frame, MotionQuantity::$quantity)
        }

        $(#[$documentation])*
        #[pyfunction]
        #[pyo3(name = $frame_name, signature = (model, data, frame_id=None, placement=None, reference_frame=None, *, joint_id=None))]
        pub fn $frame(
            model: M<'_, '_>,
            data: D<'_, '_>,
            frame_id: Option<usize>,
            placement: Option<Value<'_, '_>>,
            reference_frame: Option<Value<'_, '_>>,
            joint_id: Option<usize>,
        ) -> PyResult<Motion> {
            let frame = JointFrame::read(model, frame_id, placement, reference_frame, joint_id)?;
            motion(data, &frame, MotionQuantity::$quantity)
        }
    )*};
}

motions! {
    /// The velocity of a joint's frame, or of a frame: (frame_id or joint_id and placement).
    get_velocity "getVelocity", get_frame_velocity "getFrameVelocity": Velocity;
    /// The spatial acceleration of a joint's frame, or of a frame.
    get_acceleration "getAcceleration", get_frame_acceleration "getFrameAcceleration": Acceleration;
    /// The classical acceleration of a joint's frame, or of a frame.
    get_classical_acceleration "getClassicalAcceleration",
        get_frame_classical_acceleration "getFrameClassicalAcceleration": Classical;
}
