//! The lengths of lists.

use thiserror::Error;

/// A list of numbers has the wrong length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{what} has {found} entries where {expected} are needed")]
pub struct LengthError {
    /// Which list.
    pub what: &'static str,
    /// The length that is needed.
    pub expected: usize,
    /// The length that was given.
    pub found: usize,
}

/// Fails unless a list has the length that is needed.
pub(crate) fn check_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), LengthError> {
    if expected == found {
        return Ok(());
    }
    Err(LengthError {
        what,
        expected,
        found,
    })
}
