//! The steps of an interval, and the limits of their number and length.

use super::{Result, SimulationError};

/// A part of the interval between samples, or of a step, that is rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// More steps than these take weeks on any machine: a number was mistyped.
const MOST: f64 = 1e12;

/// Equal steps from a time to another, and how many of them have been made.
pub(super) struct Steps {
    start: f64,
    length: f64,
    count: u64,
    pub end: f64,
    pub made: u64,
    pub is_done: bool,
}

impl Steps {
    /// The fewest steps of at most `longest` seconds from `start` to `end`, which is `seconds`
    /// later but for rounding.
    pub fn equal(start: f64, end: f64, seconds: f64, longest: f64) -> Self {
        let count = (seconds / longest - ROUNDING).ceil().max(1.0);
        Self {
            start,
            length: seconds / count,
            count: count as u64,
            end,
            made: 0,
            is_done: false,
        }
    }

    /// Counts the next step, and returns the time at which it begins and its length.
    pub fn next(&mut self) -> (f64, f64) {
        let t = self.start + self.length * self.made as f64;
        self.made += 1;
        self.is_done = self.made == self.count;
        (t, self.length)
    }

    /// The time at which the next step begins: exact, so that an event belongs to one step.
    pub fn now(&self) -> f64 {
        if self.is_done {
            self.end
        } else {
            self.start + self.length * self.made as f64
        }
    }
}

/// Fails unless time can go on from `start` for some seconds in steps of `length`, called `what`.
pub(super) fn check(what: &'static str, length: f64, start: f64, seconds: f64) -> Result<()> {
    if seconds > 0.0 && seconds / length > MOST {
        return Err(SimulationError::TooManySteps {
            what,
            length,
            seconds,
            most: MOST,
        });
    }
    let t = start.abs().max((start + seconds).abs());
    if length < seconds && t + length == t {
        return Err(SimulationError::TimeStandsStill { what, length, t });
    }
    Ok(())
}
