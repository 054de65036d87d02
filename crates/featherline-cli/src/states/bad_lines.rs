//! Lines without an answer.

use crate::failure::Failure;
use crate::status::Status;
use serde::Serialize;
use std::fmt;

/// A line that is not a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadLine {
    /// Which line, counted from 1.
    pub line: u64,
    /// Where in the line, counted from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The fault.
    pub reason: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// The answer to a line that is not a state.
#[derive(Serialize)]
pub struct BadRecord<'a> {
    pub error: &'a BadLine,
}

/// Lines without a full answer: those that are not states, and those with numbers that are too
/// large.
#[derive(Default)]
pub struct BadLines {
    count: u64,
    first: Option<BadLine>,
}

impl BadLines {
    /// Counts one.
    pub fn add(&mut self, bad: BadLine) {
        self.count += 1;
        self.first.get_or_insert(bad);
    }

    /// The status of a run with these lines.
    pub fn outcome(&self, source: &str) -> Result<Status, Failure> {
        match (&self.first, self.count) {
            (None, _) => Ok(Status::Done),
            (Some(bad), 1) => Err(Failure::State(format!("{source}, {bad}"))),
            (Some(bad), n) => Err(Failure::State(format!(
                "{n} lines have no answer; the first: {source}, {bad}"
            ))),
        }
    }
}
