//! All forces of a simulation as one law.

use super::Controller;
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceLaw, Loads, State, Steepness};
use featherline::model::Model;

/// What a controller does, and other laws.
pub(super) struct Acting<'m> {
    pub model: &'m Model,
    pub controller: Box<dyn Controller + 'm>,
    pub law: Box<dyn ForceLaw + 'm>,
}

impl Acting<'_> {
    /// Adds what the controller drives the joints with.
    pub fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self.controller.drive(state, tau)?;
        let bodies = &mut [];
        Loads { tau, bodies }.check("the controller", self.model, state)
    }
}

impl ForceLaw for Acting<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        self.drive(state, loads.tau)?;
        self.law.add(state, loads)
    }

    fn acts_on_bodies(&self) -> bool {
        self.law.acts_on_bodies()
    }

    fn add_steepness(&self, steepness: &mut Steepness) {
        self.controller.add_steepness(steepness);
        self.law.add_steepness(steepness);
    }
}
