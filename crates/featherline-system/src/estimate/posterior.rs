//! The covariance of an estimate.

use super::error::EstimateError;
use super::estimator::{Estimator, check_index};
use crate::system::check_size;
use featherline_sparse::multifrontal::SparseRow;
use nalgebra::DMatrix;

/// How uncertain an estimate is.
#[derive(Debug)]
pub struct Posterior<'a> {
    /// Its inverse is known.
    pub(super) estimator: &'a mut Estimator,
}

impl Posterior<'_> {
    /// The variance of each unknown.
    pub fn variances(&self) -> &[f64] {
        &self.estimator.variances
    }

    /// The share of an unknown's variance that may be nothing but rounding; not a number if there
    /// is no such unknown.
    pub fn rounding(&self, column: usize) -> f64 {
        let rounding = self.estimator.rounding.get(column);
        rounding.copied().unwrap_or(f64::NAN)
    }

    /// The covariance of two unknowns; none if the factor has no entry for them or the system no
    /// such columns. There is one for any two unknowns of the same equation or sensor. Cost O(log
    /// n).
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        if a.max(b) >= self.estimator.mean.len() {
            return None;
        }
        match (self.variances()[a], self.variances()[b]) {
            (variance, _) if a == b => Some(variance),
            // An unknown without variance has no covariance with others.
            (one, other) if one.min(other) == 0.0 => Some(0.0),
            _ => self.estimator.exact.covariance(a, b),
        }
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// nothing but rounding.
    ///
    /// It is a sum of squares, which keeps its digits where the covariances of
    /// the unknowns cancel: a force that is known well across a direction in which it is not known
    /// at all. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorKind, System, Unknown};
    ///
    /// // Both accelerations are loose, their sum is not.
    /// let mut problem = Problem::new(samples::double_pendulum()).external_forces(KnownValue::Zero);
    /// for joint in problem.model().joint_ids().collect::<Vec<_>>() {
    ///     let name = problem.model().joint(joint).name.clone();
    ///     let encoder = SensorKind::JointAcceleration { joint };
    ///     problem.add_sensor(Sensor::new(name, encoder, Noise::Deviation(1e9)))?;
    /// }
    /// let terms = [0, 1].map(|coordinate| (Unknown::JointAcceleration { coordinate }, 1.0)).to_vec();
    /// problem.add_sensor(Sensor::new("sum", SensorKind::Linear { terms }, Noise::Deviation(1e-3)))?;
    /// let system = System::new(problem)?;
    /// let first = system.unknowns().joint_accelerations().start;
    /// let mut estimator = Estimator::new(system, &EstimatorOptions::default().without_prior())?;
    /// let mut estimate = estimator.update(&[0.1, 0.2], &[0.0, 0.0], &[0.0; 3])?;
    /// let (variance, rounding) = estimate.posterior().of_sum(&[(first, 1.0), (first + 1, 1.0)])?;
    /// assert!((variance.sqrt() / 1e-3 - 1.0).abs() < 1e-3 && rounding < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_sum(&mut self, terms: &[(usize, f64)]) -> Result<(f64, f64), EstimateError> {
        for &(column, _) in terms {
            check_index("column", column, self.estimator.mean.len())?;
        }
        Ok(self.estimator.exact.variance_of(terms))
    }

    /// The covariances of sums of unknowns, as a square root times itself: small ones keep digits.
    pub(crate) fn of_map(
        &mut self,
        columns: &[usize],
        map: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, EstimateError> {
        let terms = |row: usize| -> Vec<(usize, f64)> {
            let factors = map.row(row);
            let terms = columns.iter().copied().zip(factors.iter().copied());
            terms.filter(|term| term.1 != 0.0).collect()
        };
        let sums: Vec<_> = (0..map.nrows()).map(terms).collect();
        let found = self.estimator.exact.covariances_of(&sums);
        Ok(DMatrix::from_row_slice(sums.len(), sums.len(), &found))
    }

    /// The covariances of one unknown with all others. Costs a solve.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column, [`EstimateError::System`] for the
    /// length of `covariances`.
    pub fn column(&mut self, column: usize, covariances: &mut [f64]) -> Result<(), EstimateError> {
        let size = self.estimator.mean.len();
        check_index("column", column, size)?;
        check_size("the covariances", size, covariances.len())?;
        let own = SparseRow {
            columns: &[column],
            entries: &[1.0],
        };
        self.estimator.exact.covariances(own, covariances);
        Ok(())
    }

    /// The covariance matrix of chosen unknowns, row by row. Costs a solve for each that has a pair
    /// outside of the factor's pattern.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if there is no such column, [`EstimateError::System`] for the
    /// length of `block`, which must be that of `columns` squared.
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
