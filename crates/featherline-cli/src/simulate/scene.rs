//! What a robot touches: the ground, itself, and what stands in its scene.

use super::arguments::{self, Controller, Integrator, SimulateArguments};
use super::start::Start;
use crate::failure::Failure;
use crate::message::{note, warn};
use crate::robot::Robot;
use featherline_constraint::nonsmooth::{ConeLaw, clamp_to_limits};
use featherline_formats::description::{ContactModel, FrictionLaw, ImpactLaw as ReadImpactLaw};
use featherline_sim::contact::{
    CollisionContacts, ContactLaws, Defaults, ImpactLaw, Softness, Surface, distance_from,
    floating_height, overlapping_pairs,
};

/// The ground's height, in m.
const GROUND: f64 = 0.0;

/// The name of the configuration that a scene begins with.
const START: &str = "start";

/// What touches; none for methods without contact.
pub struct Scene {
    contact: Option<ContactModel>,
    /// The coordinate of the height of the floating base, if there is a ground below it.
    base: Option<usize>,
}

impl Scene {
    /// Decides on the method and the controller, where the arguments leave them open.
    pub fn decide(arguments: &mut SimulateArguments, robot: &Robot) -> Result<Self, Failure> {
        let model = &robot.model;
        let nothing = Self {
            contact: None,
            base: None,
        };
        let asks_for_forces = arguments.passive || !arguments.limits.is_empty();
        match arguments.integrator {
            Some(Integrator::TimeStepping) => {}
            Some(_) => return Ok(nothing),
            None if asks_for_forces || arguments.tolerance.is_some() => return Ok(nothing),
            None => {}
        }
        let floats = floating_height(model);
        let has_shapes = !robot.description.geometry.is_empty();
        // A scene says itself where it stands.
        let has_start = model.reference_configurations().contains_key(START);
        let stands = floats.filter(|_| has_shapes && !arguments.no_ground && !has_start);
        let contact = robot
            .contact_model(stands.map(|_| GROUND))
            .map_err(|error| Failure::Simulation(error.to_string()))?;
        let touches = !contact.collision.pairs().is_empty();
        let base = stands.filter(|_| touches);
        let defaults = Defaults::of(model, base.is_some(), has_start && touches);
        if arguments.integrator.is_none() && !defaults.is_time_stepping {
            return Ok(nothing);
        }
        arguments.integrator = Some(Integrator::TimeStepping);
        if defaults.is_held {
            let hold = arguments.controller.or(Some(Controller::Hold));
            arguments.controller = hold;
        }
        for warning in &contact.warnings {
            warn(&warning.to_string());
        }
        Ok(Self {
            contact: Some(contact),
            base,
        })
    }

    /// Puts the robot on the ground and its joints within their limits where the arguments do not
    /// say where it begins, and leaves out pairs that overlap there.
    pub fn prepare(
        self,
        arguments: &SimulateArguments,
        robot: &Robot,
        start: &mut Start,
    ) -> Result<Option<CollisionContacts>, Failure> {
        let Some(mut contact) = self.contact else {
            return Ok(None);
        };
        let model = &robot.model;
        let is_open = arguments.q.is_none() && arguments.v.is_none();
        if is_open && !model.reference_configurations().contains_key(START) {
            clamp_to_limits(model, &mut start.q);
            if let Some(height) = self.base {
                start.v.fill(0.0);
                let ground = contact.collision.shapes().len() - 1;
                let lowest = distance_from(model, &contact.collision, ground, &start.q);
                let lowest = lowest.map_err(|error| Failure::State(error.to_string()))?;
                if lowest.is_finite() {
                    start.q[height] -= lowest;
                }
            }
        }
        let overlapping = overlapping_pairs(model, &contact.collision, &start.q)
            .map_err(|error| Failure::State(error.to_string()))?;
        if let [first, others @ ..] = &overlapping[..] {
            let names = first.map(|k| contact.collision.shapes()[k].name.as_str());
            let more = match others.len() {
                0 => String::new(),
                1 => ", and one pair more".to_owned(),
                more => format!(", and {more} pairs more"),
            };
            note(&format!(
                "shapes overlap at the start, and do not touch each other: `{}` and `{}`{more}",
                names[0], names[1]
            ));
        }
        contact.exclude(&overlapping);
        let surfaces = contact.surfaces.iter().map(|it| Surface {
            friction: it.friction,
            restitution: it.restitution,
        });
        let softness = contact.surfaces.iter().map(|it| {
            it.softness.map(|soft| Softness {
                stiffness: soft.stiffness,
                damping: soft.damping,
            })
        });
        let contacts = CollisionContacts::new(contact.collision.clone(), surfaces.collect());
        Ok(Some(contacts.with_softness(softness.collect())))
    }
}

/// The laws of contact: those of the arguments, else the scene's.
pub fn laws(arguments: &SimulateArguments, robot: &Robot) -> ContactLaws {
    let defaults = &robot.description.contact_defaults;
    let is_convex = match arguments.friction_law {
        Some(law) => law == arguments::FrictionLaw::Convex,
        None => defaults.friction_law == FrictionLaw::Convex,
    };
    let reflects = match arguments.impact_law {
        Some(law) => law == arguments::ImpactLaw::Reflections,
        None => defaults.impact_law == ReadImpactLaw::Reflections,
    };
    let mut laws = ContactLaws::default();
    if is_convex {
        laws = laws.with_cone(ConeLaw::Convex);
    }
    if reflects {
        laws = laws.with_impact(ImpactLaw::Reflections);
    }
    laws
}
