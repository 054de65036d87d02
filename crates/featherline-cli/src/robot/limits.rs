//! Limits that keep joints from moving, of robots that no reader has warned of: model files have no
//! lines.

use super::Robot;
use featherline::model::Joint;
use featherline_formats::{Warning, WarningCause};
use featherline_record::number::short;

/// A warning for each such limit that the reader did not warn of.
pub fn limits_without_lines(robot: &Robot) -> Vec<String> {
    let joints = robot.model.joint_ids().map(|id| robot.model.joint(id));
    let doubts = joints.filter(|joint| !robot.warnings.iter().any(|it| is_of(it, joint)));
    doubts
        .flat_map(|joint| without_range(joint).into_iter().chain(without_drive(joint)))
        .collect()
}

/// Whether a warning is of limits of a joint.
fn is_of(warning: &Warning, joint: &Joint) -> bool {
    let path = warning.location.element.as_deref().unwrap_or_default();
    matches!(
        warning.cause,
        WarningCause::NoRange | WarningCause::EqualLimits { .. } | WarningCause::ZeroBound { .. }
    ) && path.contains(&format!("[@name='{}']", joint.name))
}

/// A warning that equal limits, such as 0 and 0, leave a joint no range.
fn without_range(joint: &Joint) -> Option<String> {
    let (lower, upper) = (&joint.limits.lower, &joint.limits.upper);
    let mut limits = lower.iter().zip(upper);
    let (at, _) = limits.find(|(lower, upper)| lower == upper)?;
    let at = short(*at);
    Some(format!(
        "joint `{}`: the limits are {at} and {at}, so that it may not move; correct them, or leave them out if they are \
         not known",
        joint.name
    ))
}

/// Warnings that limits of zero keep a joint from moving, or from being driven.
fn without_drive(joint: &Joint) -> impl Iterator<Item = String> {
    let limits = &joint.limits;
    let checks = [
        ("velocity", &limits.velocity, "it may not move"),
        ("effort", &limits.effort, "nothing may drive it"),
    ];
    let zero = checks
        .into_iter()
        .filter(|(_, values, _)| values.contains(&0.0));
    zero.map(|(what, _, consequence)| {
        format!(
            "joint `{}`: the limit of {what} is 0, so that {consequence}; leave it out if it is not known",
            joint.name
        )
    })
}
