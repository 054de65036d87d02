//! The covariance of the unknowns from the factor.

use super::estimator::Estimator;
use super::residuals::CANCELLED;

impl Estimator {
    /// Selected inversion, the variances, and which share of each may be rounding.
    ///
    /// Where exact equations leave much less of a variance than it was made of, it is found anew, as a sum of squares. That
    /// loses what deviations lose to each other, no squares of them.
    pub(super) fn find_variances(&mut self) {
        let (pattern, factor) = (&self.normal.pattern, &self.factor);
        let (inverse, _) = self.inverse.split_at_mut(pattern.len());
        pattern.invert(factor, inverse, &mut self.errors, &mut self.work);
        let variances = &mut inverse[pattern.entries()..];
        let (work, other) = self.work.split_at_mut(pattern.size());
        work.fill(0.0);
        other.fill(0.0);
        for (pivot, variance) in variances.iter_mut().enumerate() {
            let mut rounding = self.errors[pivot] / variance.abs();
            if self.exact.is_none() {
                // What the normal matrix lost by being formed is in its factor already.
                rounding = self.diagonal[pivot] * variance.abs() * f64::EPSILON;
            } else if rounding.is_nan() || rounding > CANCELLED {
                (work[pivot], other[pivot]) = (1.0, 1.0);
                *variance = pattern.product(factor, work, other);
                rounding = self.errors[pivot] / *variance * f64::EPSILON;
                rounding = 2.0 * rounding.sqrt() + rounding;
            }
            let unknown = pattern.order[pivot];
            (self.variances[unknown], self.rounding[unknown]) = (*variance, rounding);
        }
    }
}
