//! Forces on bodies that a file states.

use crate::integrator::forces::{ForceModel, WeightCompensation};
use featherline::model::{JointId, Model};
use featherline::spatial::Vec3;
use featherline_formats::Robot;

/// Forces on bodies that a file states besides its actuators: the weight that is carried
/// (`gravcomp` of MJCF).
#[derive(Clone, Debug, Default)]
pub struct StatedForces {
    carried: Vec<(JointId, f64, Vec3<f64>)>,
}

impl StatedForces {
    /// Those of a robot.
    pub(super) fn of(robot: &Robot) -> Self {
        let carried = robot.carried_weights().into_iter();
        Self {
            carried: carried.map(|it| (it.body, it.mass, it.center)).collect(),
        }
    }

    /// The forces as force models, none for none.
    pub fn models<'m>(&self, model: &'m Model) -> Vec<Box<dyn ForceModel + Send + 'm>> {
        let mut all: Vec<Box<dyn ForceModel + Send + 'm>> = Vec::new();
        if !self.carried.is_empty() {
            all.push(Box::new(WeightCompensation::new(
                model,
                self.carried.clone(),
            )));
        }
        all
    }
}
