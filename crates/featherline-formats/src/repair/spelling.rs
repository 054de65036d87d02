//! Names of elements and attributes, types of joints and numbers that are misspelt.

use super::proposal::{Proposal, renamed, renamed_element, value};
use super::round::{Problem, Round};
use crate::error::JOINT_TYPES;
use crate::mjcf::{Misspelt, misspelt};
use crate::suggestion::meant;
use crate::urdf::MOMENTS;
use crate::warning::Severity;
use crate::xml::{Element, shortened};
use std::collections::HashMap;

/// The attributes of a `<limit>`.
const LIMITS: [&str; 7] = [
    "lower",
    "upper",
    "effort",
    "velocity",
    "acceleration",
    "jerk",
    "deceleration",
];

/// URDF's elements by the one that they are in, with their attributes.
const URDF: [(&str, &str, &[&str]); 28] = [
    ("robot", "link", &["name", "type"]),
    ("robot", "joint", &["name", "type"]),
    ("robot", "material", &["name"]),
    ("link", "inertial", &[]),
    ("link", "visual", &["name"]),
    ("link", "collision", &["name"]),
    ("inertial", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("visual", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("collision", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("joint", "origin", &["xyz", "rpy", "quat_xyzw"]),
    ("inertial", "mass", &["value"]),
    ("inertial", "inertia", &MOMENTS),
    ("visual", "geometry", &[]),
    ("visual", "material", &["name"]),
    ("collision", "geometry", &[]),
    ("geometry", "box", &["size"]),
    ("geometry", "sphere", &["radius"]),
    ("geometry", "cylinder", &["radius", "length"]),
    ("geometry", "capsule", &["radius", "length"]),
    ("geometry", "mesh", &["filename", "scale"]),
    ("joint", "parent", &["link"]),
    ("joint", "child", &["link"]),
    ("joint", "axis", &["xyz"]),
    ("joint", "limit", &LIMITS),
    ("joint", "dynamics", &["damping", "friction"]),
    ("joint", "mimic", &["joint", "multiplier", "offset"]),
    ("material", "color", &["rgba"]),
    ("material", "texture", &["filename"]),
];

/// Elements in another one that there may be several of.
const SEVERAL: [(&str, &str); 5] = [
    ("robot", "link"),
    ("robot", "joint"),
    ("robot", "material"),
    ("link", "visual"),
    ("link", "collision"),
];

/// Elements and attributes that can only mean another one, renamed.
pub(super) fn names(round: &Round<'_>) -> Vec<Proposal> {
    let Some(root) = round.roots().next() else {
        return Vec::new();
    };
    let found = match root.tag() {
        "mujoco" => misspelt(root, round.included),
        "robot" => urdf(root),
        _ => Misspelt::default(),
    };
    let elements = found.elements.into_iter().map(|(element, meant)| {
        let parent = element.parent().map_or("", Element::tag);
        let (parent, tag) = (shortened(parent), shortened(element.tag()));
        let reason = format!("`<{parent}>` has no `<{tag}>`: rename it to `<{meant}>`");
        let problem = Problem::new("misspelt-element", Severity::Warning, element.source());
        problem.proposal(reason, renamed_element(element, meant))
    });
    let attributes = found.attributes.into_iter();
    let attributes = attributes.map(|(element, attribute, meant)| {
        let (tag, name) = (shortened(element.tag()), shortened(attribute.name));
        let reason = format!("`<{tag}>` has no attribute `{name}`: rename it to `{meant}`");
        let problem = Problem::new("misspelt-attribute", Severity::Warning, attribute.source);
        problem.proposal(reason, vec![renamed(&attribute, meant)])
    });
    elements.chain(attributes).collect()
}

/// The attributes of an element in another one of a URDF; none if there is no such element.
fn known(parent: &str, tag: &str) -> Option<&'static [&'static str]> {
    let mut rows = URDF.iter();
    let row = rows.find(|(outer, inner, _)| *outer == parent && *inner == tag);
    row.map(|(_, _, attributes)| *attributes)
}

/// The elements in one of a URDF that it does not have, each with the one that it can only mean.
pub(super) fn misspelt_in(
    parent: Element<'_>,
) -> impl Iterator<Item = (Element<'_>, &'static str)> {
    misspelt_as(parent, parent.tag())
}

/// The same, of an element by the tag that it is to have.
fn misspelt_as<'a>(
    parent: Element<'a>,
    tag: &'a str,
) -> impl Iterator<Item = (Element<'a>, &'static str)> {
    let children = parent.children();
    let unknown = children.filter(move |it| known(tag, it.tag()).is_none());
    unknown.filter_map(move |it| Some((it, meant(it.tag(), tags_in(tag))?)))
}

/// The elements that one of a URDF has.
fn tags_in(parent: &str) -> impl Iterator<Item = &'static str> {
    let rows = URDF.iter().filter(move |(outer, _, _)| *outer == parent);
    rows.map(|(_, tag, _)| *tag)
}

/// Whether what a misspelt element in one of a tag has fits the element that is meant.
fn fits(tag: &str, element: Element<'_>, meant_tag: &str) -> bool {
    let own = known(tag, meant_tag).unwrap_or_default();
    let has_attribute =
        |name: &str| own.contains(&name) || meant(name, own.iter().copied()).is_some();
    let has_inside = |inner: &str| {
        known(meant_tag, inner).is_some() || meant(inner, tags_in(meant_tag)).is_some()
    };
    element.attributes().all(|it| has_attribute(it.name))
        && element.children().all(|it| has_inside(it.tag()))
}

fn urdf(root: Element<'_>) -> Misspelt<'_> {
    let mut found = Misspelt::default();
    // Elements by the tags that they have, or are to have.
    let mut open = vec![(root, root.tag())];
    while let Some((parent, tag)) = open.pop() {
        let mut children: Vec<(Element<'_>, &str)> =
            parent.children().map(|it| (it, it.tag())).collect();
        let misspelt: Vec<(Element<'_>, &'static str)> = misspelt_as(parent, tag).collect();
        // How many there would be of each.
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (_, tag) in children.iter().chain(&misspelt) {
            *counts.entry(tag).or_default() += 1;
        }
        for (element, meant) in misspelt {
            let has_room = SEVERAL.contains(&(tag, meant)) || counts[meant] == 1;
            if has_room && fits(tag, element, meant) {
                found.elements.push((element, meant));
                children.push((element, meant));
            }
        }
        for (element, own) in children {
            let Some(known) = known(tag, own) else {
                continue;
            };
            open.push((element, own));
            for attribute in element.attributes() {
                let free = known.iter().copied();
                let free = free.filter(|it| element.attribute(it).is_none());
                if !known.contains(&attribute.name)
                    && let Some(meant) = meant(attribute.name, free)
                {
                    found.attributes.push((element, attribute, meant));
                }
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
            let is_fraction = after.starts_with(|c: char| c.is_ascii_digit());
            !before.is_empty() && is_fraction && !after.contains(',')
        }
        None => true,
    };
    let (new, reason) = if attribute.value.split_ascii_whitespace().all(is_decimal) {
        let new = attribute.value.replace(',', ".");
        (new, "a decimal sign is a point: write it")
    } else {
        let parts = attribute.value.split([',', ' ', '\t', '\n', '\r']);
        let numbers: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
        let reason = "numbers have blanks between them, no commas: leave these out";
        (numbers.join(" "), reason)
    };
    let mut numbers = new.split_ascii_whitespace();
    let are_numbers = numbers.all(|it| it.parse::<f64>().is_ok());
    let reason = format!("`{}`: {reason}", shortened(attribute.value));
    are_numbers.then(|| problem.proposal(reason, vec![value(&attribute, &new)]))
}
