//! Samples read line by line, each answered before the next one is read.

use super::sample::{Sample, SampleReader};
use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::names;
use crate::states::{Angles, BadLines, BadRecord, Bar, Lines, column};
use crate::status::Status;
use crate::table::{align_numbers, plain};
use featherline::Error;
use featherline_record::number::short;
use featherline_system::{System, SystemError};
use serde::Serialize;
use std::fmt::Display;
use std::io::{BufWriter, Write, stdout};

/// Answers every sample: as a line of JSON, or as a text to be read.
pub fn write<A: Serialize + Display>(
    system: &System,
    mut lines: Lines,
    reader: &SampleReader<'_>,
    format: Format,
    mut answer: impl FnMut(&Sample) -> Result<A, Failure>,
) -> Result<Status, Failure> {
    let mut out = BufWriter::new(stdout().lock());
    let mut bar = Bar::new();
    let mut bad_lines = BadLines::default();
    let mut angles = Angles::new(system.model());
    let done = loop {
        let sample = match lines.next() {
            Ok(Some(line)) => line.map(|text| reader.read(text)),
            Ok(None) => break bad_lines.outcome(lines.name()),
            // Earlier answers are written all the same.
            Err(failure) => break Err(failure),
        };
        let sample = match sample {
            Ok(read) => read.map_err(|bad| lines.bad(bad.column, bad.reason)),
            Err(bad) => Err(bad),
        };
        if let Ok(sample) = &sample {
            angles.watch(system.model(), &sample.q, &lines);
        }
        let answered = match sample {
            Ok(sample) => answer(&sample).map_err(|failure| {
                #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no entry")]
                let column = match &failure {
                    Failure::System(SystemError::Overflow { input, entry, .. }) => {
                        let others: Vec<&str> = names::aliases(input);
                        let of_state = (input == "qdd").then_some("a");
                        let mut names = [input.as_str()]
                            .into_iter()
                            .chain(of_state)
                            .chain(others.iter().copied());
                        names.find_map(|name| column(lines.text(), name, *entry))
                    }
                    Failure::System(SystemError::Dynamics(
                        Error::ZeroRotation { index, .. } | Error::LongRotation { index, .. },
                    )) => column(lines.text(), "q", *index),
                    _ => None,
                };
                lines.bad(column, failure.to_string())
            }),
            Err(bad) => Err(bad),
        };
        if format == Format::Text {
            let title = format!("{} · {}", system.model().name(), lines.label());
            writeln!(out, "{}\n", console::style(title).bold())?;
        }
        match (answered, format) {
            (Ok(answer), Format::Text) => writeln!(out, "{answer}")?,
            (Ok(answer), Format::Jsonl) => write_line(&mut out, &answer)?,
            (Err(bad), format) => {
                match format {
                    Format::Text => writeln!(out, "no answer: {bad}\n")?,
                    Format::Jsonl => write_line(&mut out, &BadRecord { error: &bad })?,
                }
                bad_lines.add(bad);
            }
        }
        if lines.may_wait() {
            out.flush()?;
        }
        bar.show(lines.progress());
    };
    out.flush()?;
    bar.finish();
    done
}

/// A table of unknowns, some of which may not be determined.
pub fn unknowns(labels: &[String], values: impl IntoIterator<Item = Option<f64>>) -> String {
    let rows = labels.iter().zip(values).map(|(label, value)| {
        let number = value.map_or_else(|| "not determined".to_owned(), short);
        [label.clone(), number]
    });
    table(["unknown", "value"], rows)
}

/// A table of names, and of numbers aligned to the right.
pub fn table<const COLUMNS: usize>(
    headings: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let mut table = plain(headings);
    table.add_rows(rows);
    align_numbers(&mut table, 1..COLUMNS);
    table.trim_fmt()
}
