//! The implicit midpoint rule, for stiff joints.

use super::error::{joint_of_coordinate, largest};
use super::gauss::Gauss;
use super::stepper::StepState;
use super::{IntegratorError, Result, Stability, Stepper, VectorField};
use featherline::model::Model;

/// The last relative change of a mean velocity that is found, at least of 1 rad/s or m/s.
const TOLERANCE: f64 = 1e-12;
/// The relative change that rounding may leave where accelerations are inexact.
const ROUNDING: f64 = 1e-8;
const MOST_ITERATIONS: usize = 30;
/// A correction that leaves more than this part of the one before calls for new derivatives.
const SLOW: f64 = 0.1;
/// By which part of a correction the next one must be smaller, or else this one is shortened.
const GAIN: f64 = 0.25;
/// The shortest part of a correction, or of the way to the whole step, that is tried.
const SHORTEST: f64 = 1.0 / 64.0;

/// The implicit midpoint rule in Munthe-Kaas' form: the mean velocity V of the step is sought for
/// which the accelerations halfway change the velocity by 2 (V − v).
///
/// ```text
/// V = v + ½ h f(t + ½ h, q ⊕ ½ h V, V),   q' = q ⊕ h V,   v' = 2 V − v
/// ```
///
/// Order 2, symmetric, A-stable: stiff springs and dampers, joint limits and dry friction don't
/// bound the step. On a Lie group the stage is exact as written, because V and the displacement ½ h
/// V are parallel. Newton's method with derivatives by differences, nv evaluations for each matrix
/// (one a step, more where it converges slowly), and an elimination in O(nv³): for robots of some
/// dozen joints. In free motion a step takes 1.4 to 1.6 evaluations' time for each degree of
/// freedom, so that it is eleven times [`RungeKutta4`](super::RungeKutta4)'s on a humanoid of 38
/// and thirty times, a millisecond, on a chain of a hundred links. Corrections are damped until the
/// next one is smaller. Where that fails, V is found for a shorter step and continued in the step
/// length up to h, so that the step remains one of the rule. Source: Hairer, Lubich and Wanner
/// 2006, eq. II.1.7 and section IV.8; E. Hairer and G. Wanner, *Solving Ordinary Differential
/// Equations II*, 1996, section IV.8 for the iteration; P. Deuflhard, *Newton Methods for Nonlinear
/// Problems*, 2004, sections 3.3 (natural monotonicity) and 5.1 (continuation).
///
/// ```
/// use featherline_sim::integrator::forces::TorqueFunction;
/// use featherline_sim::integrator::{ForwardDynamics, ImplicitMidpoint, Stepper};
/// use featherline::samples;
///
/// // Dampers that would need steps below a nanosecond of any explicit method.
/// let model = samples::double_pendulum();
/// let brake = |_t: f64, _q: &[f64], v: &[f64], tau: &mut [f64]| {
///     tau[0] -= 1e8 * v[0];
///     tau[1] -= 1e8 * v[1];
/// };
/// let mut field = ForwardDynamics::with_forces(&model, TorqueFunction::new(brake));
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// let mut stepper = ImplicitMidpoint::new(&model);
/// for k in 0..100 {
///     stepper.step(&mut field, 0.01 * k as f64, &mut q, &mut v, 0.01)?;
/// }
/// assert!((q[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
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
    /// Newton's correction, which is subtracted from the mean velocity, and the next one.
    correction: Box<[f64]>,
    next_correction: Box<[f64]>,
    /// The mean velocity of a shorter step.
    shorter: Box<[f64]>,
    displacement: Box<[f64]>,
    configuration: Box<[f64]>,
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
            correction: tangent(),
            next_correction: tangent(),
            shorter: tangent(),
            displacement: tangent(),
            configuration: vec![0.0; model.nq()].into(),
        }
    }

    /// Writes V − v − ½ h f for the varied mean velocity to the varied residual.
    fn evaluate(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        let half = 0.5 * start.h;
        for (u, v) in self.displacement.iter_mut().zip(&self.varied) {
            *u = half * v;
        }
        let t = start.t + half;
        start.displace(self.model, t, &self.displacement, &mut self.configuration)?;
        field.acceleration(t, &self.configuration, &self.varied, &mut self.acceleration)?;
        for k in 0..self.varied.len() {
            self.varied_residual[k] = self.varied[k] - start.v[k] - half * self.acceleration[k];
        }
        start.check_velocity(self.model, t, &self.varied_residual)
    }

    /// Finds the derivatives of the residual by forward differences, and factorises them.
    fn differentiate(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        let n = self.mean.len();
        self.varied.copy_from_slice(&self.mean);
        for k in 0..n {
            // It balances rounding and curvature; exact in binary, as the difference then is.
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
        outcome.map_err(|_| self.undetermined(start))
    }

    /// Finds the mean velocity from that at the start, or else by way of shorter steps.
    fn solve(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        self.mean.copy_from_slice(start.v);
        let failed = match self.search(field, start) {
            Err(error @ IntegratorError::NotConverged { .. }) => error,
            done => return done,
        };
        self.shorter.copy_from_slice(start.v);
        let (mut found, mut further) = (0.0, 0.5);
        while further >= SHORTEST {
            let part: f64 = f64::min(found + further, 1.0);
            let h = part * start.h;
            self.mean.copy_from_slice(&self.shorter);
            match self.search(field, StepState { h, ..start }) {
                Ok(()) if part == 1.0 => return Ok(()),
                Ok(()) => {
                    self.shorter.copy_from_slice(&self.mean);
                    found = part;
                    further *= 2.0;
                }
                Err(_) => further *= 0.5,
            }
        }
        Err(failed)
    }

    /// Seeks the mean velocity near that which stands there.
    fn search(&mut self, field: &mut dyn VectorField, start: StepState<'_>) -> Result<()> {
        self.varied.copy_from_slice(&self.mean);
        self.evaluate(field, start)?;
        self.residual.copy_from_slice(&self.varied_residual);
        self.differentiate(field, start)?;
        self.correct();
        let (mut fresh, mut last) = (true, f64::INFINITY);
        for iteration in 1..=MOST_ITERATIONS {
            let (change, worst) = self.change();
            if change <= TOLERANCE || (change > 0.5 * last && change <= ROUNDING) {
                for (mean, correction) in self.mean.iter_mut().zip(&self.correction) {
                    *mean -= correction;
                }
                return Ok(());
            }
            let left = match self.advance(field, start, change) {
                Ok(left) => left,
                Err(_) if !fresh => {
                    self.differentiate(field, start)?;
                    self.correct();
                    fresh = true;
                    continue;
                }
                // Not the motion but the search for it.
                Err(
                    None | Some(IntegratorError::Diverged { .. } | IntegratorError::NoForce { .. }),
                ) => {
                    return Err(self.not_converged(start, iteration, worst));
                }
                Err(Some(error)) => return Err(error),
            };
            last = change;
            fresh = left > SLOW * change;
            if fresh {
                self.differentiate(field, start)?;
                self.correct();
            } else {
                self.correction.copy_from_slice(&self.next_correction);
            }
        }
        let worst = self.change().1;
        Err(self.not_converged(start, MOST_ITERATIONS, worst))
    }

    /// Solves for the correction that the residual asks for.
    fn correct(&mut self) {
        self.correction.copy_from_slice(&self.residual);
        self.jacobian.solve(&mut self.correction);
    }

    /// The greatest change of the mean velocity, relative to it or to 1 rad/s or m/s, and where.
    fn change(&self) -> (f64, usize) {
        let (mut change, mut worst) = (0.0_f64, 0);
        for (k, (mean, correction)) in self.mean.iter().zip(&self.correction).enumerate() {
            let own = correction.abs() / (mean - correction).abs().max(1.0);
            if own > change {
                (change, worst) = (own, k);
            }
        }
        (change, worst)
    }

    /// Takes off as much of a correction as makes the next one smaller, and returns its size.
    fn advance(
        &mut self,
        field: &mut dyn VectorField,
        start: StepState<'_>,
        change: f64,
    ) -> Result<f64, Option<IntegratorError>> {
        let (mut part, mut error) = (1.0, None);
        while part >= SHORTEST {
            for k in 0..self.mean.len() {
                self.varied[k] = part.mul_add(-self.correction[k], self.mean[k]);
            }
            error = self.evaluate(field, start).err();
            if error.is_none() {
                self.next_correction.copy_from_slice(&self.varied_residual);
                self.jacobian.solve(&mut self.next_correction);
                let mut left = 0.0_f64;
                for (k, next) in self.next_correction.iter().enumerate() {
                    let scale = (self.mean[k] - self.correction[k]).abs().max(1.0);
                    left = left.max(next.abs() / scale);
                }
                // A correction of the size of rounding need not become smaller.
                if left <= (1.0 - GAIN * part) * change || left <= ROUNDING {
                    self.mean.copy_from_slice(&self.varied);
                    self.residual.copy_from_slice(&self.varied_residual);
                    return Ok(left);
                }
            }
            part *= 0.5;
        }
        Err(error)
    }

    /// There is no correction, where accelerations leave nothing of the velocity but rounding.
    #[cold]
    fn undetermined(&self, start: StepState<'_>) -> IntegratorError {
        let worst = largest(&self.residual);
        let velocity = self.mean[worst].abs().max(1.0);
        if self.residual[worst].abs() * f64::EPSILON > f64::EPSILON.sqrt() * velocity {
            return IntegratorError::Diverged {
                t: start.t + start.h,
                joint: joint_of_coordinate(self.model, worst),
                speed: start.v[worst].abs(),
                shorter: None,
            };
        }
        self.not_converged(start, 0, worst)
    }

    #[cold]
    fn not_converged(
        &self,
        start: StepState<'_>,
        iterations: usize,
        coordinate: usize,
    ) -> IntegratorError {
        IntegratorError::NotConverged {
            t: start.t,
            h: start.h,
            iterations,
            joint: joint_of_coordinate(self.model, coordinate),
            change: self.correction[coordinate].abs(),
            shorter: None,
        }
    }
}

impl Stepper for ImplicitMidpoint<'_> {
    fn name(&self) -> &'static str {
        "the implicit midpoint rule"
    }

    fn order(&self) -> usize {
        2
    }

    /// It is stable at any rate, but R = (1 + z/2)/(1 − z/2) tends to −1: velocities that a damper
    /// takes away faster than forty times a step swing to and fro for more than ten steps, and of
    /// what swings faster than three steps long nothing is seen; a stop that is so stiff may throw
    /// a joint back faster than it came.
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
    ) -> Result<()> {
        let start = StepState { t, q, v, h };
        start.check(self.model)?;
        self.solve(field, start)?;
        for k in 0..v.len() {
            self.displacement[k] = h * self.mean[k];
            self.varied[k] = 2.0 * self.mean[k] - v[k];
        }
        start.check_velocity(self.model, t + h, &self.varied)?;
        let end = &mut self.configuration;
        start.displace(self.model, t + h, &self.displacement, end)?;
        q.copy_from_slice(&self.configuration);
        v.copy_from_slice(&self.varied);
        Ok(())
    }
}
