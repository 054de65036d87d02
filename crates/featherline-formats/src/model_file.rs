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
//! use featherline_formats::{load_str, model_file};
//!
//! let robot = load_str("<robot name='r'><link name='base'/></robot>")?;
//! let text = model_file::to_string(&robot.model);
//! assert_eq!(load_str(&text)?.model, robot.model);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ModelBuilder`]: featherline::model::ModelBuilder

use crate::error::{Error, ErrorCause};
use crate::location::{LineIndex, Location};
use featherline::Model;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::Path;

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

#[derive(Serialize)]
struct ModelFile<'a> {
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
struct TextOfModel<'a> {
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
    let file = ModelFile {
        featherline_model: VERSION,
        model,
    };
    // Keys are strings and bounds that are infinite are null: nothing that JSON can't hold.
    serde_json::to_string(&file).expect("a model is representable in JSON")
}

pub(crate) fn read(text: &str, path: Option<&Path>) -> Result<Model, Error> {
    let in_file = |error| failure(&error, text, 0, path);
    let version: Version = serde_json::from_str(text).map_err(in_file)?;
    let expected = VERSION;
    let cause = match version.featherline_model {
        Some(VERSION) => None,
        Some(found) => Some(ErrorCause::ModelFileVersion { found, expected }),
        None => Some(ErrorCause::NotAModelFile),
    };
    if let Some(cause) = cause {
        return Err(Error::new(Location::of_file(path), cause));
    }
    let text_of_model: TextOfModel<'_> = serde_json::from_str(text).map_err(in_file)?;
    let model = text_of_model.model.get();
    // The model's text is borrowed from the file's.
    let start = model.as_ptr() as usize - text.as_ptr() as usize;
    serde_json::from_str(model).map_err(|error| failure(&error, text, start, path))
}

/// The error of a part of the text that begins at a byte.
fn failure(error: &serde_json::Error, text: &str, start: usize, path: Option<&Path>) -> Error {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let suffix = format!(" at line {line} column {column}");
    let reason = full.strip_suffix(&suffix).unwrap_or(&full).to_owned();
    let mut location = Location::of_file(path);
    // An error without a line comes from the check of the whole model.
    if line == 0 {
        return Error::new(location, ErrorCause::InvalidModel(reason));
    }
    let lines = text[start..].split_inclusive('\n').take(line - 1);
    let before = lines.map(str::len).sum::<usize>() + column.saturating_sub(1);
    let (lines, at) = (LineIndex::new(text), start + before);
    location.position = Some(lines.position(at));
    location.span = Some(lines.span(at..at));
    let cause = match error.is_data() {
        true => ErrorCause::ModelFileField(reason),
        false => ErrorCause::NotJson(reason),
    };
    Error::new(location, cause)
}
