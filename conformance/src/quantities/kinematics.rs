//! Placements, velocities and accelerations of frames; Jacobians, their rates and derivatives.

use super::Case;
use super::dynamics::product;
use crate::agreement::{Family, Frame, Sensitivity};
use crate::layout::Anchor;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, FrameKind};
use featherline::spatial::{Motion, Se3};
use featherline::{Error, Model};
use nalgebra::DMatrix;

/// The names of what is given in one of the three frames.
struct Names {
    frame: Frame,
    reference: ReferenceFrame,
    joint_velocity: &'static str,
    joint_acceleration: &'static str,
    joint_classical_acceleration: &'static str,
    target_velocity: &'static str,
    target_acceleration: &'static str,
    target_classical_acceleration: &'static str,
    jacobian: &'static str,
    jacobian_of_columns: &'static str,
    jacobian_rate: &'static str,
    bias: &'static str,
    hessian: &'static str,
}

macro_rules! names {
    ($suffix:literal, $frame:ident, $reference:ident) => {
        Names {
            frame: Frame::$frame,
            reference: ReferenceFrame::$reference,
            joint_velocity: concat!("joint_velocity_", $suffix),
            joint_acceleration: concat!("joint_acceleration_", $suffix),
            joint_classical_acceleration: concat!("joint_classical_acceleration_", $suffix),
            target_velocity: concat!("target_velocity_", $suffix),
            target_acceleration: concat!("target_acceleration_", $suffix),
            target_classical_acceleration: concat!("target_classical_acceleration_", $suffix),
            jacobian: concat!("jacobian_", $suffix),
            jacobian_of_columns: concat!("jacobian_", $suffix, " (all columns first)"),
            jacobian_rate: concat!("jacobian_rate_", $suffix),
            bias: concat!("J̇ v ", $suffix),
            hessian: concat!("hessian_", $suffix),
        }
    };
}

const FRAMES: [Names; 3] = [
    names!("local", Local, Local),
    names!("world", World, World),
    names!("aligned", Aligned, LocalWorldAligned),
];

pub(super) fn kinematics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let bodies = layout.bodies.iter();
    let joints = layout.joints.iter();
    {
        let positions = model.forward_kinematics(case.ws, &x.q)?;
        let bodies = stack_placements(bodies.map(|&body| positions.placement(body)));
        let joints = stack_placements(joints.clone().map(|&joint| positions.placement(joint)));
        case.compare("body_placements", Family::Placement, bodies);
        case.compare("joint_placements", Family::Placement, joints);
    }
    for names in &FRAMES {
        let reference = names.reference;
        let motion = model.forward_kinematics_accelerations(case.ws, &x.q, &x.v, &x.a)?;
        let velocity = stack(joints.clone().map(|&j| motion.velocity(j, reference)));
        let acceleration = stack(joints.clone().map(|&j| motion.acceleration(j, reference)));
        let classical = stack(
            joints
                .clone()
                .map(|&j| motion.classical_acceleration(j, reference)),
        );
        let family = Family::Acceleration(names.frame);
        case.compare(
            names.joint_velocity,
            Family::Velocity(names.frame),
            velocity,
        );
        case.compare(names.joint_acceleration, family, acceleration);
        case.compare(names.joint_classical_acceleration, family, classical);
    }
    Ok(())
}

pub(super) fn jacobians(case: &mut Case<'_>) -> Result<(), Error> {
    for names in &FRAMES {
        motions(case, names)?;
        rates(case, names)?;
        let (model, layout, x) = (case.model, case.layout, case.input);
        let all = model.joint_jacobians(case.ws, &x.q)?;
        let mut jacobian = DMatrix::zeros(6, model.nv());
        let mut rows = Vec::new();
        for &target in &layout.targets {
            match target {
                Anchor::Joint(id) => {
                    all.jacobian_into(id, names.reference, &mut jacobian)?;
                }
                Anchor::Frame(id) => {
                    all.jacobian_into(id, names.reference, &mut jacobian)?;
                }
            }
            rows.extend(layout.their_columns(&jacobian));
        }
        let (quantity, name) = (names.jacobian_of_columns, names.jacobian);
        let family = Family::Jacobian(names.frame);
        case.pair(quantity, name, family, Sensitivity::Rounding, rows);
    }
    Ok(())
}

/// Velocities and accelerations of the targets.
fn motions(case: &mut Case<'_>, names: &Names) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let reference = names.reference;
    let motion = model.forward_kinematics_accelerations(case.ws, &x.q, &x.v, &x.a)?;
    let targets = layout.targets.iter();
    let velocity = stack(targets.clone().map(|&target| match target {
        Anchor::Joint(id) => motion.velocity(id, reference),
        Anchor::Frame(id) => motion.velocity(id, reference),
    }));
    let acceleration = stack(targets.clone().map(|&target| match target {
        Anchor::Joint(id) => motion.acceleration(id, reference),
        Anchor::Frame(id) => motion.acceleration(id, reference),
    }));
    let classical = stack(targets.map(|&target| match target {
        Anchor::Joint(id) => motion.classical_acceleration(id, reference),
        Anchor::Frame(id) => motion.classical_acceleration(id, reference),
    }));
    let family = Family::Acceleration(names.frame);
    case.compare(
        names.target_velocity,
        Family::Velocity(names.frame),
        velocity,
    );
    case.compare(names.target_acceleration, family, acceleration);
    case.compare(names.target_classical_acceleration, family, classical);
    Ok(())
}

/// Jacobians of the targets and their rates, and the accelerations J̇ v.
fn rates(case: &mut Case<'_>, names: &Names) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let reference = names.reference;
    let moving = model.forward_kinematics_velocities(case.ws, &x.q, &x.v)?;
    let mut out = DMatrix::zeros(6, model.nv());
    let (mut jacobians, mut rates) = (Vec::new(), Vec::new());
    for &target in &layout.targets {
        match target {
            Anchor::Joint(id) => moving.jacobian_into(id, reference, &mut out)?,
            Anchor::Frame(id) => moving.jacobian_into(id, reference, &mut out)?,
        }
        jacobians.extend(layout.their_columns(&out));
        match target {
            Anchor::Joint(id) => moving.jacobian_rate_into(id, reference, &mut out)?,
            Anchor::Frame(id) => moving.jacobian_rate_into(id, reference, &mut out)?,
        }
        rates.extend(layout.their_columns(&out));
    }
    let frames = layout.targets.iter().map(|&target| frame_of(model, target));
    let frames = frames.collect::<Result<Vec<FrameId>, Error>>()?;
    let bias = stack(frames.iter().map(|&frame| match reference {
        ReferenceFrame::LocalWorldAligned => moving.classical_bias_acceleration(frame, reference),
        ReferenceFrame::World | ReferenceFrame::Local => moving.bias_acceleration(frame, reference),
    }));
    let state = case.state;
    if let (Some(rates), Some(v)) = (state.values(names.jacobian_rate), state.values("v")) {
        let theirs = if v.is_empty() {
            vec![0.0; bias.len()]
        } else {
            product(rates, v)
        };
        case.derived(names.bias, Family::Acceleration(names.frame), bias, theirs);
    }
    let family = Family::Jacobian(names.frame);
    case.compare(names.jacobian, family, jacobians);
    case.compare(names.jacobian_rate, family, rates);
    Ok(())
}

pub(super) fn hessians(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let Some(frame) = layout.hessian else {
        return Ok(());
    };
    let mut out = vec![0.0; 6 * model.nv() * model.nv()];
    for names in &FRAMES {
        if case.has(names.hessian) {
            model.hessian_into(case.ws, &x.q, frame, names.reference, &mut out)?;
        }
        let hessian = layout.their_hessian(&out);
        case.compare(names.hessian, Family::Jacobian(names.frame), hessian);
    }
    Ok(())
}

fn frame_of(model: &Model, target: Anchor) -> Result<FrameId, Error> {
    match target {
        Anchor::Frame(id) => Ok(id),
        Anchor::Joint(id) => {
            let name = &model.joint(id).name;
            Ok(model.frame_id_of_kind(name, FrameKind::Joint)?)
        }
    }
}

fn stack(motions: impl Iterator<Item = Motion<f64>>) -> Vec<f64> {
    motions.flat_map(Motion::to_array).collect()
}

fn stack_placements(placements: impl Iterator<Item = Se3<f64>>) -> Vec<f64> {
    let matrices = placements.map(|placement| placement.to_homogeneous());
    matrices
        .flat_map(|matrix| matrix.into_iter().flatten())
        .collect()
}
