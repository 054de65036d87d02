//! Joint forces that the caller sets.

use super::{ForceModel, Loads, State};
use crate::integrator::IntegratorError;
use featherline::kernel::check_size;

/// Joint forces that stay as they are until the caller sets others: constant ones, or those of a
/// controller with a clock of its own, whose output is held from one sample to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTorques {
    /// The forces, nv entries in N·m (N).
    pub tau: Vec<f64>,
}

impl JointTorques {
    /// The given forces, nv entries.
    pub fn new(tau: impl Into<Vec<f64>>) -> Self {
        Self { tau: tau.into() }
    }
}

impl ForceModel for JointTorques {
    fn add(&mut self, _: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        check_size("the joint torques", loads.tau.len(), self.tau.len())?;
        for (tau, own) in loads.tau.iter_mut().zip(&self.tau) {
            *tau += own;
        }
        Ok(())
    }
}
