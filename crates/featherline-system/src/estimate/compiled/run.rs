//! A compiled estimate, watched, with the estimator to fall back on.

use super::EstimateProgram;
use crate::error::SystemError;
use crate::estimate::error::EstimateError;
use crate::estimate::estimator::Estimator;
use crate::program::{CheckedRunner, GuardedRun};
use crate::system::{System, check_size};

/// How many states are estimated and checked together.
const TOGETHER: usize = 32;

/// The largest share of an unknown that a correction may be; its error is the same share of it.
const CORRECTION: f64 = 1e-6;

/// Who estimated a state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EstimateStatus {
    /// Nobody yet.
    Open,
    /// The program, accurately.
    Accepted,
    /// The estimator, because the program's result was not accurate.
    FellBack,
    /// Nobody, and why.
    Failed(EstimateError),
}

/// How the estimate of one state went.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateCheck {
    /// The largest share of itself by which a row is not met that the most probable unknowns
    /// satisfy, as the program left it; infinite where it found nothing.
    pub backward_error: f64,
    /// The largest share of itself by which the program corrected an unknown, of what the robot's
    /// own weight brings about at least.
    pub correction: f64,
    /// Who found the estimate.
    pub status: EstimateStatus,
}

impl Default for EstimateCheck {
    /// Nothing was looked at yet.
    fn default() -> Self {
        Self {
            backward_error: f64::INFINITY,
            correction: f64::INFINITY,
            status: EstimateStatus::Open,
        }
    }
}

/// The memory to run an [`EstimateProgram`], made once; one for each thread.
#[derive(Debug)]
pub struct EstimateRun<'p> {
    program: &'p EstimateProgram,
    runner: CheckedRunner<'p>,
    estimator: Estimator,
    limit: f64,
}

impl<'p> EstimateRun<'p> {
    /// Memory for a program of a system, and the estimator that takes over where it is not
    /// accurate.
    ///
    /// # Errors
    /// [`EstimateError::Ordering`] for want of memory.
    pub fn new(system: &System, program: &'p EstimateProgram) -> Result<Self, EstimateError> {
        Ok(Self {
            runner: CheckedRunner::new(&program.solve, &program.check, TOGETHER),
            estimator: Estimator::new(system.clone(), &program.options)?,
            limit: GuardedRun::LIMIT,
            program,
        })
    }

    /// The same with another limit on the backward error than [`GuardedRun::LIMIT`].
    pub fn with_limit(mut self, limit: f64) -> Self {
        self.limit = limit;
        self
    }

    /// Estimates for one or several states.
    ///
    /// A state is q, v and the system's inputs; `means` receives the requested unknowns of each,
    /// NaN where there is no estimate, and `checks` how it went. Nothing is allocated unless a
    /// state has no estimate.
    ///
    /// # Errors
    /// [`SystemError::Size`] unless `checks` has one entry a state, and the others as many numbers.
    pub fn run(
        &mut self,
        states: &[f64],
        means: &mut [f64],
        checks: &mut [EstimateCheck],
    ) -> Result<(), SystemError> {
        let (width, height) = (
            self.program.solve.input_count(),
            self.program.requested.len(),
        );
        check_size("the states", checks.len() * width, states.len())?;
        check_size("the estimates", checks.len() * height, means.len())?;
        for (block, checks) in checks.chunks_mut(TOGETHER).enumerate() {
            let (first, count) = (block * TOGETHER, checks.len());
            self.run_block(
                &states[first * width..(first + count) * width],
                &mut means[first * height..(first + count) * height],
                checks,
            );
        }
        Ok(())
    }

    fn run_block(&mut self, states: &[f64], means: &mut [f64], checks: &mut [EstimateCheck]) {
        let count = checks.len();
        let (width, height) = (
            self.program.solve.input_count(),
            self.program.requested.len(),
        );
        let found = self.program.solve.output_count();
        self.runner.run(states, count);
        for (k, check) in checks.iter_mut().enumerate() {
            let found = &self.runner.found[k * found..(k + 1) * found];
            let means = &mut means[k * height..(k + 1) * height];
            let state = &states[k * width..(k + 1) * width];
            // An infinite or undefined number has no size, and may be one that no requested unknown
            // depends on.
            let mut numbers = state.iter().chain(found);
            (check.backward_error, check.correction) = match numbers.all(|x| x.is_finite()) {
                true => (self.runner.rests[k], found[found.len() - 1]),
                false => (f64::INFINITY, f64::INFINITY),
            };
            let is_accurate = check.backward_error <= self.limit && check.correction <= CORRECTION;
            let model = self.estimator.system().model();
            let (nq, nv) = (model.nq(), model.nv());
            let closed = self
                .estimator
                .check_loops(&state[..nq], &state[nq..nq + nv]);
            if let Err(error) = closed {
                means.fill(f64::NAN);
                check.status = EstimateStatus::Failed(error.into());
            } else if is_accurate {
                for (mean, &position) in means.iter_mut().zip(&self.program.positions) {
                    *mean = found[position];
                }
                check.status = EstimateStatus::Accepted;
            } else {
                check.status =
                    fall_back(&mut self.estimator, state, &self.program.requested, means);
            }
        }
    }
}

fn fall_back(
    estimator: &mut Estimator,
    state: &[f64],
    requested: &[usize],
    means: &mut [f64],
) -> EstimateStatus {
    let [q, v, inputs] = estimator.system().split(state);
    match estimator.update(q, v, inputs) {
        Ok(estimate) => {
            for (mean, &column) in means.iter_mut().zip(requested) {
                *mean = estimate.mean()[column];
            }
            EstimateStatus::FellBack
        }
        Err(error) => {
            means.fill(f64::NAN);
            EstimateStatus::Failed(error)
        }
    }
}
