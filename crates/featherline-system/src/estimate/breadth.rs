//! How broad a prior is that suits a robot.

use super::error::EstimateError;
use super::options::{Assumption, EstimatorOptions};
use super::weights::information;
use crate::system::System;
use crate::unknown::Unknown;
use featherline::Model;

/// So many times broader than what the robot's weight brings about is a prior that says nothing.
const BROAD: f64 = 1e3;

/// The same for normal equations, which can't bear more.
const BROAD_SQUARED: f64 = 10.0;

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
                let breadth = match is_normal(options) {
                    true => BROAD_SQUARED,
                    false if is_independent(unknown) => BROAD,
                    false => return Ok(0.0),
                };
                let deviation = breadth * scale.of_unknown(unknown);
                information(deviation * deviation, || unknown.describe(system.model()))
            });
            informations.collect()
        }
    }
}

/// What the robot's own weight brings about of each unknown: a unit that makes different quantities alike.
pub(super) fn units(system: &System) -> Vec<f64> {
    let scale = Scale::of(system.model());
    let unknowns = (0..system.unknowns().count()).map(|column| system.unknowns().at(column));
    // Powers of two change no digit.
    let unit = |unknown| 2.0_f64.powi(scale.of_unknown(unknown).log2().round() as i32);
    unknowns.map(|unknown| unknown.map_or(1.0, unit)).collect()
}

/// Whether normal equations are formed.
pub(super) fn is_normal(options: &EstimatorOptions) -> bool {
    options.normal && options.equation.is_some()
}

/// Whether everything else follows from unknowns like this one by the equations of motion.
fn is_independent(unknown: Unknown) -> bool {
    matches!(
        unknown,
        Unknown::JointAcceleration { .. } | Unknown::ExternalForce { .. }
    )
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

    fn of_unknown(&self, unknown: Unknown) -> f64 {
        let moment = self.weight * self.reach;
        let angular = self.gravity / self.reach.min(1.0);
        match unknown {
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
