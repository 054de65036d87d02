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
    /// The forces that were last applied, where somebody wants to know them.
    pub kept: Option<Kept>,
}

/// Forces that were applied: of joints, and of bodies unless there are none.
pub(super) struct Kept {
    tau: Vec<f64>,
    bodies: Vec<Force<f64>>,
}

impl Kept {
    /// Memory for a model's forces.
    pub fn new(model: &Model) -> Self {
        Self {
            tau: Vec::with_capacity(model.nv()),
            bodies: Vec::with_capacity(model.joints().len()),
        }
    }
}

impl TotalForce<'_> {
    /// The joint forces and the forces on bodies that were last applied, if they are kept.
    pub fn last(&self) -> (&[f64], &[Force<f64>]) {
        match &self.kept {
            Some(kept) => (&kept.tau, &kept.bodies),
            None => (&[], &[]),
        }
    }

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
        let on_bodies = self.applied.acts_on_bodies();
        if let Some(kept) = &mut self.kept {
            kept.tau.clear();
            kept.tau.extend_from_slice(loads.tau);
            kept.bodies.clear();
            if on_bodies {
                kept.bodies.extend_from_slice(loads.bodies);
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
