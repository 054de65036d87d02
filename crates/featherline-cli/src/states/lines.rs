//! Lines of text.

use super::bad_lines::BadLine;
use super::progress::Progress;
use crate::failure::Failure;
use crate::file;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, stdin};
use std::path::Path;

/// Lines of text, one at a time, so that memory does not grow with the input.
pub struct Lines {
    input: BufReader<Box<dyn Read>>,
    name: String,
    buffer: Vec<u8>,
    line: u64,
    bytes: u64,
    total: Option<u64>,
}

impl Lines {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let (input, name, total): (Box<dyn Read>, _, _) = if path.as_os_str() == "-" {
            if stdin().is_terminal() {
                eprintln!("reading states from the terminal, one a line; end with Ctrl-D");
            }
            (Box::new(stdin()), "standard input".to_owned(), None)
        } else {
            let name = path.display().to_string();
            let unreadable =
                |error| Failure::State(format!("can't read states from `{name}`: {error}"));
            let file = File::open(path).map_err(unreadable)?;
            let about = file.metadata().map_err(unreadable)?;
            let total = about.is_file().then_some(about.len());
            (Box::new(file), name, total)
        };
        Ok(Self {
            input: BufReader::new(input),
            name,
            buffer: Vec::new(),
            line: 0,
            bytes: 0,
            total,
        })
    }

    /// The next line that is not empty, or what is wrong with it; nothing at the end.
    pub fn next(&mut self) -> Result<Option<Result<&str, BadLine>>, Failure> {
        loop {
            self.buffer.clear();
            let mut input = self.input.by_ref().take(file::TEXT + 1);
            let read = input.read_until(b'\n', &mut self.buffer);
            let read = read.and_then(|length| match length as u64 {
                length if length > file::TEXT => Err(file::too_large(file::TEXT)),
                _ => Ok(length),
            });
            let length = read.map_err(|error| {
                let (name, line) = (&self.name, self.line + 1);
                Failure::State(format!("can't read line {line} of `{name}`: {error}"))
            })?;
            if length == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.bytes += length as u64;
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(_) => Ok(Some(Ok(self.text()))),
            Err(error) => {
                let column = error.valid_up_to() + 1;
                let bad = self.bad(Some(column), "the text is not UTF-8".to_owned());
                Ok(Some(Err(bad)))
            }
        }
    }

    /// The last line; empty if it is not UTF-8.
    pub fn text(&self) -> &str {
        let text = std::str::from_utf8(&self.buffer).unwrap_or_default();
        // Some editors write a byte order mark.
        match self.line {
            1 => text.trim_start_matches('\u{feff}').trim_end(),
            _ => text.trim_end(),
        }
    }

    /// The number of the last line, counted from 1.
    pub fn number(&self) -> u64 {
        self.line
    }

    /// The fault of the last line.
    pub fn bad(&self, column: Option<usize>, reason: String) -> BadLine {
        BadLine {
            line: self.line,
            column,
            reason,
        }
    }

    /// Whether the next line may only be written after the answers to the lines so far.
    pub fn may_wait(&self) -> bool {
        !self.input.buffer().contains(&b'\n')
    }

    /// Where the lines come from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The source and the number of the last line.
    pub fn label(&self) -> String {
        format!("{}, line {}", self.name, self.line)
    }

    /// How much was read, in bytes.
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.bytes,
            total: self.total,
        }
    }
}
