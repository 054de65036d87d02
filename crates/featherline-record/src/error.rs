//! Errors of recordings and charts.

use crate::RecordFormat;
use featherline::words::Words;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a recording or a chart can't be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The extension of a file is not that of a format.
    #[error(
        "can't record to {}: the extension selects the format; use {}",
        path.display(), RecordFormat::names().join(", ")
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The format is behind a feature of this crate that is off.
    #[error("this build can't write {format}; turn on the feature `{format}`")]
    NotBuilt {
        /// The format.
        format: RecordFormat,
    },
    /// Two columns would have one name: joint `a` with a component `x` beside a joint `a.x`.
    #[error("two columns would be called `{name}`; rename one of the joints")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A chart was asked for in a file that is not SVG.
    #[error("can't draw {}: charts are svg; give the file this extension", path.display())]
    UnknownChart {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be created.
    #[error("can't write {}: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// The operating system's message.
        source: io::Error,
    },
    /// The file can't be written to.
    #[error("can't write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the format's writer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl RecordError {
    /// Turns the error of a format's writer into one of its file.
    pub(crate) fn of_file<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        path: &Path,
    ) -> impl Fn(E) -> Self + '_ {
        move |source| Self::Write {
            path: path.to_owned(),
            source: source.into(),
        }
    }
}

/// Why a recording can't be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The extension of a file is not that of a format.
    #[error(
        "{} is no recording: the extension says the format; there are {}",
        path.display(), RecordFormat::names().join(", ")
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The format is behind a feature of this crate that is off.
    #[error("this build can't read {format}; turn on the feature `{format}`")]
    NotBuilt {
        /// The format.
        format: RecordFormat,
    },
    /// The file can't be opened or read.
    #[error("can't read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's message.
        source: io::Error,
    },
    /// The recording is of another robot: a column is not the robot's.
    #[error(
        "{}: column {column} is {}, where `{robot}` has `{expected}`; this is a recording of another robot",
        path.display(), named(.found.as_deref())
    )]
    OtherRobot {
        /// The file.
        path: PathBuf,
        /// The robot that it is read for.
        robot: String,
        /// The column, counted from one.
        column: usize,
        /// The name of the robot's column.
        expected: String,
        /// The name in the file; none if it has no such column, or does not name it.
        found: Option<String>,
    },
    /// The columns are the robot's, and some are missing.
    #[error(
        "{}: the column `{name}` is missing; a recording has t, then all entries of q, of v and of tau. Write zeros where \
         they are not known",
        path.display()
    )]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The first column that is missing.
        name: String,
    },
    /// The columns are the robot's in another order.
    #[error(
        "{}: column {column} is `{found}`, where `{expected}` is expected; a recording has t, then the entries of q, of v and \
         of tau, each in the order of the robot's joints. Sort the columns",
        path.display()
    )]
    ColumnOrder {
        /// The file.
        path: PathBuf,
        /// The column, counted from one.
        column: usize,
        /// The name of the robot's column.
        expected: String,
        /// The name in the file.
        found: String,
    },
    /// The content is not that of a recording.
    #[error("{}:{place}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where: the line of a text, the row of a table, or the message of a log, from one.
        place: usize,
        /// The fault, and the remedy.
        what: String,
    },
    /// There are more numbers than are read.
    #[error("{}: there are more than {most} numbers; record with a longer time between samples", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The greatest number.
        most: usize,
    },
}

fn named(name: Option<&str>) -> String {
    name.map_or_else(|| "missing".to_owned(), |name| format!("`{name}`"))
}
