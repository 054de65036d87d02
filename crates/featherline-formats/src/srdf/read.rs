//! Elements of an SRDF, read one by one.

use super::parts::{JointName, Parts};
use super::{collisions, groups, states};
use crate::description::{
    Description, EndEffector, JointProperty, KeptElement, LinkSpheres, Owner, VirtualJoint,
};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, not_allowed};
use crate::value::{required, required_name, required_not_negative, required_number, vector};
use crate::warning::WarningCause;
use crate::xml::{Element, shortened};
use featherline::Model;
use featherline::spatial::Vec3;
use std::collections::HashSet;

/// The elements that are read.
const READ: [&str; 11] = [
    "group",
    "group_state",
    "end_effector",
    "virtual_joint",
    "passive_joint",
    "disable_collisions",
    "enable_collisions",
    "disable_default_collisions",
    "link_sphere_approximation",
    "joint_property",
    "rotor_params",
];

/// Reads the root element into a description, and states and rotors into a model of it.
pub(super) fn read(
    root: Element<'_>,
    description: &mut Description,
    mut model: Option<&mut Model>,
    report: &mut Report<'_>,
) {
    report.unused_except(root, &["name", "version"], &READ);
    if let Some(name) = root.attribute("name")
        && name.value != description.name
    {
        let cause = WarningCause::OtherRobot {
            name: shortened(name.value),
            robot: shortened(&description.name),
        };
        report.warn(name.source, cause);
    }
    for child in root.children().filter(|it| !READ.contains(&it.tag())) {
        let kept = KeptElement::as_written("SRDF", Owner::Robot, child);
        description.kept.push(kept);
    }
    let mut parts = Parts::of(description);
    let of = |tag: &'static str| root.children().filter(move |it| it.tag() == tag);
    for element in of("virtual_joint") {
        match virtual_joint(element, &parts, report) {
            Ok(joint) => {
                let index = description.semantics.virtual_joints.len();
                parts.add_virtual(&joint.name, index);
                description.semantics.virtual_joints.push(joint);
            }
            Err(fault) => report.left_out("the virtual joint", *fault),
        }
    }
    for element in of("passive_joint") {
        match passive_joint(element, &parts, report) {
            Ok(Some(joint)) => description.semantics.passive_joints.push(joint),
            Ok(None) => {}
            Err(fault) => report.left_out("the passive joint", *fault),
        }
    }
    let elements: Vec<_> = of("group").collect();
    groups::read(&elements, &mut parts, description, report);
    for element in of("end_effector") {
        match end_effector(element, &parts, report) {
            Ok(effector) => description.semantics.end_effectors.push(effector),
            Err(fault) => report.left_out("the end effector", *fault),
        }
    }
    collisions::read(root, &parts, description, report);
    for element in of("link_sphere_approximation") {
        match spheres(element, &parts, report) {
            Ok(spheres) => description.semantics.spheres.push(spheres),
            Err(fault) => report.left_out("the approximation by spheres", *fault),
        }
    }
    for element in of("joint_property") {
        match joint_property(element, &parts, report) {
            Ok(property) => description.semantics.joint_properties.push(property),
            Err(fault) => report.left_out("the joint's property", *fault),
        }
    }
    let mut seen = HashSet::new();
    for element in of("rotor_params") {
        report.unused_except(element, &[], &["joint"]);
        for joint in element.children().filter(|it| it.tag() == "joint") {
            report.unused_except(joint, &["name", "mass", "gear_ratio"], &[]);
            let outcome = rotor(joint, &parts, description, model.as_deref_mut(), &mut seen);
            if let Err(fault) = outcome {
                report.left_out("the rotor", *fault);
            }
        }
    }
    let elements: Vec<_> = of("group_state").collect();
    states::read(&elements, &parts, description, model, report);
    for (kind, named, known) in parts.named() {
        report.fold_names(kind, named, known);
    }
}

fn virtual_joint(
    element: Element<'_>,
    parts: &Parts,
    report: &mut Report<'_>,
) -> Outcome<VirtualJoint> {
    const ATTRIBUTES: [&str; 4] = ["name", "type", "parent_frame", "child_link"];
    report.unused_except(element, &ATTRIBUTES, &[]);
    let kind = required(element, "type")?;
    if !["fixed", "floating", "planar"].contains(&kind.value) {
        let cause = ErrorCause::UnknownWord {
            attribute: "type",
            found: shortened(kind.value),
            expected: "`fixed`, `floating` or `planar`".to_owned(),
        };
        return Err(fault(kind.source, cause));
    }
    Ok(VirtualJoint {
        name: required_name(element, "name")?.to_owned(),
        kind: kind.value.to_owned(),
        parent_frame: required_name(element, "parent_frame")?.to_owned(),
        child: parts.link(element, "child_link")?,
        source: element.source(),
    })
}

/// The index of a joint that nothing drives; none for one that is no joint of the description.
fn passive_joint(
    element: Element<'_>,
    parts: &Parts,
    report: &mut Report<'_>,
) -> Outcome<Option<usize>> {
    report.unused_except(element, &["name"], &[]);
    match parts.joint(element, "name")? {
        JointName::Joint(index) => Ok(Some(index)),
        JointName::Root | JointName::Virtual(_) => {
            let what = "`<passive_joint>` of a joint to the world".to_owned();
            report.unused(what, element.source());
            Ok(None)
        }
    }
}

fn end_effector(
    element: Element<'_>,
    parts: &Parts,
    report: &mut Report<'_>,
) -> Outcome<EndEffector> {
    const ATTRIBUTES: [&str; 4] = ["name", "parent_link", "group", "parent_group"];
    report.unused_except(element, &ATTRIBUTES, &[]);
    let mut group = |name| match (element.attribute(name), parts.group(element, name)) {
        (None, _) => None,
        // An end effector without a parent group is written with an empty one, too.
        (Some(it), _) if it.value.is_empty() && name == "parent_group" => None,
        (Some(_), Ok(group)) => Some(group),
        (Some(_), Err(fault)) => {
            report.left_out("the group of the end effector", *fault);
            None
        }
    };
    let (own, above) = (group("group"), group("parent_group"));
    required(element, "group")?;
    Ok(EndEffector {
        name: required_name(element, "name")?.to_owned(),
        parent: parts.link(element, "parent_link")?,
        group: own,
        parent_group: above,
        source: element.source(),
    })
}

fn spheres(element: Element<'_>, parts: &Parts, report: &mut Report<'_>) -> Outcome<LinkSpheres> {
    report.unused_except(element, &["link"], &["sphere"]);
    let link = parts.link(element, "link")?;
    let mut spheres = Vec::new();
    for sphere in element.children().filter(|it| it.tag() == "sphere") {
        report.unused_except(sphere, &["center", "radius"], &[]);
        required(sphere, "center")?;
        let center = vector(sphere, "center")?.unwrap_or_else(Vec3::zero);
        let radius = required_not_negative(sphere, "radius")?;
        spheres.push((center, radius));
    }
    Ok(LinkSpheres {
        link,
        spheres,
        source: element.source(),
    })
}

fn joint_property(
    element: Element<'_>,
    parts: &Parts,
    report: &mut Report<'_>,
) -> Outcome<JointProperty> {
    report.unused_except(element, &["joint_name", "property_name", "value"], &[]);
    parts.joint(element, "joint_name")?;
    Ok(JointProperty {
        joint: required_name(element, "joint_name")?.to_owned(),
        name: required_name(element, "property_name")?.to_owned(),
        value: required(element, "value")?.value.to_owned(),
        source: element.source(),
    })
}

/// Reads the rotor of a joint: `mass`, which is its inertia in kg·m², and `gear_ratio`.
fn rotor(
    element: Element<'_>,
    parts: &Parts,
    description: &mut Description,
    model: Option<&mut Model>,
    seen: &mut HashSet<usize>,
) -> Outcome<()> {
    let inertia = required_not_negative(element, "mass")?;
    let ratio = required_number(element, "gear_ratio")?;
    let index = match parts.joint(element, "name")? {
        JointName::Joint(index) => Some(index),
        JointName::Root | JointName::Virtual(_) => None,
    };
    let has_freedom = |it: &usize| description.joints[*it].motion.has_one_displacement();
    let Some(index) = index.filter(has_freedom) else {
        let what = "the joint does not have one degree of freedom";
        let remedy = "a rotor drives a revolute, continuous or prismatic joint";
        return Err(not_allowed(element.source(), what, remedy));
    };
    if !seen.insert(index) {
        let what = "the joint has a rotor already";
        return Err(not_allowed(element.source(), what, "keep one"));
    }
    let joint = &mut description.joints[index];
    joint.drive.rotor_inertia.fill(inertia);
    joint.drive.gear_ratio.fill(ratio);
    let Some(model) = model else { return Ok(()) };
    if let Ok(id) = model.joint_id(&joint.name) {
        let mut drive = model.joint(id).drive.clone();
        drive.rotor_inertia.fill(inertia);
        drive.gear_ratio.fill(ratio);
        let changed = model.clone().with_drive(id, drive);
        *model = changed.map_err(|error| fault(element.source(), ErrorCause::Model(error)))?;
    }
    Ok(())
}
