//! Models saved as files of JSON: everything that a [`Model`] is made of, to the last bit.
//!
//! Such a file holds what a URDF can't: closed loops, every kind of joint, armature, springs and
//! reference configurations. It is an object with the version of the format and the model:
//!
//! ```json
//! {"featherline_model": 1, "model": {"name": "arm", "gravity": …, "joints": […], …}}
//! ```
//!
//! Numbers are in SI units and radians. Reading checks the model as [`ModelBuilder`] does.
//!
//! ```
//! use featherline_formats::model_file;
//!
//! let robot = featherline_formats::urdf::read_str("<robot name='r'><link name='base'/></robot>")?;
//! let text = model_file::to_string(&robot.model);
//! assert_eq!(model_file::read_str(&text)?, robot.model);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ModelBuilder`]: featherline::model::ModelBuilder

use crate::file::{Unreadable, read_text};
use crate::location::{LineIndex, Location, Position};
use featherline::Model;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::path::Path;
use thiserror::Error;

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// Why a file is not a model, and where in the file.
///
/// Displayed as ``arm.json:12:5: expected `,` or `}` ``. What is wrong with the model as a whole
/// has no line.
#[derive(Debug)]
pub struct ModelFileError(Box<(Location, ModelFileErrorCause)>);

impl ModelFileError {
    fn new(location: Location, cause: ModelFileErrorCause) -> Self {
        Self(Box::new((location, cause)))
    }

    /// Where in the file.
    pub fn location(&self) -> &Location {
        &self.0.0
    }

    /// What is wrong there.
    pub fn cause(&self) -> &ModelFileErrorCause {
        &self.0.1
    }
}

impl fmt::Display for ModelFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location(), self.cause())
    }
}

impl std::error::Error for ModelFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause().source()
    }
}

/// What is wrong with a model file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileErrorCause {
    /// The file can't be opened or read, is too large, or is not UTF-8.
    #[error("{0}")]
    Unreadable(#[source] Unreadable),
    /// The text is not JSON.
    #[error("{0}")]
    NotJson(String),
    /// The text is JSON, but not a model file.
    #[error(
        "there is no field `featherline_model`, so that this is not a model file; \
         `featherline info ROBOT --save FILE.json` writes one"
    )]
    NotAModel,
    /// The file has another version of the format.
    #[error(
        "the file has version {found} of the format, and version {VERSION} is read; save it again"
    )]
    Version {
        /// The version of the file.
        found: u64,
    },
    /// A field of the model is missing, or has a value that it can't have.
    #[error("{0}")]
    Field(String),
    /// The model is physically impossible, or its parts do not fit.
    #[error("the model is not valid: {0}")]
    Invalid(String),
}

#[derive(Serialize)]
struct Written<'a> {
    featherline_model: u64,
    model: &'a Model,
}

/// Only the version, so that files of other versions are recognised whatever else they hold.
#[derive(Deserialize)]
struct Version {
    featherline_model: Option<u64>,
}

/// The model as text: errors of its fields have positions in it, errors of the whole have none.
#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    model: &'a RawValue,
}

/// Writes a model to a file.
///
/// Cost: linear in the number of joints.
///
/// # Errors
/// [`std::io::Error`] if the file can't be written.
pub fn write_file(model: &Model, path: impl AsRef<Path>) -> std::io::Result<()> {
    std::fs::write(path, to_string(model) + "\n")
}

/// The text of a model's file, one line.
///
/// Cost: linear in the number of joints.
pub fn to_string(model: &Model) -> String {
    let written = Written {
        featherline_model: VERSION,
        model,
    };
    // Keys are strings and bounds that are infinite are null: nothing that JSON can't hold.
    serde_json::to_string(&written).expect("a model is representable in JSON")
}

/// Reads a model from a file.
///
/// Cost: linear in the size of the file.
///
/// # Errors
/// [`ModelFileError`].
pub fn read_file(path: impl AsRef<Path>) -> Result<Model, ModelFileError> {
    let path = path.as_ref();
    match read_text(path) {
        Ok(text) => read(&text, Some(path)),
        Err(unreadable) => {
            let cause = ModelFileErrorCause::Unreadable(unreadable);
            Err(ModelFileError::new(location(Some(path), None), cause))
        }
    }
}

/// Reads a model from the text of a file.
///
/// Cost: linear in the length of the text.
///
/// # Errors
/// [`ModelFileError`].
pub fn read_str(text: &str) -> Result<Model, ModelFileError> {
    read(text, None)
}

fn read(text: &str, path: Option<&Path>) -> Result<Model, ModelFileError> {
    let of_file = |cause| ModelFileError::new(location(path, None), cause);
    let in_file = |error| failure(&error, text, 0, path);
    let version: Version = serde_json::from_str(text).map_err(in_file)?;
    match version.featherline_model {
        Some(VERSION) => {}
        Some(found) => return Err(of_file(ModelFileErrorCause::Version { found })),
        None => return Err(of_file(ModelFileErrorCause::NotAModel)),
    }
    let read: Read<'_> = serde_json::from_str(text).map_err(in_file)?;
    let model = read.model.get();
    // The model's text is borrowed from the file's.
    let start = model.as_ptr() as usize - text.as_ptr() as usize;
    serde_json::from_str(model).map_err(|error| failure(&error, text, start, path))
}

fn location(path: Option<&Path>, position: Option<Position>) -> Location {
    Location {
        file: path.map(Path::to_owned),
        position,
        element: None,
    }
}

/// The error of a part of the text that begins at a byte.
fn failure(
    error: &serde_json::Error,
    text: &str,
    start: usize,
    path: Option<&Path>,
) -> ModelFileError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let suffix = format!(" at line {line} column {column}");
    let reason = full.strip_suffix(&suffix).unwrap_or(&full).to_owned();
    let (position, cause) = match (line, error.is_data()) {
        // What the model itself refuses.
        (0, _) => (None, ModelFileErrorCause::Invalid(reason)),
        (_, is_data) => {
            let lines = text[start..].split_inclusive('\n').take(line - 1);
            let before = lines.map(str::len).sum::<usize>() + column.saturating_sub(1);
            let cause = match is_data {
                true => ModelFileErrorCause::Field(reason),
                false => ModelFileErrorCause::NotJson(reason),
            };
            let position = LineIndex::new(text).position(start + before);
            (Some(position), cause)
        }
    };
    ModelFileError::new(location(path, position), cause)
}
