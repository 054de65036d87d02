//! Elements of a URDF, read one by one; references between them are not resolved yet.

use super::report::{Outcome, Report, attribute_fault, fault};
use super::value::{
    bound, number, placement, required, required_name, required_number, single, vector,
};
use super::{UrdfErrorCause, UrdfWarningCause};
use crate::xml::{Element, shortened};
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};

/// The types of joints that a URDF can have.
pub(super) const JOINT_TYPES: [&str; 6] = [
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
];

/// A robot as its file describes it.
pub(super) struct Description<'a> {
    pub(super) root: Element<'a>,
    pub(super) name: &'a str,
    pub(super) links: Vec<Link<'a>>,
    pub(super) joints: Vec<Joint<'a>>,
}

pub(super) struct Link<'a> {
    pub(super) element: Element<'a>,
    pub(super) name: &'a str,
    pub(super) inertial: Option<Inertial<'a>>,
}

pub(super) struct Inertial<'a> {
    pub(super) moments: Element<'a>,
    /// In the link's frame.
    pub(super) value: Inertia<f64>,
}

pub(super) struct Joint<'a> {
    pub(super) element: Element<'a>,
    pub(super) name: &'a str,
    pub(super) motion: Motion,
    pub(super) parent: Reference<'a>,
    pub(super) child: Reference<'a>,
    pub(super) origin: Se3<f64>,
    pub(super) bounds: Bounds,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) mimic: Option<Mimic<'a>>,
}

/// How a joint moves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Motion {
    Revolute(Vec3<f64>),
    Continuous(Vec3<f64>),
    Prismatic(Vec3<f64>),
    Planar(Vec3<f64>),
    Floating,
    Fixed,
}

/// A name of something else, and the element that has it.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a> {
    pub(super) element: Element<'a>,
    pub(super) name: &'a str,
}

/// Bounds of a joint's motion and effort; infinite where there are none.
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) velocity: f64,
    pub(super) effort: f64,
}

/// The law of a mimic joint.
pub(super) struct Mimic<'a> {
    pub(super) source: Reference<'a>,
    pub(super) ratio: f64,
    pub(super) offset: f64,
}

impl Motion {
    /// The name that URDF has for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Revolute(_) => "revolute",
            Self::Continuous(_) => "continuous",
            Self::Prismatic(_) => "prismatic",
            Self::Planar(_) => "planar",
            Self::Floating => "floating",
            Self::Fixed => "fixed",
        }
    }

    /// Whether there is one displacement, which limits, damping and friction belong to and which
    /// can be mimicked.
    pub(super) fn has_one_displacement(self) -> bool {
        matches!(
            self,
            Self::Revolute(_) | Self::Continuous(_) | Self::Prismatic(_)
        )
    }
}

/// Reads the root element.
pub(super) fn description<'a>(
    root: Element<'a>,
    report: &mut Report<'_>,
) -> Outcome<Description<'a>> {
    if root.tag() != "robot" {
        let root_tag = shortened(root.tag());
        return Err(fault(root, UrdfErrorCause::NotUrdf { root: root_tag }));
    }
    report.unused_except(root, &["name", "version"], &["link", "joint"]);
    let mut name = root
        .attribute("name")
        .map_or("", |attribute| attribute.value);
    if name.trim().is_empty() {
        report.warn(root, UrdfWarningCause::NoRobotName);
        name = "robot";
    }
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for element in root.children() {
        match element.tag() {
            "link" => links.push(link(element, report)?),
            "joint" => joints.push(joint(element, report)?),
            _ => {}
        }
    }
    Ok(Description {
        root,
        name,
        links,
        joints,
    })
}

fn link<'a>(element: Element<'a>, report: &mut Report<'_>) -> Outcome<Link<'a>> {
    let name = required_name(element, "name")?;
    report.unused_except(element, &["name"], &["inertial"]);
    let inertial = match single(element, "inertial", |e| report.line(e))? {
        Some(inner) => Some(inertial(inner, report)?),
        None => None,
    };
    Ok(Link {
        element,
        name,
        inertial,
    })
}

fn inertial<'a>(element: Element<'a>, report: &mut Report<'_>) -> Outcome<Inertial<'a>> {
    report.unused_except(element, &[], &["origin", "mass", "inertia"]);
    let origin = origin(element, report)?;
    let mass_element = needed(element, "mass", report)?;
    report.unused_except(mass_element, &["value"], &[]);
    let mass = required_number(mass_element, "value")?;
    if mass < 0.0 {
        return Err(negative(mass_element, "value", mass));
    }
    let moments = needed(element, "inertia", report)?;
    const MOMENTS: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    report.unused_except(moments, &MOMENTS, &[]);
    let mut values = [0.0; 6];
    for (value, name) in values.iter_mut().zip(MOMENTS) {
        *value = required_number(moments, name)?;
    }
    let [xx, xy, xz, yy, yz, zz] = values;
    let about_com = Inertia::new(mass, Vec3::zero(), Sym3::new(xx, xy, xz, yy, yz, zz));
    Ok(Inertial {
        moments,
        value: origin.act_inertia(&about_com),
    })
}

fn needed<'a>(parent: Element<'a>, tag: &'static str, report: &Report<'_>) -> Outcome<Element<'a>> {
    let missing = || fault(parent, UrdfErrorCause::MissingElement { element: tag });
    single(parent, tag, |e| report.line(e))?.ok_or_else(missing)
}

fn origin(parent: Element<'_>, report: &mut Report<'_>) -> Outcome<Se3<f64>> {
    match single(parent, "origin", |e| report.line(e))? {
        Some(origin) => {
            report.unused_except(origin, &["xyz", "rpy", "quat_xyzw"], &[]);
            placement(origin)
        }
        None => Ok(Se3::identity()),
    }
}

/// The error of a negative number, at its attribute.
fn negative(element: Element<'_>, name: &'static str, value: f64) -> Box<super::report::Fault> {
    let cause = UrdfErrorCause::Negative {
        attribute: name,
        value,
    };
    match element.attribute(name) {
        Some(attribute) => attribute_fault(attribute, cause),
        None => fault(element, cause),
    }
}

/// Elements of a joint that have a meaning for some types of joints only.
const OPTIONAL: [&str; 4] = ["axis", "limit", "dynamics", "mimic"];

fn joint<'a>(element: Element<'a>, report: &mut Report<'_>) -> Outcome<Joint<'a>> {
    let name = required_name(element, "name")?;
    let kind = required(element, "type")?;
    const ALWAYS: [&str; 3] = ["origin", "parent", "child"];
    report.unused_except(
        element,
        &["name", "type"],
        &[&ALWAYS[..], &OPTIONAL[..]].concat(),
    );
    let axis = match kind.value {
        "fixed" | "floating" => Vec3::zero(),
        _ => axis(element, report)?,
    };
    let motion = match kind.value {
        "revolute" => Motion::Revolute(axis),
        "continuous" => Motion::Continuous(axis),
        "prismatic" => Motion::Prismatic(axis),
        "planar" => Motion::Planar(axis),
        "floating" => Motion::Floating,
        "fixed" => Motion::Fixed,
        other => {
            let found = shortened(other);
            return Err(attribute_fault(
                kind,
                UrdfErrorCause::UnknownJointType { found },
            ));
        }
    };
    unused_by(motion, element, report);
    let origin = origin(element, report)?;
    let parent = link_reference(element, "parent", report)?;
    let child = link_reference(element, "child", report)?;
    let (damping, friction) = dynamics(motion, element, report)?;
    Ok(Joint {
        element,
        name,
        motion,
        parent,
        child,
        origin,
        bounds: bounds(motion, element, report)?,
        damping,
        friction,
        mimic: mimic(motion, element, report)?,
    })
}

/// Adds warnings for elements that have no meaning for a type of joint.
fn unused_by(motion: Motion, joint: Element<'_>, report: &mut Report<'_>) {
    let unused: &[&str] = match motion {
        Motion::Fixed => &OPTIONAL,
        // `<mimic>` is an error there, unless mimic joints move freely.
        Motion::Floating => &["axis", "limit", "dynamics"],
        Motion::Planar(_) => &["limit", "dynamics"],
        Motion::Revolute(_) | Motion::Continuous(_) | Motion::Prismatic(_) => &[],
    };
    for child in joint
        .children()
        .filter(|child| unused.contains(&child.tag()))
    {
        let what = format!("`<{}>` in a {} joint", child.tag(), motion.name());
        report.unused(what, child.offset(), child);
    }
}

fn axis(joint: Element<'_>, report: &mut Report<'_>) -> Outcome<Vec3<f64>> {
    let Some(element) = single(joint, "axis", |e| report.line(e))? else {
        return Ok(Vec3::unit(0));
    };
    report.unused_except(element, &["xyz"], &[]);
    required(element, "xyz")?;
    let axis = vector(element, "xyz")?.unwrap_or_else(Vec3::zero);
    if axis == Vec3::zero() {
        return Err(fault(element, UrdfErrorCause::ZeroAxis));
    }
    Ok(axis)
}

fn link_reference<'a>(
    joint: Element<'a>,
    tag: &'static str,
    report: &mut Report<'_>,
) -> Outcome<Reference<'a>> {
    let element = needed(joint, tag, report)?;
    report.unused_except(element, &["link"], &[]);
    let name = required_name(element, "link")?;
    Ok(Reference { element, name })
}

fn bounds(motion: Motion, joint: Element<'_>, report: &mut Report<'_>) -> Outcome<Bounds> {
    let mut bounds = Bounds {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        velocity: f64::INFINITY,
        effort: f64::INFINITY,
    };
    if !motion.has_one_displacement() {
        return Ok(bounds);
    }
    let turns_on = matches!(motion, Motion::Continuous(_));
    let Some(limit) = single(joint, "limit", |e| report.line(e))? else {
        if !turns_on {
            report.warn(joint, UrdfWarningCause::NoLimit);
        }
        return Ok(bounds);
    };
    report.unused_except(limit, &["lower", "upper", "velocity", "effort"], &[]);
    let (lower, upper) = (bound(limit, "lower")?, bound(limit, "upper")?);
    if turns_on {
        for name in ["lower", "upper"] {
            if let Some(attribute) = limit.attribute(name) {
                let what = format!("the attribute `{name}` of a continuous joint's `<limit>`");
                report.unused(what, attribute.offset, limit);
            }
        }
    } else {
        if lower.is_none() && upper.is_none() {
            report.warn(limit, UrdfWarningCause::NoRange);
        }
        (bounds.lower, bounds.upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
        if bounds.lower > bounds.upper {
            let (lower, upper) = (bounds.lower, bounds.upper);
            return Err(fault(limit, UrdfErrorCause::EmptyRange { lower, upper }));
        }
        if (lower.is_some() || upper.is_some()) && bounds.lower == bounds.upper {
            report.warn(limit, UrdfWarningCause::EqualLimits { at: bounds.lower });
        }
    }
    for (name, value) in [
        ("velocity", &mut bounds.velocity),
        ("effort", &mut bounds.effort),
    ] {
        match bound(limit, name)? {
            Some(most) if most < 0.0 => return Err(negative(limit, name, most)),
            Some(most) => {
                if most == 0.0 {
                    report.warn(limit, UrdfWarningCause::ZeroBound { attribute: name });
                }
                *value = most;
            }
            None => report.warn(limit, UrdfWarningCause::NoBound { attribute: name }),
        }
    }
    Ok(bounds)
}

fn dynamics(motion: Motion, joint: Element<'_>, report: &mut Report<'_>) -> Outcome<(f64, f64)> {
    if !motion.has_one_displacement() {
        return Ok((0.0, 0.0));
    }
    let Some(element) = single(joint, "dynamics", |e| report.line(e))? else {
        return Ok((0.0, 0.0));
    };
    report.unused_except(element, &["damping", "friction"], &[]);
    let mut values = [0.0; 2];
    for (value, name) in values.iter_mut().zip(["damping", "friction"]) {
        *value = number(element, name)?.unwrap_or(0.0);
        if *value < 0.0 {
            return Err(negative(element, name, *value));
        }
    }
    Ok((values[0], values[1]))
}

fn mimic<'a>(
    motion: Motion,
    joint: Element<'a>,
    report: &mut Report<'_>,
) -> Outcome<Option<Mimic<'a>>> {
    if motion == Motion::Fixed {
        return Ok(None);
    }
    let Some(element) = single(joint, "mimic", |e| report.line(e))? else {
        return Ok(None);
    };
    report.unused_except(element, &["joint", "multiplier", "offset"], &[]);
    let name = required_name(element, "joint")?;
    Ok(Some(Mimic {
        source: Reference { element, name },
        ratio: number(element, "multiplier")?.unwrap_or(1.0),
        offset: number(element, "offset")?.unwrap_or(0.0),
    }))
}
