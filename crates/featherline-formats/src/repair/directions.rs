//! Axes and quaternions of a URDF whose length is not one. In MJCF, MuJoCo itself normalises them.

use super::proposal::{Proposal, list, number, numbers, value};
use super::round::{Problem, Round};
use crate::digits::rounded;
use crate::value::largest;
use crate::warning::Severity;
use crate::xml::{Attribute, Element};

/// How far the length may be from one: figures of three digits.
const PRINTED_LENGTH: f64 = 1e-3;

/// Types of joints that have an axis.
const WITH_AXIS: [&str; 4] = ["revolute", "continuous", "prismatic", "planar"];

/// Axes and quaternions, divided by their length. Those of length zero need a choice.
pub(super) fn lengths(round: &Round<'_>) -> Vec<Proposal> {
    if round.is_mjcf() {
        return Vec::new();
    }
    let elements = round.all();
    let found = elements.filter_map(|element| axis(element).or_else(|| quaternion(element)));
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
        "the axis has length {length}: divide it by its length, because only its direction counts; check that no other \
         length or sign was meant"
    );
    let problem = Problem::new("axis-length", Severity::Note, attribute.source);
    Some(problem.proposal(reason, vec![value(&attribute, &list(&unit))]))
}

/// The quaternion of a URDF's `<origin>`.
fn quaternion(element: Element<'_>) -> Option<Proposal> {
    if element.tag() != "origin" {
        return None;
    }
    let attribute = element.attribute("quat_xyzw")?;
    let (length, unit) = normalised::<4>(&attribute)?;
    let reason =
        format!("the quaternion has length {length}: divide it by its length, as readers do");
    let problem = Problem::new("quaternion-length", Severity::Note, attribute.source);
    Some(problem.proposal(reason, vec![value(&attribute, &list(&unit))]))
}

/// The length of a vector, rounded, and its direction; none if it has length one or zero.
fn normalised<const N: usize>(attribute: &Attribute<'_>) -> Option<(String, [f64; N])> {
    let values = <[f64; N]>::try_from(&numbers(attribute)?[..]).ok()?;
    let largest = largest(&values);
    if largest == 0.0 {
        return None;
    }
    let scaled = values.map(|it| it / largest);
    let length = scaled.iter().map(|it| it * it).sum::<f64>().sqrt();
    let unit = scaled.map(|it| it / length);
    let total = largest * length;
    ((total - 1.0).abs() > PRINTED_LENGTH).then(|| (number(rounded(total, 4)), unit))
}
