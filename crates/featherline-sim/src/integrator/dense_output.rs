//! Dense output: the motion between the ends of a step.

use super::root::root;
use super::stepper::{StepState, check_finite};
use super::{IntegratorError, Result};
use featherline::kernel::check_size;
use featherline::model::Model;
use featherline::{configuration, kernel};

/// The motion within one step, as polynomials of the part θ ∈ \[0, 1\] of the step that has gone
/// by: the configuration is q₀ ⊕ u(θ), with a displacement u in the tangent space at the step's
/// beginning, and the velocity a polynomial of its own.
///
/// [`DormandPrince`](super::DormandPrince) fills it with the continuous extension of its own, of
/// order 4. For any other method [`between`](Self::between) makes one of the two ends alone, of
/// order 3 for q and 2 for v.
///
/// ```
/// use featherline_sim::integrator::{DenseOutput, ForwardDynamics, RungeKutta4, Stepper};
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let (q0, v0) = ([1.0, 0.0], [0.0, 0.0]);
/// let (mut q, mut v) = (q0, v0);
/// RungeKutta4::new(&model).step(&mut ForwardDynamics::new(&model), 0.0, &mut q, &mut v, 0.01)?;
///
/// let mut dense = DenseOutput::new(&model);
/// dense.between((0.0, &q0, &v0), (0.01, &q, &v))?;
/// let (half_q, half_v) = dense.at(0.005)?;
/// assert!(half_q[0] < q0[0] && half_q[0] > q[0] && half_v[0] < 0.0);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DenseOutput<'m> {
    pub(super) model: &'m Model,
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) start: Box<[f64]>,
    /// Five rows of coefficients each: p(θ) = c₀ + θ(c₁ + (1−θ)(c₂ + θ(c₃ + (1−θ) c₄))).
    pub(super) displacement: Box<[f64]>,
    pub(super) velocity: Box<[f64]>,
    u: Box<[f64]>,
    configuration: Box<[f64]>,
    rate: Box<[f64]>,
}

/// A state at a time: t in s, nq entries q, nv entries v.
type At<'a> = (f64, &'a [f64], &'a [f64]);

impl<'m> DenseOutput<'m> {
    /// Memory for a robot's steps; a robot at rest in its neutral configuration until it is filled.
    pub fn new(model: &'m Model) -> Self {
        let tangents = |count: usize| vec![0.0; count * model.nv()].into();
        Self {
            model,
            t: 0.0,
            h: 0.0,
            start: model.neutral_configuration().into(),
            displacement: tangents(5),
            velocity: tangents(5),
            u: tangents(1),
            configuration: vec![0.0; model.nq()].into(),
            rate: tangents(1),
        }
    }

    /// When the step begins, in s.
    pub fn begin(&self) -> f64 {
        self.t
    }

    /// When the step ends, in s.
    pub fn end(&self) -> f64 {
        self.t + self.h
    }

    /// The motion between two states, from them alone: u is the cubic with the displacement and the
    /// velocity at both ends (Hermite), v the parabola through the ends and the velocity that u has
    /// halfway. Errors shrink with h⁴ and h³. Joints must turn by less than π.
    ///
    /// # Errors
    /// [`IntegratorError::Argument`] or [`IntegratorError::BadParameter`] for states that are not
    /// the model's or not finite.
    pub fn between(&mut self, from: At<'_>, to: At<'_>) -> Result<()> {
        let ((t0, q0, v0), (t1, q1, v1)) = (from, to);
        let (model, nv, h) = (self.model, self.model.nv(), t1 - t0);
        let (t, q, v) = from;
        StepState { t, q, v, h }.check(model)?;
        check_size("v", nv, v1.len())?;
        self.t = t0;
        self.h = h;
        self.start.copy_from_slice(q0);
        configuration::difference_into(model, q0, q1, &mut self.u)?;
        kernel::displacement_rate(model, &self.u, v1, &mut self.rate)?;
        let [_, u1, u2, u3, u4] = rows(&mut self.displacement, nv);
        for k in 0..nv {
            u1[k] = self.u[k];
            u2[k] = h * v0[k] - self.u[k];
            u3[k] = 2.0 * self.u[k] - h * (v0[k] + self.rate[k]);
        }
        u4.fill(0.0);
        // Halfway: u, and h u̇ = c₁ + ¼ c₃.
        for k in 0..nv {
            self.u[k] = 0.5 * (u1[k] + 0.5 * (u2[k] + 0.5 * u3[k]));
            self.rate[k] = if h == 0.0 {
                v0[k]
            } else {
                (u1[k] + 0.25 * u3[k]) / h
            };
        }
        let [c0, c1, c2, c3, c4] = rows(&mut self.velocity, nv);
        kernel::displacement_velocity(model, &self.u, &self.rate, c0)?;
        for k in 0..nv {
            let half = c0[k];
            c0[k] = v0[k];
            c1[k] = v1[k] - v0[k];
            c2[k] = 4.0 * (half - v0[k]) - 2.0 * c1[k];
        }
        c3.fill(0.0);
        c4.fill(0.0);
        Ok(())
    }

    /// The state at a time, borrowed until the next question. Times outside of the step
    /// extrapolate. Allocates nothing.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] for a time that is not finite,
    /// [`IntegratorError::Argument`] where the extrapolation overflows.
    pub fn at(&mut self, t: f64) -> Result<(&[f64], &[f64])> {
        check_finite("the time", t)?;
        let part = (t - self.t) / self.h;
        let theta = if self.h == 0.0 { 0.0 } else { part };
        let nv = self.model.nv();
        evaluate(rows(&mut self.displacement, nv), theta, &mut self.u);
        evaluate(rows(&mut self.velocity, nv), theta, &mut self.rate);
        configuration::integrate_into(self.model, &self.start, &self.u, &mut self.configuration)?;
        Ok((&self.configuration, &self.rate))
    }

    /// When a function of the state passes through zero within the step, if its sign at the step's
    /// end is not that at its beginning: the time of an event such as a touch-down or a passage
    /// through a plane.
    ///
    /// `event` takes (t, q, v). The root is bracketed and found by the Illinois method (M. Dowell
    /// and P. Jarratt, "A modified regula falsi method for computing the root of an equation", BIT
    /// 11, 1971), to rounding of the time; it is one of them where there are several. A zero at the
    /// beginning is the last step's event and none of this one. An even number of passages within
    /// one step goes unseen: steps should be short against the time between events. Allocates
    /// nothing.
    ///
    /// # Errors
    /// As [`at`](Self::at); [`IntegratorError::BadParameter`] if the function is not finite.
    ///
    /// ```
    /// use featherline_sim::integrator::{DormandPrince, ForwardDynamics, Tolerance};
    /// use featherline::samples;
    /// use std::ops::ControlFlow;
    ///
    /// // When does the upper rod first hang straight down?
    /// let model = samples::double_pendulum();
    /// let mut method = DormandPrince::new(&model, Tolerance::default())?;
    /// let (mut t, mut q, mut v) = (0.0, [0.5, 0.0], [0.0, 0.0]);
    /// let mut passage = None;
    /// let mut field = ForwardDynamics::new(&model);
    /// method.integrate(&mut field, &mut t, &mut q, &mut v, 10.0, |step| {
    ///     passage = step.locate(|_t, q, _v| q[0])?;
    ///     Ok(if passage.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    /// })?;
    /// assert!(passage.is_some_and(|t| (0.3..0.6).contains(&t)));
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    pub fn locate(
        &mut self,
        mut event: impl FnMut(f64, &[f64], &[f64]) -> f64,
    ) -> Result<Option<f64>> {
        let mut value = |dense: &mut Self, t: f64| {
            let (q, v) = dense.at(t)?;
            let value = event(t, q, v);
            check_finite("the event function", value)?;
            Ok::<f64, IntegratorError>(value)
        };
        let (begin, end) = (self.begin(), self.end());
        let (at_begin, at_end) = (value(self, begin)?, value(self, end)?);
        if at_end == 0.0 && at_begin != 0.0 {
            return Ok(Some(end));
        }
        // Signs, because the product of small values is zero.
        if at_begin == 0.0 || at_end == 0.0 || (at_begin > 0.0) == (at_end > 0.0) {
            return Ok(None);
        }
        let bracket = [(begin, at_begin), (end, at_end)];
        root(bracket, |t| value(self, t)).map(Some)
    }
}

/// The five rows of coefficients.
pub(super) fn rows(coefficients: &mut [f64], nv: usize) -> [&mut [f64]; 5] {
    let (a, rest) = coefficients.split_at_mut(nv);
    let (b, rest) = rest.split_at_mut(nv);
    let (c, rest) = rest.split_at_mut(nv);
    let (d, e) = rest.split_at_mut(nv);
    [a, b, c, d, e]
}

fn evaluate([c0, c1, c2, c3, c4]: [&mut [f64]; 5], theta: f64, out: &mut [f64]) {
    let rest = 1.0 - theta;
    for k in 0..out.len() {
        let inner = c3[k] + rest * c4[k];
        out[k] = c0[k] + theta * (c1[k] + rest * (c2[k] + theta * inner));
    }
}
