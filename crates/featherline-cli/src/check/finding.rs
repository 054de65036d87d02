//! What was found: in words, and as JSON.

use crate::message::printable;
use crate::snippet::{self, Emphasis, Terminal};
use featherline_formats::repair::{Repair, Repairs};
use featherline_formats::{Error, Location, Position, Severity, Warning};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    Note,
    Warning,
    Error,
}

impl From<Severity> for Weight {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Note,
            Severity::Warning => Self::Warning,
        }
    }
}

/// Something that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub severity: Weight,
    pub code: &'static str,
    pub message: String,
    #[serde(flatten)]
    place: Place,
    pub repair: Option<Remedy>,
    /// How many there are like this one; the text has one of them.
    #[serde(skip)]
    pub count: usize,
    #[serde(skip)]
    pub location: Location,
}

/// A place as JSON. Numbers count from one, columns in characters; the end is behind the last one.
#[derive(Clone, Debug, Serialize)]
struct Place {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end: Option<At>,
    element: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct At {
    line: usize,
    column: usize,
}

impl From<Position> for At {
    fn from(position: Position) -> Self {
        Self {
            line: position.line,
            column: position.column,
        }
    }
}

/// A repair, and its edits.
#[derive(Clone, Debug, Serialize)]
pub struct Remedy {
    pub reason: String,
    edits: Vec<Change>,
}

#[derive(Clone, Debug, Serialize)]
struct Change {
    file: Option<String>,
    start: At,
    end: At,
    text: String,
}

impl Remedy {
    pub fn of(repair: &Repair, repairs: &Repairs) -> Self {
        let edits = repair.edits.iter().map(|edit| {
            let file = &repairs.files[edit.file];
            Change {
                file: file.path.as_ref().map(|it| it.display().to_string()),
                start: edit.start.into(),
                end: edit.end.into(),
                text: edit.text.clone(),
            }
        });
        Self {
            reason: repair.reason.clone(),
            edits: edits.collect(),
        }
    }
}

impl Finding {
    pub fn new(severity: Weight, code: &'static str, message: String, location: Location) -> Self {
        let place = Place {
            file: location.file.as_ref().map(|it| it.display().to_string()),
            line: location.position.map(|it| it.line),
            column: location.position.map(|it| it.column),
            end: location.span.as_ref().map(|it| it.end.into()),
            element: location.element.clone(),
        };
        Self {
            severity,
            code,
            message,
            place,
            repair: None,
            count: 1,
            location,
        }
    }

    /// A finding about the robot as a whole, which has no place.
    pub fn of_robot(severity: Weight, code: &'static str, message: String) -> Self {
        Self::new(severity, code, message, Location::default())
    }

    /// A finding that only a repair knows of.
    pub fn of_repair(repair: &Repair, repairs: &Repairs) -> Self {
        let severity = repair.severity.map_or(Weight::Error, Weight::from);
        let message = repair.reason.clone();
        let mut finding = Self::new(severity, repair.code, message, repair.location.clone());
        finding.repair = Some(Remedy::of(repair, repairs));
        finding
    }

    /// The same finding, in a file that is named as seen from a folder.
    pub fn seen_from(mut self, folder: Option<&Path>) -> Self {
        let file = self.location.file.as_deref();
        self.location.file = file.map(|file| seen_from(file, folder).to_owned());
        self
    }

    /// Writes the finding, with its line if that is asked for.
    pub fn write(
        &self,
        out: &mut impl Write,
        has_line: bool,
        terminal: &Terminal,
    ) -> io::Result<()> {
        let has_place = self.location.position.is_some() || self.location.file.is_some();
        let (word, emphasis) = match self.severity {
            Weight::Note => ("note", Emphasis::Note),
            Weight::Warning => ("warning", Emphasis::Warning),
            Weight::Error => ("error", Emphasis::Error),
        };
        let label = match has_place {
            true => format!("{word}[{}]:", self.code),
            false => format!("{word}:"),
        };
        let label = console::style(label).force_styling(terminal.colours).bold();
        let label = match self.severity {
            Weight::Note => label,
            Weight::Warning => label.yellow(),
            Weight::Error => label.red(),
        };
        let place = match has_place {
            true => format!("{}: ", self.location),
            false => String::new(),
        };
        let times = match self.count {
            1 => String::new(),
            count => format!(" ({count} times, first here)"),
        };
        writeln!(
            out,
            "{label} {}{times}",
            printable(&format!("{place}{}", self.message))
        )?;
        if !has_line {
            return Ok(());
        }
        let reason = self.repair.as_ref().map(|it| printable(&it.reason));
        let help = reason.filter(|it| *it != self.message);
        let below = snippet::below(&self.location, emphasis, help.as_deref(), terminal);
        write!(out, "{below}")
    }
}

/// A file as seen from a folder, if it is in it.
pub fn seen_from<'a>(file: &'a Path, folder: Option<&Path>) -> &'a Path {
    let below = folder.and_then(|folder| file.strip_prefix(folder).ok());
    below.unwrap_or(file)
}

impl From<&Warning> for Finding {
    fn from(warning: &Warning) -> Self {
        let (cause, location) = (&warning.cause, warning.location.clone());
        let severity = cause.severity().into();
        Self::new(severity, cause.code(), cause.to_string(), location)
    }
}

impl From<&Error> for Finding {
    fn from(error: &Error) -> Self {
        let (cause, location) = (error.cause(), error.location().clone());
        Self::new(Weight::Error, cause.code(), cause.to_string(), location)
    }
}
