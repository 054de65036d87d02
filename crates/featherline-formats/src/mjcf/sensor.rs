//! Sensors.

use super::attributes::Attributes;
use super::names::Part;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{Sensor, Target};
use crate::report::Outcome;
use crate::xml::{Attribute, Element};

/// Reads the sensors in `<sensor>`. One with a mistake is left out.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) {
    for &element in elements {
        let attributes = Attributes::alone(element);
        match sensor(reader, &attributes) {
            Ok(sensor) => reader.description.sensors.push(sensor),
            Err(fault) => reader.report.left_out("the sensor", *fault),
        }
    }
}

fn sensor(reader: &Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<Sensor> {
    let element = attributes.element();
    let mut targets = Vec::new();
    // The types of objects stay among the settings: a target does not say whether a link is meant
    // by its frame (`xbody`) or its inertial frame (`body`).
    let mut named: Vec<&str> = Vec::new();
    let mut naming: Vec<Attribute<'_>> = element.attributes().collect();
    // In the order of their roles, whatever the order in the file.
    naming.sort_by_key(|it| match it.name {
        "objname" => 1,
        "refname" => 2,
        name => 2 * u8::from(name.ends_with('2')),
    });
    for attribute in naming {
        let kind = match attribute.name {
            // MuJoCo has no such type: it is kept as it is written.
            "objname" => attributes.text("objtype").filter(|it| *it != "subtree"),
            "refname" => attributes.text("reftype").filter(|it| *it != "subtree"),
            "body" | "body1" | "body2" => Some("body"),
            "subtree1" | "subtree2" => Some("subtree"),
            "geom" | "geom1" | "geom2" => Some("geom"),
            name @ ("site" | "joint" | "tendon" | "actuator") => Some(name),
            _ => None,
        };
        if let Some(target) = kind
            .map(|it| target(reader, attribute, it))
            .transpose()?
            .flatten()
        {
            targets.push(target);
            named.extend(Some(attribute.name).filter(|it| it.ends_with("name")));
        }
    }
    let name = reader.names.suffixed(attributes.name());
    let mut sensor = Sensor::new(name, element.tag(), targets);
    sensor.source = element.source();
    sensor.settings = settings(&format!("sensor/{}", element.tag()), attributes);
    let settings = &mut sensor.settings;
    settings.retain(|it| !named.contains(&it.name.as_str()));
    Ok(sensor)
}

/// The part of a kind that an attribute names; none for a kind that a description does not have,
/// such as a camera.
fn target(reader: &Reader<'_, '_, '_>, name: Attribute<'_>, kind: &str) -> Outcome<Option<Target>> {
    let (part, target): (Part, fn(usize) -> Target) = match kind {
        "body" | "xbody" => (Part::Body, Target::Link),
        "subtree" => (Part::Body, Target::Subtree),
        "geom" => (Part::Geom, Target::Geometry),
        "site" => (Part::Site, Target::Frame),
        "joint" => (Part::Joint, Target::Joint),
        "tendon" => (Part::Tendon, Target::Tendon),
        "actuator" => (Part::Actuator, Target::Actuator),
        _ => return Ok(None),
    };
    reader.names.find(part, name).map(|it| Some(target(it)))
}
