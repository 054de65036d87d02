//! The gravity compensation controller.

use super::{Controller, driven_coordinates};
use crate::integrator::IntegratorError;
use crate::integrator::forces::State;
use featherline::Workspace;
use featherline::model::Model;

/// Joint forces that carry the robot's weight, g(q), so that it floats as if weightless. A base
/// that floats free is not driven (see [`driven_coordinates`]) and falls. Costs O(n).
#[derive(Clone, Debug)]
pub struct GravityCompensation<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    driven: Box<[bool]>,
}

impl<'m> GravityCompensation<'m> {
    /// The controller for a robot.
    pub fn new(model: &'m Model) -> Self {
        let ws = Workspace::recursive(model);
        let driven = driven_coordinates(model).into();
        Self { model, ws, driven }
    }
}

impl Controller for GravityCompensation<'_> {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        let (model, ws) = (self.model, &mut self.ws);
        let gravity = model
            .gravity_torque(ws, state.q)
            .map_err(|source| IntegratorError::at(model, state.t, state.v, source))?;
        for (k, force) in gravity.iter().enumerate() {
            if self.driven[k] {
                tau[k] += force;
            }
        }
        Ok(())
    }
}
