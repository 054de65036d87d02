//! Equality constraints: loops and mimic joints.

use super::attributes::Attributes;
use super::defaults::MAIN;
use super::names::Part;
use super::orientation::quaternion;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{CouplingLaw, LengthEquality, Loop, Mimic, TendonPath};
use crate::report::{Outcome, not_allowed};
use crate::value::required;
use crate::xml::Element;
use featherline::joint::JointKind;
use featherline::spatial::{Se3, Vec3};

/// Reads the constraints in `<equality>`. Those of an attached model may name parts that are not
/// attached, and are left out then.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) -> Outcome<()> {
    for &element in elements {
        match constraint(reader, element) {
            Err(fault) if reader.model > 0 => reader.report.left_out("the constraint", *fault),
            outcome => outcome?,
        }
    }
    Ok(())
}

fn constraint<'a>(reader: &mut Reader<'a, '_, '_>, element: Element<'a>) -> Outcome<()> {
    let (what, kind) = match element.tag() {
        "connect" => ("a `connect`", JointKind::Spherical),
        "weld" => ("a `weld`", JointKind::Fixed),
        "joint" | "tendon" => ("an equality of lengths", JointKind::Fixed),
        // The others are not read, and reported as that.
        _ => return Ok(()),
    };
    if reader.description.disabled.equalities {
        reader.keep(element, &format!("equality/{}", element.tag()));
        return Ok(());
    }
    let attributes = reader.attributes(element, "equality", MAIN)?;
    if attributes.flag("active")? == Some(false) {
        reader.keep(element, &format!("equality/{}", element.tag()));
        let what = format!("{what} that is not active");
        let reading = "the constraint is not part of the model";
        reader.simplified(element.source(), &what, reading);
        return Ok(());
    }
    match element.tag() {
        "joint" => return joint(reader, &attributes),
        "tendon" => return tendon(reader, &attributes),
        _ => {}
    }
    let [predecessor, successor] = match attributes.get("site1") {
        Some(_) => sites(reader, &attributes)?,
        None => bodies(reader, &attributes)?,
    };
    let name = reader.names.suffixed(attributes.name());
    let mut closing = Loop::new(name, kind, predecessor, successor);
    closing.source = element.source();
    let (reference, _) = attributes.up_to("solref", [0.02, 1.0])?;
    let ([_, impedance, ..], _) = attributes.up_to("solimp", [0.9, 0.95, 0.001, 0.5, 2.0])?;
    closing.law = CouplingLaw::new(reference, impedance);
    let carriers = reader.description.carriers();
    if carriers[predecessor.0].is_some() || carriers[successor.0].is_some() {
        // Constraints of moved bodies are compliant, by `solref` and `solimp`; others are rigid.
        let own = |name: &&str| element.attribute(name).is_some();
        for name in ["solref", "solimp"].into_iter().filter(own) {
            let what = format!("the attribute `{name}` of `<{}>`", element.tag());
            reader.report.used(what);
        }
    }
    closing.settings = settings(&format!("equality/{}", element.tag()), &attributes);
    reader.description.loops.push(closing);
    Ok(())
}

type End = (usize, Se3<f64>);

/// The frames of the two sites.
fn sites(reader: &Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<[End; 2]> {
    let end = |name| -> Outcome<End> {
        let site = required(attributes.element(), name)?;
        let site = reader.names.find(Part::Site, site)?;
        let frame = &reader.description.frames[site];
        Ok((frame.link, frame.placement))
    };
    Ok([end("site1")?, end("site2")?])
}

/// Frames of two bodies, the second of which is the world if it is not named. A placement that is
/// not stated satisfies the constraint in the reference configuration.
fn bodies(reader: &Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<[End; 2]> {
    let element = attributes.element();
    let first = reader.names.find(Part::Body, required(element, "body1")?)?;
    let second = match element.attribute("body2") {
        Some(name) => reader.names.find(Part::Body, name)?,
        None => 0,
    };
    let [one, two] = [first, second].map(|link| reader.placements[link]);
    let anchor = attributes.vector("anchor")?;
    if element.tag() == "connect" {
        required(element, "anchor")?;
        let here = Se3::from_translation(anchor.unwrap_or_else(Vec3::zero));
        let there = two.inverse_compose(&one.compose(&here));
        return Ok([(first, here), (second, there)]);
    }
    let there = Se3::from_translation(anchor.unwrap_or_else(Vec3::zero));
    let stated = attributes.numbers::<7>("relpose")?;
    let stated = stated
        .and_then(|[x, y, z, quat @ ..]| Some(Se3::new(quaternion(quat)?, Vec3::new(x, y, z))));
    let here = stated.unwrap_or_else(|| one.inverse_compose(&two.compose(&there)));
    Ok([(first, here), (second, there)])
}

/// A polynomial between two joints: y − y₀ = a₀ + a₁ (x − x₀) + …, of which the linear one is the
/// law of a mimic joint.
fn joint<'a>(reader: &mut Reader<'a, '_, '_>, attributes: &Attributes<'a>) -> Outcome<()> {
    let element = attributes.element();
    let ([a0, a1, rest @ ..], _) = attributes.up_to("polycoef", [0.0, 1.0, 0.0, 0.0, 0.0])?;
    let mimic = reader
        .names
        .find(Part::Joint, required(element, "joint1")?)?;
    let single = |joint| TendonPath::Fixed(vec![(joint, 1.0)]);
    let Some(mimicked) = element.attribute("joint2") else {
        return couple(reader, attributes, single(mimic), None);
    };
    let mimicked = reader.names.find(Part::Joint, mimicked)?;
    let (y0, x0) = match (
        &reader.joints[mimic].reference[..],
        &reader.joints[mimicked].reference[..],
    ) {
        (&[y0], &[x0]) => (y0, x0),
        _ => {
            let what = "a polynomial constrains hinges and slides only";
            let remedy = "name joints with one coordinate";
            return Err(not_allowed(element.source(), what, remedy));
        }
    };
    let joints = &reader.description.joints;
    let above = std::iter::successors(Some(mimicked), |&it| {
        joints[it].mimic.as_ref().map(|law| law.joint)
    });
    // No chain is longer than the joints there are.
    let closes = above.take(joints.len() + 1).any(|it| it == mimic);
    let is_linear = a1 != 0.0 && rest == [0.0; 3];
    if !is_linear || joints[mimic].mimic.is_some() || closes {
        return couple(reader, attributes, single(mimic), Some(single(mimicked)));
    }
    let mut law = Mimic::new(mimicked, a1, y0 + a0 - a1 * x0);
    law.source = element.source();
    law.settings = settings("equality/joint", attributes);
    reader.description.joints[mimic].mimic = Some(law);
    Ok(())
}

/// The same of two tendons.
fn tendon<'a>(reader: &mut Reader<'a, '_, '_>, attributes: &Attributes<'a>) -> Outcome<()> {
    let element = attributes.element();
    let length = |name| -> Outcome<TendonPath> {
        let tendon = reader.names.find(Part::Tendon, name)?;
        Ok(reader.description.tendons[tendon].path.clone())
    };
    let own = length(required(element, "tendon1")?)?;
    let other = element.attribute("tendon2").map(length).transpose()?;
    couple(reader, attributes, own, other)
}

/// Takes an equality that simulations keep, and no other algorithm.
fn couple<'a>(
    reader: &mut Reader<'a, '_, '_>,
    attributes: &Attributes<'a>,
    length: TendonPath,
    other: Option<TendonPath>,
) -> Outcome<()> {
    let element = attributes.element();
    let mut equality = LengthEquality::new(attributes.name(), length, other);
    (equality.polynomial, _) = attributes.up_to("polycoef", equality.polynomial)?;
    equality.source = element.source();
    reader.description.length_equalities.push(equality);
    // In the words of the file for whoever writes it.
    reader.keep(element, &format!("equality/{}", element.tag()));
    let what = "an equality of lengths";
    let reading =
        "simulations by time stepping keep it, and the constraint is not part of the model";
    reader.simplified(element.source(), what, reading);
    Ok(())
}
