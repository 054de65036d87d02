//! Which geoms may touch.

use super::attributes::Attributes;
use super::defaults::MAIN;
use super::names::Part;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{ContactDimension, ContactExclusion, ContactMask, ContactPair, Surface};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault};
use crate::value::required;
use crate::xml::Element;

/// Reads pairs and exclusions in `<contact>`. One with a mistake is left out.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) {
    for &element in elements {
        let (what, outcome) = match element.tag() {
            "pair" => ("the contact pair", pair(reader, element)),
            "exclude" => ("the contact exclusion", exclude(reader, element)),
            _ => continue,
        };
        if let Err(fault) = outcome {
            reader.report.left_out(what, *fault);
        }
    }
}

fn pair<'a>(reader: &mut Reader<'a, '_, '_>, element: Element<'a>) -> Outcome<()> {
    let attributes = reader.attributes(element, "pair", MAIN)?;
    let geom = |name| reader.names.find(Part::Geom, required(element, name)?);
    let name = reader.names.suffixed(attributes.name());
    let mut pair = ContactPair::new(name, [geom("geom1")?, geom("geom2")?]);
    pair.source = element.source();
    pair.settings = settings("contact/pair", &attributes);
    // MuJoCo's defaults stand for what is not given, whatever the geoms say.
    let [first, second, ..] = friction::<5>(&attributes, 2)?;
    let mut surface = Surface::default().with_friction(first);
    surface.friction_across = (second != first).then_some(second);
    surface.dimension = dimension(&attributes)?.or(Some(ContactDimension::Sliding));
    pair.surface = Some(surface);
    reader.description.contact_pairs.push(pair);
    Ok(())
}

/// At most N coefficients of friction, those of sliding first; 1 where they are not given.
fn friction<const N: usize>(attributes: &Attributes<'_>, sliding: usize) -> Outcome<[f64; N]> {
    let (values, _) = attributes.up_to("friction", [1.0; N])?;
    if let Some(&value) = values[..sliding].iter().find(|it| **it < 0.0) {
        let attribute = "friction";
        let cause = ErrorCause::Negative { attribute, value };
        return Err(fault(attributes.source(attribute), cause));
    }
    Ok(values)
}

/// `condim`, if it is given.
fn dimension(attributes: &Attributes<'_>) -> Outcome<Option<ContactDimension>> {
    Ok(match attributes.word("condim", &["1", "3", "4", "6"])? {
        None => None,
        Some("1") => Some(ContactDimension::Frictionless),
        Some("4") => Some(ContactDimension::Torsional),
        Some("6") => Some(ContactDimension::Rolling),
        Some(_) => Some(ContactDimension::Sliding),
    })
}

/// The surface of a geom. MuJoCo's friction is 1 where a file gives none.
pub(super) fn surface(attributes: &Attributes<'_>) -> Outcome<Surface> {
    let [sliding, ..] = friction::<3>(attributes, 1)?;
    let mut surface = Surface::default().with_friction(sliding);
    surface.dimension = dimension(attributes)?;
    surface.priority = attributes.number("priority")?.unwrap_or(0.0) as i32;
    Ok(surface)
}

/// The bits of a geom, 1 each where a file gives none.
pub(super) fn mask(attributes: &Attributes<'_>) -> Outcome<ContactMask> {
    let bits = |name| -> Outcome<u32> {
        let value = attributes.number(name)?.unwrap_or(1.0);
        // As a C program reads an int.
        Ok(value as i64 as u32)
    };
    Ok(ContactMask::new(bits("contype")?, bits("conaffinity")?))
}

fn exclude(reader: &mut Reader<'_, '_, '_>, element: Element<'_>) -> Outcome<()> {
    let body = |name| reader.names.find(Part::Body, required(element, name)?);
    let name = reader.names.suffixed(element.name());
    let mut exclusion = ContactExclusion::new(name, [body("body1")?, body("body2")?]);
    exclusion.source = element.source();
    reader.description.contact_exclusions.push(exclusion);
    Ok(())
}
