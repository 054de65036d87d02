//! Errors of recordings and charts.

use crate::RecordFormat;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a recording or a chart can't be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The extension of a file is not that of a format.
    #[error(
        "can't record to {}: the extension selects the format; use csv, jsonl, parquet or mcap",
        path.display()
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
        /// What the system says.
        source: io::Error,
    },
    /// The file can't be written to.
    #[error("can't write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the format's writer says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
