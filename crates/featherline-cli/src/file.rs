//! Files that are read whole, up to a greatest size, and names of files to be written.

use clap::builder::{PathBufValueParser, TypedValueParser};
#[cfg(any(feature = "system", feature = "compile"))]
use std::fs::File;
use std::io::{Error, ErrorKind};
#[cfg(any(feature = "system", feature = "compile"))]
use std::io::{Read, Result};
#[cfg(any(feature = "system", feature = "compile"))]
use std::path::Path;
use std::path::PathBuf;

/// The most bytes of a text that somebody writes: a file of sensors, or a line of states.
pub const TEXT: u64 = 16 << 20;

/// The most bytes of a compiled program or a plan.
#[cfg(any(feature = "system", feature = "compile"))]
pub const WRITTEN: u64 = 256 << 20;

/// All bytes of a file.
///
/// Fails if there are more than `most`: a device may have no end, and would fill the memory.
#[cfg(any(feature = "system", feature = "compile"))]
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        length if length > most => Err(too_large(most)),
        _ => Ok(bytes),
    }
}

/// The error of a file or line that is too large.
pub fn too_large(most: u64) -> Error {
    let reason = format!("there are more than {} MiB of it", most >> 20);
    Error::new(ErrorKind::FileTooLarge, reason)
}

/// [`read`], as text.
#[cfg(feature = "system")]
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let reason = format!("it is not text: byte {} is not UTF-8", place + 1);
        Error::new(ErrorKind::InvalidData, reason)
    })
}

/// The name of a model file to be written.
pub fn model() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.extension() {
        Some(extension) if extension == "json" => Ok(path),
        _ => Err("the extension of a model file is json, by which it is recognised"),
    })
}

/// The name of a file to be written, which `-` is not: standard output has other results.
pub fn written() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => {
            Err("standard output has other results; give a file a name, ./- if it is called so")
        }
        _ => Ok(path),
    })
}
