//! All forces of a simulation as one law.

use super::Controller;
use crate::Error;
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceLaw, Loads, State, Steepness};

/// What a controller does, and other laws.
pub(super) struct Acting<'m> {
    pub controller: Box<dyn Controller + 'm>,
    pub law: Box<dyn ForceLaw + 'm>,
}

impl ForceLaw for Acting<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        self.controller.drive(state, loads.tau)?;
        // Of a motion that is lost anything may come; that is told where it is seen.
        let is_lost = !state.q.iter().chain(state.v).all(|x| x.is_finite());
        if let Some(index) = loads.tau.iter().position(|x| x.is_nan())
            && !is_lost
        {
            let what = "what the controller drives";
            return Err(Error::NotFinite { what, index }.into());
        }
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
