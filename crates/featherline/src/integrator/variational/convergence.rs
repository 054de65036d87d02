//! When the iterations of a step have come far enough.

use crate::integrator::IntegratorError;
use crate::integrator::forces::check_positive;

/// When the equations of a step count as solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// The greatest error that may be left in a step's mean velocities, relative to these, both measured by the root of their
    /// kinetic energy, that of robots which float about their centre of mass. Errors of momenta do not add up: a step makes up for
    /// what the one before has left.
    pub tolerance: f64,
    /// The greatest number of iterations.
    pub most_iterations: usize,
}

impl Default for Convergence {
    /// 1e-11, in at most 50 iterations.
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            most_iterations: 50,
        }
    }
}

impl Convergence {
    /// Fails unless both numbers are positive.
    pub(super) fn check(&self) -> Result<(), IntegratorError> {
        check_positive("the tolerance", self.tolerance)?;
        check_positive("the number of iterations", self.most_iterations as f64)
    }
}

/// What rounding may leave of corrections, at worst, in a robot of very different inertias.
const ROUNDING: f64 = 1e-9;

/// A correction that is more than this part of the one before is slow.
const SLOW: f64 = 0.5;

/// How far a correction is trusted to shrink the error, at most.
const LEAST_CONTRACTION: f64 = 1e-3;

/// How corrections shrink, in this step and in the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    last: f64,
    contraction: f64,
}

impl Progress {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self {
            last: f64::INFINITY,
            contraction: 1.0,
        }
    }

    /// Before the first correction of a step.
    pub fn begin_step(&mut self) {
        self.last = f64::INFINITY;
    }

    /// Whether corrections hardly shrink, before [`is_enough`](Self::is_enough) is asked about this one.
    pub fn is_slow(&self, change: f64) -> bool {
        change > SLOW * self.last && change > ROUNDING
    }

    /// Whether a correction of this relative size, which has been made, was the last that is needed.
    pub fn is_enough(&mut self, change: f64, tolerance: f64) -> bool {
        // The next correction, if corrections go on to shrink as they do, or as they did in the step before.
        if self.last.is_finite() {
            self.contraction = (change / self.last).max(LEAST_CONTRACTION);
        }
        let expected = change * self.contraction;
        let at_rounding = change > 0.5 * self.last && change <= ROUNDING;
        self.last = change;
        change <= tolerance || expected <= tolerance || at_rounding
    }
}
