//! Forces on bodies that a file states.

use crate::integrator::forces::{BodyForces, ForceModel, WeightCompensation};
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Vec3};
use featherline_formats::Robot;
use featherline_formats::description::Actuation;

/// Forces on bodies that a file states: those of actuators of a frame, such as thrusters, and the
/// weight that is carried (`gravcomp` of MJCF).
#[derive(Clone, Debug, Default)]
pub struct StatedForces {
    constant: Vec<(JointId, Force<f64>)>,
    carried: Vec<(JointId, f64, Vec3<f64>)>,
}

impl StatedForces {
    /// Those of a robot, with what its actuators do.
    pub(super) fn of(robot: &Robot, actuation: &Actuation) -> Self {
        let bodies = actuation.bodies.iter();
        let carried = robot.carried_weights().into_iter();
        Self {
            constant: bodies.map(|it| (it.body, it.force)).collect(),
            carried: carried.map(|it| (it.body, it.mass, it.center)).collect(),
        }
    }

    /// The same without those of actuators.
    pub(super) fn without_actuators(mut self) -> Self {
        self.constant.clear();
        self
    }

    /// The forces as force models, none for none.
    pub fn models<'m>(&self, model: &'m Model) -> Vec<Box<dyn ForceModel + Send + 'm>> {
        let mut all: Vec<Box<dyn ForceModel + Send + 'm>> = Vec::new();
        if !self.constant.is_empty() {
            let mut forces = vec![Force::zero(); model.joints().len()];
            for (body, force) in &self.constant {
                forces[body.index()] += *force;
            }
            all.push(Box::new(BodyForces::new(forces)));
        }
        if !self.carried.is_empty() {
            all.push(Box::new(WeightCompensation::new(
                model,
                self.carried.clone(),
            )));
        }
        all
    }
}
