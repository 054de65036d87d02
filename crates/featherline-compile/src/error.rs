//! Errors.

use crate::invalid::Invalid;
use thiserror::Error;

/// Why a graph could not be evaluated or a program not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A slice has the wrong length.
    #[error("{what} must have {expected} numbers, but it has {found}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// The required length.
        expected: usize,
        /// The length of the argument.
        found: usize,
    },
    /// An output is infinite or NaN, for an input is, or because of a division by zero or a root of
    /// a negative number.
    #[error(
        "{output} of state {state} is not a finite number: an input is none, or the robot has no result in this state"
    )]
    NotFinite {
        /// The number of the first state concerned.
        state: usize,
        /// The name of the output's port and the entry.
        output: String,
    },
    /// An output is infinite or NaN although all inputs are finite: a number on the way to it was
    /// too large.
    #[error(
        "{output} of state {state} is not finite: the numbers are too large for double precision"
    )]
    Overflow {
        /// The number of the first state concerned.
        state: usize,
        /// The name of the output's port and the entry.
        output: String,
    },
    /// The program's inputs or outputs are not those of its instructions: its
    /// [`Function`](crate::Function) was put together wrongly.
    #[error("the program is none: {0}")]
    Invalid(#[from] Invalid),
    /// No code can be made for this processor, or run by this system; an
    /// [`Interpreter`](crate::Interpreter) can run the program.
    #[error("no machine code: {reason}; run the program with an interpreter")]
    NoMachineCode {
        /// The feature that the processor or the system lacks.
        reason: String,
    },
}

pub(crate) fn check_size(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), ProgramError> {
    if expected == found {
        Ok(())
    } else {
        Err(ProgramError::Size {
            what,
            expected,
            found,
        })
    }
}

/// How many states there are, each of so many inputs and outputs. A program without inputs is run
/// as often as there is room for outputs, and the other way round.
pub(crate) fn count_states(
    (width, height): (usize, usize),
    (inputs, outputs): (usize, usize),
) -> Result<usize, ProgramError> {
    let states = match (width, height) {
        (0, 0) => 0,
        (0, _) => outputs / height,
        _ => inputs / width,
    };
    check_size("the inputs", states * width, inputs)?;
    check_size("the outputs", states * height, outputs)?;
    Ok(states)
}
