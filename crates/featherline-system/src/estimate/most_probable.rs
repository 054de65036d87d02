//! The estimate that an update finds.

use super::error::EstimateError;
use super::estimator::{Estimator, check_index};
use super::posterior::Posterior;
use super::residuals::Residuals;
use super::sensor_tests::SensorTests;
use crate::system::{Solution, check_size};

/// The most probable values of all unknowns in one state.
#[derive(Debug)]
pub struct Estimate<'a> {
    pub(super) estimator: &'a mut Estimator,
}

impl Estimate<'_> {
    /// The most probable values of all unknowns.
    pub fn mean(&self) -> &[f64] {
        &self.estimator.mean
    }

    /// The most probable values, to be read by name.
    pub fn solution(&self) -> Solution<'_, f64> {
        Solution::of(&self.estimator.system, &self.estimator.mean)
    }

    /// The minimised cost: the sum of all squared residuals over their variances, priors included.
    pub fn cost(&self) -> f64 {
        self.estimator.cost
    }

    /// The residual of a row: its right-hand side less its left-hand side.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn residual(&self, row: usize) -> f64 {
        self.estimator.residuals[row]
    }

    /// The covariance of the estimate, which costs about as much as the estimate.
    pub fn posterior(&mut self) -> Posterior<'_> {
        self.estimator.invert();
        Posterior {
            estimator: self.estimator,
        }
    }

    /// The residuals against their own variances: which sensor disagrees with the others. Needs the
    /// posterior covariance, and a solve for each row that others determine better than it does
    /// itself.
    pub fn residuals(&mut self) -> Residuals<'_> {
        self.estimator.invert();
        Residuals::new(self.estimator)
    }

    /// The residuals of each sensor's rows together against their covariance: which sensor
    /// disagrees with the others, whether or not its errors are correlated. Needs the
    /// posterior covariance, and a solve for nearly each row. Nothing is allocated.
    pub fn sensor_tests(&mut self) -> SensorTests<'_> {
        self.estimator.invert();
        self.estimator.test_sensors(-1.0);
        SensorTests {
            tests: &self.estimator.blocks.residuals,
            estimator: self.estimator,
        }
    }

    /// The derivative of all unknowns' estimates by one input: a reading or a known quantity. It is
    /// constant in the readings: the estimate is linear in them. An input that others determine
    /// exactly changes nothing. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such input, [`EstimateError::System`] for the
    /// length of `gain`.
    pub fn gain(&mut self, input: usize, gain: &mut [f64]) -> Result<(), EstimateError> {
        let estimator = &mut *self.estimator;
        check_index("input", input, estimator.inputs.len())?;
        check_size("the gain", estimator.mean.len(), gain.len())?;
        estimator.find_gain(input, gain);
        Ok(())
    }
}
