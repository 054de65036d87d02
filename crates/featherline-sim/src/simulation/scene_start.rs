//! From a scene, or a robot of a file, to its simulation.

use super::{Method, Simulator};
use crate::contact::{
    CollisionContacts, ContactLaws, Defaults, Drives, InGround, TimeStepping, floating_height,
    put_on,
};
use crate::integrator::IntegratorError;
use crate::integrator::forces::ForceModel;
use featherline::model::Model;
use featherline_constraint::nonsmooth::clamp_to_limits;
use featherline_formats::description::{Configuration, ContactModelError};
use featherline_formats::{Robot, Warning};
use featherline_geometry::CollisionError;

/// A scene, or a robot of a file, at its start: the state, and all that its description says of
/// contact.
///
/// Each part may be changed before the simulation is made.
///
/// ```
/// use featherline_formats::load_str;
/// use featherline_sim::simulation::SceneStart;
///
/// let scene = load_str(
///     "
///     [ground]
///     friction = 0.5
///     [[body]]
///     name = 'cube'
///     box = [0.1, 0.1, 0.1]
///     position = [0, 0, 0.05]
///     velocity = [2, 0, 0, 0, 0, 0]",
/// )?;
/// let start = SceneStart::new(&scene)?;
/// let mut simulation = start.simulator(1e-3)?.start(0.0, &start.q, &start.v)?;
/// simulation.run(1.0, 0.1, &mut ())?;
/// // The cube has stopped after v²/(2 μ g) with μ = √(0.8 · 0.5).
/// assert!((simulation.configuration()[0] - 0.322).abs() < 2e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct SceneStart<'m> {
    /// The robot, or all robots and bodies of the scene.
    pub model: &'m Model,
    /// The configuration, nq entries: the one that the description [starts](Robot::start) with,
    /// else the neutral one. Unless the description is a scene, joints are within their limits.
    pub q: Vec<f64>,
    /// The velocity, nv entries: the one that the description states, else zero.
    pub v: Vec<f64>,
    /// What may touch what, with friction, restitution and softness of each pair.
    pub contacts: CollisionContacts,
    /// The laws of friction and of impacts.
    pub laws: ContactLaws,
    /// The actuators of the description that act on single joints, with its controls at the start.
    /// Robots of a scene without actuators are held where they start, and so is a robot without
    /// actuators that is put on a ground.
    pub drives: Drives,
    /// The names of the shapes that overlap at the start: these pairs do not touch each other.
    pub left_out: Vec<[String; 2]>,
    /// The shape that begins deepest in a ground, if one does: it is thrown out in the first step.
    pub in_ground: Option<InGround>,
    /// What of shapes and actuators is left out or changed.
    pub warnings: Vec<Warning>,
}

/// Why a description has no simulation with contact.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneStartError {
    /// Shapes that can't be put together.
    #[error(transparent)]
    Contacts(#[from] ContactModelError),
    /// A configuration that the description does not name.
    #[error(
        "`{robot}` has no configuration `{name}`; it has {known:?}. Name one of these, or take `SceneStart::new`"
    )]
    UnknownConfiguration {
        /// The robot's name.
        robot: String,
        /// The name that was given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Drives that can't hold the robot, or a configuration that does not fit.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
}

impl From<CollisionError> for SceneStartError {
    fn from(error: CollisionError) -> Self {
        Self::Contacts(error.into())
    }
}

impl<'m> SceneStart<'m> {
    /// A scene or a robot as its description has it. Cost: the size of the mesh files, the square
    /// of the number of shapes, and the distances of all pairs.
    ///
    /// # Errors
    /// [`SceneStartError`].
    pub fn new(robot: &'m Robot) -> Result<Self, SceneStartError> {
        Self::of(robot, robot.start(), None)
    }

    /// The same in a named configuration, such as a keyframe of MJCF, as it is stated: with its
    /// velocity and its controls of actuators.
    ///
    /// # Errors
    /// [`SceneStartError`].
    pub fn in_configuration(robot: &'m Robot, name: &str) -> Result<Self, SceneStartError> {
        let all = &robot.description.configurations;
        let known = || all.iter().map(|it| it.name.clone()).collect();
        let own = all.iter().find(|it| it.name == name);
        let own = own.ok_or_else(|| SceneStartError::UnknownConfiguration {
            robot: robot.model.name().to_owned(),
            name: name.to_owned(),
            known: known(),
        })?;
        Self::of(robot, Some(own), None)
    }

    /// The same with a ground at a height in m. A robot that floats is put on it, at rest, unless
    /// its description is a [world](Robot::is_world) of its own.
    ///
    /// # Errors
    /// [`SceneStartError`].
    ///
    /// ```
    /// use featherline_formats::LoadOptions;
    /// use featherline_sim::simulation::SceneStart;
    ///
    /// // A quadruped stands.
    /// let options = LoadOptions::new().floating_base(true);
    /// let robot = featherline_robots::load("quadruped", &options)?;
    /// let start = SceneStart::on_ground(&robot, 0.0)?;
    /// let mut simulation = start.simulator(1e-3)?.start(0.0, &start.q, &start.v)?;
    /// simulation.run(0.2, 0.1, &mut ())?;
    /// let up: f64 = simulation.contacts().iter().map(|it| it.impulse.z).sum();
    /// let weight = robot.model.total_mass() * 9.81;
    /// assert!((up / 1e-3 - weight).abs() < 0.01 * weight);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_ground(robot: &'m Robot, height: f64) -> Result<Self, SceneStartError> {
        Self::of(robot, robot.start(), Some(height))
    }

    fn of(
        robot: &'m Robot,
        begins: Option<&Configuration>,
        ground: Option<f64>,
    ) -> Result<Self, SceneStartError> {
        let (model, is_scene) = (&robot.model, robot.is_scene());
        let name = begins.map(|it| it.name.as_str());
        let is_default = name == robot.start().map(|it| it.name.as_str());
        let named = name.and_then(|name| model.reference_configurations().get(name));
        let mut q = named.map_or_else(|| model.neutral_configuration(), Clone::clone);
        let mut v = name
            .and_then(|name| robot.velocity(name))
            .unwrap_or_else(|| vec![0.0; model.nv()]);
        let mut contact = robot.contact_model(ground)?;
        let mut warnings = std::mem::take(&mut contact.warnings);
        let mut contacts = CollisionContacts::from(contact);
        let collision = contacts.model();
        let touches = !collision.pairs().is_empty();
        let floats = !robot.is_world() && floating_height(model).is_some();
        let stands = touches && ground.is_some() && floats;
        if is_default && !is_scene {
            clamp_to_limits(model, &mut q);
            if stands {
                let ground = collision.shapes().len() - 1;
                put_on(model, collision, ground, &mut q)?;
                v.fill(0.0);
            }
        }
        let in_ground = InGround::deepest(model, contacts.model(), &q)?;
        let overlapping = contacts.exclude_overlapping(model, &q)?;
        let shapes = contacts.model().shapes();
        let left_out = overlapping
            .iter()
            .map(|it| it.map(|k| shapes[k].name.clone()));
        let left_out = left_out.collect();
        let mut actuation = robot.actuation(name);
        warnings.append(&mut actuation.warnings);
        let is_held = Defaults::of(model, stands, is_scene && touches).is_held;
        let drives = match actuation.joints.is_empty() {
            true if is_held => Drives::holding(model, &q)?,
            false if is_scene => {
                Drives::of_actuators(model, &actuation).and_held(model, Drives::holding(model, &q)?)
            }
            _ => Drives::of_actuators(model, &actuation),
        };
        Ok(Self {
            model,
            q,
            v,
            contacts,
            laws: robot.description.contact_defaults.into(),
            drives,
            left_out,
            in_ground,
            warnings,
        })
    }

    /// The same with one coefficient of friction for all pairs.
    #[must_use]
    pub fn with_friction(mut self, friction: f64) -> Self {
        self.contacts = self.contacts.with_friction(friction);
        self
    }

    /// The same with other drives, or [none](Drives::none).
    #[must_use]
    pub fn with_drives(mut self, drives: Drives) -> Self {
        self.drives = drives;
        self
    }

    /// A simulator by time stepping with steps of `step` seconds, to be started from `q` and `v`.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] for a step that is not positive.
    pub fn simulator(&self, step: f64) -> Result<Simulator<'m>, IntegratorError> {
        let simulator = Simulator::new(self.model, Method::time_stepping(step)?);
        Ok(simulator
            .with_contacts(self.contacts.clone())
            .with_contact_laws(self.laws)
            .with_drives(self.drives.clone()))
    }

    /// The method alone, for loops of one's own over its steps.
    ///
    /// # Errors
    /// As [`TimeStepping::with`].
    pub fn time_stepping(
        &self,
    ) -> Result<TimeStepping<'m, (), CollisionContacts>, IntegratorError> {
        self.time_stepping_with(())
    }

    /// The same with forces of one's own, such as
    /// [`JointTorques`](crate::integrator::forces::JointTorques) that a controller sets between
    /// steps.
    ///
    /// # Errors
    /// As [`TimeStepping::with`].
    pub fn time_stepping_with<L: ForceModel>(
        &self,
        forces: L,
    ) -> Result<TimeStepping<'m, L, CollisionContacts>, IntegratorError> {
        let stepping = TimeStepping::with(self.model, forces, self.contacts.clone())?;
        Ok(stepping
            .with_drives(self.drives.clone())
            .with_laws(self.laws))
    }
}
