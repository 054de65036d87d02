//! The total applied force of a simulation: the controller's and the force model's.

use super::Controller;
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceBounds, ForceModel, Loads, State};
use featherline::model::Model;

/// A controller and a force model as one force model.
pub(super) struct TotalForce<'m> {
    pub model: &'m Model,
    pub controller: Box<dyn Controller + 'm>,
    pub applied: Box<dyn ForceModel + 'm>,
}

impl TotalForce<'_> {
    /// Adds the controller's joint forces.
    pub fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self.controller.drive(state, tau)?;
        let bodies = &mut [];
        Loads { tau, bodies }.check("the controller", self.model, state)
    }
}

impl ForceModel for TotalForce<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        self.drive(state, loads.tau)?;
        self.applied.add(state, loads)
    }

    fn acts_on_bodies(&self) -> bool {
        self.applied.acts_on_bodies()
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        self.controller.add_bounds(bounds);
        self.applied.add_bounds(bounds);
    }
}
