//! Joints.

use super::attributes::Attributes;
use super::body::Item;
use super::orientation::direction;
use super::reader::{JointData, Reader};
use super::settings::settings;
use crate::description::{Joint, Motion, Setting};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault, not_allowed};
use crate::value::exact_sin_cos;
use crate::xml::numbers;
use featherline::joint::JointKind;
use featherline::spatial::{Mat3, Quaternion, Se3, Vec3};

/// Reads a joint of a body, which has `count` of them; `placement` is the body's in its parent.
///
/// All joints of a body are given in the frame of the body at the reference configuration, so that
/// the frame after one joint is that before the next. A joint about a point p moves by
/// T(p) J(q − ref) T(−p), and J(q − ref) = J(−ref) J(q).
pub(super) fn read<'a>(
    reader: &mut Reader<'a, '_, '_>,
    item: &Item<'a>,
    count: usize,
    parent: usize,
    placement: &Se3<f64>,
    is_first: bool,
) -> Outcome<(Joint, JointData)> {
    let element = item.element;
    let free = element.tag() == "freejoint";
    let (attributes, kind) = match free {
        // Defaults of joints are not for this one.
        true => (Attributes::alone(element), "free"),
        false => {
            let attributes = reader.attributes(element, "joint", item.class)?;
            let kind = attributes.word("type", &["hinge", "slide", "ball", "free"])?;
            (attributes, kind.unwrap_or("hinge"))
        }
    };
    if kind == "free" {
        if count > 1 || parent > 0 {
            let what = "a free joint is the only joint of a body in the world";
            let remedy = "use three slides and a ball in place of it";
            return Err(not_allowed(element.source(), what, remedy));
        }
        return free_joint(reader, item, &attributes, placement);
    }
    let anchor = attributes.vector("pos")?.unwrap_or_else(Vec3::zero);
    let anchor = item.frame.act_point(anchor);
    let axis = attributes.vector("axis")?.unwrap_or(Vec3::unit(2));
    let axis = item.frame.rotation.mul_vec(axis);
    let mut reference = attributes.number("ref")?.unwrap_or(0.0);
    let angle = reader.compiler.angle;
    let auto_limits = reader.compiler.auto_limits;
    let mut settings = settings("body/joint", &attributes);
    let unit = if kind == "slide" { 1.0 } else { angle };
    let limits = ["limited", "range"];
    let range = reader.range(&attributes, limits, unit, auto_limits, &mut settings)?;
    let axis = match kind {
        "ball" => axis,
        _ => direction(axis, &attributes, "axis")?,
    };
    let (motion, back) = match kind {
        "slide" => (
            Motion::Prismatic { axis },
            Se3::from_translation(axis * -reference),
        ),
        "ball" => (Motion::Other(JointKind::Spherical), Se3::identity()),
        _ => {
            reference *= angle;
            let (sin, cos) = exact_sin_cos(-reference);
            let back = Se3::from_rotation(Mat3::from_axis_sin_cos(axis, sin, cos));
            match range {
                Some(_) => (Motion::Revolute { axis }, back),
                None => (Motion::Continuous { axis }, back),
            }
        }
    };
    let mut joint = Joint::new(item.name(), 0, 0, motion);
    joint.source = element.source();
    joint.settings = settings;
    let before = Se3::from_translation(anchor).compose(&back);
    joint.placement = match is_first {
        true => placement.compose(&before),
        false => before,
    };
    joint.child_placement = Se3::from_translation(-anchor);
    let reference = match kind {
        "ball" => {
            if let Some(range) = range {
                let what = "the greatest angle of a ball joint";
                reader.simplified(element.source(), what, "the joint is not limited");
                joint.settings.push(Setting::new("limited", "true"));
                joint.settings.push(Setting::new("range", numbers(&range)));
            }
            vec![1.0, 0.0, 0.0, 0.0]
        }
        _ => {
            if let Some([lower, upper]) = range {
                joint.limits.lower[0] = lower;
                joint.limits.upper[0] = upper;
            }
            vec![reference]
        }
    };
    drive(reader, &attributes, &mut joint, kind, placement)?;
    let spring_damper = attributes.numbers("springdamper")?;
    let spring_damper = spring_damper.filter(|[time, ratio]| *time > 0.0 && *ratio > 0.0);
    let data = JointData {
        reference,
        spring_damper,
    };
    Ok((joint, data))
}

/// A free joint: its coordinates are the placement of the body in the world.
fn free_joint<'a>(
    reader: &mut Reader<'a, '_, '_>,
    item: &Item<'a>,
    attributes: &Attributes<'a>,
    placement: &Se3<f64>,
) -> Outcome<(Joint, JointData)> {
    let source = item.element.source();
    let mut joint = Joint::new(item.name(), 0, 0, Motion::Floating);
    joint.source = source;
    joint.settings = settings(&format!("body/{}", item.element.tag()), attributes);
    let align = match item.element.tag() {
        "freejoint" => attributes.word("align", &["true", "false", "auto"])?,
        _ => None,
    };
    if align == Some("true") || (align != Some("false") && reader.compiler.align_free) {
        let what = "a free joint that is aligned with the body's principal axes";
        reader.simplified(source, what, "it keeps the frame of the body");
    }
    if item.element.tag() == "joint" {
        drive(reader, attributes, &mut joint, "free", placement)?;
        let unread = ["limited", "range"].into_iter();
        let unread = unread.filter_map(|it| attributes.words(it));
        joint.settings.extend(unread);
    }
    let [x, y, z, w] = Quaternion::from_rotation(&placement.rotation).to_array();
    let [a, b, c] = placement.translation.to_array();
    let data = JointData {
        reference: vec![a, b, c, w, x, y, z],
        spring_damper: None,
    };
    Ok((joint, data))
}

/// Reads armature, damping, friction, spring and the bound of forces; `rest` is the placement of
/// the body in the reference configuration, where the spring of a free joint is at rest.
fn drive(
    reader: &mut Reader<'_, '_, '_>,
    attributes: &Attributes<'_>,
    joint: &mut Joint,
    kind: &str,
    rest: &Se3<f64>,
) -> Outcome<()> {
    let source = joint.source;
    let not_negative = |attribute, value| match value < 0.0 {
        true => Err(fault(source, ErrorCause::Negative { attribute, value })),
        false => Ok(value),
    };
    for (name, slot) in [
        ("armature", &mut joint.drive.armature),
        ("frictionloss", &mut joint.drive.friction),
    ] {
        let value = attributes.number(name)?.unwrap_or(0.0);
        slot.fill(not_negative(name, value)?);
    }
    if attributes.number("springyield")?.unwrap_or(0.0) != 0.0 {
        let what = "the `springyield` of a joint";
        reader.simplified(source, what, "its spring is elastic");
    }
    for (name, slot) in [
        ("damping", &mut joint.drive.damping),
        ("stiffness", &mut joint.drive.stiffness),
    ] {
        let ([value, second, third], _) = attributes.up_to(name, [0.0; 3])?;
        if second != 0.0 || third != 0.0 {
            let what = format!("a nonlinear {name}");
            reader.simplified(source, &what, "its linear part is taken");
            joint.settings.extend(attributes.words(name));
        }
        slot.fill(not_negative(name, value)?);
    }
    if kind == "free" && joint.drive.stiffness.iter().any(|it| *it != 0.0) {
        let [x, y, z, w] = Quaternion::from_rotation(&rest.rotation).to_array();
        let [a, b, c] = rest.translation.to_array();
        joint.drive.spring_reference = vec![a, b, c, x, y, z, w];
    }
    if kind == "free" && joint.drive.armature[0] != 0.0 {
        let reading = "its linear part is along the axes of the body, not of the world: the mass \
             matrix is the same, the bias lacks armature · (ω × v)";
        reader.simplified(source, "the armature of a free joint", reading);
    }
    if let "hinge" | "slide" = kind {
        let angle = reader.compiler.angle;
        let unit = if kind == "hinge" { angle } else { 1.0 };
        let springref = attributes.number("springref")?.unwrap_or(0.0);
        joint.drive.spring_reference = vec![springref * unit];
        let auto_limits = reader.compiler.auto_limits;
        let names @ [limited, range] = ["actuatorfrclimited", "actuatorfrcrange"];
        let settings = &mut joint.settings;
        let stated = reader.range(attributes, names, 1.0, auto_limits, settings)?;
        if let Some([lower, upper]) = stated {
            if lower != -upper {
                let what = "a range of forces that is not symmetric";
                reader.simplified(source, what, "its larger bound counts both ways");
                settings.push(Setting::new(limited, "true"));
                settings.push(Setting::new(range, numbers(&[lower, upper])));
            }
            joint.limits.effort[0] = lower.abs().max(upper.abs());
        }
    }
    Ok(())
}
