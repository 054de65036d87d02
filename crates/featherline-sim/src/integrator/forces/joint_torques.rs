//! Joint forces that the caller sets.

use super::{ForceModel, Loads, State};
use crate::integrator::Result;
use featherline::kernel::check_size;

/// Joint forces that stay as they are until the caller sets others: constant ones, or those of a
/// controller with a clock of its own, whose output is held from one sample to the next.
///
/// A controller at 1 kHz, without allocation in its loop:
///
/// ```
/// use featherline::{Workspace, samples};
/// use featherline_sim::integrator::forces::JointTorques;
/// use featherline_sim::integrator::{ForwardDynamics, RungeKutta4, Stepper};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let mut field = ForwardDynamics::with_forces(&model, JointTorques::new([0.0, 0.0]));
/// let mut stepper = RungeKutta4::new(&model);
/// let (goal, mut q, mut v, mut a) = ([0.5, -1.0], [0.0; 2], [0.0; 2], [0.0; 2]);
/// for k in 0..3000 {
///     for i in 0..2 {
///         a[i] = 36.0 * (goal[i] - q[i]) - 12.0 * v[i]; // critical damping, 6 rad/s
///     }
///     let tau = model.rnea(&mut ws, &q, &v, &a)?; // computed torque
///     field.forces_mut().tau.copy_from_slice(tau);
///     stepper.step(&mut field, 1e-3 * f64::from(k), &mut q, &mut v, 1e-3)?;
/// }
/// assert!((q[0] - 0.5).abs() < 1e-3 && (q[1] + 1.0).abs() < 1e-3);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
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
    fn add(&mut self, _: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        check_size("`JointTorques::tau`", loads.tau.len(), self.tau.len())?;
        for (tau, own) in loads.tau.iter_mut().zip(&self.tau) {
            *tau += own;
        }
        Ok(())
    }
}
