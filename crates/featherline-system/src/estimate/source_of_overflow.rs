//! Which number is behind an estimate that overflowed.

use super::error::EstimateError;
use super::estimator::Estimator;
use crate::diagnosis::contradicting;
use crate::error::SystemError;
use featherline::Error;
use featherline_sparse::multifrontal::AGREEMENT;

impl Estimator {
    /// The same error, or which number of the state is behind it where finding a result overflowed,
    /// or which knowns and exact sensors contradict each other.
    #[cold]
    pub(super) fn blamed(
        &mut self,
        error: EstimateError,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
        mut find: impl FnMut(&mut Self, &[f64], &[f64], &[f64]) -> Result<(), EstimateError>,
    ) -> EstimateError {
        if let EstimateError::Contradiction { row, by } = error {
            let row = self.contradicting().unwrap_or(row);
            return EstimateError::Contradiction { row, by };
        }
        let Some(what) = overflowing(&error) else {
            return error;
        };
        // An overflow of another quantity has another source.
        let mut overflows = |this: &mut Self, q: &[f64], v: &[f64], inputs: &[f64]| {
            let found = find(this, q, v, inputs);
            found.is_err_and(|error| overflowing(&error) == Some(what))
        };
        // The estimator's own copy cannot be borrowed while it searches.
        let system = self.system.clone();
        let found = system.overflow(what, q, v, inputs, |q, v, inputs| {
            overflows(self, q, v, inputs)
        });
        found.into()
    }

    /// The knowns and sensors that contradict each other, if the equations of motion are exact.
    fn contradicting(&self) -> Option<String> {
        let is_exact = |row: usize| self.weights.is_exact(row) && self.is_on(row, true);
        let mut dynamics = self.system.equations().dynamics();
        if !dynamics.all(is_exact) {
            return None;
        }
        contradicting(
            &self.system,
            &self.values,
            (&self.rhs, &self.sizes),
            is_exact,
            AGREEMENT,
        )
    }
}

/// The quantity that overflowed, if that is the error.
fn overflowing(error: &EstimateError) -> Option<&'static str> {
    if let EstimateError::System(SystemError::Dynamics(Error::Overflow { what })) = error {
        Some(what)
    } else {
        None
    }
}
