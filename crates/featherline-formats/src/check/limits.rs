//! Limits that keep joints from moving, and those that the neutral configuration violates.

use crate::description::Robot;
use crate::digits::{SHOWN, rounded};
use crate::warning::{Warning, WarningCause};
use featherline::Model;
use featherline::model::Joint;

/// A warning for each limit that keeps a joint from moving and that the reader did not warn of, as
/// in a model file, which has no lines. Cost O(n) and the number of warnings for each joint.
///
/// ```
/// use featherline_formats::{Robot, check::limits_without_lines, load_str};
///
/// let text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>
///   <parent link='a'/><child link='b'/><limit lower='0' upper='0' effort='1' velocity='1'/>
///   </joint></robot>";
/// let read = load_str(text)?;
/// assert!(limits_without_lines(&read).is_empty());
/// let saved = Robot::from_model(read.model);
/// assert!(limits_without_lines(&saved)[0].contains("it may not move"));
/// # Ok::<(), featherline_formats::Error>(())
/// ```
pub fn limits_without_lines(robot: &Robot) -> Vec<String> {
    let joints = robot.model.joint_ids().map(|id| robot.model.joint(id));
    let doubts = joints.filter(|joint| !robot.warnings.iter().any(|it| is_of(it, joint)));
    let messages = |joint| without_range(joint).into_iter().chain(without_drive(joint));
    doubts.flat_map(messages).collect()
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
    let at = shown(*at);
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
    let zero = checks.into_iter().filter(|it| it.1.contains(&0.0));
    zero.map(|(what, _, consequence)| {
        format!(
            "joint `{}`: the limit of {what} is 0, so that {consequence}; leave it out if it is not known",
            joint.name
        )
    })
}

/// A note that a joint's neutral configuration violates its limits.
pub(super) fn outside_limits(model: &Model, joint: &Joint) -> Option<String> {
    let mut neutral = vec![0.0; joint.kind.nq()];
    joint.kind.neutral(&mut neutral);
    let mimics = joint.mimic.map(|mimic| {
        // Where the mimicked joint is neutral, a mimic joint is at its offset.
        neutral.fill(mimic.offset);
        format!(", where it mimics `{}`", model.joint(mimic.source).name)
    });
    let bounds = joint.limits.lower.iter().zip(&joint.limits.upper);
    let mut entries = neutral.iter().zip(bounds);
    let (&q, (&lower, &upper)) = entries.find(|(q, (lower, upper))| *q < lower || *q > upper)?;
    Some(format!(
        "joint `{}`: the neutral configuration {}{} lies outside the limits [{}, {}], so that a \
         controller should not start there",
        joint.name,
        shown(q),
        mimics.unwrap_or_default(),
        shown(lower),
        shown(upper)
    ))
}

/// A number in a message.
fn shown(value: f64) -> f64 {
    rounded(value, SHOWN)
}
