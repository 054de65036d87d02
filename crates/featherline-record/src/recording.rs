//! Recordings: every sample of a simulation, in a file.

use crate::columns::duplicate;
use crate::csv::Csv;
use crate::error::RecordError;
use crate::jsonl::JsonLines;
use featherline::Model;
use featherline_sim::simulation::{Recorder, RecorderError, Sample};
use std::fmt;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The format of a recording.
///
/// All formats hold the same numbers to the last bit, in the order of
/// [`columns`](crate::columns()).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a line of names.
    Csv,
    /// A JSON object for each sample, with `q`, `v` and `tau` as arrays.
    JsonLines,
    /// Apache Parquet, a column of doubles for each number.
    Parquet,
    /// MCAP with the objects of [`JsonLines`](Self::JsonLines) as messages on the topic `/robot`.
    Mcap,
}

impl Format {
    /// The format that the extension of a path selects: `csv`, `jsonl`, `parquet` or `mcap`.
    ///
    /// ```
    /// use featherline_record::Format;
    ///
    /// assert_eq!(Format::of_path("run.csv".as_ref()), Some(Format::Csv));
    /// assert_eq!(Format::of_path("run.txt".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            "mcap" => Some(Self::Mcap),
            _ => None,
        }
    }

    /// Whether this build can write the format: Parquet and MCAP are behind features.
    pub fn is_built(self) -> bool {
        match self {
            Self::Csv | Self::JsonLines => true,
            Self::Parquet => cfg!(feature = "parquet"),
            Self::Mcap => cfg!(feature = "mcap"),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Mcap => "mcap",
        })
    }
}

/// Writes samples one by one.
pub(crate) trait Writer {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError>;

    /// Writes the end of the file.
    fn finish(&mut self) -> Result<(), RecorderError>;
}

/// A file that takes every sample of a simulation.
///
/// Call [`finish`](Self::finish) at the end: a Parquet or MCAP file is not readable without its
/// footer. The crate's page has an example.
pub struct Recording {
    path: PathBuf,
    writer: Box<dyn Writer>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Creates a file in the format that its extension selects ([`Format::of_path`]).
    ///
    /// # Errors
    /// [`RecordError::UnknownFormat`] for another extension, and as [`create_as`](Self::create_as).
    pub fn create(path: impl AsRef<Path>, model: &Model) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let format = Format::of_path(path).ok_or_else(|| RecordError::UnknownFormat {
            path: path.to_owned(),
        })?;
        Self::create_as(format, path, model)
    }

    /// Creates a file in a format, whatever its extension.
    ///
    /// # Errors
    /// [`RecordError::NotBuilt`] if the format's feature is off, [`RecordError::DuplicateColumn`]
    /// if two columns have one name, [`RecordError::Create`] or [`RecordError::Write`] if the file
    /// can't be written.
    pub fn create_as(
        format: Format,
        path: impl AsRef<Path>,
        model: &Model,
    ) -> Result<Self, RecordError> {
        let path = path.as_ref();
        if !format.is_built() {
            return Err(RecordError::NotBuilt { format });
        }
        if let Some(name) = duplicate(model) {
            return Err(RecordError::DuplicateColumn { name });
        }
        let file = File::create(path).map_err(|source| RecordError::Create {
            path: path.to_owned(),
            source,
        })?;
        let writer = writer(format, file, model).map_err(|source| RecordError::Write {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            writer,
        })
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// [`RecordError::Write`] if the file can't be written.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.writer.finish().map_err(|source| RecordError::Write {
            path: self.path,
            source,
        })
    }
}

/// The writer of a format that is built.
fn writer(format: Format, file: File, model: &Model) -> Result<Box<dyn Writer>, RecorderError> {
    Ok(match format {
        Format::Csv => Box::new(Csv::new(file, model)?),
        Format::JsonLines => Box::new(JsonLines::new(file)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(crate::parquet::Parquet::new(file, model)?),
        #[cfg(feature = "mcap")]
        Format::Mcap => Box::new(crate::mcap::Mcap::new(file, model)?),
        #[cfg(not(all(feature = "parquet", feature = "mcap")))]
        format => return Err(RecordError::NotBuilt { format }.into()),
    })
}

impl Recorder for Recording {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.writer.write(sample)?;
        Ok(ControlFlow::Continue(()))
    }
}
