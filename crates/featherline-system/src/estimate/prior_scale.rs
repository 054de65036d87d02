//! How broad a prior is that suits a robot.

use super::error::EstimateError;
use super::options::{Assumption, EstimatorOptions};
use super::weights::information;
use crate::system::System;
use crate::unknown::Unknown;
use featherline::Model;
use featherline::model::JointId;

/// So many times broader than what the robot's weight brings about is a prior that says nothing.
const BROAD: f64 = 1e3;

/// Gravity where the robot has none, in m/s².
const EARTH: f64 = 9.81;

/// One over the variance of each unknown; zero where nothing is assumed.
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
            let scale = Scale::of_whole(system.model());
            let unknowns = (0..count).filter_map(|column| system.unknowns().at(column));
            let informations = unknowns.map(|unknown| {
                if !is_independent(unknown) {
                    return Ok(0.0);
                }
                let deviation = BROAD * scale.of_unknown(unknown);
                information(deviation * deviation, || unknown.describe(system.model()))
            });
            informations.collect()
        }
    }
}

/// The magnitude of each unknown that the robot's weight causes.
pub(super) fn typical(system: &System) -> Vec<f64> {
    let scale = Scale::of_whole(system.model());
    let unknowns = (0..system.unknowns().count()).map(|column| system.unknowns().at(column));
    unknowns
        .map(|unknown| unknown.map_or(0.0, |unknown| scale.of_unknown(unknown)))
        .collect()
}

/// The average costs of the prior that all unknowns share, if they are of the magnitude that the
/// robot's weight causes: for each of them the square of that over the variance, and at most one.
pub(super) fn assumed_costs(
    options: &EstimatorOptions,
    informations: &[f64],
    typical: &[f64],
) -> Vec<f64> {
    let cost = |(information, typical): (&f64, &f64)| match options.prior {
        Assumption::Variance(_) => (information * typical * typical).min(1.0),
        // Nothing to speak of.
        Assumption::Scaled | Assumption::Nothing => 0.0,
    };
    informations.iter().zip(typical).map(cost).collect()
}

/// The same of what is stated of one unknown or of several, which is taken at its word unless it is
/// broader than what says nothing: from how many of its deviations the robot's weight brings about.
pub(super) fn stated_cost(deviations: f64) -> f64 {
    (BROAD * deviations).powi(2).min(1.0)
}

/// A unit for each unknown: what the weight of the bodies behind its joint brings about.
pub(super) fn units(system: &System) -> Vec<f64> {
    let model = system.model();
    let scales = Scale::of_subtrees(model);
    let mut owners = vec![JointId::UNIVERSE; model.nv()];
    for id in model.joint_ids() {
        let joint = model.joint(id);
        owners[joint.idx_v..joint.idx_v + joint.nv].fill(id);
    }
    let unit = |unknown| {
        let joint = match unknown {
            Unknown::Acceleration { joint, .. }
            | Unknown::Force { joint, .. }
            | Unknown::ExternalForce { joint, .. } => joint,
            Unknown::JointForce { coordinate } | Unknown::JointAcceleration { coordinate } => {
                owners[coordinate]
            }
            // The universe stands for all bodies.
            Unknown::LoopForce { joint, .. } | Unknown::LoopAcceleration { joint, .. } => {
                model.loop_joint(joint).successor
            }
        };
        // Powers of two change no digit.
        let scale: &Scale = &scales[joint.index()];
        2.0_f64.powi(scale.of_unknown(unknown).log2().round() as i32)
    };
    let unknowns = (0..system.unknowns().count()).map(|column| system.unknowns().at(column));
    unknowns.map(|unknown| unknown.map_or(1.0, unit)).collect()
}

/// Whether everything else follows from unknowns like this one by the equations of motion.
fn is_independent(unknown: Unknown) -> bool {
    matches!(
        unknown,
        Unknown::JointAcceleration { .. }
            | Unknown::ExternalForce { .. }
            | Unknown::LoopForce { .. }
            | Unknown::LoopAcceleration { .. }
    )
}

/// The scale of forces and accelerations that the weight of some bodies causes.
#[derive(Clone, Copy)]
struct Scale {
    /// In m/s².
    gravity: f64,
    /// In N.
    weight: f64,
    /// How far the bodies reach, in m.
    reach: f64,
}

impl Scale {
    /// Of the whole robot.
    fn of_whole(model: &Model) -> Self {
        Self::of_subtrees(model)[JointId::UNIVERSE.index()]
    }

    /// Of the bodies behind each joint; behind the universe, these are all.
    fn of_subtrees(model: &Model) -> Vec<Self> {
        let gravity = Some(model.gravity().norm()).filter(|&gravity| gravity > 0.0);
        let gravity = gravity.unwrap_or(EARTH);
        // The way along the joints in their zero positions, and the size of the body at its end.
        let mut subtrees = vec![(0.0_f64, 0.0_f64); model.joints().len()];
        for id in model.joint_ids().rev() {
            let joint = model.joint(id);
            let inertia = &joint.inertia;
            let (mut mass, mut reach) = subtrees[id.index()];
            if inertia.mass > 0.0 {
                let second = inertia.rotational.trace() / (2.0 * inertia.mass);
                reach = reach.max(inertia.com.norm() + second.max(0.0).sqrt());
                mass += inertia.mass;
            }
            subtrees[id.index()] = (mass, reach);
            let parent = &mut subtrees[joint.parent.index()];
            let way = joint.placement.translation.norm();
            *parent = (parent.0 + mass, parent.1.max(way + reach));
        }
        let positive = |x: f64, other: f64| if x > 0.0 { x } else { other };
        let (mass, reach) = subtrees[JointId::UNIVERSE.index()];
        let whole = (positive(mass, 1.0 / gravity), positive(reach, 1.0));
        let scale = |(mass, reach)| Self {
            gravity,
            weight: positive(mass, whole.0) * gravity,
            reach: positive(reach, whole.1),
        };
        subtrees.into_iter().map(scale).collect()
    }

    fn of_unknown(&self, unknown: Unknown) -> f64 {
        let moment = self.weight * self.reach;
        let angular = self.gravity / self.reach.min(1.0);
        match unknown {
            Unknown::Acceleration { component, .. } if component < 3 => self.gravity,
            Unknown::Acceleration { .. } => angular,
            Unknown::Force { component, .. }
            | Unknown::ExternalForce { component, .. }
            | Unknown::LoopForce { component, .. }
                if component < 3 =>
            {
                self.weight
            }
            Unknown::Force { .. } | Unknown::ExternalForce { .. } | Unknown::LoopForce { .. } => {
                moment
            }
            Unknown::JointForce { .. } => self.weight.max(moment),
            Unknown::JointAcceleration { .. } | Unknown::LoopAcceleration { .. } => {
                self.gravity.max(angular)
            }
        }
    }
}
