//! The total applied force of a simulation: the controller's and the force model's.

use super::{Controller, EffortLimits};
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceBounds, ForceModel, Loads, State};
use featherline::model::Model;
use featherline::spatial::Force;

/// A controller and a force model as one force model.
pub(super) struct TotalForce<'m> {
    pub model: &'m Model,
    pub controller: Box<dyn Controller + 'm>,
    /// The bounds on the controller's forces.
    pub effort: EffortLimits,
    /// The last forces that the controller asked for, before these limits.
    pub asked: Vec<f64>,
    pub applied: Box<dyn ForceModel + 'm>,
    /// Whether the forces that were last applied are kept: on joints, and on bodies if on any.
    pub is_kept: bool,
    pub tau: Vec<f64>,
    pub bodies: Vec<Force<f64>>,
}

impl TotalForce<'_> {
    /// Writes the controller's joint forces, kept within the limits of effort, to `tau`.
    pub fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        tau.fill(0.0);
        self.controller.drive(state, tau)?;
        let bodies = &mut [];
        Loads { tau, bodies }.check("the controller", self.model, state)?;
        self.asked.clear();
        self.asked.extend_from_slice(tau);
        self.effort.bound(tau);
        Ok(())
    }
}

impl ForceModel for TotalForce<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        self.drive(state, loads.tau)?;
        self.applied.add(state, loads)?;
        if self.is_kept {
            self.tau.clear();
            self.tau.extend_from_slice(loads.tau);
            self.bodies.clear();
            if self.applied.acts_on_bodies() {
                self.bodies.extend_from_slice(loads.bodies);
            }
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        self.applied.acts_on_bodies()
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        self.controller.add_bounds(bounds);
        self.applied.add_bounds(bounds);
    }

    fn controls(&self) -> &[f64] {
        &self.asked
    }
}
