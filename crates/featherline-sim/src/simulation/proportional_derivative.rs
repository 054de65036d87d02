//! The proportional-derivative controller: springs and dampers towards a reference.

use super::{Controller, GravityCompensation, driven_coordinates};
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceBounds, State, check_positive};
use featherline::kernel::check_size;
use featherline::model::Model;
use featherline::{Workspace, configuration};

/// Proportional-derivative control with compensation of gravity: τ = g(q) + Kp (r ⊖ q) − Kd v
/// towards the reference r.
///
/// With positive gains a robot on a fixed base comes to rest at r from everywhere nearby, whatever
/// its inertia. A base that floats free is not driven (see [`driven_coordinates`]). Costs O(n).
/// Source: M. Takegaki and S. Arimoto, "A new feedback method for dynamic control of manipulators",
/// Journal of Dynamic Systems, Measurement, and Control 103, 1981.
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::samples;
/// use featherline_sim::simulation::{Method, ProportionalDerivative, Simulator, Uncontrolled};
///
/// let model = samples::double_pendulum();
/// let control = ProportionalDerivative::critical(&model, &[0.5, -1.0], 2.0)?;
/// let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
/// let simulator = Simulator::new(&model, method).with_controller(control);
/// let mut simulation = simulator.start(0.0, &[0.0, 0.0], &[0.0, 0.0])?;
/// simulation.run(10.0, 1.0, &mut ())?;
/// let q = simulation.configuration();
/// assert!((q[0] - 0.5).abs() < 1e-3 && (q[1] + 1.0).abs() < 1e-3);
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProportionalDerivative<'m> {
    model: &'m Model,
    gravity: GravityCompensation<'m>,
    driven: Box<[bool]>,
    reference: Box<[f64]>,
    stiffness: Box<[f64]>,
    damping: Box<[f64]>,
    error: Box<[f64]>,
}

impl<'m> ProportionalDerivative<'m> {
    /// The controller with the given gains, nv entries each: `stiffness` in N·m/rad (N/m),
    /// `damping` in N·m·s/rad (N·s/m). The reference has nq entries.
    ///
    /// # Errors
    /// [`IntegratorError::Argument`] for wrong lengths.
    pub fn new(
        model: &'m Model,
        reference: &[f64],
        stiffness: &[f64],
        damping: &[f64],
    ) -> Result<Self, IntegratorError> {
        check_size("the reference", model.nq(), reference.len())?;
        check_size("the stiffness", model.nv(), stiffness.len())?;
        check_size("the damping", model.nv(), damping.len())?;
        Ok(Self {
            model,
            gravity: GravityCompensation::new(model),
            driven: driven_coordinates(model).into(),
            reference: reference.into(),
            stiffness: stiffness.into(),
            damping: damping.into(),
            error: vec![0.0; model.nv()].into(),
        })
    }

    /// The controller with gains from the mass matrix at the reference: each coordinate by itself,
    /// with the others held, would come to it without oscillation, as an oscillator of `frequency`
    /// (in Hz) with critical damping does. Costs one mass matrix.
    ///
    /// # Errors
    /// [`IntegratorError::Argument`] for a reference that does not fit,
    /// [`IntegratorError::BadParameter`] unless the frequency is positive.
    pub fn critical(
        model: &'m Model,
        reference: &[f64],
        frequency: f64,
    ) -> Result<Self, IntegratorError> {
        check_positive("the frequency", frequency)?;
        let rate = std::f64::consts::TAU * frequency;
        let mut ws = Workspace::new(model);
        let inertia = model.crba(&mut ws, reference)?.diagonal();
        let stiffness: Vec<f64> = inertia.iter().map(|m| m * rate * rate).collect();
        let damping: Vec<f64> = inertia.iter().map(|m| 2.0 * m * rate).collect();
        Self::new(model, reference, &stiffness, &damping)
    }
}

impl Controller for ProportionalDerivative<'_> {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self.gravity.drive(state, tau)?;
        configuration::difference_into(self.model, state.q, &self.reference, &mut self.error)?;
        for k in 0..tau.len() {
            if self.driven[k] {
                tau[k] += self.stiffness[k] * self.error[k] - self.damping[k] * state.v[k];
            }
        }
        Ok(())
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        for k in (0..self.driven.len()).filter(|&k| self.driven[k]) {
            bounds.stiffness[k] += self.stiffness[k];
            bounds.damping[k] += self.damping[k];
        }
    }
}
