//! Why a command could not do what was asked.

use featherline::model::ModelWarning;
use featherline::words::Words;
use featherline_formats::{Warning, WarningCause};
use featherline_record::RecordError;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a command could not do what was asked. Each message says what, where, and what to do.
#[derive(Debug, Error)]
pub enum Failure {
    /// The robot can't be found or read.
    #[error("{0}")]
    Robot(String),
    /// The robot's file can't be read, at a place.
    #[error("{0}")]
    Load(featherline_formats::Error),
    /// A quantity that does not exist was asked for.
    #[error("{0}")]
    Quantity(String),
    /// A program can't be made, written or read.
    #[cfg(feature = "compile")]
    #[error("{0}")]
    Program(String),
    /// A state can't be read.
    #[error("{0}")]
    State(String),
    /// Sensors or known quantities can't be read or used.
    #[cfg(feature = "system")]
    #[error("{0}")]
    Sensors(String),
    /// A simulation can't begin, failed, or can't be recorded.
    #[error("{0}")]
    Simulation(String),
    /// The page can't be served.
    #[cfg(feature = "view")]
    #[error("{0}")]
    Server(String),
    /// A command or a format that this build leaves out.
    #[error(
        "{what} is not part of this build; `cargo install --path crates/featherline-cli --features \
         {feature}` adds it, and `--features full` adds everything"
    )]
    NotBuilt {
        /// The command or format that was asked for.
        what: String,
        /// The feature that adds it.
        feature: &'static str,
    },
    /// An option that would change nothing.
    #[error("`{option}` changes nothing here: {why}; {instead}")]
    IdleOption {
        /// The option.
        option: &'static str,
        /// Why it has no effect.
        why: String,
        /// The remedy.
        instead: &'static str,
    },
    /// A file can't be written.
    #[error("can't write {}: {reason}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// The operating system's message.
        reason: io::Error,
    },
    /// The system of equations is impossible.
    #[cfg(feature = "system")]
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
    /// The exit code; clap has the same for arguments that it can't read.
    pub const EXIT_CODE: u8 = 2;

    /// A state can't be read or answered, for a reason.
    pub fn state(reason: impl Display) -> Self {
        Self::State(reason.to_string())
    }

    /// Sensors or known quantities can't be used, for a reason.
    #[cfg(feature = "system")]
    pub fn sensors(reason: impl Display) -> Self {
        Self::Sensors(reason.to_string())
    }

    /// A part that this build leaves out was asked for.
    pub fn not_built(what: impl Into<String>, feature: &'static str) -> Self {
        let what = what.into();
        Self::NotBuilt { what, feature }
    }

    /// An option would change nothing.
    pub fn idle(option: &'static str, why: impl Into<String>, instead: &'static str) -> Self {
        Self::IdleOption {
            option,
            why: why.into(),
            instead,
        }
    }

    /// Turns an error of the system into one of a file that can't be written.
    pub fn of_file(path: &Path) -> impl Fn(io::Error) -> Self + Copy + '_ {
        move |reason| Self::File {
            path: path.to_owned(),
            reason,
        }
    }

    /// The same, with a value of the robot that is far too large, if there is one: it is the cause
    /// of an overflow or a divergence.
    pub fn with_large_values(self, warnings: &[Warning]) -> Self {
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

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        if let RecordError::NotBuilt { format } = error {
            Self::not_built(format!("the format {format}"), format.name())
        } else {
            Self::Simulation(error.to_string())
        }
    }
}

#[cfg(feature = "system")]
impl From<featherline_system::EstimateError> for Failure {
    fn from(error: featherline_system::EstimateError) -> Self {
        if let featherline_system::EstimateError::System(error) = error {
            error.into()
        } else {
            Self::sensors(error)
        }
    }
}

#[cfg(feature = "system")]
impl From<featherline_system::DeterminedError> for Failure {
    fn from(error: featherline_system::DeterminedError) -> Self {
        if let featherline_system::DeterminedError::System(error) = error {
            error.into()
        } else {
            Self::sensors(error)
        }
    }
}

#[cfg(feature = "view")]
impl From<featherline_record::ReadError> for Failure {
    fn from(error: featherline_record::ReadError) -> Self {
        if let featherline_record::ReadError::NotBuilt { format } = error {
            RecordError::NotBuilt { format }.into()
        } else {
            Self::state(error)
        }
    }
}

impl From<serde_json::Error> for Failure {
    /// Values are finite and keys are strings, so that writing JSON fails only where the output
    /// does.
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
