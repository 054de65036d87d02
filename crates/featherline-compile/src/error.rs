//! Errors.

use thiserror::Error;

/// Why a graph could not be evaluated or a program not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A slice has the wrong length.
    #[error("{what} must have {expected} numbers, but it has {found}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// What was needed.
        expected: usize,
        /// What was given.
        found: usize,
    },
}

pub(crate) fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::Size {
            what,
            expected,
            found,
        })
    }
}
