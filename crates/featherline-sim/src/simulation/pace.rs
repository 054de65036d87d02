//! Whether double precision can tell the steps of a run apart, and whether anyone lives to see its
//! end.

use super::SimulationError;

/// More steps than these take weeks on any machine: they are a slip in a number.
const MOST: f64 = 1e12;

/// Fails unless time can go on from `start` for some seconds in steps of `length`, called `what`.
pub(super) fn check(
    what: &'static str,
    length: f64,
    start: f64,
    seconds: f64,
) -> Result<(), SimulationError> {
    if seconds > 0.0 && seconds / length > MOST {
        return Err(SimulationError::TooManySteps {
            what,
            length,
            seconds,
            most: MOST,
        });
    }
    let furthest = start.abs().max((start + seconds).abs());
    if length < seconds && furthest + length == furthest {
        return Err(SimulationError::TimeStandsStill {
            what,
            length,
            t: furthest,
        });
    }
    Ok(())
}
