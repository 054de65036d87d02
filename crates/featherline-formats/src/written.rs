//! The results of writers.

use crate::report::Report;
use crate::warning::Warning;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Words in the first line of each file that is written beside a text, so that it may be replaced.
pub(crate) const MARK: &str = "Written by featherline";

/// How far into a file its first line is looked for.
const FIRST_LINE: usize = 200;

/// A text that was written, and what it lacks of the description.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// Files that belong to the text, and are written with it: meshes that it names, an SRDF.
    pub files: Vec<WrittenFile>,
    /// The statements that the format can't express, each at its position in the files that the
    /// description was read from.
    pub warnings: Vec<Warning>,
}

/// A file beside the text of a robot, such as a mesh or an SRDF.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenFile {
    /// Its path from the folder of the robot's file.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl Written {
    pub(crate) fn new(text: String, files: Vec<WrittenFile>, report: Report<'_>) -> Self {
        Self {
            text,
            files,
            warnings: report.into_warnings(),
        }
    }

    /// The SRDF beside a URDF, if there is one.
    pub fn srdf(&self) -> Option<&WrittenFile> {
        let mut files = self.files.iter();
        files.find(|it| it.path.extension().is_some_and(|it| it == "srdf"))
    }

    /// Writes the text, but not in place of a file of another origin: for a file beside a robot's,
    /// such as an [SRDF](crate::srdf::to_string).
    ///
    /// # Errors
    /// As [`write_files`](Self::write_files).
    pub fn write_text(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        check_origin(path, self.text.as_bytes())?;
        std::fs::write(path, &self.text)
    }

    /// Writes the [`files`](Self::files) below a folder, that of the robot's file; the text is not
    /// written. A file that an earlier call has written is replaced, any other one is not.
    ///
    /// ```
    /// use featherline_formats::{load_str, mjcf};
    ///
    /// let robot = load_str("<robot name='stone'><link name='stone'/></robot>")?;
    /// let written = mjcf::to_files(&robot.description, "robots/stone.xml")?;
    /// // A robot without meshes has none.
    /// assert!(written.files.is_empty());
    /// written.write_files("robots")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] for a file of another origin, [`ErrorKind::NotFound`] for a
    /// folder that is not there, before any is written; other errors if a file can't be written.
    /// Each names the file.
    pub fn write_files(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        if !self.files.is_empty() && !folder.is_dir() {
            let reason = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(ErrorKind::NotFound, reason));
        }
        for file in &self.files {
            check_origin(&folder.join(&file.path), &file.bytes)?;
        }
        for file in &self.files {
            let path = folder.join(&file.path);
            let around = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(around)
                .and_then(|()| std::fs::write(&path, &file.bytes))
                .map_err(|it| io::Error::new(it.kind(), format!("{}: {it}", path.display())))?;
        }
        Ok(())
    }
}

/// Fails for a file that is there, holds something else, and was not written by an earlier call.
fn check_origin(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_foreign = match std::fs::read(path) {
        Ok(found) => found != bytes && !is_ours(&found),
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    if !is_foreign {
        return Ok(());
    }
    let reason = format!(
        "{} is there already, and featherline did not write it; move it, or give another name",
        path.display()
    );
    Err(io::Error::new(ErrorKind::AlreadyExists, reason))
}

/// Whether an earlier call has written a file.
fn is_ours(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(FIRST_LINE)]);
    start.lines().next().is_some_and(|line| line.contains(MARK))
}
