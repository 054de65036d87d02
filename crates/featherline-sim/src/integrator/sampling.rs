//! Samples at regular times, independent of the steps.

use super::{DenseOutput, IntegratorError, Result};

/// Times at regular distance, at which states are read from the steps as these go by.
///
/// The times are the start plus whole multiples of the interval, each computed by itself, so that
/// they don't drift. Steps must follow each other forward in time. Allocates nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    start: f64,
    interval: f64,
    next: u64,
}

impl Sampling {
    /// Samples every `interval` seconds, the first one at the time `start`.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless the interval is positive and both are finite.
    pub fn every(interval: f64, start: f64) -> Result<Self> {
        super::stepper::check_finite("the time", start)?;
        super::forces::check_positive("the interval of samples", interval)?;
        Ok(Self {
            start,
            interval,
            next: 0,
        })
    }

    /// When the next sample is due, in s.
    pub fn next_time(&self) -> f64 {
        self.start + self.interval * self.next as f64
    }

    /// Passes all samples that are due until the end of a step to `sink`, which takes (t, q, v).
    ///
    /// # Errors
    /// [`IntegratorError::TimeStandsStill`] where the interval makes no difference to the times of
    /// the step in double precision: it would have no end of samples. None is passed on then.
    /// Otherwise as [`DenseOutput::at`].
    pub fn take(
        &mut self,
        step: &mut DenseOutput<'_>,
        mut sink: impl FnMut(f64, &[f64], &[f64]),
    ) -> Result<()> {
        let end = step.end();
        let mut t = self.next_time();
        let furthest = t.abs().max(end.abs());
        if t <= end && furthest + self.interval == furthest {
            return Err(IntegratorError::TimeStandsStill {
                interval: self.interval,
                t: furthest,
            });
        }
        // A sample that rounding puts just behind the end belongs to it.
        while t <= end + 1e-9 * self.interval {
            let (q, v) = step.at(t)?;
            sink(t, q, v);
            self.next += 1;
            t = self.next_time();
        }
        Ok(())
    }
}
