//! Weights of the rows of the equations.

use super::error::EstimateError;
use super::options::EstimatorOptions;
use crate::system::System;

/// One over the variance of each row, zero for those that are exact.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    information: Vec<f64>,
    is_exact: Vec<bool>,
}

impl Weights {
    /// Of a system's equations, knowns and sensors.
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
        Ok(Self {
            information: weights,
            is_exact,
        })
    }

    /// Another variance of a row.
    pub fn set(&mut self, row: usize, variance: f64) -> Result<(), EstimateError> {
        self.information[row] = information(variance, || format!("row {row}"))?;
        self.is_exact[row] = false;
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.information.len()
    }

    /// One over the variance of a row; zero if it is exact, and has no part in costs and
    /// covariances.
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
