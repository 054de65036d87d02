//! How uncertain unknowns and equations are before anything is measured.

/// Assumptions of an [`Estimator`](crate::Estimator) about all unknowns and all equations without a
/// variance of their own.
///
/// ```
/// use featherline_system::{Assumption, EstimatorOptions};
///
/// let options = EstimatorOptions::default().without_prior().equation_variance(1e-4);
/// assert_eq!((options.prior, options.equation), (Assumption::Nothing, Some(1e-4)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EstimatorOptions {
    /// How uncertain every unknown is about zero before anything is measured: by default, as suits
    /// the robot.
    pub prior: Assumption,
    /// The variance of the residuals of the dynamics, the knowns and exact sensors; none, which is
    /// the default, if they hold exactly.
    pub equation: Option<f64>,
}

/// How uncertain every unknown is about zero before anything is measured.
///
/// Of an external force that is its form in [`System::wrench_basis`](crate::System::wrench_basis):
/// its moment is about the origin of the first sensor or contact on that body that has to do with
/// it, whether that has a reading in a state or not. A [`Prior`](crate::Prior) is of moments about
/// the joint whatever sensors there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Assumption {
    /// As broad as a thousand times what the robot's own weight brings about, be it of grams or of
    /// tonnes: forces have a deviation of a thousand times the weight, moments that times the
    /// robot's reach, accelerations a thousand times gravity, angular ones that over the reach or
    /// over 1 m, whichever is less; a coordinate's own force and acceleration the broader of the
    /// two. Without gravity, that of the Earth counts. Of external forces and of the acceleration
    /// of coordinates, from which everything else follows by the equations.
    Scaled,
    /// All unknowns have this variance, in the squares of N, N·m, m/s² and rad/s².
    Variance(f64),
    /// Nothing is assumed: equations and sensors have to determine all unknowns.
    Nothing,
}

impl Default for EstimatorOptions {
    fn default() -> Self {
        Self {
            prior: Assumption::Scaled,
            equation: None,
        }
    }
}

impl EstimatorOptions {
    /// Another variance of the unknowns about zero.
    pub fn prior_variance(mut self, variance: f64) -> Self {
        self.prior = Assumption::Variance(variance);
        self
    }

    /// Nothing is assumed of the unknowns: equations and sensors have to determine them all.
    pub fn without_prior(mut self) -> Self {
        self.prior = Assumption::Nothing;
        self
    }

    /// Equations hold up to residuals of this variance: for models that are known to be wrong.
    pub fn equation_variance(mut self, variance: f64) -> Self {
        self.equation = Some(variance);
        self
    }
}
