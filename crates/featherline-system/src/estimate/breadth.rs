//! How broad a prior is that suits a robot.

use super::error::EstimateError;
use super::options::{Assumption, EstimatorOptions};
use super::weights::information;
use crate::system::System;
use crate::unknown::Unknown;
use featherline::Model;

/// So many times broader than what the robot's weight brings about is a prior that says nothing.
const BROAD: f64 = 1e3;

/// Gravity where the robot has none, in m/s².
const EARTH: f64 = 9.81;

/// One over the variance of each unknown; zero where nothing is assumed.
///
/// # Errors
/// [`EstimateError::Variance`].
pub(super) fn prior_informations(
    system: &System,
    options: &EstimatorOptions,
) -> Result<Vec<f64>, EstimateError> {
    let count = system.unknowns().count();
    match options.prior {
        Assumption::Nothing => Ok(vec![0.0; count]),
        Assumption::Variance(variance) => Ok(vec![
            information(variance, || "the unknowns".into())?;
            count
        ]),
        Assumption::Scaled => {
            let scale = Scale::of(system.model());
            let unknowns = (0..count).filter_map(|column| system.unknowns().at(column));
            let informations = unknowns.map(|unknown| {
                let deviation = scale.deviation(unknown);
                information(deviation * deviation, || unknown.describe(system.model()))
            });
            informations.collect()
        }
    }
}

/// What the robot's own weight brings about.
struct Scale {
    /// In m/s².
    gravity: f64,
    /// In N.
    weight: f64,
    /// How far the robot reaches, in m.
    reach: f64,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let gravity = Some(model.gravity().norm()).filter(|&gravity| gravity > 0.0);
        let gravity = gravity.unwrap_or(EARTH);
        // The way along the joints in their zero positions, and the size of the body at its end.
        let (mut along, mut reach) = (vec![0.0; model.joints().len()], 0.0_f64);
        for id in model.joint_ids() {
            let joint = model.joint(id);
            let way = along[joint.parent.index()] + joint.placement.translation.norm();
            along[id.index()] = way;
            let size = if joint.inertia.mass > 0.0 {
                let second = joint.inertia.rotational.trace() / (2.0 * joint.inertia.mass);
                joint.inertia.com.norm() + second.max(0.0).sqrt()
            } else {
                0.0
            };
            reach = reach.max(way + size);
        }
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        Self {
            gravity,
            weight: positive(model.total_mass() * gravity),
            reach: positive(reach),
        }
    }

    fn deviation(&self, unknown: Unknown) -> f64 {
        let moment = self.weight * self.reach;
        let angular = self.gravity / self.reach.min(1.0);
        BROAD
            * match unknown {
                Unknown::Acceleration { component, .. } if component < 3 => self.gravity,
                Unknown::Acceleration { .. } => angular,
                Unknown::Force { component, .. } | Unknown::ExternalForce { component, .. }
                    if component < 3 =>
                {
                    self.weight
                }
                Unknown::Force { .. } | Unknown::ExternalForce { .. } => moment,
                Unknown::JointForce { .. } => self.weight.max(moment),
                Unknown::JointAcceleration { .. } => self.gravity.max(angular),
            }
    }
}
