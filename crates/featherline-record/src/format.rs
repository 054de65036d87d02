//! The formats of recordings.

use featherline::words::Words;
use std::fmt;
use std::path::Path;

/// The format of a recording.
///
/// All formats hold the same numbers to the last bit, in the order of
/// [`columns`](crate::columns()). Of contacts, CSV and Parquet have the sum for each body, JSON
/// lines and MCAP each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordFormat {
    /// Comma-separated values with a line of names.
    Csv,
    /// A JSON object for each sample, with `q`, `v` and `tau` as arrays.
    JsonLines,
    /// Apache Parquet, a column of doubles for each number.
    Parquet,
    /// MCAP with the objects of [`JsonLines`](Self::JsonLines) as messages on the topic `/robot`.
    Mcap,
}

/// Each word is the extension of a file.
impl Words for RecordFormat {
    const WHAT: &'static str = "format of recordings";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("csv", Self::Csv),
        ("jsonl", Self::JsonLines),
        ("parquet", Self::Parquet),
        ("mcap", Self::Mcap),
    ];
}

impl RecordFormat {
    /// The format that the extension of a path selects, whatever its case.
    ///
    /// ```
    /// use featherline_record::RecordFormat;
    ///
    /// assert_eq!(RecordFormat::of_path("run.csv".as_ref()), Some(RecordFormat::Csv));
    /// assert_eq!(RecordFormat::of_path("run.txt".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        Self::from_word(path.extension()?.to_str()?).ok()
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

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
