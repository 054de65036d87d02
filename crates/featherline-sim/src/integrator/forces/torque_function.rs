//! Joint forces from a callback.

use super::{ForceModel, Loads, State};
use crate::integrator::Result;

/// Joint forces from a callback `(t, q, v, tau)`, which adds its own to `tau`.
///
/// Methods call it at each of their stages, at times within the step: it is a controller in
/// continuous time. One with a clock of its own should set [`JointTorques`](super::JointTorques)
/// between steps instead.
///
/// ```
/// use featherline_sim::integrator::{ForwardDynamics, VectorField, forces::TorqueFunction};
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let hold = |_t: f64, q: &[f64], v: &[f64], tau: &mut [f64]| {
///     for k in 0..2 {
///         tau[k] += 100.0 * (0.5 - q[k]) - 20.0 * v[k];
///     }
/// };
/// let mut field = ForwardDynamics::with_forces(&model, TorqueFunction::new(hold));
/// let mut a = [0.0; 2];
/// field.acceleration(0.0, &[0.0, 0.0], &[0.0, 0.0], &mut a)?;
/// assert!(a[1] > 0.0);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TorqueFunction<F> {
    force_model: F,
}

impl<F: FnMut(f64, &[f64], &[f64], &mut [f64])> TorqueFunction<F> {
    /// The force model of a callback.
    pub fn new(force_model: F) -> Self {
        Self { force_model }
    }
}

impl<F: FnMut(f64, &[f64], &[f64], &mut [f64])> ForceModel for TorqueFunction<F> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        (self.force_model)(state.t, state.q, state.v, loads.tau);
        Ok(())
    }
}
