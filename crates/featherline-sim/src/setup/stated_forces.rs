//! Forces that a file states: on bodies, and of tendons.

use crate::integrator::forces::{ForceModel, WeightCompensation};
use featherline::model::{JointId, LengthEquality, Model, Tendon};
use featherline::spatial::Vec3;
use featherline_formats::Robot;
use featherline_formats::description::LengthForces;

/// Forces that a file states besides its actuators: the weight that is carried (`gravcomp` of
/// MJCF), and those of tendons.
#[derive(Clone, Debug, Default)]
pub struct StatedForces {
    carried: Vec<(JointId, f64, Vec3<f64>)>,
    tendons: Vec<Tendon>,
    equalities: Vec<LengthEquality>,
}

impl StatedForces {
    /// Those of a robot.
    pub(super) fn of(robot: &Robot, lengths: LengthForces) -> Self {
        let carried = robot.carried_weights().into_iter();
        Self {
            carried: carried.map(|it| (it.body, it.mass, it.center)).collect(),
            tendons: lengths.tendons,
            equalities: lengths.equalities,
        }
    }

    /// The tendons that exert forces, of [time stepping](crate::contact::TimeStepping).
    pub fn tendons(&self) -> Vec<Tendon> {
        self.tendons.clone()
    }

    /// Equalities of lengths, of time stepping, too.
    pub fn equalities(&self) -> Vec<LengthEquality> {
        self.equalities.clone()
    }

    /// Those on bodies as force models, none for none.
    pub fn models<'m>(&self, model: &'m Model) -> Vec<Box<dyn ForceModel + Send + 'm>> {
        let mut all: Vec<Box<dyn ForceModel + Send + 'm>> = Vec::new();
        if !self.carried.is_empty() {
            let carried = WeightCompensation::new(model, self.carried.clone());
            all.push(Box::new(carried));
        }
        all
    }
}
