//! The symplectic (semi-implicit) Euler method.

use super::stepper::StepState;
use super::{Result, Stability, Stepper, VectorField};
use featherline::model::Model;

/// The symplectic Euler method: first the velocity, by the accelerations at the beginning of the
/// step; then the configuration, by the new velocity.
///
/// Order 1, one evaluation a step. It is symplectic where the mass matrix is constant, and what
/// most physics engines do everywhere; with a mass matrix that varies its energy error is larger,
/// and may drift slowly. Source: E. Hairer, C. Lubich and G. Wanner, *Geometric Numerical
/// Integration*, 2006, eq. I.1.9.
///
/// ```
/// use featherline_sim::integrator::{ForwardDynamics, Stepper, SymplecticEuler};
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let mut field = ForwardDynamics::new(&model);
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// SymplecticEuler::new(&model).step(&mut field, 0.0, &mut q, &mut v, 0.01)?;
/// assert_eq!(q[0], 1.0 + 0.01 * v[0]);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SymplecticEuler<'m> {
    model: &'m Model,
    acceleration: Box<[f64]>,
    velocity: Box<[f64]>,
    displacement: Box<[f64]>,
    configuration: Box<[f64]>,
}

impl<'m> SymplecticEuler<'m> {
    /// The method for a robot.
    pub fn new(model: &'m Model) -> Self {
        let tangent = || vec![0.0; model.nv()].into();
        Self {
            model,
            acceleration: tangent(),
            velocity: tangent(),
            displacement: tangent(),
            configuration: vec![0.0; model.nq()].into(),
        }
    }
}

impl Stepper for SymplecticEuler<'_> {
    fn name(&self) -> &'static str {
        "symplectic Euler"
    }

    fn order(&self) -> usize {
        1
    }

    /// Both from the roots of its two-term recursion.
    fn stability(&self) -> Option<Stability> {
        Some(Stability {
            damping: 2.0,
            oscillation: 2.0,
        })
    }

    fn step(
        &mut self,
        field: &mut dyn VectorField,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
    ) -> Result<()> {
        let start = StepState { t, q, v, h };
        start.check(self.model)?;
        field.acceleration(t, q, v, &mut self.acceleration)?;
        for k in 0..v.len() {
            self.velocity[k] = v[k] + h * self.acceleration[k];
            self.displacement[k] = h * self.velocity[k];
        }
        start.check_velocity(self.model, t + h, &self.velocity)?;
        let end = &mut self.configuration;
        start.displace(self.model, t + h, &self.displacement, end)?;
        q.copy_from_slice(&self.configuration);
        v.copy_from_slice(&self.velocity);
        Ok(())
    }
}
