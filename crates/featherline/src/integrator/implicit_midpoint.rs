//! The implicit midpoint rule, for stiff joints.

use super::error::{joint_of_coordinate, largest};
use super::gauss::Gauss;
use super::stepper::{check_step, check_velocity, displace};
use super::{IntegratorError, Stability, Stepper, VectorField};
use crate::model::Model;

/// When the mean velocity counts as found: its last change, relative to it and at least to 1 rad/s or m/s.
const TOLERANCE: f64 = 1e-12;
/// What rounding may leave of that where accelerations are inexact.
const ROUNDING: f64 = 1e-8;
const MOST_ITERATIONS: usize = 30;
/// A correction that leaves more than this part of the one before calls for new derivatives.
const SLOW: f64 = 0.1;

/// The implicit midpoint rule in Munthe-Kaas' form: the mean velocity V of the step is sought for which the accelerations
/// halfway change the velocity by 2 (V − v).
///
/// ```text
/// V = v + ½ h f(t + ½ h, q ⊕ ½ h V, V),   q' = q ⊕ h V,   v' = 2 V − v
/// ```
///
/// Order 2, symmetric, A-stable: stiff springs and dampers, joint limits and dry friction don't bound the step. On a Lie group
/// the stage is exact as written, because V and the displacement ½ h V are parallel. Newton's method with derivatives by
/// differences, nv evaluations for each matrix (one a step, more where it converges slowly), and an elimination in O(nv³): for
/// robots of some dozen joints. Source: Hairer, Lubich and Wanner 2006, eq. II.1.7 and section IV.8; E. Hairer and G.
/// Wanner, *Solving Ordinary Differential Equations II*, 1996, section IV.8 for the iteration.
///
/// ```
/// use featherline::integrator::{ForwardDynamics, ImplicitMidpoint, Stepper, forces::Controller};
/// use featherline::samples;
///
/// // Dampers that would need steps below a nanosecond of any explicit method.
/// let model = samples::double_pendulum();
/// let brake = |_t: f64, _q: &[f64], v: &[f64], tau: &mut [f64]| {
///     tau[0] -= 1e8 * v[0];
///     tau[1] -= 1e8 * v[1];
/// };
/// let mut field = ForwardDynamics::with_forces(&model, Controller::new(brake));
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// let mut stepper = ImplicitMidpoint::new(&model);
/// for k in 0..100 {
///     stepper.step(&mut field, 0.01 * k as f64, &mut q, &mut v, 0.01)?;
/// }
/// assert!((q[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), featherline::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImplicitMidpoint<'m> {
    model: &'m Model,
    jacobian: Gauss,
    /// The mean velocity, and one next to it.
    mean: Box<[f64]>,
    varied: Box<[f64]>,
    acceleration: Box<[f64]>,
    residual: Box<[f64]>,
    varied_residual: Box<[f64]>,
    displacement: Box<[f64]>,
    configuration: Box<[f64]>,
}

/// Where a step begins, and its length.
#[derive(Clone, Copy)]
struct Start<'a> {
    t: f64,
    q: &'a [f64],
    v: &'a [f64],
    h: f64,
}

impl<'m> ImplicitMidpoint<'m> {
    /// The method for a robot. Memory O(nv²).
    pub fn new(model: &'m Model) -> Self {
        let tangent = || vec![0.0; model.nv()].into();
        Self {
            model,
            jacobian: Gauss::new(model.nv()),
            mean: tangent(),
            varied: tangent(),
            acceleration: tangent(),
            residual: tangent(),
            varied_residual: tangent(),
            displacement: tangent(),
            configuration: vec![0.0; model.nq()].into(),
        }
    }

    /// Writes V − v − ½ h f for the varied mean velocity to the varied residual.
    fn evaluate(
        &mut self,
        field: &mut dyn VectorField,
        start: Start<'_>,
    ) -> Result<(), IntegratorError> {
        let half = 0.5 * start.h;
        for (u, v) in self.displacement.iter_mut().zip(&self.varied) {
            *u = half * v;
        }
        let t = start.t + half;
        displace(
            self.model,
            t,
            start.q,
            (&self.displacement, start.v),
            &mut self.configuration,
        )?;
        field.acceleration(t, &self.configuration, &self.varied, &mut self.acceleration)?;
        for k in 0..self.varied.len() {
            self.varied_residual[k] = self.varied[k] - start.v[k] - half * self.acceleration[k];
        }
        check_velocity(self.model, t, &self.varied_residual, start.v)
    }

    /// Finds the derivatives of the residual by forward differences, and factorises them.
    fn differentiate(
        &mut self,
        field: &mut dyn VectorField,
        start: Start<'_>,
    ) -> Result<(), IntegratorError> {
        let n = self.mean.len();
        self.varied.copy_from_slice(&self.mean);
        for k in 0..n {
            // The step that balances rounding and curvature; exact in binary, so that the difference is what it says.
            let step = f64::EPSILON.sqrt() * self.mean[k].abs().max(1.0);
            self.varied[k] = self.mean[k] + step;
            let step = self.varied[k] - self.mean[k];
            self.evaluate(field, start)?;
            for i in 0..n {
                let difference = self.varied_residual[i] - self.residual[i];
                self.jacobian.matrix[i * n + k] = difference / step;
            }
            self.varied[k] = self.mean[k];
        }
        let outcome = self.jacobian.factorize();
        outcome.map_err(|_| self.not_converged(start, 0, largest(&self.residual)))
    }

    /// Finds the mean velocity.
    fn solve(
        &mut self,
        field: &mut dyn VectorField,
        start: Start<'_>,
    ) -> Result<(), IntegratorError> {
        self.mean.copy_from_slice(start.v);
        let (mut last, mut stale) = (f64::INFINITY, true);
        for iteration in 1..=MOST_ITERATIONS {
            self.varied.copy_from_slice(&self.mean);
            let evaluated = self.evaluate(field, start);
            if let (Err(IntegratorError::Diverged { .. }), 2..) = (&evaluated, iteration) {
                // Not the motion but the search for it.
                return Err(self.not_converged(start, iteration, largest(&self.residual)));
            }
            evaluated?;
            self.residual.copy_from_slice(&self.varied_residual);
            if stale {
                self.differentiate(field, start)?;
            }
            self.jacobian.solve(&mut self.residual);
            let (mut change, mut worst) = (0.0_f64, 0);
            for (k, correction) in self.residual.iter().enumerate() {
                self.mean[k] -= correction;
                let own = correction.abs() / self.mean[k].abs().max(1.0);
                if own > change {
                    (change, worst) = (own, k);
                }
            }
            if change <= TOLERANCE || (change > 0.5 * last && change <= ROUNDING) {
                return Ok(());
            }
            stale = change > SLOW * last;
            last = change;
            if iteration == MOST_ITERATIONS {
                return Err(self.not_converged(start, iteration, worst));
            }
        }
        Ok(())
    }

    #[cold]
    fn not_converged(
        &self,
        start: Start<'_>,
        iterations: usize,
        coordinate: usize,
    ) -> IntegratorError {
        IntegratorError::NotConverged {
            t: start.t,
            h: start.h,
            iterations,
            joint: joint_of_coordinate(self.model, coordinate),
            change: self.residual[coordinate].abs(),
        }
    }
}

impl Stepper for ImplicitMidpoint<'_> {
    fn name(&self) -> &'static str {
        "implicit midpoint"
    }

    fn order(&self) -> usize {
        2
    }

    /// It is stable at any rate, but R = (1 + z/2)/(1 − z/2) tends to −1: velocities that a damper takes away faster than forty times a
    /// step swing to and fro for more than ten steps, and of what swings faster than three steps long nothing is seen; a stop that is so
    /// stiff may throw a joint back faster than it came.
    fn stability(&self) -> Option<Stability> {
        Some(Stability {
            damping: 40.0,
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
    ) -> Result<(), IntegratorError> {
        check_step(self.model, t, q, v, h)?;
        self.solve(field, Start { t, q, v, h })?;
        for k in 0..v.len() {
            self.displacement[k] = h * self.mean[k];
            self.varied[k] = 2.0 * self.mean[k] - v[k];
        }
        check_velocity(self.model, t + h, &self.varied, v)?;
        displace(
            self.model,
            t + h,
            q,
            (&self.displacement, v),
            &mut self.configuration,
        )?;
        q.copy_from_slice(&self.configuration);
        v.copy_from_slice(&self.varied);
        Ok(())
    }
}
