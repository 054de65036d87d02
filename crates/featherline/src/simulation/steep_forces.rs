//! Whether forces answer faster than a method follows.

use super::Caution;
use crate::integrator::error::joint_of_coordinate;
use crate::integrator::forces::{Answers, ForceLaw, Steepness};
use crate::integrator::{IntegratorError, Stability};
use crate::model::Model;

/// How fast forces answer to motion where a simulation begins.
///
/// A coordinate's own rates, with all others free, are never above those of the whole robot (the diagonal of D^½ M⁻¹ D^½ is not above
/// its largest eigenvalue): what is found here is true, and there may be more.
#[derive(Clone, Debug, Default)]
pub(super) struct SteepForces {
    damping: Fastest,
    swing: Fastest,
}

#[derive(Clone, Debug, Default)]
struct Fastest {
    joint: String,
    rate: f64,
}

impl SteepForces {
    /// Of a law at the configuration `q`.
    pub(super) fn of(model: &Model, q: &[f64], law: &impl ForceLaw) -> Self {
        let mut steepness = Steepness::none(model.nv());
        law.add_steepness(&mut steepness);
        let Steepness { damping, stiffness } = steepness;
        if damping.iter().chain(&stiffness).all(|&x| x == 0.0) {
            return Self::default();
        }
        // A robot without an answer has no motion either, and its first step says why.
        Self::at(model, q, &damping, &stiffness).unwrap_or_default()
    }

    fn at(
        model: &Model,
        q: &[f64],
        damping: &[f64],
        stiffness: &[f64],
    ) -> Result<Self, IntegratorError> {
        let mut answers = Answers::new(model, q)?;
        let mut fastest = |slopes: &[f64]| -> Result<Fastest, IntegratorError> {
            let (coordinate, rate) = answers.greatest(slopes)?;
            Ok(Fastest {
                joint: joint_of_coordinate(model, coordinate),
                rate,
            })
        };
        let mut swing = fastest(stiffness)?;
        swing.rate = swing.rate.sqrt();
        Ok(Self {
            damping: fastest(damping)?,
            swing,
        })
    }

    /// What a method does not follow in steps of `step` seconds.
    pub(super) fn beyond(
        &self,
        method: &'static str,
        stability: Stability,
        step: f64,
    ) -> Vec<Caution> {
        let mut found = Vec::new();
        let Fastest { joint, rate } = &self.damping;
        if rate * step > stability.damping {
            found.push(Caution::FastDamping {
                joint: joint.clone(),
                rate: *rate,
                method,
                step,
                followed: stability.damping / step,
                longest: stability.damping / rate,
            });
        }
        let Fastest { joint, rate } = &self.swing;
        if rate * step > stability.oscillation {
            found.push(Caution::FastSwing {
                joint: joint.clone(),
                rate: *rate,
                method,
                step,
                followed: stability.oscillation / step,
                longest: stability.oscillation / rate,
            });
        }
        found
    }
}
