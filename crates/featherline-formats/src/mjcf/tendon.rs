//! Tendons.

use super::attributes::Attributes;
use super::defaults::MAIN;
use super::names::Part;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{Tendon, TendonPath, TendonPoint};
use crate::report::Outcome;
use crate::value::{required, required_number};
use crate::xml::Element;

/// Reads the tendons in `<tendon>`. One with a mistake is left out: it does not move anything.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) -> Outcome<()> {
    for &element in elements {
        if !matches!(element.tag(), "fixed" | "spatial") {
            continue;
        }
        let attributes = reader.attributes(element, "tendon", MAIN)?;
        match tendon(reader, &attributes) {
            Ok(tendon) => {
                let index = reader.description.tendons.len();
                reader.name(Part::Tendon, &tendon.name, index, tendon.source)?;
                reader.description.tendons.push(tendon);
            }
            Err(fault) => reader.report.left_out("the tendon", *fault),
        }
    }
    Ok(())
}

fn tendon<'a>(reader: &mut Reader<'a, '_, '_>, attributes: &Attributes<'a>) -> Outcome<Tendon> {
    let element = attributes.element();
    let points = reader.texts.children(element);
    let path = match element.tag() {
        "fixed" => TendonPath::Fixed(fixed(reader, &points)?),
        _ => TendonPath::Spatial(spatial(reader, &points)?),
    };
    let mut tendon = Tendon::new(reader.names.suffixed(attributes.name()), path);
    tendon.source = element.source();
    let path = format!("tendon/{}", element.tag());
    let mut settings = settings(&path, attributes);
    for (name, slot) in [
        ("stiffness", &mut tendon.stiffness),
        ("damping", &mut tendon.damping),
    ] {
        let ([linear, second, third], _) = attributes.up_to(name, [0.0; 3])?;
        *slot = linear;
        if second != 0.0 || third != 0.0 {
            let what = format!("a nonlinear {name}");
            reader.simplified(element.source(), &what, "its linear part is taken");
            settings.extend(attributes.words(name));
        }
    }
    if attributes.number("springyield")?.unwrap_or(0.0) != 0.0 {
        let what = "the `springyield` of a tendon";
        reader.simplified(element.source(), what, "its spring is elastic");
    }
    tendon.friction = attributes.number("frictionloss")?.unwrap_or(0.0);
    tendon.armature = attributes.number("armature")?.unwrap_or(0.0);
    let ([low, high], given) = attributes.up_to("springlength", [-1.0, -1.0])?;
    tendon.rest_length = match given {
        0 => None,
        1 => Some([low, low]),
        _ => Some([low, high]),
    };
    // A length of −1 stands for that at the reference configuration.
    tendon.rest_length = tendon.rest_length.filter(|it| *it != [-1.0; 2]);
    let auto_limits = reader.compiler.auto_limits;
    let limits = ["limited", "range"];
    tendon.range = reader.range(attributes, limits, 1.0, auto_limits, &mut settings)?;
    tendon.settings = settings;
    Ok(tendon)
}

fn fixed(reader: &Reader<'_, '_, '_>, points: &[Element<'_>]) -> Outcome<Vec<(usize, f64)>> {
    let joints = points.iter().filter(|it| it.tag() == "joint");
    let term = |element: &Element<'_>| -> Outcome<(usize, f64)> {
        let joint = reader
            .names
            .find(Part::Joint, required(*element, "joint")?)?;
        Ok((joint, required_number(*element, "coef")?))
    };
    joints.map(term).collect()
}

fn spatial(reader: &Reader<'_, '_, '_>, points: &[Element<'_>]) -> Outcome<Vec<TendonPoint>> {
    let site = |named| reader.names.find(Part::Site, named);
    let mut path = Vec::new();
    for &element in points {
        path.push(match element.tag() {
            "site" => TendonPoint::Frame(site(required(element, "site")?)?),
            "geom" => TendonPoint::Wrap {
                geometry: reader.names.find(Part::Geom, required(element, "geom")?)?,
                side: element.attribute("sidesite").map(site).transpose()?,
            },
            "pulley" => TendonPoint::Pulley {
                divisor: required_number(element, "divisor")?,
            },
            _ => continue,
        });
    }
    Ok(path)
}
