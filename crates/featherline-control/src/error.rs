//! One error type for all entry points.

use featherline_constraint::LoopError;
use thiserror::Error;

/// Why there is no solution to speak of.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument does not fit the model.
    #[error(transparent)]
    Model(#[from] featherline::Error),
    /// The loops of the robot cannot be closed.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// A goal has a number that is not finite, or a weight that is negative.
    #[error("goal {index} has {what}: goals are finite, and weights are not negative")]
    Goal {
        /// The index of the goal.
        index: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl From<featherline::model::UnknownName> for Error {
    fn from(unknown: featherline::model::UnknownName) -> Self {
        Self::Model(unknown.into())
    }
}
