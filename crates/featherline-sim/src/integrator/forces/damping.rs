//! Viscous damping of the joints.

use super::{ForceBounds, ForceModel, Loads, State, add_coefficients};
use crate::integrator::Result;
use featherline::model::Model;

/// Viscous damping: −d v for each degree of freedom, with the damping of the model's joints.
///
/// A mimic joint resists its own motion, and so the mimicked joint's with the squared ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Damping {
    coefficients: Box<[f64]>,
}

impl Damping {
    /// The damping of a model's joints.
    pub fn new(model: &Model) -> Self {
        let mut coefficients = vec![0.0; model.nv()];
        add_coefficients(model, |drive| &drive.damping, &mut coefficients);
        Self {
            coefficients: coefficients.into(),
        }
    }
}

impl ForceModel for Damping {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        for (k, coefficient) in self.coefficients.iter().enumerate() {
            loads.tau[k] -= coefficient * state.v[k];
        }
        Ok(())
    }

    fn is_nothing(&self) -> bool {
        self.coefficients.iter().all(|&d| d == 0.0)
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        for (own, coefficient) in bounds.damping.iter_mut().zip(&self.coefficients) {
            *own += coefficient;
        }
    }
}
