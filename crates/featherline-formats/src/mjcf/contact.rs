//! Which geoms may touch.

use super::defaults::MAIN;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{ContactExclusion, ContactPair};
use crate::report::Outcome;
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
    let geom = |name| reader.names.geoms.find(required(element, name)?);
    let mut pair = ContactPair::new(attributes.name(), [geom("geom1")?, geom("geom2")?]);
    pair.source = element.source();
    pair.settings = settings("contact/pair", &attributes);
    reader.description.contact_pairs.push(pair);
    Ok(())
}

fn exclude(reader: &mut Reader<'_, '_, '_>, element: Element<'_>) -> Outcome<()> {
    let body = |name| reader.names.bodies.find(required(element, name)?);
    let name = element.attribute("name").map_or("", |name| name.value);
    let mut exclusion = ContactExclusion::new(name, [body("body1")?, body("body2")?]);
    exclusion.source = element.source();
    reader.description.contact_exclusions.push(exclusion);
    Ok(())
}
