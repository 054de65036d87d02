//! Files that are read whole, and never without an end.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// The most bytes that are read of a file: a device may have no end, and would fill the memory. A
/// robot of a hundred thousand links needs less; meshes are in files of their own.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// Why a file can't be read as text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The file can't be opened or read.
    #[error("the file can't be read: {0}")]
    Io(#[from] std::io::Error),
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
    // One byte more than is accepted shows that there are too many, whatever size the file claims.
    File::open(path)?
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge { limit: MAX_BYTES });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        let valid = String::from_utf8_lossy(&error.as_bytes()[..valid_up_to]).into_owned();
        Unreadable::NotUtf8 { valid }
    })
}
