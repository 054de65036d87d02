//! What writers return.

use crate::location::Source;
use crate::report::Report;
use crate::warning::{Warning, WarningCause};

/// A text that was written, and what it lacks of the description.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// What the format can't express, each at its place in the files that the description was read
    /// from.
    pub warnings: Vec<Warning>,
}

impl Written {
    pub(crate) fn new(text: String, report: Report<'_>) -> Self {
        Self {
            text,
            warnings: report.into_warnings(),
        }
    }
}

/// Adds a warning that something can't be expressed.
pub(crate) fn lacks(
    report: &mut Report<'_>,
    format: &'static str,
    source: Source,
    what: impl Into<String>,
) {
    let what = what.into();
    report.warn(source, WarningCause::NotWritten { what, format });
}
