//! A force model with the memory for what it adds up.

use super::{ForceModel, Loads, State};
use crate::integrator::Result;
use featherline::model::Model;
use featherline::spatial::Force;

/// A force model and what it lets act on a robot.
#[derive(Clone, Debug)]
pub(crate) struct Loading<L> {
    pub force_model: L,
    tau: Box<[f64]>,
    bodies: Box<[Force<f64>]>,
}

impl<L: ForceModel> Loading<L> {
    pub fn new(model: &Model, force_model: L) -> Self {
        Self {
            force_model,
            tau: vec![0.0; model.nv()].into(),
            bodies: vec![Force::zero(); model.joints().len()].into(),
        }
    }

    /// Joint forces, and forces on the bodies, none at all unless the model acts on bodies, in a
    /// state.
    pub fn at(
        &mut self,
        model: &Model,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(&[f64], &[Force<f64>])> {
        let on_bodies = self.force_model.acts_on_bodies();
        let mut loads = Loads {
            tau: &mut self.tau,
            bodies: &mut self.bodies,
        };
        let state = State { t, q, v };
        loads.set(&mut self.force_model, model, &state)?;
        let acting = if on_bodies { self.bodies.len() } else { 0 };
        Ok((&self.tau, &self.bodies[..acting]))
    }
}
