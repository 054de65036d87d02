//! Why a command could not do what was asked.

use featherline::model::ModelWarning;
use featherline_formats::urdf::{Warning, WarningCause};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a command could not do what was asked. Each message says what, where, and what to do.
#[derive(Debug, Error)]
pub enum Failure {
    /// The robot can't be found or read.
    #[error("{0}")]
    Robot(String),
    /// A quantity that does not exist was asked for.
    #[error("{0}")]
    Quantity(String),
    /// A program can't be made, written or read.
    #[error("{0}")]
    Program(String),
    /// A state can't be read.
    #[error("{0}")]
    State(String),
    /// Sensors or what is known of a robot can't be read, or can't be used.
    #[error("{0}")]
    Sensors(String),
    /// A simulation can't be begun, went wrong, or can't be recorded.
    #[error("{0}")]
    Simulation(String),
    /// An option that would change nothing.
    #[error("`{option}` changes nothing here: {why}; {instead}")]
    IdleOption {
        /// The option.
        option: &'static str,
        /// Why it has no effect.
        why: String,
        /// What to do.
        instead: &'static str,
    },
    /// A file can't be written.
    #[error("can't write {}: {reason}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The system of equations is impossible.
    #[error(transparent)]
    System(#[from] featherline_system::SystemError),
    /// The computation itself is impossible.
    #[error(transparent)]
    Computation(#[from] featherline::Error),
    /// The output can't be written.
    #[error("can't write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// What the process returns; clap returns the same for arguments that it can't read.
    pub const EXIT_CODE: u8 = 2;

    /// The same, with the figures of the robot that no robot has: they are behind what overflows or diverges.
    pub fn with_figures(self, warnings: &[Warning]) -> Self {
        let figure = warnings.iter().find(|warning| {
            let cause = &warning.cause;
            matches!(cause, WarningCause::Model(ModelWarning::TooLarge { .. }))
        });
        match (self, figure) {
            (Self::Simulation(what), Some(figure)) => Self::Simulation(format!("{what}; {figure}")),
            (other, _) => other,
        }
    }

    /// Whether the reader of the output has gone, as `head` does when it has enough.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<serde_json::Error> for Failure {
    /// Values are finite and keys are strings, so that writing JSON fails only where the output does.
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
