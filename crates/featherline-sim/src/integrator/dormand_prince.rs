//! Dormand and Prince's method of order 5(4), with a step that follows a tolerance.

use super::dense_output::rows;
use super::error::joint_of_coordinate;
use super::forces::{check_not_negative, check_parameter, check_positive};
use super::munthe_kaas::{Stages, Tableau};
use super::stepper::StepState;
use super::{DenseOutput, IntegratorError, Result, Stepper, VectorField};
use featherline::model::Model;
use std::ops::ControlFlow;

/// J. Dormand and P. Prince, "A family of embedded Runge-Kutta formulae", Journal of Computational
/// and Applied Mathematics 6, 1980; Hairer, Nørsett and Wanner 1993, table II.5.2. The last row is
/// the weights, so that the last stage of one step is the first one of the next.
const TABLEAU: Tableau<7> = Tableau {
    nodes: [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    stages: [
        [0.0; 7],
        [0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0, 0.0],
        [
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
            0.0,
            0.0,
            0.0,
        ],
        [
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
            0.0,
            0.0,
        ],
        WEIGHTS,
    ],
    weights: WEIGHTS,
};

const WEIGHTS: [f64; 7] = [
    35.0 / 384.0,
    0.0,
    500.0 / 1113.0,
    125.0 / 192.0,
    -2187.0 / 6784.0,
    11.0 / 84.0,
    0.0,
];

/// The weights less those of the embedded method of order 4; same source.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// The last coefficient of the continuous extension of order 4: L. Shampine, "Some practical
/// Runge-Kutta formulas", Mathematics of Computation 46, 1986; Hairer, Nørsett and Wanner 1993,
/// section II.6, in the form of their code.
const EXTENSION: [f64; 7] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

/// Bounds on the error and on the length of a step.
///
/// The error of one step is the root mean square over all coordinates, each divided by what it may
/// be: for a configuration `absolute + relative` (in rad or m, because a configuration has no size
/// of its own), for a velocity `absolute + relative · |v|` (in rad/s or m/s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The absolute part.
    pub absolute: f64,
    /// The relative part.
    pub relative: f64,
    /// The least step, in s.
    pub least_step: f64,
    /// The greatest step, in s.
    pub greatest_step: f64,
    /// The greatest number of steps in one call, rejected ones included.
    pub most_steps: usize,
}

impl Default for Tolerance {
    /// 1e-8 both, steps from 1e-10 s to 0.1 s, a hundred million of them.
    fn default() -> Self {
        Self {
            absolute: 1e-8,
            relative: 1e-8,
            least_step: 1e-10,
            greatest_step: 0.1,
            most_steps: 100_000_000,
        }
    }
}

impl Tolerance {
    /// The same part absolute and relative, the rest as by default.
    pub fn of(tolerance: f64) -> Self {
        Self {
            absolute: tolerance,
            relative: tolerance,
            ..Self::default()
        }
    }

    fn check(&self) -> Result<()> {
        check_positive("the absolute tolerance", self.absolute)?;
        check_not_negative("the relative tolerance", self.relative)?;
        check_positive("the least step", self.least_step)?;
        let need = "it must not be below the least step of the tolerance, which is 1e-10 s unless another is chosen";
        let greatest = self.greatest_step;
        let is_valid = greatest >= self.least_step;
        check_parameter("the greatest step", greatest, is_valid, need)
    }
}

/// Counts of the steps of an integration, and of its evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Steps that were made.
    pub accepted: usize,
    /// Steps that were too inexact and made again, shorter.
    pub rejected: usize,
    /// Evaluations of the vector field.
    pub evaluations: usize,
}

/// The method of Dormand and Prince, of order 5 with an error estimate of order 4, in Munthe-Kaas'
/// form for Lie groups.
///
/// [`integrate`](Self::integrate) chooses its steps by the error (a proportional-integral
/// controller: K. Gustafsson, "Control theoretic techniques for stepsize selection in explicit
/// Runge-Kutta methods", ACM TOMS 17, 1991; the constants of Hairer and Wanner, *Solving Ordinary
/// Differential Equations II*, 1996, section IV.2), and each step has a dense output of order 4. As
/// a [`Stepper`] it makes steps of given length, of order 5.
#[derive(Clone, Debug)]
pub struct DormandPrince<'m> {
    stages: Stages<'m, 7>,
    tolerance: Tolerance,
    pub(crate) dense: DenseOutput<'m>,
}

/// The exponent of the last error in the change of the step.
const LAST: f64 = 0.2 - 0.75 * BEFORE;
/// The exponent of the error before.
const BEFORE: f64 = 0.04;
/// The part of the step that the errors would allow.
const SAFETY: f64 = 0.9;
/// A step is at least this part of the one before.
const LEAST_CHANGE: f64 = 0.2;
/// A step is at most so many times the one before.
const GREATEST_CHANGE: f64 = 10.0;

impl<'m> DormandPrince<'m> {
    /// The method for a robot.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] for a tolerance that can't be kept.
    pub fn new(model: &'m Model, tolerance: Tolerance) -> Result<Self> {
        tolerance.check()?;
        Ok(Self {
            stages: Stages::new(model, &TABLEAU),
            tolerance,
            dense: DenseOutput::new(model),
        })
    }

    /// The bounds on the error and on the length of a step.
    pub fn tolerance(&self) -> &Tolerance {
        &self.tolerance
    }

    /// Integrates from the state (`q`, `v`) at the time `t` to the time `end`, in steps that keep
    /// the tolerance; all three are updated after each step.
    ///
    /// `after_step` sees every step's dense output: to take samples
    /// ([`Sampling`](super::Sampling)), to look for events ([`DenseOutput::locate`]), and to stop
    /// early by `Break`, with the state at the end of that step. The field must be smooth within
    /// the call; where it jumps at known times, call once for each piece. Allocates nothing.
    ///
    /// # Errors
    /// [`IntegratorError`]; the state is then that after the last good step. The error of
    /// `after_step` is passed on.
    ///
    /// ```
    /// use featherline_sim::integrator::{DormandPrince, ForwardDynamics, Tolerance};
    /// use featherline::samples;
    /// use std::ops::ControlFlow;
    ///
    /// let model = samples::double_pendulum();
    /// let mut field = ForwardDynamics::new(&model);
    /// let mut method = DormandPrince::new(&model, Tolerance::of(1e-10))?;
    /// let (mut t, mut q, mut v) = (0.0, [0.1, 0.0], [0.0, 0.0]);
    /// use featherline_sim::integrator::DenseOutput;
    /// let go_on = |_: &mut DenseOutput<'_>| Ok(ControlFlow::Continue(()));
    /// let statistics = method.integrate(&mut field, &mut t, &mut q, &mut v, 5.0, go_on)?;
    /// assert!(t == 5.0 && statistics.accepted > 10);
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    pub fn integrate(
        &mut self,
        field: &mut dyn VectorField,
        t: &mut f64,
        q: &mut [f64],
        v: &mut [f64],
        end: f64,
        after_step: impl FnMut(&mut DenseOutput<'m>) -> Result<ControlFlow<()>>,
    ) -> Result<Statistics> {
        let stay = |_: f64, _: &mut [f64], _: &mut [f64]| Ok(false);
        self.integrate_settling(field, (t, q, v), end, None, stay, after_step)
    }

    /// [`integrate`](Self::integrate), with `settle` to move the state at the end of each step to
    /// where it belongs, such as back on the loops that it has left by the step's error, and to
    /// return whether it has. `after_step` sees the step as it was before. A `leap` is the length
    /// of a first step that is made whatever its error: over a discontinuity of the field.
    pub(crate) fn integrate_settling<E: From<IntegratorError>>(
        &mut self,
        field: &mut dyn VectorField,
        (t, q, v): (&mut f64, &mut [f64], &mut [f64]),
        end: f64,
        leap: Option<f64>,
        mut settle: impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<bool, E>,
        mut after_step: impl FnMut(&mut DenseOutput<'m>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Statistics, E> {
        let span = end - *t;
        let h = span;
        let start = StepState { t: *t, q, v, h };
        start.check(self.stages.model)?;
        let mut statistics = Statistics::default();
        let need = "it must not lie before the beginning";
        check_parameter("the end of the integration", end, span >= 0.0, need)?;
        if span == 0.0 {
            return Ok(statistics);
        }
        self.stages.begin(field, start)?;
        let mut next = match leap {
            Some(leap) => leap,
            None => self.first_step(field, (*t, q, v), span)?,
        };
        statistics.evaluations = 2;
        let mut is_leap = leap.is_some();
        let mut error_before: f64 = 1e-4;
        let mut rejected = false;
        while *t < end {
            if statistics.accepted + statistics.rejected >= self.tolerance.most_steps {
                return Err(IntegratorError::TooManySteps {
                    t: *t,
                    steps: self.tolerance.most_steps,
                }
                .into());
            }
            // The last step ends where it shall, and the one before leaves it a good length.
            let left = end - *t;
            let is_last = next >= left * (1.0 - 1e-12);
            let shared = next.min(0.5 * left.max(next));
            let h = if is_last { left } else { shared };
            let start = StepState { t: *t, q, v, h };
            statistics.evaluations += 6;
            let error = match self.stages.run(field, start) {
                Ok(()) if is_leap => 1.0,
                Ok(()) => self.error(start),
                // Too far out for the field to have a value there: shorter.
                Err(_) if h > self.tolerance.least_step => f64::INFINITY,
                Err(error) => return Err(error.into()),
            };
            is_leap = false;
            if error <= 1.0 {
                statistics.accepted += 1;
                self.fill_dense(start);
                *t = if is_last { end } else { *t + h };
                q.copy_from_slice(&self.stages.configuration);
                v.copy_from_slice(&self.stages.velocity);
                if settle(*t, q, v)? {
                    // The step's length does not matter to its first stage.
                    self.stages.begin(field, StepState { t: *t, q, v, h })?;
                    statistics.evaluations += 1;
                } else {
                    self.stages.begin_with_last(v);
                }
                let factor = SAFETY * error.max(1e-10).powf(-LAST) * error_before.powf(BEFORE);
                // Right after a rejection the step does not grow.
                let most = if rejected { 1.0 } else { GREATEST_CHANGE };
                next = h * factor.clamp(LEAST_CHANGE, most);
                error_before = error.max(1e-4);
                rejected = false;
                next = next.clamp(self.tolerance.least_step, self.tolerance.greatest_step);
                if after_step(&mut self.dense)?.is_break() {
                    break;
                }
            } else {
                statistics.rejected += 1;
                if h <= self.tolerance.least_step {
                    return Err(IntegratorError::StepTooSmall {
                        t: *t,
                        least: self.tolerance.least_step,
                        joint: self.worst_joint(start),
                    }
                    .into());
                }
                rejected = true;
                let factor = SAFETY * error.powf(-LAST);
                next = (h * factor.max(LEAST_CHANGE)).max(self.tolerance.least_step);
            }
        }
        Ok(statistics)
    }

    /// A first step from the sizes of two derivatives: Hairer, Nørsett, Wanner 1993, section II.4.
    fn first_step(
        &mut self,
        field: &mut dyn VectorField,
        (t, q, v): (f64, &[f64], &[f64]),
        span: f64,
    ) -> Result<f64> {
        let (absolute, relative) = (self.tolerance.absolute, self.tolerance.relative);
        let nv = v.len();
        let acceleration = &self.stages.accelerations[..nv];
        let (mut size, mut rate) = (0.0_f64, 0.0_f64);
        for k in 0..nv {
            let (of_q, of_v) = (absolute + relative, absolute + relative * v[k].abs());
            size = size.max(v[k].abs() / of_v);
            rate = rate
                .max(v[k].abs() / of_q)
                .max(acceleration[k].abs() / of_v);
        }
        let guess = if size.min(rate) < 1e-5 {
            1e-6
        } else {
            0.01 * size / rate
        };
        let guess = guess.min(span).min(self.tolerance.greatest_step);
        // How fast the accelerations change, from an explicit Euler step.
        for k in 0..nv {
            self.stages.displacement[k] = guess * v[k];
            self.stages.velocity[k] = v[k] + guess * acceleration[k];
        }
        let (stages, h) = (&mut self.stages, guess);
        let (displacement, end) = (&stages.displacement, &mut stages.configuration);
        StepState { t, q, v, h }.displace(stages.model, t + guess, displacement, end)?;
        let (first, second) = stages.accelerations.split_at_mut(nv);
        let second = &mut second[..nv];
        field.acceleration(t + guess, &stages.configuration, &stages.velocity, second)?;
        let mut change = 0.0_f64;
        for k in 0..nv {
            let of_v = absolute + relative * v[k].abs();
            change = change.max((second[k] - first[k]).abs() / of_v / guess);
        }
        let most = rate.max(change);
        let by_order = if most <= 1e-15 {
            (1e-3 * guess).max(1e-6)
        } else {
            (0.01 / most).powf(0.2)
        };
        let next = (100.0 * guess).min(by_order).min(span);
        Ok(next.clamp(self.tolerance.least_step, self.tolerance.greatest_step))
    }

    /// The error of a step, relative to what is allowed.
    fn error(&self, start: StepState<'_>) -> f64 {
        let nv = start.v.len();
        let mut sum = 0.0;
        for k in 0..nv {
            let [of_q, of_v] = self.errors_of(start, k);
            sum += of_q * of_q + of_v * of_v;
        }
        let error = (sum / (2 * nv).max(1) as f64).sqrt();
        if error.is_nan() { f64::INFINITY } else { error }
    }

    /// The errors of one coordinate and of its velocity, relative to what is allowed.
    fn errors_of(&self, start: StepState<'_>, k: usize) -> [f64; 2] {
        let (absolute, relative) = (self.tolerance.absolute, self.tolerance.relative);
        let nv = start.v.len();
        let (mut of_q, mut of_v) = (0.0, 0.0);
        for (j, weight) in ERROR.iter().enumerate() {
            of_q += weight * self.stages.rates[j * nv + k];
            of_v += weight * self.stages.accelerations[j * nv + k];
        }
        let speed = start.v[k].abs().max(self.stages.velocity[k].abs());
        [
            start.h * of_q / (absolute + relative),
            start.h * of_v / (absolute + relative * speed),
        ]
    }

    fn worst_joint(&self, start: StepState<'_>) -> String {
        let (mut worst, mut greatest) = (0, 0.0);
        for k in 0..start.v.len() {
            let [of_q, of_v] = self.errors_of(start, k);
            let error = of_q.abs().max(of_v.abs());
            if error > greatest {
                (worst, greatest) = (k, error);
            }
        }
        joint_of_coordinate(self.stages.model, worst)
    }

    /// Writes the continuous extension of the step that was just made.
    fn fill_dense(&mut self, start: StepState<'_>) {
        let (nv, h) = (start.v.len(), start.h);
        let Self { stages, dense, .. } = self;
        dense.t = start.t;
        dense.h = h;
        dense.start.copy_from_slice(start.q);
        let polynomials = [
            (
                &mut dense.displacement,
                &stages.rates,
                None,
                &stages.displacement,
            ),
            (
                &mut dense.velocity,
                &stages.accelerations,
                Some(start.v),
                &stages.velocity,
            ),
        ];
        for (coefficients, slopes, from, to) in polynomials {
            let [c0, c1, c2, c3, c4] = rows(coefficients, nv);
            for k in 0..nv {
                let begin = from.map_or(0.0, |from| from[k]);
                let way = to[k] - begin;
                let (first, last) = (h * slopes[k], h * slopes[6 * nv + k]);
                let mut extension = 0.0;
                for (j, weight) in EXTENSION.iter().enumerate() {
                    extension += weight * slopes[j * nv + k];
                }
                c0[k] = begin;
                c1[k] = way;
                c2[k] = first - way;
                c3[k] = 2.0 * way - last - first;
                c4[k] = h * extension;
            }
        }
    }
}

impl Stepper for DormandPrince<'_> {
    fn name(&self) -> &'static str {
        "Dormand-Prince 5"
    }

    fn order(&self) -> usize {
        5
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
        start.check(self.stages.model)?;
        self.stages.begin(field, start)?;
        self.stages.run(field, start)?;
        q.copy_from_slice(&self.stages.configuration);
        v.copy_from_slice(&self.stages.velocity);
        Ok(())
    }
}
