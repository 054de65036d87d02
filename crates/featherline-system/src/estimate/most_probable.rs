//! What an update finds.

use super::error::EstimateError;
use super::estimator::{Estimator, check_index};
use super::posterior::Posterior;
use super::residuals::Residuals;
use super::sensor_tests::SensorTests;
use crate::solution::Solution;
use crate::system::check_size;

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

    /// What the estimate minimises: the sum of all squared residuals over their variances, priors included.
    pub fn cost(&self) -> f64 {
        self.estimator.cost()
    }

    /// What a row's right-hand side exceeds its left-hand side by.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn residual(&self, row: usize) -> f64 {
        self.estimator.residuals[row]
    }

    /// The covariance of the estimate, by selected inversion; about twice the cost of the factorisation.
    pub fn posterior(&mut self) -> Posterior<'_> {
        self.estimator.invert();
        Posterior::new(self.estimator)
    }

    /// The residuals against their own variances: which sensor disagrees with the others. Needs the posterior covariance.
    pub fn residuals(&mut self) -> Residuals<'_> {
        self.estimator.invert();
        Residuals::new(self.estimator)
    }

    /// The residuals of each sensor's rows together against their covariance: which sensor disagrees with the others, whatever its
    /// errors have to do with each other. Needs the posterior covariance. Nothing is allocated.
    pub fn sensor_tests(&mut self) -> SensorTests<'_> {
        self.estimator.invert();
        self.estimator.test_sensors(-1.0);
        SensorTests::new(self.estimator, &self.estimator.blocks.residuals)
    }

    /// The derivative of all unknowns' estimates by one input: a reading or a known quantity. It is constant in the readings:
    /// the estimate is linear in them. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such input, [`EstimateError::System`] for the length of `gain`.
    pub fn gain(&mut self, input: usize, gain: &mut [f64]) -> Result<(), EstimateError> {
        let estimator = &mut *self.estimator;
        let pattern = &estimator.normal.pattern;
        check_index("input", input, estimator.inputs.len())?;
        check_size("the gain", pattern.size(), gain.len())?;
        let (system, sparsity) = (&estimator.system, estimator.system.sparsity());
        let column = &mut estimator.work[..pattern.size()];
        column.fill(0.0);
        for row in system.equations().dynamics().end..system.equations().count() {
            let is_off = estimator.sensors[row].is_some_and(|id| !estimator.switches.is_on(id));
            let coefficient = system.input_coefficient(row, input);
            if coefficient == 0.0 || is_off {
                continue;
            }
            let scaled = coefficient * estimator.weights[row];
            let entries = estimator.values[sparsity.row_range(row)].iter();
            for (a, &k) in entries.zip(sparsity.row(row)) {
                column[pattern.position[k]] += a * scaled;
            }
        }
        pattern.solve(&estimator.factor, column);
        for (value, &unknown) in column.iter().zip(&pattern.order) {
            gain[unknown] = *value;
        }
        Ok(())
    }
}
