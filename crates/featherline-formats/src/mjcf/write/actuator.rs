//! Actuators.

use super::{Attributes, Writer, named};
use crate::description::{Actuator, Transmission};
use crate::mjcf::schema;
use crate::xml::{number, numbers};

impl<'d> Writer<'d, '_, '_> {
    /// Writes the actuators.
    pub(super) fn actuators(&mut self) {
        let description = self.description;
        self.out.open("actuator", &[]);
        for (i, actuator) in description.actuators.iter().enumerate() {
            let what = format!("the actuator `{}`", actuator.name);
            let path = format!("actuator/{}", actuator.kind);
            let drives = self.transmission(actuator);
            let Some(drives) = drives.filter(|_| schema::exists(&path)) else {
                self.lacks(actuator.source, what);
                self.names.actuators[i] = String::new();
                continue;
            };
            let mut attributes = named(&self.names.actuators[i]);
            attributes.extend(drives);
            attributes.extend(gear(actuator));
            for (limited, range, values) in [
                ("ctrllimited", "ctrlrange", actuator.control_range),
                ("forcelimited", "forcerange", actuator.force_range),
            ] {
                let Some(values) = values else { continue };
                // Kinds without the word are limited by the range.
                if schema::has(&path, limited) {
                    attributes.push((limited, "true".to_owned()));
                }
                attributes.push((range, numbers(&values)));
            }
            let (settings, source) = (&actuator.settings, actuator.source);
            self.fill(&mut attributes, &path, settings, &what, source);
            self.out.empty(&actuator.kind, &attributes);
        }
        self.out.close_if_used("actuator");
    }

    /// The attributes that name the part that an actuator drives; none if it is not in the file.
    fn transmission(&self, actuator: &Actuator) -> Option<Attributes<'d>> {
        let one = |name, value: String| vec![(name, value)];
        Some(match actuator.transmission {
            Transmission::Joint(joint) => one("joint", self.one_joint(joint)?),
            Transmission::JointInParent(joint) => one("jointinparent", self.one_joint(joint)?),
            Transmission::Tendon(tendon) => {
                let name = self.names.tendons.get(tendon)?;
                one("tendon", Some(name).filter(|it| !it.is_empty())?.clone())
            }
            Transmission::Frame { frame, reference } => {
                let mut attributes = one("site", self.site(frame)?);
                if let Some(reference) = reference {
                    attributes.extend(one("refsite", self.site(reference)?));
                }
                attributes
            }
            Transmission::SliderCrank {
                crank,
                slider,
                length,
            } => [
                one("cranksite", self.site(crank)?),
                one("slidersite", self.site(slider)?),
                one("cranklength", number(length)),
            ]
            .concat(),
            Transmission::Link(link) => one("body", self.names.links.get(link)?.clone()),
        })
    }
}

/// The gear, unless it is one.
fn gear(actuator: &Actuator) -> Option<(&'static str, String)> {
    let gear = &actuator.gear;
    if *gear == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        return None;
    }
    let last = gear.iter().rposition(|it| *it != 0.0).unwrap_or(0);
    Some(("gear", numbers(&gear[..=last])))
}
