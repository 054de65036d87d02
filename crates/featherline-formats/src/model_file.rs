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
use featherline::Model;
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// Why a file is not a model.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The file can't be opened or read, is too large, or is not UTF-8.
    #[error("{0}")]
    Unreadable(#[from] Unreadable),
    /// The text is not JSON.
    #[error("line {line}, column {column}: {reason}")]
    NotJson {
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
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
    /// The model is incomplete or physically impossible.
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

#[derive(Deserialize)]
struct Read {
    model: Model,
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
    read_str(&read_text(path.as_ref())?)
}

/// Reads a model from the text of a file.
///
/// Cost: linear in the length of the text.
///
/// # Errors
/// [`ModelFileError`].
pub fn read_str(text: &str) -> Result<Model, ModelFileError> {
    let version: Version = serde_json::from_str(text).map_err(failure)?;
    match version.featherline_model {
        Some(VERSION) => {}
        Some(found) => return Err(ModelFileError::Version { found }),
        None => return Err(ModelFileError::NotAModel),
    }
    let read: Read = serde_json::from_str(text).map_err(failure)?;
    Ok(read.model)
}

fn failure(error: serde_json::Error) -> ModelFileError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let position = format!(" at line {line} column {column}");
    let reason = full.strip_suffix(&position).unwrap_or(&full).to_owned();
    // What the model itself refuses has no position that means anything.
    if error.is_data() {
        return ModelFileError::Invalid(reason);
    }
    ModelFileError::NotJson {
        line,
        column,
        reason,
    }
}
