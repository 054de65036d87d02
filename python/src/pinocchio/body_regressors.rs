//! Regressors, which are linear in the inertial parameters of bodies: m, m c, and the second
//! moments about the joint's origin, ten a body, in the order of `toDynamicParameters`.

use super::data::{DataBase, filled, for_writing, matrix};
use super::joints::{JointFrame, joint_id, move_joints};
use super::model::ModelBase;
use super::{D, M, Matrix, Value, reference};
use crate::model::Model;
use crate::spatial::{Motion, SE3};
use crate::states::Outcome;
use featherline::kinematics::ReferenceFrame;
use featherline::regressor;
use featherline::spatial::{self as core, Se3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The regressor of a body's motion.
fn of_body<'py>(
    py: Python<'py>,
    velocity: &core::Motion<f64>,
    acceleration: &core::Motion<f64>,
) -> Matrix<'py> {
    matrix(
        py,
        6,
        regressor::body_regressor(velocity, acceleration).as_slice(),
    )
}

/// The matrix (6, 10) whose product with a body's parameters is the force of its motion.
#[pyfunction]
#[pyo3(name = "bodyRegressor")]
pub fn body_regressor<'py>(
    py: Python<'py>,
    velocity: &Motion,
    acceleration: &Motion,
) -> Matrix<'py> {
    of_body(py, &velocity.value(), &acceleration.value())
}

/// Velocity and acceleration less gravity of a joint's body in the last inverse dynamics.
fn in_last_motion(
    data: &mut DataBase,
    py: Python<'_>,
    joint: usize,
) -> PyResult<[core::Motion<f64>; 2]> {
    data.settle_motion(py)?;
    let (Some(v), Some(a)) = (
        data.last.velocities.get(joint),
        data.last.accelerations.get(joint),
    ) else {
        return Err(PyValueError::new_err(
            "rnea must be called before, with a joint of the same model",
        ));
    };
    Ok([*v, *a])
}

/// The regressor (6, 10) of a body at a joint, after rnea.
#[pyfunction]
#[pyo3(name = "jointBodyRegressor")]
pub fn joint_body_regressor<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let [v, a] = in_last_motion(&mut *for_writing(data)?, py, joint_id)?;
    Ok(of_body(py, &v, &a))
}

/// The regressor (6, 10) of a body at a frame, after rnea.
#[pyfunction]
#[pyo3(name = "frameBodyRegressor")]
pub fn frame_body_regressor<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: usize,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let (joint, placement) = ModelBase::frame(model, frame_id)?;
    let [v, a] = in_last_motion(&mut *for_writing(data)?, py, joint)?;
    let (v, a) = (
        placement.inverse_act_motion(&v),
        placement.inverse_act_motion(&a),
    );
    Ok(of_body(py, &v, &a))
}

/// The matrix (3, 4 joints) whose product with masses and first moments of all bodies is the centre
/// of mass.
#[pyfunction]
#[pyo3(name = "computeStaticRegressor")]
pub fn compute_static_regressor<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let native = native.get();
    let mut data = for_writing(data)?;
    move_joints(native, &mut data, q, None, None)?;
    let share = native.model.total_mass().recip();
    let placements = &data.joints.values()[1..];
    let regressor = filled(model.py(), 3, 4 * placements.len(), |out| {
        for (to, placement) in out.chunks_exact_mut(12).zip(placements) {
            let core::Mat3 { x, y, z } = placement.rotation;
            for (to, column) in to.chunks_exact_mut(3).zip([placement.translation, x, y, z]) {
                to.copy_from_slice(&(column * share).to_array());
            }
        }
    });
    data.static_regressor = Some(regressor.clone().into_any().unbind());
    Ok(regressor)
}

/// How placements of joints in their parents move a frame: blocks (6, 6) of all joints.
fn kinematic<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    of: &JointFrame,
) -> Outcome<Matrix<'py>> {
    let m = &native.model;
    let joint = joint_id(m, of.joint)?;
    let placed = data.joint(py, joint.index())?.compose(&of.placement);
    let frame = match of.reference {
        ReferenceFrame::World => Se3::identity(),
        ReferenceFrame::Local => placed,
        ReferenceFrame::LocalWorldAligned => Se3::from_translation(placed.translation),
    };
    let mut blocks = Vec::new();
    for above in m.support(joint) {
        // Where the joint's placement in its parent is.
        let of = m.joint(above);
        let before = data.joint(py, of.parent.index())?.compose(&of.placement);
        let relative = frame.inverse().compose(&before);
        blocks.push((above.index(), relative.action_matrix()));
    }
    Ok(filled(py, 6, 6 * (m.joints().len() - 1), |out| {
        for (i, rows) in &blocks {
            for (k, row) in rows.iter().enumerate() {
                for (column, x) in row.iter().enumerate() {
                    out[(6 * (i - 1) + column) * 6 + k] = *x;
                }
            }
        }
    }))
}

/// How placements of joints move a joint's frame, or one placed in it: (6, 6 joints).
#[pyfunction]
#[pyo3(name = "computeJointKinematicRegressor", signature = (model, data, joint_id, reference_frame, placement=None))]
pub fn compute_joint_kinematic_regressor<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    joint_id: usize,
    reference_frame: Value<'_, 'py>,
    placement: Option<&SE3>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::structure(model)?;
    let frame = JointFrame {
        joint: joint_id,
        placement: placement.map_or(Se3::identity(), SE3::value),
        reference: reference(Some(reference_frame))?,
    };
    kinematic(model.py(), native.get(), &mut *for_writing(data)?, &frame)
}

/// How placements of joints move a frame: (6, 6 joints).
#[pyfunction]
#[pyo3(name = "computeFrameKinematicRegressor")]
pub fn compute_frame_kinematic_regressor<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    frame_id: usize,
    reference_frame: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::structure(model)?;
    let frame = JointFrame::of_frame(model, frame_id, reference(Some(reference_frame))?)?;
    kinematic(model.py(), native.get(), &mut *for_writing(data)?, &frame)
}
