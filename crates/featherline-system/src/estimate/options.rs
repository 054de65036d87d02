//! How uncertain unknowns and equations are before anything is measured.

/// What an [`Estimator`](crate::Estimator) assumes of all unknowns and of all equations without a variance of their own.
///
/// ```
/// use featherline_system::EstimatorOptions;
///
/// let options = EstimatorOptions::default().without_prior().equation_variance(1e-4);
/// assert_eq!(options.prior, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EstimatorOptions {
    /// The variance of every unknown about zero; none if nothing is assumed. 10⁴ by default, in the squares of N, N·m, m/s²
    /// and rad/s²: broad for robots of human size.
    pub prior: Option<f64>,
    /// The variance of the residuals of the dynamics, the knowns and exact sensors. 10⁻⁶ by default: small against any
    /// sensor's, and large enough that the normal matrix can be solved.
    pub equation: f64,
    /// How often the mean is corrected by the residuals that are left: once by default. Each takes a solve, and makes up for
    /// the digits that forming the normal matrix loses.
    pub refinements: usize,
}

impl Default for EstimatorOptions {
    fn default() -> Self {
        Self {
            prior: Some(1e4),
            equation: 1e-6,
            refinements: 1,
        }
    }
}

impl EstimatorOptions {
    /// Another variance of the unknowns about zero.
    pub fn prior_variance(mut self, variance: f64) -> Self {
        self.prior = Some(variance);
        self
    }

    /// Nothing is assumed of the unknowns: equations and sensors have to determine them all.
    pub fn without_prior(mut self) -> Self {
        self.prior = None;
        self
    }

    /// Another variance of the equations' residuals.
    pub fn equation_variance(mut self, variance: f64) -> Self {
        self.equation = variance;
        self
    }

    /// Another number of corrections of the mean.
    pub fn refinements(mut self, count: usize) -> Self {
        self.refinements = count;
        self
    }
}
