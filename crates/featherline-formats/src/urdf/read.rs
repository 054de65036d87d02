//! Elements of a URDF, read one by one.

use super::geometry::shapes;
use super::references::{NameTable, named};
use super::value::{missing, origin};
use crate::description::{Description, Inertial, Joint, KeptElement, Link, Mimic, Motion, Owner};
use crate::error::ErrorCause;
use crate::options::{LoadOptions, MimicJoints};
use crate::report::{Faults, Outcome, Report, fault};
use crate::resolve::Resolver;
use crate::suggestion::{prefixed, similar};
use crate::value::{
    bound, negative, number, required, required_name, required_number, single, vector,
};
use crate::warning::WarningCause;
use crate::xml::{Element, shortened};
use featherline::spatial::{Sym3, Vec3};

/// Reads the root element, `<robot>`, into an empty description.
pub(crate) fn read(
    root: Element<'_>,
    options: &LoadOptions,
    resolver: &mut Resolver<'_>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<()> {
    let known = ["link", "joint", "material"];
    report.unused_except(root, &["name", "version"], &known);
    keep_rest(root, Owner::Robot, &known, description);
    description.source = root.source();
    description.prefixes = root.prefixes();
    description.name = match root.attribute("name") {
        Some(name) if !name.value.trim().is_empty() => name.value.to_owned(),
        _ => {
            report.warn(root.source(), WarningCause::NoRobotName);
            "robot".to_owned()
        }
    };
    super::geometry::materials(root, description, report);
    // Links and joints are read on behind an error; what follows from several of them is not.
    let mut faults = Faults::default();
    for element in root.children().filter(|it| it.tag() == "link") {
        let link = link(element, &mut faults, report).map_err(|it| faults.with(*it))?;
        let index = description.add_link(link);
        keep_rest(element, Owner::Link(index), &LINK, description);
        shapes(element, index, resolver, description, report);
    }
    let links = description.links.iter().map(|it| (&it.name, it.source));
    let links = named("links", links, report).map_err(|it| faults.with(*it))?;
    let elements: Vec<_> = root.children().filter(|it| it.tag() == "joint").collect();
    let read = elements.iter().map(|it| joint(*it, &links, report));
    let mut joints = faults.all(read)?;
    let named_joints = joints.iter().map(|it| (&it.name, it.source));
    let named_joints = named("joints", named_joints, report)?;
    let read = joints.iter().zip(&elements);
    let read = read.map(|(joint, it)| mimic(joint, *it, options.mimic, &named_joints, report));
    let laws = faults.all(read)?;
    for (joint, law) in joints.iter_mut().zip(laws) {
        joint.mimic = law;
    }
    for (index, &element) in elements.iter().enumerate() {
        keep_rest(element, Owner::Joint(index), &JOINT, description);
    }
    description.joints = joints;
    Ok(())
}

/// Keeps the elements in another one that are not read.
fn keep_rest(element: Element<'_>, owner: Owner, read: &[&str], description: &mut Description) {
    for child in element.children().filter(|it| !read.contains(&it.tag())) {
        let kept = KeptElement::as_written("URDF", owner, child);
        description.kept.push(kept);
    }
}

/// Elements of a link that are read.
const LINK: [&str; 3] = ["inertial", "visual", "collision"];

/// The attributes of an `<inertia>`.
pub(crate) const MOMENTS: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

/// A link; without its inertia, if that is at fault.
fn link(element: Element<'_>, faults: &mut Faults, report: &mut Report<'_>) -> Outcome<Link> {
    let name = required_name(element, "name")?;
    report.unused_except(element, &["name"], &LINK);
    let mut link = Link::new(name);
    link.source = element.source();
    let inner = single(element, "inertial", report);
    let inertial = inner.and_then(|inner| inner.map(|it| inertial(it, report)).transpose());
    match inertial {
        Ok(inertial) => link.inertial = inertial,
        Err(fault) => faults.add(*fault),
    }
    Ok(link)
}

fn inertial(element: Element<'_>, report: &mut Report<'_>) -> Outcome<Inertial> {
    report.unused_except(element, &[], &["origin", "mass", "inertia"]);
    let origin = origin(element, report)?;
    let mass_element = needed(element, "mass", report)?;
    report.unused_except(mass_element, &["value"], &[]);
    let mass = required_number(mass_element, "value")?;
    // The model's builder warns of it where it is permitted.
    if mass < 0.0 && !report.is_permissive() {
        let mut fault = negative(mass_element, "value", mass);
        fault.is_permissible = true;
        return Err(fault);
    }
    let moments = needed(element, "inertia", report)?;
    report.unused_except(moments, &MOMENTS, &[]);
    let mut values = [0.0; 6];
    for (value, name) in values.iter_mut().zip(MOMENTS) {
        *value = required_number(moments, name)?;
    }
    let [xx, xy, xz, yy, yz, zz] = values;
    let mut inertial = Inertial::new(origin, mass, Sym3::new(xx, xy, xz, yy, yz, zz));
    inertial.source = moments.source();
    Ok(inertial)
}

fn needed<'a>(parent: Element<'a>, tag: &'static str, report: &Report<'_>) -> Outcome<Element<'a>> {
    single(parent, tag, report)?.ok_or_else(|| missing(parent, tag))
}

/// Elements of a joint that are read; those from the fourth on have no meaning for some types.
const JOINT: [&str; 7] = [
    "origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
];

fn joint(element: Element<'_>, links: &NameTable<'_>, report: &mut Report<'_>) -> Outcome<Joint> {
    let name = required_name(element, "name")?;
    let kind = required(element, "type")?;
    report.unused_except(element, &["name", "type"], &JOINT);
    let axis = match kind.value {
        "fixed" | "floating" => Vec3::zero(),
        _ => axis(element, report)?,
    };
    let motion = match kind.value {
        "revolute" => Motion::Revolute { axis },
        "continuous" => Motion::Continuous { axis },
        "prismatic" => Motion::Prismatic { axis },
        "planar" => Motion::Planar { normal: axis },
        "floating" => Motion::Floating,
        "fixed" => Motion::Fixed,
        other => {
            let found = shortened(other);
            return Err(fault(kind.source, ErrorCause::UnknownJointType { found }));
        }
    };
    unused_by(&motion, element, report);
    let origin = origin(element, report)?;
    let parent = link_reference(element, "parent", links, report)?;
    let child = link_reference(element, "child", links, report)?;
    let mut joint = Joint::new(name, parent, child, motion);
    joint.placement = origin;
    joint.source = element.source();
    dynamics(&mut joint, element, report)?;
    limits(&mut joint, element, report)?;
    Ok(joint)
}

/// Adds warnings for elements that have no meaning for a type of joint.
fn unused_by(motion: &Motion, joint: Element<'_>, report: &mut Report<'_>) {
    let unused: &[&str] = match motion {
        Motion::Fixed => &JOINT[3..],
        // `<mimic>` is an error there, unless mimic joints move freely.
        Motion::Floating => &["axis", "limit", "dynamics"],
        Motion::Planar { .. } => &["limit", "dynamics"],
        Motion::Revolute { .. }
        | Motion::Continuous { .. }
        | Motion::Prismatic { .. }
        | Motion::Other(_) => &[],
    };
    for child in joint.children().filter(|it| unused.contains(&it.tag())) {
        let what = format!("`<{}>` in a {} joint", child.tag(), motion.name());
        report.unused(what, child.source());
    }
}

fn axis(joint: Element<'_>, report: &mut Report<'_>) -> Outcome<Vec3<f64>> {
    let Some(element) = single(joint, "axis", report)? else {
        return Ok(Vec3::unit(0));
    };
    report.unused_except(element, &["xyz"], &[]);
    required(element, "xyz")?;
    let axis = vector(element, "xyz")?.unwrap_or_else(Vec3::zero);
    if axis == Vec3::zero() {
        return Err(fault(element.source(), ErrorCause::ZeroAxis));
    }
    Ok(axis)
}

fn link_reference(
    joint: Element<'_>,
    tag: &'static str,
    links: &NameTable<'_>,
    report: &mut Report<'_>,
) -> Outcome<usize> {
    let element = needed(joint, tag, report)?;
    report.unused_except(element, &["link"], &[]);
    let name = required_name(element, "link")?;
    links.index(name).ok_or_else(|| {
        let cause = ErrorCause::UnknownLink {
            name: shortened(name),
            suggestion: links.similar(name),
        };
        fault(element.source(), cause)
    })
}

fn limits(joint: &mut Joint, element: Element<'_>, report: &mut Report<'_>) -> Outcome<()> {
    if !joint.motion.has_one_displacement() {
        return Ok(());
    }
    let turns_on = matches!(joint.motion, Motion::Continuous { .. });
    let Some(limit) = single(element, "limit", report)? else {
        if !turns_on {
            report.warn(element.source(), WarningCause::NoLimit);
        }
        return Ok(());
    };
    const BOUNDS: [&str; 5] = ["lower", "upper", "velocity", "effort", "acceleration"];
    report.unused_except(limit, &BOUNDS, &[]);
    let (lower, upper) = (bound(limit, "lower")?, bound(limit, "upper")?);
    if turns_on {
        for name in ["lower", "upper"] {
            if let Some(attribute) = limit.attribute(name) {
                let what = format!("the attribute `{name}` of a continuous joint's `<limit>`");
                report.unused(what, attribute.source);
            }
        }
    } else {
        range(joint, limit, (lower, upper), report)?;
    }
    // The bound of acceleration is one of URDF 1.2, and may be missing.
    for (attribute, values) in [
        ("velocity", &mut joint.limits.velocity),
        ("effort", &mut joint.limits.effort),
        ("acceleration", &mut joint.limits.acceleration),
    ] {
        let cause = match bound(limit, attribute)? {
            Some(most) if most < 0.0 => {
                report.impossible("the bound", negative(limit, attribute, most))?;
                continue;
            }
            Some(most) => {
                values.fill(most);
                (most == 0.0).then_some(WarningCause::ZeroBound { attribute })
            }
            None => Some(WarningCause::NoBound { attribute }),
        };
        if let Some(cause) = cause.filter(|_| attribute != "acceleration") {
            report.warn(limit.source(), cause);
        }
    }
    Ok(())
}

/// The least and the greatest displacement; either is 0 where it is not given.
fn range(
    joint: &mut Joint,
    limit: Element<'_>,
    given: (Option<f64>, Option<f64>),
    report: &mut Report<'_>,
) -> Outcome<()> {
    let (lower, upper) = (given.0.unwrap_or(0.0), given.1.unwrap_or(0.0));
    if lower > upper {
        let cause = ErrorCause::EmptyRange { lower, upper };
        return report.impossible("the range", fault(limit.source(), cause));
    }
    if given == (None, None) {
        report.warn(limit.source(), WarningCause::NoRange);
    } else if lower == upper {
        report.warn(limit.source(), WarningCause::EqualLimits { at: lower });
    }
    joint.limits.lower.fill(lower);
    joint.limits.upper.fill(upper);
    Ok(())
}

fn dynamics(joint: &mut Joint, element: Element<'_>, report: &mut Report<'_>) -> Outcome<()> {
    if !joint.motion.has_one_displacement() {
        return Ok(());
    }
    let Some(element) = single(element, "dynamics", report)? else {
        return Ok(());
    };
    report.unused_except(element, &["damping", "friction"], &[]);
    for (name, values) in [
        ("damping", &mut joint.drive.damping),
        ("friction", &mut joint.drive.friction),
    ] {
        let value = number(element, name)?.unwrap_or(0.0);
        if value < 0.0 {
            report.impossible("the value", negative(element, name, value))?;
            continue;
        }
        values.fill(value);
    }
    Ok(())
}

fn mimic(
    joint: &Joint,
    element: Element<'_>,
    how: MimicJoints,
    joints: &NameTable<'_>,
    report: &mut Report<'_>,
) -> Outcome<Option<Mimic>> {
    if joint.motion == Motion::Fixed {
        return Ok(None);
    }
    let Some(element) = single(element, "mimic", report)? else {
        return Ok(None);
    };
    report.unused_except(element, &["joint", "multiplier", "offset"], &[]);
    let name = required_name(element, "joint")?;
    let (ratio, offset) = (number(element, "multiplier")?, number(element, "offset")?);
    let Some(mimicked) = joints.index(name) else {
        let name = shortened(name);
        if how == MimicJoints::Free || report.is_permissive() {
            report.warn(element.source(), WarningCause::UnknownMimicked { name });
            return Ok(None);
        }
        let near = prefixed(&name, &joint.name, joints.names()).map(str::to_owned);
        let others = joints.names().filter(|it| *it != joint.name);
        let suggestion = near.or_else(|| similar(&name, others));
        let cause = ErrorCause::UnknownMimicked { name, suggestion };
        let mut fault = fault(element.source(), cause);
        fault.is_permissible = true;
        return Err(fault);
    };
    let mut law = Mimic::new(mimicked, ratio.unwrap_or(1.0), offset.unwrap_or(0.0));
    law.source = element.source();
    Ok(Some(law))
}
