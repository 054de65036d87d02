//! Files that are read whole, and never without an end.

use crate::file_format::FileFormat;
use featherline::words::{DidYouMean, closest};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use thiserror::Error;

/// The most bytes that are read of a file: a device may have no end, and would fill the memory. A
/// robot of a hundred thousand links needs less; meshes are in files of their own.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// The most files of a folder whose names are compared.
const MOST_COMPARED: usize = 1000;

/// The most files that an error names.
const MOST_NAMES: usize = 3;

/// Why a file can't be read as text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The file can't be opened or read.
    #[error("the file can't be read: {0}")]
    Io(#[from] Error),
    /// The file is too large.
    #[error("the file has more than {} MiB, which is the most that is read", .limit >> 20)]
    TooLarge {
        /// The most bytes that are read.
        limit: usize,
    },
    /// The file is not text in UTF-8.
    #[error("byte {} is not UTF-8; check that the file is a robot description", .valid.len() + 1)]
    NotUtf8 {
        /// The text before the first byte that is not UTF-8.
        valid: String,
    },
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    if path.is_dir() {
        return Err(a_folder(path).into());
    }
    let file = File::open(path).map_err(|error| match error.kind() == ErrorKind::NotFound {
        true => not_there(path),
        false => error,
    })?;
    // One byte more than is accepted shows that there are too many, whatever size the file claims.
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge { limit: MAX_BYTES });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        let valid = String::from_utf8_lossy(&error.as_bytes()[..valid_up_to]).into_owned();
        Unreadable::NotUtf8 { valid }
    })
}

/// The folder of a file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The error of a file that is not there, with the most similar name in its folder.
fn not_there(path: &Path) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let others = names(folder_of(path));
    let near = DidYouMean(closest(&name, others.iter().map(String::as_str)));
    Error::new(ErrorKind::NotFound, format!("there is no such file{near}"))
}

/// The error of a folder, with the files in it that may be meant.
fn a_folder(path: &Path) -> Error {
    let mut robots = names(path);
    robots.retain(|name| FileFormat::of_path(name).is_some_and(FileFormat::is_read));
    robots.sort_unstable();
    robots.truncate(MOST_NAMES);
    let named = match robots.is_empty() {
        true => String::new(),
        false => format!(", such as {}", robots.join(", ")),
    };
    let text = format!("it is a folder; name a file in it{named}");
    Error::new(ErrorKind::IsADirectory, text)
}

/// The names of the files in a folder, if it can be read.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|it| it.path().is_file());
    let names = files.take(MOST_COMPARED);
    names
        .filter_map(|it| it.file_name().into_string().ok())
        .collect()
}
