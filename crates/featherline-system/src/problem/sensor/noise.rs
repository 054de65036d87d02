//! Errors as covariances.

use super::Noise;
use nalgebra::DMatrix;

/// A fault of an error: its key in a file, and its description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseFault {
    pub key: &'static str,
    pub what: &'static str,
}

impl Noise {
    /// The covariance of `size` numbers; none if they are exact.
    pub(crate) fn covariance(&self, size: usize) -> Result<Option<DMatrix<f64>>, NoiseFault> {
        let fault = |key, what| Err(NoiseFault { key, what });
        // Its square and the inverse of that have to be numbers, too.
        let positive = |deviation: &f64| {
            let variance = deviation * deviation;
            *deviation > 0.0 && variance.is_finite() && variance.recip().is_finite()
        };
        let diagonal = |deviation: &dyn Fn(usize) -> f64| {
            let variance = |i, j| if i == j { deviation(i).powi(2) } else { 0.0 };
            DMatrix::from_fn(size, size, variance)
        };
        match self {
            Self::Exact => Ok(None),
            Self::Deviation(deviation) if positive(deviation) => {
                Ok(Some(diagonal(&|_| *deviation)))
            }
            Self::Deviations(deviations) if deviations.len() != size => {
                fault("sigma", "not one deviation for each reading")
            }
            Self::Deviations(deviations) if deviations.iter().all(positive) => {
                Ok(Some(diagonal(&|k| deviations[k])))
            }
            Self::Deviation(_) | Self::Deviations(_) => {
                let what = "a standard deviation whose square is not a positive, finite number";
                fault("sigma", what)
            }
            Self::Covariance(values) if values.len() != size * size => fault(
                "covariance",
                "a covariance without one row and column for each reading",
            ),
            Self::Covariance(values) => {
                let matrix = DMatrix::from_row_slice(size, size, values);
                if !values.iter().all(|value| value.is_finite()) || !is_symmetric(&matrix) {
                    let what = "a covariance that is not finite and symmetric";
                    return fault("covariance", what);
                }
                let variances = matrix.diagonal();
                if !variances
                    .iter()
                    .all(|variance| variance.recip().is_finite())
                {
                    let what = "a variance that is zero, or too small to be inverted";
                    return fault("covariance", what);
                }
                if size > 0 && matrix.clone().cholesky().is_none() {
                    let what = "a covariance that is not positive definite, so that errors are redundant or contradictory";
                    return fault("covariance", what);
                }
                Ok(Some(matrix))
            }
        }
    }
}

/// Whether entries equal their mirror images but for rounding on the scale of row and column.
fn is_symmetric(matrix: &DMatrix<f64>) -> bool {
    let size = matrix.nrows();
    (0..size).all(|i| {
        (0..i).all(|j| {
            let scale = (matrix[(i, i)].abs().sqrt()) * (matrix[(j, j)].abs().sqrt());
            (matrix[(i, j)] - matrix[(j, i)]).abs() <= 1e-12 * scale
        })
    })
}
