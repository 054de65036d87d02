//! The results of a check: in words, and as JSON.

use crate::message::printable;
use crate::snippet::{self, Emphasis, Terminal};
use featherline_formats::check::Finding;
use featherline_formats::repair::Repairs;
use featherline_formats::{Location, Position, Severity};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A finding as a line of JSON. Numbers count from one, columns in characters; the end is behind
/// the last one.
#[derive(Serialize)]
pub struct Line<'a> {
    severity: Severity,
    code: &'a str,
    message: &'a str,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end: Option<Position>,
    element: Option<&'a str>,
    repair: Option<Remedy<'a>>,
}

/// A repair, and its edits.
#[derive(Serialize)]
struct Remedy<'a> {
    reason: &'a str,
    edits: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    file: Option<String>,
    start: Position,
    end: Position,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// A finding, and the repairs that its repair is one of.
    pub fn of(finding: &'a Finding, repairs: Option<&Repairs>) -> Self {
        let location = &finding.location;
        let shown = |path: &Path| path.display().to_string();
        let repair = finding.repair.as_ref().map(|repair| Remedy {
            reason: &repair.reason,
            edits: repair
                .edits
                .iter()
                .map(|edit| Change {
                    file: repairs.and_then(|it| it.files[edit.file].path.as_deref().map(shown)),
                    start: edit.start,
                    end: edit.end,
                    text: &edit.text,
                })
                .collect(),
        });
        Self {
            severity: finding.severity,
            code: finding.code,
            message: &finding.message,
            file: location.file.as_deref().map(shown),
            line: location.position.map(|it| it.line),
            column: location.position.map(|it| it.column),
            end: location.span.as_ref().map(|it| it.end),
            element: location.element.as_deref(),
            repair,
        }
    }
}

/// Writes a finding that stands for so many like it, with its line if that is asked for; its file
/// is named as seen from a folder.
pub fn write(
    finding: &Finding,
    count: usize,
    folder: Option<&Path>,
    has_line: bool,
    terminal: &Terminal,
    out: &mut impl Write,
) -> io::Result<()> {
    let location = place_from(&finding.location, folder);
    let has_place = location.position.is_some() || location.file.is_some();
    let word = finding.severity.word();
    let label = match has_place {
        true => format!("{word}[{}]:", finding.code),
        false => format!("{word}:"),
    };
    let label = console::style(label).force_styling(terminal.colours).bold();
    let (label, emphasis) = match finding.severity {
        Severity::Note => (label, Emphasis::Note),
        Severity::Warning => (label.yellow(), Emphasis::Warning),
        Severity::Error => (label.red(), Emphasis::Error),
    };
    let place = match has_place {
        true => format!("{location}: "),
        false => String::new(),
    };
    let times = match count {
        1 => String::new(),
        count => format!(" ({count} times, first here)"),
    };
    let message = printable(&format!("{place}{}", finding.message));
    writeln!(out, "{label} {message}{times}")?;
    if !has_line {
        return Ok(());
    }
    let reason = finding.repair.as_ref().map(|it| printable(&it.reason));
    let help = reason.filter(|it| *it != finding.message);
    let below = snippet::below(&location, emphasis, help.as_deref(), terminal);
    write!(out, "{below}")
}

/// A place in a file that is named as seen from a folder.
pub fn place_from(location: &Location, folder: Option<&Path>) -> Location {
    let mut place = location.clone();
    let file = location.file.as_deref();
    place.file = file.map(|file| seen_from(file, folder).to_owned());
    place
}

/// A file as seen from a folder, if it is in it.
pub fn seen_from<'a>(file: &'a Path, folder: Option<&Path>) -> &'a Path {
    let below = folder.and_then(|folder| file.strip_prefix(folder).ok());
    below.unwrap_or(file)
}
