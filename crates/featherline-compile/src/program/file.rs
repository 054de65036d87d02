//! Programs as bytes.

use super::Program;
use crate::invalid::Invalid;
use thiserror::Error;
use twox_hash::XxHash3_128;

/// The tag of a file: a byte that no text has, a name, and line ends that a transfer changes.
const MAGIC: [u8; 12] = *b"\x89FLPROG\r\n\x1a\n\0";

/// The version of what follows. A change of instructions or of their fields needs a new one.
const VERSION: u32 = 3;

const HEADER: usize = MAGIC.len() + 4 + 16;

/// Why bytes are no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// Something else, or the beginning was lost.
    #[error("this is no compiled program; `featherline compile` makes one")]
    NoProgram,
    /// Another version of the library wrote it.
    #[error(
        "the program is of version {found}, and this library reads version {expected}; compile it again"
    )]
    Version {
        /// The version that wrote the file.
        found: u32,
        /// The version that this library reads.
        expected: u32,
    },
    /// Bytes were changed or lost since it was written.
    #[error("the file is damaged: its contents do not match its checksum; compile it again")]
    Damaged,
    /// The contents are no list of instructions.
    #[error("the contents are no program ({0}); compile it again")]
    Unreadable(String),
    /// The instructions make no sound program.
    #[error("the program is not sound: {0}; compile it again")]
    Invalid(#[from] Invalid),
}

impl Program {
    /// The program as bytes, the same on every platform: 12 bytes that tell what it is, the version
    /// in 4 and a checksum (XXH3, 128 bits) of the rest in 16, the lowest first; then the program
    /// as postcard.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = vec![0; HEADER];
        // Writing plain data of known lengths to memory can't fail.
        let mut bytes = postcard::to_extend(self, header).expect("a program is plain data");
        let checksum = XxHash3_128::oneshot(&bytes[HEADER..]);
        let header = MAGIC
            .iter()
            .copied()
            .chain(VERSION.to_le_bytes())
            .chain(checksum.to_le_bytes());
        for (byte, value) in bytes.iter_mut().zip(header) {
            *byte = value;
        }
        bytes
    }

    /// Reads a program and [validates](Self::validate) it: whatever the bytes are, running what is
    /// returned reads and writes nothing but its own memory.
    ///
    /// The checksum finds accidents, not forgers: those are what the validation is for.
    ///
    /// # Errors
    /// A fault of the bytes.
    ///
    /// ```
    /// use featherline_compile::{FileError, Graph, Options, Program};
    ///
    /// let graph = Graph::record(1, |x| vec![x[0] * x[0]]);
    /// let mut bytes = Program::of_graph(&graph, &Options::default()).to_bytes();
    /// assert!(Program::from_bytes(&bytes).is_ok());
    /// bytes.pop();
    /// assert_eq!(Program::from_bytes(&bytes), Err(FileError::Damaged));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(FileError::NoProgram)?;
        let (version, rest) = rest.split_first_chunk().ok_or(FileError::Damaged)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(FileError::Version {
                found,
                expected: VERSION,
            });
        }
        let (checksum, contents) = rest.split_first_chunk().ok_or(FileError::Damaged)?;
        if XxHash3_128::oneshot(contents) != u128::from_le_bytes(*checksum) {
            return Err(FileError::Damaged);
        }
        let unreadable = |error: postcard::Error| FileError::Unreadable(error.to_string());
        let (program, rest): (Self, _) = postcard::take_from_bytes(contents).map_err(unreadable)?;
        if !rest.is_empty() {
            return Err(FileError::Unreadable(format!(
                "{} bytes too many",
                rest.len()
            )));
        }
        program.validate()?;
        Ok(program)
    }
}
