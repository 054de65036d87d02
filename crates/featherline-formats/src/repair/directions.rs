//! Axes and quaternions whose length is not one.

use super::proposal::{Proposal, list, numbers, value};
use super::round::{Problem, Round};
use crate::xml::{Attribute, Element};

/// How far the length may be from one: figures of three digits.
const PRINTED_LENGTH: f64 = 1e-3;

/// Types of joints that have an axis.
const WITH_AXIS: [&str; 4] = ["revolute", "continuous", "prismatic", "planar"];

/// Axes and quaternions, divided by their length. Those of length zero need a choice.
pub(super) fn lengths(round: &Round<'_>) -> Vec<Proposal> {
    let is_mjcf = round.is_mjcf();
    let elements = round.all();
    let found = elements.filter_map(|element| match is_mjcf {
        true => quaternion(element, "quat"),
        false => axis(element).or_else(|| quaternion(element, "quat_xyzw")),
    });
    found.collect()
}

/// The axis of a URDF's joint.
fn axis(element: Element<'_>) -> Option<Proposal> {
    let joint = element.parent().filter(|it| it.tag() == "joint")?;
    let kind = joint.attribute("type")?.value;
    if element.tag() != "axis" || !WITH_AXIS.contains(&kind) {
        return None;
    }
    let attribute = element.attribute("xyz")?;
    let (length, unit) = normalised::<3>(&attribute)?;
    let reason = format!(
        "the axis has length {length}: it is normalised, because only its direction counts; check that no other length \
         or sign was meant"
    );
    let problem = Problem::note("axis-length", attribute.source);
    Some(problem.proposal(reason, vec![value(&attribute, &list(&unit))]))
}

/// Elements of MJCF and URDF whose pose may be given by a quaternion.
const WITH_POSE: [&str; 7] = [
    "body", "frame", "geom", "site", "camera", "inertial", "origin",
];

fn quaternion(element: Element<'_>, name: &str) -> Option<Proposal> {
    if !WITH_POSE.contains(&element.tag()) {
        return None;
    }
    let attribute = element.attribute(name)?;
    let (length, unit) = normalised::<4>(&attribute)?;
    let reason = format!("the quaternion has length {length}: it is normalised, as readers do");
    let problem = Problem::note("quaternion-length", attribute.source);
    Some(problem.proposal(reason, vec![value(&attribute, &list(&unit))]))
}

/// The length of a vector, rounded, and its direction; none if it has length one or zero.
fn normalised<const N: usize>(attribute: &Attribute<'_>) -> Option<(String, [f64; N])> {
    let values = <[f64; N]>::try_from(&numbers(attribute)?[..]).ok()?;
    let largest = values.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
    if largest == 0.0 {
        return None;
    }
    let scaled = values.map(|it| it / largest);
    let length = scaled.iter().map(|it| it * it).sum::<f64>().sqrt();
    let unit = scaled.map(|it| it / length);
    let total = largest * length;
    ((total - 1.0).abs() > PRINTED_LENGTH).then(|| {
        (
            super::proposal::number(super::proposal::rounded(total, 4)),
            unit,
        )
    })
}
