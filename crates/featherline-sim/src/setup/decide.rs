//! The decision: from what was said, and the robot, to the start.

use super::{DrivesName, Ground, Setup, SetupError, SetupWarning, Start, StatedForces};
use crate::contact::{
    CollisionContacts, ContactLaws, Drives, InGround, MovedBodies, deepest_overlap,
    floating_height, has_limits_or_friction, pairs_that_always_overlap, put_on,
};
use crate::simulation::{ControllerName, MethodName, SimulationError, driven_coordinates};
use featherline::Workspace;
use featherline::model::{LengthGradient, Model, Tendon};
use featherline::spatial::Se3;
use featherline::words::Words;
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::Robot;
use featherline_formats::description::{Actuation, Configuration, ContactModel, LengthForces};
use featherline_geometry::CollisionModel;

/// How deep shapes reach into each other at the start, in m, before anybody doubts that this was
/// meant: poses that engines have settled overlap by less.
const DEEP: f64 = 2e-3;

/// How far a tendon begins beyond its range, in m or rad, before anybody notices.
const BEYOND: f64 = 1e-6;

/// The configuration in which the loops of an embedded robot are closed.
const CLOSED: &str = "closed";

/// A configuration and a velocity.
type State = (Vec<f64>, Vec<f64>);

/// The parts of a robot that a simulation may use, before anything is chosen.
pub(super) struct RobotParts<'r> {
    pub(super) robot: &'r Robot,
    /// The configuration of the file that it begins in.
    configuration: Option<&'r Configuration>,
    /// Its shapes, unless a method without contact was asked for, or the file disables contact.
    pub(super) contact: Option<ContactModel>,
    /// Whether anything may touch anything.
    pub(super) touches: bool,
    /// Whether a ground was put below its floating base.
    stands: bool,
    /// Its actuators that act, and their controls, unless somebody else drives it.
    actuation: Actuation,
    controls: Vec<f64>,
    /// Its tendons and couplings.
    lengths: LengthForces,
}

impl Setup {
    /// Decides on all that was left open. Cost: the size of the mesh files, the square of the
    /// number of shapes, and the distances of all pairs.
    ///
    /// # Errors
    /// [`SetupError`]: among them [`SetupError::Idle`] for what was said and has no effect.
    pub fn decide<'m>(&self, robot: &'m Robot) -> Result<Start<'m>, SetupError> {
        self.check_numbers()?;
        let found = self.find(robot)?;
        let method = self.chosen_method(&found);
        let drives_name = self.chosen_drives(&found, method);
        let controller = self.chosen_controller();
        self.check_effects(&found, method)?;
        self.check_controls(&found, drives_name)?;

        let model = &robot.model;
        let is_stepping = method == MethodName::TimeStepping;
        let mut warnings = found.warnings(method, self);
        let (home, goal) = self.home(&found, is_stepping)?;
        let q = self.q.clone().unwrap_or_else(|| home.0.clone());
        let v = match (&self.v, &self.q) {
            (Some(v), _) => v.clone(),
            (None, Some(_)) => vec![0.0; model.nv()],
            (None, None) => home.1.clone(),
        };
        let named = found.configuration.map(|it| it.name.as_str());
        let moved = moved_bodies(robot, named, is_stepping);
        let RobotParts {
            contact,
            actuation,
            controls,
            lengths,
            ..
        } = found;
        if is_stepping {
            warnings.extend(beyond_their_range(model, &lengths.tendons, &q)?);
        }
        let stated = StatedForces::of(robot, lengths);
        let geometry = contact
            .as_ref()
            .map_or_else(Vec::new, |it| it.geometry.clone());
        let mut contacts = match contact {
            Some(contact) => contacts_of(robot, contact),
            None => {
                let nothing = CollisionModel::with_pairs(model, Vec::new(), Vec::new())?;
                CollisionContacts::new(nothing, Vec::new())
            }
        };
        let mut left_out = Vec::new();
        if is_stepping {
            if let Some(friction) = self.friction {
                contacts = contacts.with_friction(friction);
            }
            let in_ground = InGround::deepest(model, contacts.model(), &q)?;
            warnings.extend(in_ground.map(SetupWarning::InGround));
            let mut overlapping = pairs_that_always_overlap(model, contacts.model(), &q)?;
            overlapping.retain(|pair| !pair.iter().any(|&shape| contacts.is_moved(shape)));
            contacts.exclude(&overlapping)?;
            let name = |k: usize| contacts.model().shapes()[k].name.clone();
            left_out = overlapping.iter().map(|it| it.map(name)).collect();
            if !left_out.is_empty() {
                warnings.push(SetupWarning::LeftOut(left_out.clone()));
            }
            let deepest = deepest_overlap(model, contacts.model(), &q)?;
            if let Some((pair, depth)) = deepest.filter(|(_, depth)| *depth > DEEP) {
                let shapes = pair.map(name);
                warnings.push(SetupWarning::Overlap { shapes, depth });
            }
        }
        let drives = match drives_name {
            DrivesName::None => Drives::none(),
            DrivesName::Hold => Drives::holding(model, &q)?,
            DrivesName::Actuators => {
                let own = Drives::of_actuators(model, &actuation);
                match robot.is_scene() {
                    // Robots of a scene that have none are held.
                    true => own.and_held(model, Drives::holding(model, &q)?),
                    false => own,
                }
            }
        };
        let effort_limits = self.effort_limits.unwrap_or(true);
        let drives = match effort_limits {
            true => drives,
            false => drives.with_effort(|_| f64::INFINITY),
        };
        let of_file = robot.description.time_step.filter(|_| is_stepping);
        let step = self.step.or(of_file).unwrap_or(method.usual_step());
        Ok(Start {
            model,
            method,
            step,
            assemble: self.assembles(model),
            q,
            v,
            home,
            contacts,
            moved,
            geometry,
            laws: self.laws(robot),
            controls: match drives_name {
                DrivesName::Actuators => controls,
                DrivesName::None | DrivesName::Hold => Vec::new(),
            },
            drives_name,
            drives,
            controller,
            goal,
            frequency: self.frequency.unwrap_or(1.0),
            passive: self.passive.unwrap_or(true) && !is_stepping,
            effort_limits,
            stated,
            stops: self.stops.clone(),
            loops: self.loops.unwrap_or_default(),
            left_out,
            disabled: robot.description.disabled,
            warnings,
            tolerance: self.tolerance,
            greatest_step: self.step,
        })
    }

    /// Looks at the robot.
    fn find<'r>(&self, robot: &'r Robot) -> Result<RobotParts<'r>, SetupError> {
        let model = &robot.model;
        let configuration = self.named_configuration(robot)?;
        let floats = floating_height(model).is_some() && !robot.is_world();
        let has_shapes = !robot.description.geometry.is_empty();
        let ground = match self.ground {
            Ground::At(height) => Some(height),
            Ground::Auto => (floats && has_shapes).then_some(0.0),
            Ground::None => None,
        };
        let disabled = robot.description.disabled;
        let has_contact =
            !disabled.contacts && self.method.is_none_or(|it| it == MethodName::TimeStepping);
        let contact = has_contact
            .then(|| robot.contact_model(ground))
            .transpose()?;
        let pairs = contact.as_ref().map(|it| it.collision.pairs());
        let touches = pairs.is_some_and(|pairs| !pairs.is_empty());
        let is_open = self.drives.is_none() && !self.is_controlled();
        let takes_actuators = is_open || self.asked_drives() == Some(DrivesName::Actuators);
        let name = configuration.map(|it| it.name.as_str());
        let controls = match &self.controls {
            Some(controls) => controls.of(robot, name)?,
            None => robot.controls(name),
        };
        let actuation = match takes_actuators {
            true => robot
                .actuation_in(name, &controls)
                .map_err(SimulationError::from)?,
            false => Actuation::default(),
        };
        Ok(RobotParts {
            robot,
            configuration,
            contact,
            touches,
            stands: floats && ground.is_some() && touches,
            actuation,
            controls,
            lengths: robot.length_forces(),
        })
    }

    /// The configuration that was named, or that the robot starts with.
    fn named_configuration<'r>(
        &self,
        robot: &'r Robot,
    ) -> Result<Option<&'r Configuration>, SetupError> {
        let Some(name) = &self.configuration else {
            return Ok(robot.start());
        };
        let all = &robot.description.configurations;
        let own = all.iter().find(|it| it.name == *name);
        let unknown = || SetupError::UnknownConfiguration {
            robot: robot.model.name().to_owned(),
            name: name.clone(),
            known: all.iter().map(|it| it.name.clone()).collect(),
        };
        own.map(Some).ok_or_else(unknown)
    }

    fn chosen_method(&self, found: &RobotParts<'_>) -> MethodName {
        if let Some(method) = self.method {
            return method;
        }
        let model = &found.robot.model;
        if self.stops.is_some() || self.passive == Some(false) {
            // Time stepping has limits and passive forces itself.
            return MethodName::RungeKutta4;
        }
        let has_law = self.friction_law.is_some() || self.impact_law.is_some();
        let asks_for_contact =
            matches!(self.ground, Ground::At(_)) || self.friction.is_some() || has_law;
        let asks_for_drives = matches!(
            self.asked_drives(),
            Some(DrivesName::Hold | DrivesName::Actuators)
        );
        let acts = found.touches
            || found.has_tendons()
            || has_limits_or_friction(model)
            || found.has_actuators()
            || has_moved(found.robot);
        match acts || asks_for_contact || asks_for_drives || self.controls.is_some() {
            true => MethodName::TimeStepping,
            false if self.tolerance.is_some() => MethodName::DormandPrince,
            false => MethodName::RungeKutta4,
        }
    }

    /// The drives that were asked for, also as a controller.
    pub(super) fn asked_drives(&self) -> Option<DrivesName> {
        let as_controller = self.controller.and_then(|it| match it {
            ControllerName::Hold => Some(DrivesName::Hold),
            ControllerName::Actuators => Some(DrivesName::Actuators),
            ControllerName::None | ControllerName::Gravity | ControllerName::Pd => None,
        });
        self.drives.or(as_controller)
    }

    /// Whether somebody drives the robot, or nobody shall.
    fn is_controlled(&self) -> bool {
        self.is_driven || self.controller.is_some()
    }

    fn chosen_drives(&self, found: &RobotParts<'_>, method: MethodName) -> DrivesName {
        if let Some(asked) = self.asked_drives() {
            return asked;
        }
        if self.is_controlled() || method != MethodName::TimeStepping {
            return DrivesName::None;
        }
        let model = &found.robot.model;
        let joints = &mut model.joints().iter().skip(1);
        let has_joints = joints.any(|joint| joint.nv == 1);
        let is_held = (found.stands || (found.robot.is_scene() && found.touches)) && has_joints;
        match (found.has_actuators(), is_held) {
            (true, _) => DrivesName::Actuators,
            (false, true) => DrivesName::Hold,
            (false, false) => DrivesName::None,
        }
    }

    fn chosen_controller(&self) -> ControllerName {
        match self.controller {
            Some(ControllerName::Gravity) => ControllerName::Gravity,
            Some(ControllerName::Pd) => ControllerName::Pd,
            Some(ControllerName::None | ControllerName::Hold | ControllerName::Actuators)
            | None => ControllerName::None,
        }
    }

    /// The state that the robot begins in by itself, and the goal of `pd`.
    fn home(
        &self,
        found: &RobotParts<'_>,
        is_stepping: bool,
    ) -> Result<(State, Vec<f64>), SetupError> {
        let robot = found.robot;
        let model = &robot.model;
        let name = found.configuration.map(|it| it.name.as_str());
        let named = name.and_then(|name| model.reference_configurations().get(name));
        let mut q = named.map_or_else(|| model.neutral_configuration(), Clone::clone);
        let goal = self.goal.clone().unwrap_or_else(|| q.clone());
        // The configuration of closed loops is a model's own, and no start.
        let start = name.filter(|name| *name != CLOSED);
        let velocity = start.and_then(|name| robot.velocity(name));
        let v = velocity.unwrap_or_else(|| vec![0.0; model.nv()]);
        let is_stated = robot.is_scene() || self.configuration.is_some();
        if is_stepping && !is_stated {
            if !robot.description.disabled.limits {
                clamp_to_limits(model, &mut q);
            }
            if let Some(contact) = found.contact.as_ref().filter(|_| found.stands) {
                let collision = &contact.collision;
                let ground = collision.shapes().len() - 1;
                put_on(model, collision, ground, &mut q)?;
            }
        }
        if is_stepping {
            let equalities = &found.lengths.equalities;
            equalities.iter().for_each(|it| it.settle(&mut q));
        }
        Ok(((q, v), goal))
    }

    /// Whether the robot begins at a state nearby in which its loops are closed.
    fn assembles(&self, model: &Model) -> bool {
        let is_open = self.q.is_none() && self.v.is_none();
        self.assemble.unwrap_or(is_open) && !model.loop_joints().is_empty()
    }

    fn laws(&self, robot: &Robot) -> ContactLaws {
        let mut defaults = robot.description.contact_defaults;
        defaults.friction_law = self.friction_law.unwrap_or(defaults.friction_law);
        defaults.impact_law = self.impact_law.unwrap_or(defaults.impact_law);
        let mut laws = ContactLaws::from(defaults);
        laws.tolerance = self.tolerance.unwrap_or(laws.tolerance);
        laws.joint_limits = !robot.description.disabled.limits;
        laws
    }
}

/// Whether a robot has bodies that the user moves.
fn has_moved(robot: &Robot) -> bool {
    robot.description.links.iter().any(|link| link.is_moved)
}

/// The contacts of a robot, with the shapes of moved bodies.
fn contacts_of(robot: &Robot, contact: ContactModel) -> CollisionContacts {
    let moved = robot.moved_bodies(None);
    if moved.is_empty() {
        return CollisionContacts::from(contact);
    }
    let links = contact.links.iter();
    let bodies = links.map(|link| link.and_then(|link| robot.moved_body_of(&moved, link)));
    let bodies = bodies.collect();
    CollisionContacts::from(contact).with_moved_shapes(bodies)
}

/// The moved bodies where a configuration puts them, of methods that have them.
fn moved_bodies(robot: &Robot, configuration: Option<&str>, is_stepping: bool) -> MovedBodies {
    match is_stepping {
        true => MovedBodies::of(robot, configuration),
        false => MovedBodies::none(),
    }
}

/// Tendons that begin beyond their range.
fn beyond_their_range(
    model: &Model,
    tendons: &[Tendon],
    q: &[f64],
) -> Result<Vec<SetupWarning>, SetupError> {
    if tendons.is_empty() {
        return Ok(Vec::new());
    }
    let mut placements = vec![Se3::identity(); model.joints().len()];
    let mut ws = Workspace::recursive(model);
    let placed = model.forward_kinematics(&mut ws, q);
    placed
        .and_then(|it| it.joint_placements_into(&mut placements))
        .map_err(SimulationError::from)?;
    let mut gradient = LengthGradient::default();
    let beyond = tendons.iter().filter_map(|tendon| {
        let length = tendon.length.evaluate(q, &placements, &mut gradient);
        let [least, greatest] = tendon.range;
        let beyond = (least - length).max(length - greatest);
        (beyond > BEYOND).then(|| SetupWarning::TendonBeyond {
            name: tendon.name.clone(),
            beyond,
        })
    });
    Ok(beyond.collect())
}

impl RobotParts<'_> {
    /// Whether the file has actuators that act.
    pub(super) fn has_actuators(&self) -> bool {
        let own = &self.actuation;
        !(own.joints.is_empty() && own.lengths.is_empty())
    }

    /// Whether the file has tendons or couplings that act.
    fn has_tendons(&self) -> bool {
        !(self.lengths.tendons.is_empty() && self.lengths.equalities.is_empty())
    }

    /// Warnings of parts of the robot that do not act as its file says.
    fn warnings(&self, method: MethodName, setup: &Setup) -> Vec<SetupWarning> {
        let mut all = Vec::new();
        let actuators = self.actuation.warnings.iter();
        let lengths = self.lengths.warnings.iter();
        all.extend(actuators.chain(lengths).cloned().map(SetupWarning::File));
        let model = &self.robot.model;
        let floats = floating_height(model).is_some() && !self.robot.is_world();
        let is_open = setup.ground == Ground::Auto && setup.method.is_none();
        if floats && is_open && !self.stands {
            all.push(SetupWarning::Falls(model.name().to_owned()));
        }
        if method != MethodName::TimeStepping && has_moved(self.robot) {
            all.push(SetupWarning::NotMoved {
                method: method.name(),
            });
        }
        if method == MethodName::TimeStepping {
            let shapes = self.contact.iter().flat_map(|it| &it.warnings);
            all.extend(shapes.cloned().map(SetupWarning::File));
        } else if let Some(contact) = self.contact.as_ref().filter(|_| self.touches) {
            let (method, pairs) = (method.name(), contact.collision.pairs().len());
            all.push(SetupWarning::PassThrough { method, pairs });
        }
        if method != MethodName::TimeStepping && self.has_tendons() {
            all.push(SetupWarning::Slack(method.name()));
        }
        all
    }

    /// Whether a controller has something to drive.
    pub(super) fn can_be_driven(&self) -> bool {
        driven_coordinates(&self.robot.model).contains(&true)
    }
}
