//! Sensors.

use super::Writer;
use crate::description::{Sensor, Target};
use crate::mjcf::schema;

type Attributes = Vec<(String, String)>;

impl Writer<'_, '_, '_> {
    /// Writes the sensors.
    pub(super) fn sensors(&mut self) {
        let description = self.description;
        self.out.open("sensor", &[]);
        for sensor in &description.sensors {
            let what = format!("the sensor `{}`", sensor.name);
            let path = format!("sensor/{}", sensor.kind);
            let targets = self.targets(&path, sensor);
            let Some(targets) = targets.filter(|_| schema::exists(&path)) else {
                self.lacks(sensor.source, what);
                continue;
            };
            let mut attributes = Attributes::new();
            if !sensor.name.is_empty() {
                attributes.push(("name".to_owned(), sensor.name.clone()));
            }
            attributes.extend(targets);
            // The type of an object may be stated more closely than its target has it.
            for (name, value) in self.settings(&path, &sensor.settings, &what, sensor.source) {
                attributes.retain(|(known, _)| *known != name);
                attributes.push((name.to_owned(), value.to_owned()));
            }
            let attributes = attributes.iter();
            let attributes: Vec<(&str, String)> = attributes
                .map(|(name, value)| (name.as_str(), value.clone()))
                .collect();
            self.out.empty(&sensor.kind, &attributes);
        }
        self.out.close_if_used("sensor");
    }

    /// The attributes that name the targets; none if one of them is not in the file.
    fn targets(&self, path: &str, sensor: &Sensor) -> Option<Attributes> {
        let mut attributes = Attributes::new();
        for target in &sensor.targets {
            let (kind, name) = self.target(*target)?;
            let is_free = |name: &str| {
                schema::has(path, name) && !attributes.iter().any(|(known, _)| known == name)
            };
            let numbered = [format!("{kind}1"), format!("{kind}2")];
            let pairs = ["body", "geom", "subtree"];
            let taken = |end: char| {
                let mut known = attributes.iter();
                known.any(|(name, _)| pairs.iter().any(|pair| *name == format!("{pair}{end}")))
            };
            if is_free(kind) {
                attributes.push((kind.to_owned(), name));
            } else if is_free(&numbered[0]) && !taken('1') {
                attributes.push((numbered[0].clone(), name));
            } else if is_free(&numbered[1]) && !taken('2') {
                attributes.push((numbered[1].clone(), name));
            } else {
                let role = ["obj", "ref"].into_iter();
                let mut role = role.filter(|it| is_free(&format!("{it}name")));
                let role = role.next()?;
                // Whose axes are those of the link.
                let kind = if kind == "body" { "xbody" } else { kind };
                attributes.push((format!("{role}type"), kind.to_owned()));
                attributes.push((format!("{role}name"), name));
            }
        }
        Some(attributes)
    }

    /// The object type of a target in MJCF, and its name.
    fn target(&self, target: Target) -> Option<(&'static str, String)> {
        let known = |names: &[String], index: usize| {
            let name = names.get(index).filter(|it| !it.is_empty());
            name.cloned()
        };
        Some(match target {
            Target::Link(link) => ("body", known(&self.names.links, link)?),
            Target::Subtree(link) => ("subtree", known(&self.names.links, link)?),
            Target::Joint(joint) => ("joint", self.one_joint(joint)?),
            Target::Frame(frame) => ("site", self.site(frame)?),
            Target::Geometry(geometry) => ("geom", self.written_shape(geometry)?),
            Target::Tendon(tendon) => ("tendon", known(&self.names.tendons, tendon)?),
            Target::Actuator(actuator) => ("actuator", known(&self.names.actuators, actuator)?),
        })
    }
}
