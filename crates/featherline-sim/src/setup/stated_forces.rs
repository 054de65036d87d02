//! Forces that a file states: on bodies, and of tendons.

use crate::integrator::forces::{BodyForces, ForceModel, WeightCompensation};
use featherline::model::{Coupling, JointId, Model, Tendon};
use featherline::spatial::{Force, Vec3};
use featherline_formats::Robot;
use featherline_formats::description::{Actuation, LengthForces};

/// Forces that a file states: those of actuators of a frame, such as thrusters, the weight that is
/// carried (`gravcomp` of MJCF), and those of tendons.
#[derive(Clone, Debug, Default)]
pub struct StatedForces {
    constant: Vec<(JointId, Force<f64>)>,
    carried: Vec<(JointId, f64, Vec3<f64>)>,
    tendons: Vec<Tendon>,
    couplings: Vec<Coupling>,
}

impl StatedForces {
    /// Those of a robot, with what its actuators do.
    pub(super) fn of(robot: &Robot, actuation: &Actuation, lengths: LengthForces) -> Self {
        let bodies = actuation.bodies.iter();
        let carried = robot.carried_weights().into_iter();
        Self {
            constant: bodies.map(|it| (it.body, it.force)).collect(),
            carried: carried.map(|it| (it.body, it.mass, it.center)).collect(),
            tendons: lengths.tendons,
            couplings: lengths.couplings,
        }
    }

    /// The same without those of actuators.
    pub(super) fn without_actuators(mut self) -> Self {
        self.constant.clear();
        self
    }

    /// The tendons that exert forces, of [time stepping](crate::contact::TimeStepping).
    pub fn tendons(&self) -> Vec<Tendon> {
        self.tendons.clone()
    }

    /// Equalities of lengths, of time stepping, too.
    pub fn couplings(&self) -> Vec<Coupling> {
        self.couplings.clone()
    }

    /// Those on bodies as force models, none for none.
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
