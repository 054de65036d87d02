//! Springs of the joints.

use super::{ForceBounds, ForceModel, Loads, State, add_coefficients};
use crate::integrator::Result;
use featherline::kernel::spring_forces;
use featherline::model::Model;

/// The springs of the model's joints: −k δ for each degree of freedom, with δ the way from the
/// spring's reference to q in the tangent space.
///
/// A mimic joint's spring acts on the mimicked joint with the ratio. For a joint that turns in
/// space with a different stiffness about each axis the force is not the gradient of an energy.
#[derive(Clone, Debug)]
pub struct Springs<'m> {
    model: &'m Model,
    rest: Box<[f64]>,
    forces: Box<[f64]>,
    is_nothing: bool,
}

impl<'m> Springs<'m> {
    /// The springs of a model's joints.
    pub fn new(model: &'m Model) -> Self {
        let mut stiffness = model.joints().iter().flat_map(|j| &j.drive.stiffness);
        Self {
            model,
            rest: vec![0.0; model.nq()].into(),
            forces: vec![0.0; model.nv()].into(),
            is_nothing: stiffness.all(|&k| k == 0.0),
        }
    }
}

impl ForceModel for Springs<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        if self.is_nothing {
            return Ok(());
        }
        spring_forces(self.model, state.q, &mut self.rest, &mut self.forces);
        for (tau, force) in loads.tau.iter_mut().zip(&self.forces) {
            *tau += force;
        }
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        self.is_nothing
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        add_coefficients(self.model, |drive| &drive.stiffness, &mut bounds.stiffness);
    }
}
