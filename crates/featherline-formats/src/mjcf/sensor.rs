//! Sensors.

use super::attributes::Attributes;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{Sensor, Target};
use crate::report::Outcome;
use crate::xml::{Attribute, Element};

/// Reads the sensors in `<sensor>`. One with a mistake is left out.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) {
    for &element in elements {
        let attributes = Attributes::new(element, std::iter::empty());
        match sensor(reader, &attributes) {
            Ok(sensor) => reader.description.sensors.push(sensor),
            Err(fault) => reader.report.left_out("the sensor", *fault),
        }
    }
}

fn sensor(reader: &Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<Sensor> {
    let element = attributes.element();
    let names = &reader.names;
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
        targets.push(match attribute.name {
            "site" => Target::Frame(names.sites.find(attribute)?),
            "joint" => Target::Joint(names.joints.find(attribute)?),
            "tendon" => Target::Tendon(names.tendons.find(attribute)?),
            "actuator" => Target::Actuator(names.actuators.find(attribute)?),
            "body" | "body1" | "body2" => Target::Link(names.bodies.find(attribute)?),
            "subtree1" | "subtree2" => Target::Subtree(names.bodies.find(attribute)?),
            "geom" | "geom1" | "geom2" => Target::Geometry(names.geoms.find(attribute)?),
            "objname" => match object(reader, attribute, attributes.text("objtype"))? {
                Some(target) => {
                    named.push("objname");
                    target
                }
                None => continue,
            },
            "refname" => match object(reader, attribute, attributes.text("reftype"))? {
                Some(target) => {
                    named.push("refname");
                    target
                }
                None => continue,
            },
            _ => continue,
        });
    }
    let mut sensor = Sensor::new(attributes.name(), element.tag(), targets);
    sensor.source = element.source();
    sensor.settings = settings(&format!("sensor/{}", element.tag()), attributes);
    sensor
        .settings
        .retain(|it| !named.contains(&it.name.as_str()));
    Ok(sensor)
}

/// The part of a type that is named elsewhere; none for a type that a description does not have,
/// such as a camera.
fn object(
    reader: &Reader<'_, '_, '_>,
    name: Attribute<'_>,
    kind: Option<&str>,
) -> Outcome<Option<Target>> {
    let names = &reader.names;
    Ok(Some(match kind {
        Some("body" | "xbody") => Target::Link(names.bodies.find(name)?),
        Some("geom") => Target::Geometry(names.geoms.find(name)?),
        Some("site") => Target::Frame(names.sites.find(name)?),
        Some("joint") => Target::Joint(names.joints.find(name)?),
        Some("tendon") => Target::Tendon(names.tendons.find(name)?),
        Some("actuator") => Target::Actuator(names.actuators.find(name)?),
        _ => return Ok(None),
    }))
}
