//! Names of attributes, types of joints and numbers that are misspelt.

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

/// Numbers with commas: one in a number is its decimal sign, others are between numbers.
pub(super) fn commas(round: &Round<'_>, problem: Problem) -> Option<Proposal> {
    let (_, attribute) = round.attribute(problem.place)?;
    let is_decimal = |word: &str| match word.split_once(',') {
        Some((before, after)) => {
            !before.is_empty() && after.starts_with(|c: char| c.is_ascii_digit())
        }
        None => true,
    };
    let mut words = attribute.value.split_ascii_whitespace();
    let are_decimal = words.all(|word| word.matches(',').count() < 2 && is_decimal(word));
    let (new, reason) = match are_decimal {
        true => (
            attribute.value.replace(',', "."),
            "a decimal sign is a point: write it",
        ),
        false => {
            let parts = attribute.value.split([',', ' ', '\t', '\n', '\r']);
            let numbers: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
            (
                numbers.join(" "),
                "numbers have blanks between them, no commas: leave these out",
            )
        }
    };
    let mut numbers = new.split_ascii_whitespace();
    let are_numbers = numbers.all(|it| it.parse::<f64>().is_ok());
    let reason = format!("`{}`: {reason}", shortened(attribute.value));
    are_numbers.then(|| problem.proposal(reason, vec![value(&attribute, &new)]))
}
