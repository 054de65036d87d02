//! The covariance of an estimate.

use super::error::EstimateError;
use super::estimator::{Estimator, Method, check_index};
use crate::system::check_size;

/// How uncertain an estimate is.
#[derive(Debug)]
pub struct Posterior<'a> {
    estimator: &'a mut Estimator,
}

impl<'a> Posterior<'a> {
    /// Of an estimator whose inverse is known.
    pub(super) fn new(estimator: &'a mut Estimator) -> Self {
        Self { estimator }
    }

    /// The variance of each unknown.
    pub fn variances(&self) -> &[f64] {
        &self.estimator.variances
    }

    /// The share of an unknown's variance that may be nothing but rounding; not a number if there is no such unknown.
    pub fn rounding(&self, column: usize) -> f64 {
        let rounding = self.estimator.rounding.get(column);
        rounding.copied().unwrap_or(f64::NAN)
    }

    /// The covariance of two unknowns; none if the factor has no entry for them or the system no such columns. There is
    /// one for any two unknowns of the same equation or sensor. Cost O(log n).
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        if a.max(b) >= self.estimator.mean.len() {
            return None;
        }
        match &self.estimator.method {
            Method::Exact(exact) => exact.covariance(a, b),
            Method::Normal(normal) => Some(normal.inverse[normal.matrix.pattern.slot(a, b)?]),
        }
    }

    /// The covariances of one unknown with all others. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column, [`EstimateError::System`] for the length of `covariances`.
    pub fn column(&mut self, column: usize, covariances: &mut [f64]) -> Result<(), EstimateError> {
        let size = self.estimator.mean.len();
        check_index("column", column, size)?;
        check_size("the covariances", size, covariances.len())?;
        match &mut self.estimator.method {
            Method::Exact(exact) => exact.covariances(column, covariances),
            Method::Normal(normal) => normal.covariances(column, covariances),
        }
        Ok(())
    }

    /// The covariance matrix of chosen unknowns, row by row. Costs a solve for each that has a pair outside of the factor's
    /// pattern.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column, [`EstimateError::System`] for the length of `block`, which
    /// must be that of `columns` squared.
    pub fn block(&mut self, columns: &[usize], block: &mut [f64]) -> Result<(), EstimateError> {
        let (count, size) = (columns.len(), self.estimator.mean.len());
        check_size("the block", count * count, block.len())?;
        for &column in columns {
            check_index("column", column, size)?;
        }
        for (i, &column) in columns.iter().enumerate() {
            let row = &mut block[i * count..(i + 1) * count];
            let mut is_complete = true;
            for (value, &other) in row.iter_mut().zip(columns) {
                let known = self.covariance(column, other);
                is_complete &= known.is_some();
                *value = known.unwrap_or(0.0);
            }
            if is_complete {
                continue;
            }
            let mut all = std::mem::take(&mut self.estimator.column);
            let found = self.column(column, &mut all);
            for (value, &other) in row.iter_mut().zip(columns) {
                *value = all[other];
            }
            self.estimator.column = all;
            found?;
        }
        Ok(())
    }
}
