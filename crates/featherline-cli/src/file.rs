//! Files that are read whole, up to a greatest size, and names of files to be written.

use clap::builder::{PathBufValueParser, TypedValueParser};
use featherline_formats::FileFormat;
use std::fs::File;
#[cfg(any(feature = "system", feature = "compile"))]
use std::io::Read;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

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

/// Whether two paths are of one file that is there.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Writes a text to a file that is there, all of it or nothing: it is written beside the file,
/// which it then replaces. A symbolic link stays one, and so do permissions.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let path = path.canonicalize()?;
    let permissions = std::fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(Error::new(ErrorKind::PermissionDenied, "it is read-only"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| std::fs::rename(&beside, &path));
    if replaced.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&beside);
    }
    replaced
}

/// The name of a model file to be written.
pub fn model() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match FileFormat::of_path(&path) {
        Some(FileFormat::ModelFile) => Ok(path),
        Some(_) | None => Err("the extension of a model file is json, by which it is recognised"),
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
