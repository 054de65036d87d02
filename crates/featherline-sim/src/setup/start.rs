//! A simulation before it begins.

use super::{DrivesName, Setup, SetupError, SetupWarning, StatedForces, Stops};
use crate::contact::{CollisionContacts, ContactLaws, Drives, MovedBodies, TimeStepping};
use crate::integrator::forces::{self, Bumper, ForceModel, JointLimits};
use crate::integrator::{IntegratorError, Tolerance};
use crate::simulation::{
    ControllerName, GravityCompensation, LoopKeepingName, MethodName, ProportionalDerivative,
    Simulation, Simulator,
};
use featherline::model::Model;
use featherline_formats::description::Disabled;

/// All that a simulation begins with. Each part may be changed before it is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct Start<'m> {
    /// The robot, or all robots and bodies of a scene.
    pub model: &'m Model,
    /// The method.
    pub method: MethodName,
    /// The longest step in s.
    pub step: f64,
    /// The configuration, nq entries.
    pub q: Vec<f64>,
    /// The velocity, nv entries.
    pub v: Vec<f64>,
    /// The state, q and v, in which the robot begins where a caller says nothing of it.
    pub home: (Vec<f64>, Vec<f64>),
    /// Whether it begins at a state nearby in which loops are closed.
    pub assemble: bool,
    /// Contacts, with friction, restitution and softness of each pair; no pairs for methods without
    /// contact.
    pub contacts: CollisionContacts,
    /// The bodies of the world that the user moves; none for methods without contact.
    pub moved: MovedBodies,
    /// The index of each shape in
    /// [`Description::geometry`](featherline_formats::description::Description::geometry); none for
    /// a ground that was added.
    pub geometry: Vec<Option<usize>>,
    /// The laws of friction and of impacts, and how closely they are kept.
    pub laws: ContactLaws,
    /// The drives by their name, and as they are.
    pub drives_name: DrivesName,
    /// The actuators of the file with the controls of the start, or what holds the robot.
    pub drives: Drives,
    /// The controls of the actuators, in the order of the file; empty where the drives are others.
    pub controls: Vec<f64>,
    /// The controller.
    pub controller: ControllerName,
    /// The configuration that `pd` goes to.
    pub goal: Vec<f64>,
    /// The natural frequency of `pd` in Hz.
    pub frequency: f64,
    /// Whether damping, dry friction and springs of the joints act as forces: of methods other than
    /// time stepping, which has them itself.
    pub passive: bool,
    /// Whether limits of effort bound the controller. The drives have theirs.
    pub effort_limits: bool,
    /// Forces that the file states: on bodies, and of tendons.
    pub stated: StatedForces,
    /// The stops of joint limits.
    pub stops: Option<Stops>,
    /// How loops are kept closed.
    pub loops: LoopKeepingName,
    /// The names of the shapes that overlap wherever their joints are: these pairs do not touch.
    pub left_out: Vec<[String; 2]>,
    /// Parts of the physics that the file switches off.
    pub disabled: Disabled,
    /// Warnings of parts that act otherwise than the file says.
    pub warnings: Vec<SetupWarning>,
    pub(super) tolerance: Option<f64>,
    pub(super) greatest_step: Option<f64>,
}

impl<'m> Start<'m> {
    /// The simulator: the robot with what moves it.
    ///
    /// # Errors
    /// [`SetupError::Stops`] for joints without limits; [`SetupError::Integrator`] for numbers that
    /// do not fit.
    pub fn simulator(&self) -> Result<Simulator<'m>, SetupError> {
        let model = self.model;
        let tolerance = (self.method == MethodName::DormandPrince).then(|| {
            let mut tolerance = Tolerance::of(self.tolerance.unwrap_or(1e-9));
            tolerance.greatest_step = self.greatest_step.unwrap_or(tolerance.greatest_step);
            tolerance
        });
        let method = self.method.method(model, self.step, tolerance)?;
        let mut simulator = Simulator::new(model, method)
            .with_contact_laws(self.laws)
            .with_loops_kept(self.loops.in_steps_of(self.step))
            .with_forces(self.forces()?);
        if self.method == MethodName::TimeStepping {
            simulator = simulator
                .with_contacts(self.contacts.clone())
                .with_drives(self.drives.clone())
                .with_tendons(self.stated.tendons(), self.stated.equalities())
                .with_moved(self.moved.clone());
        }
        if !self.effort_limits {
            simulator = simulator.without_effort_limits();
        }
        Ok(match self.controller {
            ControllerName::None | ControllerName::Hold | ControllerName::Actuators => simulator,
            ControllerName::Gravity => simulator.with_controller(GravityCompensation::new(model)),
            ControllerName::Pd => {
                let (goal, frequency) = (&self.goal, self.frequency);
                let control = ProportionalDerivative::critical(model, goal, frequency)?;
                simulator.with_controller(control)
            }
        })
    }

    /// The simulation, begun at t = 0.
    ///
    /// # Errors
    /// As [`simulator`](Self::simulator) and [`Simulator::start`].
    pub fn simulation(&self) -> Result<Simulation<'m>, SetupError> {
        let simulator = self.simulator()?;
        Ok(match self.assemble {
            true => simulator.start_assembled(0.0, &self.q, &self.v)?,
            false => simulator.start(0.0, &self.q, &self.v)?,
        })
    }

    /// The forces of the joints' own: passive ones, and stops; and those on bodies that the file
    /// states. Forces that the robot does not have are left out.
    ///
    /// # Errors
    /// As [`simulator`](Self::simulator).
    pub fn forces(&self) -> Result<Vec<Box<dyn ForceModel + 'm>>, SetupError> {
        let mut all: Vec<Box<dyn ForceModel + 'm>> = Vec::new();
        if self.passive {
            let passive = forces::passive(self.model, forces::FRICTION_TRANSITION)?;
            if !passive.is_nothing() {
                all.push(Box::new(passive));
            }
        }
        if let Some(stops) = &self.stops {
            all.push(Box::new(stops.limits(self.model, &self.q, self.step)?));
        }
        for stated in self.stated.models(self.model) {
            all.push(stated);
        }
        Ok(all)
    }

    /// Whether nothing but gravity acts, so that a change of the energy is an error.
    pub fn only_gravity_acts(&self) -> bool {
        let is_free = self.forces().is_ok_and(|forces| forces.is_empty());
        is_free
            && self.controller == ControllerName::None
            && self.method != MethodName::TimeStepping
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

    /// Time stepping alone, with the forces that the file states, for loops of one's own over its
    /// steps.
    ///
    /// # Errors
    /// As [`TimeStepping::with`].
    pub fn time_stepping(
        &self,
    ) -> Result<
        TimeStepping<'m, Vec<Box<dyn ForceModel + Send + 'm>>, CollisionContacts>,
        IntegratorError,
    > {
        self.time_stepping_with(self.stated.models(self.model))
    }

    /// The same with forces of one's own in place of [stated](Self::stated) ones, such as
    /// [`JointTorques`](crate::integrator::forces::JointTorques) that a controller sets between
    /// steps. No limits of effort bound them.
    ///
    /// # Errors
    /// As [`TimeStepping::with`].
    pub fn time_stepping_with<L: ForceModel>(
        &self,
        forces: L,
    ) -> Result<TimeStepping<'m, L, CollisionContacts>, IntegratorError> {
        let stepping = TimeStepping::with(self.model, forces, self.contacts.clone())?;
        stepping
            .with_drives(self.drives.clone())
            .with_tendons(self.stated.tendons(), self.stated.equalities())
            .with_laws(self.laws)
            .with_moved(self.moved.clone())
    }
}

impl Stops {
    /// The stops as a force model, from a configuration on, in steps of `step` seconds.
    ///
    /// # Errors
    /// [`SetupError::Stops`] for a joint that there is not, or that has no limits.
    pub fn limits(&self, model: &Model, q: &[f64], step: f64) -> Result<JointLimits, SetupError> {
        let mut limits = match self.of_all {
            Some(both) => JointLimits::new(model, bumper(both))?,
            None => JointLimits::for_step(model, q, step)?,
        };
        for (name, both) in &self.of_joints {
            let joint = model.joint_id(name);
            let joint = joint.map_err(|unknown| SetupError::Stops(unknown.to_string()))?;
            let bounds = &model.joint(joint).limits;
            let mut bounds = bounds.lower.iter().chain(&bounds.upper);
            if bounds.all(|bound| bound.is_infinite()) {
                return Err(SetupError::Stops(format!(
                    "joint `{name}` has no limits; leave it out, or add limits to the robot's description"
                )));
            }
            limits = limits.with_bumper(joint, bumper(*both))?;
        }
        Ok(limits)
    }
}

fn bumper((stiffness, damping): (f64, f64)) -> Bumper {
    Bumper {
        stiffness,
        damping,
        depth: JointLimits::DEPTH,
    }
}

impl Setup {
    /// The simulation that it decides on, begun at t = 0.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn simulation<'m>(
        &self,
        robot: &'m featherline_formats::Robot,
    ) -> Result<Simulation<'m>, SetupError> {
        self.decide(robot)?.simulation()
    }
}
