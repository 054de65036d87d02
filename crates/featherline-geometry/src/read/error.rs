//! Why a file is no mesh, and where.

use crate::hull::HullError;
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text, counted from one.
    Line(usize),
    /// A line and a column of a text, counted from one.
    LineColumn(usize, usize),
    /// A byte of a binary file, counted from zero.
    Byte(usize),
}

/// Why a file is no mesh: what, where, and the remedy.
///
/// Displayed as `base.stl:7: a vertex needs three numbers; …`.
#[derive(Debug)]
pub struct MeshError {
    /// The file; none for bytes that were passed without a name.
    pub file: Option<PathBuf>,
    /// The position in it.
    pub place: Place,
    /// The fault.
    pub kind: MeshErrorKind,
}

/// A fault of a mesh file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshErrorKind {
    /// The file can't be opened or read.
    #[error("the file can't be read: {0}")]
    Io(#[from] std::io::Error),
    /// Neither the content nor the extension is that of a format that is read.
    #[error("no mesh format is recognised; STL, OBJ, DAE, glTF, GLB and MSH are read")]
    UnknownFormat,
    /// There is more than [`MeshLimits`](crate::MeshLimits) allow.
    #[error("more than {limit} {what}; simplify the mesh, or raise `MeshLimits`")]
    TooMany {
        /// The kind of items of which there are too many.
        what: &'static str,
        /// The greatest number.
        limit: usize,
    },
    /// The file ends too early.
    #[error("the file ends inside {inside}: it seems to be cut off; copy it again")]
    Truncated {
        /// The part of the file in which it ends.
        inside: &'static str,
    },
    /// A number can't be read, or is not finite.
    #[error("`{text}` is not a finite number; write it as in 0.25 or 2.5e-1")]
    BadNumber {
        /// The text.
        text: String,
    },
    /// An index names what does not exist.
    #[error("index {index} of {what} does not exist; there are {count}")]
    BadIndex {
        /// The kind of item that the index counts.
        what: &'static str,
        /// The index as it is written.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// There are no faces.
    #[error("there are no faces; export the mesh with its triangles")]
    NoFaces,
    /// There are vertices without faces, which stand for their convex hull, and have none.
    #[error(
        "there are no faces, and the vertices alone have no hull: {0}; or export the mesh with its \
         triangles"
    )]
    NoHull(HullError),
    /// The content is not that of the format.
    #[error("{0}")]
    Malformed(String),
    /// The format allows it, and it is not read.
    #[error("{what} is not read; export the mesh {remedy}")]
    Unsupported {
        /// The feature that is not read.
        what: String,
        /// How to export the mesh.
        remedy: &'static str,
    },
}

impl MeshErrorKind {
    pub(super) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed(what.into())
    }

    pub(super) fn unsupported(what: impl Into<String>, remedy: &'static str) -> Self {
        let what = what.into();
        Self::Unsupported { what, remedy }
    }

    pub(super) fn bad_index(what: &'static str, index: impl TryInto<i64>, count: usize) -> Self {
        let index = index.try_into().unwrap_or(i64::MAX);
        Self::BadIndex { what, index, count }
    }

    /// The error at a position.
    pub(super) fn at(self, place: Place) -> MeshError {
        MeshError {
            file: None,
            place,
            kind: self,
        }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match self.place {
            Place::File => {}
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::LineColumn(line, column) => write!(f, "line {line}, column {column}: ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
        }
        write!(f, "{}", self.kind)
    }
}

impl std::error::Error for MeshError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let MeshErrorKind::Io(error) = &self.kind {
            Some(error)
        } else {
            None
        }
    }
}

/// The longest part of a file in a message, in characters.
const SHOWN: usize = 40;

/// A part of a file for a message: on one line, and not too long.
pub(super) fn shortened(text: &str) -> String {
    let shown = text.chars().take(SHOWN);
    let mut shown: String = shown
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// A finite number of a text.
pub(super) fn number(text: &str) -> Result<f64, MeshErrorKind> {
    let value = text.parse::<f64>().ok().filter(|x| x.is_finite());
    value.ok_or_else(|| MeshErrorKind::BadNumber {
        text: shortened(text),
    })
}
