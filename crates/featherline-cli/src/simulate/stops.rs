//! The stops of joint limits.

use super::arguments::{SimulateArguments, Stops};
use crate::failure::Failure;
use featherline::Model;
use featherline_sim::integrator::forces::{Bumper, JointLimits};

/// The forces of joint limits: critically damped stops of each joint's own, or those that were
/// given, for all joints or for single ones.
pub fn joint_limits(
    arguments: &SimulateArguments,
    model: &Model,
    q: &[f64],
) -> Result<JointLimits, Failure> {
    let bad = |error| Failure::Simulation(format!("--limits: {error}"));
    let given = &arguments.limits;
    let of_all = given.iter().rev().find_map(Stops::of_all);
    let mut limits = match of_all {
        Some(bumper) => JointLimits::new(model, bumper),
        None => JointLimits::for_step(model, q, arguments.step()),
    }
    .map_err(bad)?;
    for (name, bumper) in given.iter().filter_map(Stops::of_joint) {
        let joint = model
            .joint_id(name)
            .map_err(|unknown| Failure::Simulation(format!("--limits: {unknown}")))?;
        let bounds = &model.joint(joint).limits;
        let mut bounds = bounds.lower.iter().chain(&bounds.upper);
        if bounds.all(|bound| bound.is_infinite()) {
            return Err(Failure::IdleOption {
                option: "--limits",
                why: format!("joint `{name}` has no limits"),
                instead: "leave the joint out, or add limits to the robot's description",
            });
        }
        limits = limits.with_bumper(joint, bumper).map_err(bad)?;
    }
    Ok(limits)
}

impl Stops {
    /// The bumper of all joints, if one was given.
    fn of_all(&self) -> Option<Bumper> {
        match *self {
            Self::Given {
                joint: None,
                stiffness,
                damping,
            } => Some(bumper(stiffness, damping)),
            Self::Own | Self::Given { .. } => None,
        }
    }

    /// A joint and its bumper, if it has its own.
    fn of_joint(&self) -> Option<(&str, Bumper)> {
        match self {
            Self::Given {
                joint: Some(joint),
                stiffness,
                damping,
            } => Some((joint, bumper(*stiffness, *damping))),
            Self::Own | Self::Given { .. } => None,
        }
    }
}

fn bumper(stiffness: f64, damping: f64) -> Bumper {
    Bumper {
        stiffness,
        damping,
        depth: JointLimits::DEPTH,
    }
}
