//! One error type for all entry points.

use crate::goal::GoalFault;
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
    /// A goal has numbers that are none, or a matrix that is no rotation.
    #[error("goal {index} has {fault}")]
    Goal {
        /// The index of the goal.
        index: usize,
        /// The fault of the goal.
        fault: GoalFault,
    },
}

impl From<featherline::model::UnknownName> for Error {
    fn from(unknown: featherline::model::UnknownName) -> Self {
        Self::Model(unknown.into())
    }
}
