//! Names of attributes, and types of joints, that are misspelt.

use super::proposal::{Proposal, renamed, value};
use super::round::{Problem, Round};
use crate::error::JOINT_TYPES;
use crate::mjcf::misspelt;
use crate::suggestion::meant;
use crate::warning::Severity;
use crate::xml::{Attribute, Element, shortened};

/// The attributes of URDF's elements, by the element and the one that it is in.
const URDF: [(&str, &str, &[&str]); 21] = [
    ("robot", "link", &["name", "type"]),
    ("robot", "joint", &["name", "type"]),
    ("robot", "material", &["name"]),
    ("link", "visual", &["name"]),
    ("link", "collision", &["name"]),
    ("inertial", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("visual", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("collision", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("joint", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("inertial", "mass", &["value"]),
    (
        "inertial",
        "inertia",
        &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"],
    ),
    ("geometry", "box", &["size"]),
    ("geometry", "sphere", &["radius"]),
    ("geometry", "cylinder", &["radius", "length"]),
    ("geometry", "capsule", &["radius", "length"]),
    ("geometry", "mesh", &["filename", "scale"]),
    ("joint", "axis", &["xyz"]),
    (
        "joint",
        "limit",
        &[
            "lower",
            "upper",
            "effort",
            "velocity",
            "acceleration",
            "jerk",
            "deceleration",
        ],
    ),
    ("joint", "dynamics", &["damping", "friction"]),
    ("joint", "mimic", &["joint", "multiplier", "offset"]),
    ("material", "color", &["rgba"]),
];

/// Attributes that can only mean another one, renamed.
pub(super) fn attributes(round: &Round<'_>) -> Vec<Proposal> {
    let Some(root) = round.roots().next() else {
        return Vec::new();
    };
    let found = match root.tag() {
        "mujoco" => misspelt(root, round.included),
        "robot" => urdf(root),
        _ => Vec::new(),
    };
    let found = found.into_iter().map(|(element, attribute, meant)| {
        let reason = format!(
            "`<{}>` has no attribute `{}`: rename it to `{meant}`",
            shortened(element.tag()),
            shortened(attribute.name)
        );
        let problem = Problem {
            code: "misspelt-attribute",
            severity: Some(Severity::Warning),
            place: attribute.source,
        };
        problem.proposal(reason, vec![renamed(&attribute, meant)])
    });
    found.collect()
}

fn urdf(root: Element<'_>) -> Vec<(Element<'_>, Attribute<'_>, &'static str)> {
    let mut found = Vec::new();
    for element in root.descendants() {
        let Some(parent) = element.parent() else {
            continue;
        };
        let mut rows = URDF.iter();
        let row = rows.find(|(outer, tag, _)| *outer == parent.tag() && *tag == element.tag());
        let Some((_, _, known)) = row else {
            continue;
        };
        for attribute in element.attributes() {
            let free = known.iter().copied();
            let free = free.filter(|it| element.attribute(it).is_none());
            if !known.contains(&attribute.name)
                && let Some(meant) = meant(attribute.name, free)
            {
                found.push((element, attribute, meant));
            }
        }
    }
    found
}

/// The type that a misspelt type of a joint can only mean.
pub(super) fn joint_type(round: &Round<'_>, problem: Problem, found: &str) -> Option<Proposal> {
    let (_, kind) = round.attribute(problem.place)?;
    let meant = meant(kind.value.trim(), JOINT_TYPES.into_iter())?;
    let reason = format!("`{found}` is not a type of joint: write `{meant}`");
    Some(problem.proposal(reason, vec![value(&kind, meant)]))
}
