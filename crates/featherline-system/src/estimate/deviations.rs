//! Covariances and standard deviations of requested outputs.

use super::error::EstimateError;
use super::posterior::Posterior;
use crate::requested::{Requested, describe_component, terms_of};
use crate::system::System;
use nalgebra::DMatrix;

/// The most of a variance that may be rounding.
const ROUNDING: f64 = 0.05;

impl Requested {
    /// The covariance of the values, given that of an estimate: a symmetric matrix. Its diagonal is
    /// that of [`deviations`](Self::deviations), squared, which shows whether rounding has left any
    /// digits of it.
    ///
    /// Costs a solve for each value that has no covariance with another one in the estimate's
    /// factor.
    ///
    /// # Errors
    /// [`EstimateError`] if the estimate is one of another system.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Estimator, EstimatorOptions, SensorFile, System, Requested};
    ///
    /// let model = samples::double_pendulum();
    /// let text = r#"
    ///     known = ["joint-accelerations", "no-external-forces"]
    ///     [[sensor]]
    ///     name = "shoulder"
    ///     type = "joint-force"
    ///     joint = "shoulder"
    ///     sigma = 0.1
    /// "#;
    /// let system = System::new(SensorFile::read(text, &model)?.problem(model, &[])?)?;
    /// let mut estimator = Estimator::new(system.clone(), &EstimatorOptions::default())?;
    /// let mut estimate = estimator.update(&[0.1, 0.2], &[0.0; 2], &[0.0; 3])?;
    /// let torques = Requested::JointForces;
    /// let deviations = torques.deviations(&system, &mut estimate.posterior())?;
    /// let covariance = torques.covariance(&system, &mut estimate.posterior())?;
    /// for k in 0..2 {
    ///     assert!((covariance[(k, k)].sqrt() - deviations[k]).abs() < 1e-12);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn covariance(
        &self,
        system: &System,
        posterior: &mut Posterior<'_>,
    ) -> Result<DMatrix<f64>, EstimateError> {
        let columns: Vec<usize> = self.columns(system).collect();
        let variances = self.variances(system, posterior)?;
        let mut covariance = posterior.of_map(&columns, &self.map(system)?)?;
        // Of the same diagonal as the variances, which show more reliably what is only
        // rounding.
        let scale = |k: usize| {
            let own = covariance[(k, k)];
            if own > 0.0 {
                (variances[k].0.max(0.0) / own).sqrt()
            } else {
                0.0
            }
        };
        let scales: Vec<f64> = (0..variances.len()).map(scale).collect();
        for (i, row) in scales.iter().enumerate() {
            for (j, column) in scales.iter().enumerate() {
                covariance[(i, j)] *= row * column;
            }
            covariance[(i, i)] = variances[i].0;
        }
        Ok(covariance)
    }

    /// The standard deviations of the values, given the covariance of an estimate.
    ///
    /// # Errors
    /// [`EstimateError`] if the estimate is one of another system, [`EstimateError::Digits`] where
    /// more than a twentieth of a variance may be rounding.
    pub fn deviations(
        &self,
        system: &System,
        posterior: &mut Posterior<'_>,
    ) -> Result<Vec<f64>, EstimateError> {
        let first = self.columns(system).start;
        let variances = self.variances(system, posterior)?.into_iter().enumerate();
        let deviation = |(k, (variance, rounding)): (usize, (f64, f64))| {
            if variance >= 0.0 && variance.is_finite() && rounding <= ROUNDING {
                return Ok(variance.sqrt());
            }
            let unknown = system.unknowns().at(first + k);
            let unknown = unknown.map_or_else(String::new, |own| describe_component(system, own));
            Err(EstimateError::Digits { unknown, variance })
        };
        variances.map(deviation).collect()
    }

    /// The variances of the values, each with the share of it that may be rounding.
    fn variances(
        &self,
        system: &System,
        posterior: &mut Posterior<'_>,
    ) -> Result<Vec<(f64, f64)>, EstimateError> {
        self.check(system)?;
        let columns = self.columns(system);
        let is_six = matches!(
            self,
            Self::ExternalForce(_) | Self::TransmittedForce(_) | Self::Acceleration(_)
        );
        if !is_six {
            let variance = |column| {
                let variance = posterior.variances().get(column).copied();
                (variance.unwrap_or(f64::NAN), posterior.rounding(column))
            };
            return Ok(columns.map(variance).collect());
        }
        let map = self.map(system)?;
        let sums = map.row_iter().map(|row| {
            let terms = terms_of(columns.clone(), row.iter().copied());
            posterior.of_sum(&terms)
        });
        sums.collect()
    }
}
