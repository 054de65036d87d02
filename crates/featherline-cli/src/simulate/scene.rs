//! What a robot touches: the ground, itself, and what stands in its scene.

use super::actuators;
use super::arguments::SimulateArguments;
use super::options;
use super::start::Start;
use crate::failure::Failure;
use crate::message::{note, warn};
use crate::robot::{Robot, grouped, grouped_of};
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::Severity;
use featherline_formats::description::ContactModel;
use featherline_sim::contact::{
    CollisionContacts, ContactLaws, Defaults, InGround, floating_height, put_on,
};
use featherline_sim::simulation::{ControllerName, MethodName};

/// The ground's height, in m.
const GROUND: f64 = 0.0;

/// What touches; none for methods without contact.
pub struct Scene {
    contact: Option<ContactModel>,
    /// Whether the state that the robot begins with is meant as it is: that of a scene's file, or
    /// one that was named.
    is_stated: bool,
    /// Whether there is a ground below its floating base.
    stands: bool,
}

impl Scene {
    /// Decides on the method and the controller, where the arguments leave them open.
    pub fn decide(arguments: &mut SimulateArguments, robot: &Robot) -> Result<Self, Failure> {
        let model = &robot.model;
        let is_scene = robot.is_scene();
        let nothing = Self {
            contact: None,
            is_stated: is_scene || arguments.state.configuration.is_some(),
            stands: false,
        };
        let asks_for_forces = arguments.passive || !arguments.limits.is_empty();
        match arguments.integrator {
            Some(MethodName::TimeStepping) => {}
            Some(_) => return Ok(nothing),
            None if asks_for_forces || arguments.tolerance.is_some() => return Ok(nothing),
            None => {}
        }
        let floats = floating_height(model);
        let has_shapes = !robot.description.geometry.is_empty();
        let is_world = robot.is_world();
        let wants_ground = floats.is_some() && !arguments.no_ground && !is_world;
        let stands = floats.filter(|_| has_shapes && wants_ground);
        let ground = arguments.ground.or(stands.map(|_| GROUND));
        let contact = robot
            .contact_model(ground)
            .map_err(|error| Failure::Simulation(error.to_string()))?;
        options::check_touching(arguments, &contact)?;
        let touches = !contact.collision.pairs().is_empty();
        let stands = stands.is_some() && touches;
        if wants_ground && !stands {
            warn(&falls(model.name()));
        }
        let defaults = Defaults::of(model, stands, is_scene && touches);
        let actuation = actuators::of(arguments, robot);
        let has_actuators = actuation.as_ref().is_some_and(|it| !it.joints.is_empty());
        let is_chosen = defaults.is_time_stepping
            || (is_world && touches)
            || has_actuators
            || arguments.asks_for_contact();
        if arguments.integrator.is_none() && !is_chosen {
            return Ok(nothing);
        }
        arguments.integrator = Some(MethodName::TimeStepping);
        if let Some(actuation) = &actuation {
            actuators::warn_of(actuation, &arguments.robot);
        }
        if arguments.controller.is_none() {
            arguments.controller = match (has_actuators, defaults.is_held) {
                (true, _) => Some(ControllerName::Actuators),
                (false, true) => Some(ControllerName::Hold),
                (false, false) => None,
            };
        }
        if arguments.step.is_none() {
            arguments.step = robot
                .description
                .time_step
                .filter(|step| arguments.has_room(*step));
        }
        let list = format!("{} --self-collision", arguments.robot.check_command());
        for warning in grouped(&contact.warnings, &list) {
            warn(&warning);
        }
        for own in grouped_of(Severity::Note, &contact.warnings, &list) {
            note(&own);
        }
        Ok(Self {
            contact: Some(contact),
            stands,
            ..nothing
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
        let Some(contact) = self.contact else {
            return Ok(None);
        };
        let model = &robot.model;
        let is_open = arguments.state.q.is_none() && arguments.state.v.is_none();
        if is_open && !self.is_stated {
            clamp_to_limits(model, &mut start.q);
            if self.stands {
                start.v.fill(0.0);
                let ground = contact.collision.shapes().len() - 1;
                put_on(model, &contact.collision, ground, &mut start.q)
                    .map_err(|error| Failure::State(error.to_string()))?;
            }
        }
        let mut contacts = CollisionContacts::from(contact);
        if let Some(friction) = arguments.friction {
            contacts = contacts.with_friction(friction);
        }
        let in_ground = InGround::deepest(model, contacts.model(), &start.q);
        if let Some(found) = in_ground.map_err(|error| Failure::State(error.to_string()))? {
            warn(&found.to_string());
        }
        let overlapping = contacts
            .exclude_overlapping(model, &start.q)
            .map_err(|error| Failure::State(error.to_string()))?;
        let name = |k: usize| contacts.model().shapes()[k].name.clone();
        start.left_out = overlapping.iter().map(|pair| pair.map(name)).collect();
        if let [[a, b], others @ ..] = &start.left_out[..] {
            let more = match others.len() {
                0 => String::new(),
                1 => ", and one pair more: `left_out` in `--format jsonl` lists both".to_owned(),
                more => {
                    format!(", and {more} pairs more: `left_out` in `--format jsonl` lists them")
                }
            };
            note(&format!(
                "shapes overlap at the start, and do not touch each other: `{a}` and `{b}`{more}"
            ));
        }
        Ok(Some(contacts))
    }
}

/// A message that a robot is on no ground, because it has nothing to stand on.
fn falls(robot: &str) -> String {
    format!(
        "`{robot}` has no collision shapes that are read: no ground holds it, and it falls. Add such shapes to \
         its file, or say `--no-ground`"
    )
}

/// The laws of contact: those of the arguments, else the scene's.
pub fn laws(arguments: &SimulateArguments, robot: &Robot) -> ContactLaws {
    let mut defaults = robot.description.contact_defaults;
    defaults.friction_law = arguments.friction_law.unwrap_or(defaults.friction_law);
    defaults.impact_law = arguments.impact_law.unwrap_or(defaults.impact_law);
    let laws = ContactLaws::from(defaults);
    laws.with_tolerance(arguments.tolerance.unwrap_or(laws.tolerance))
}
