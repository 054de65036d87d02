//! The covariance of an estimate.

use super::error::EstimateError;
use super::estimator::{Estimator, check_index};
use crate::system::check_size;

/// How uncertain an estimate is.
#[derive(Debug)]
pub struct Posterior<'a> {
    estimator: &'a mut Estimator,
}

impl<'a> Posterior<'a> {
    /// Of an estimator whose inverse is known.
    pub(super) fn new(estimator: &'a mut Estimator) -> Self {
        // The inverse has the order of elimination; its diagonal is wanted by columns.
        let pattern = &estimator.normal.pattern;
        let diagonal = &estimator.inverse[pattern.entries()..];
        for (&value, &unknown) in diagonal.iter().zip(&pattern.order) {
            estimator.work[pattern.size() + unknown] = value;
        }
        Self { estimator }
    }

    /// The variance of each unknown.
    pub fn variances(&self) -> &[f64] {
        &self.estimator.work[self.estimator.normal.pattern.size()..]
    }

    /// The share of an unknown's variance that may be nothing but rounding: N Z ε, for the diagonal entries N and Z of the normal
    /// matrix and of its inverse. It is ε for an unknown that depends on no other; where it comes near one, no digit of the
    /// variance is right, and perhaps nothing determines the unknown at all. Not a number if there is no such unknown.
    pub fn rounding(&self, column: usize) -> f64 {
        let pattern = &self.estimator.normal.pattern;
        match pattern.position.get(column) {
            Some(&pivot) => {
                self.estimator.diagonal[pivot] * self.variances()[column].abs() * f64::EPSILON
            }
            None => f64::NAN,
        }
    }

    /// The covariance of two unknowns; none if the factor has no entry for them or the system no such columns. There is
    /// one for any two unknowns of the same equation or sensor. Cost O(log n).
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        let pattern = &self.estimator.normal.pattern;
        if a.max(b) >= pattern.size() {
            return None;
        }
        Some(self.estimator.inverse[pattern.slot(a, b)?])
    }

    /// The covariances of one unknown with all others. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column, [`EstimateError::System`] for the length of `covariances`.
    pub fn column(&mut self, column: usize, covariances: &mut [f64]) -> Result<(), EstimateError> {
        let pattern = &self.estimator.normal.pattern;
        check_index("column", column, pattern.size())?;
        check_size("the covariances", pattern.size(), covariances.len())?;
        let x = &mut self.estimator.work[..pattern.size()];
        x.fill(0.0);
        x[pattern.position[column]] = 1.0;
        pattern.solve(&self.estimator.factor, x);
        for (value, &unknown) in x.iter().zip(&pattern.order) {
            covariances[unknown] = *value;
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
        let (count, size) = (columns.len(), self.estimator.normal.pattern.size());
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
            let pattern = &self.estimator.normal.pattern;
            let x = &mut self.estimator.work[..size];
            x.fill(0.0);
            x[pattern.position[column]] = 1.0;
            pattern.solve(&self.estimator.factor, x);
            for (value, &other) in row.iter_mut().zip(columns) {
                *value = x[pattern.position[other]];
            }
        }
        Ok(())
    }
}
