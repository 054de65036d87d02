//! What each row of the equations weighs.

use super::error::EstimateError;
use super::options::EstimatorOptions;
use crate::system::System;

/// Exact rows are so many times less uncertain than anything else, so that their share of a variance is below rounding.
const FINER: f64 = 1e7;

/// The standard deviation of exact rows where everything else is coarser than that.
const EXACT: f64 = 1e-10;

/// One over the variance of each row.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    information: Vec<f64>,
    is_exact: Vec<bool>,
}

impl Weights {
    /// Of a system's equations, knowns and sensors.
    ///
    /// # Errors
    /// [`EstimateError::Variance`].
    pub fn new(system: &System, options: &EstimatorOptions) -> Result<Self, EstimateError> {
        let equation = options
            .equation
            .map(|variance| information(variance, || "the equations".into()));
        let equation = equation.transpose()?;
        let (mut weights, mut is_exact) = (Vec::new(), Vec::new());
        for row in 0..system.equations().count() {
            let own = match system.variance(row) {
                Some(variance) => Some(information(variance, || format!("row {row}"))?),
                None => equation,
            };
            weights.push(own.unwrap_or(0.0));
            is_exact.push(own.is_none());
        }
        let mut built = Self {
            information: weights,
            is_exact,
        };
        built.balance();
        Ok(built)
    }

    /// Gives exact rows a weight that makes them exact beside the others.
    ///
    /// The rows are brought to a triangle by reflections, which bear weights of any ratio: the limit of infinite weights is the
    /// constrained problem (Björck 1996, *Numerical methods for least squares problems*, section 5.1.5).
    fn balance(&mut self) {
        let rows = self.information.iter().zip(&self.is_exact);
        let finest = rows
            .filter(|row| !row.1)
            .fold(0.0, |most: f64, row| most.max(*row.0));
        let exact = (finest * FINER * FINER).max(1.0 / (EXACT * EXACT));
        for (weight, _) in self
            .information
            .iter_mut()
            .zip(&self.is_exact)
            .filter(|row| *row.1)
        {
            *weight = exact.min(f64::MAX);
        }
    }

    pub fn set(&mut self, row: usize, variance: f64) -> Result<(), EstimateError> {
        self.information[row] = information(variance, || format!("row {row}"))?;
        self.is_exact[row] = false;
        self.balance();
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.information.len()
    }

    /// One over the variance of a row, or a number that stands for infinity.
    pub fn of(&self, row: usize) -> f64 {
        self.information[row]
    }

    /// Whether a row has no error.
    pub fn is_exact(&self, row: usize) -> bool {
        self.is_exact[row]
    }

    /// The variance of a row, zero if it is exact.
    pub fn variance(&self, row: usize) -> f64 {
        if self.is_exact[row] {
            0.0
        } else {
            1.0 / self.information[row]
        }
    }
}

/// One over a variance.
pub(super) fn information(
    variance: f64,
    what: impl FnOnce() -> String,
) -> Result<f64, EstimateError> {
    let information = 1.0 / variance;
    if variance > 0.0 && information > 0.0 && information.is_finite() {
        Ok(information)
    } else {
        Err(EstimateError::Variance {
            what: what(),
            variance,
        })
    }
}
