//! Samples read line by line, each answered before the next one is read.

use super::arguments::SystemArguments;
use super::plot;
use super::sample::{Sample, SampleReader};
use super::series::{Moment, Moments};
use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::names;
use crate::states::{Angles, BadLines, BadRecord, BadState, Bar, Lines, column};
use crate::status::Status;
use crate::table::{align_numbers, plain};
use featherline::Error;
use featherline_record::number::short;
use featherline_system::SystemError;
use serde::Serialize;
use std::fmt::Display;
use std::io::{BufWriter, Write, stdout};

/// An answer to a sample: a line of JSON, or a text to be read.
pub trait Answer: Serialize + Display {
    /// Its numbers, for a chart.
    fn moment(&self) -> Moment;
}

/// Answers every sample, and draws the answers if the arguments ask for it.
pub fn write<A: Answer>(
    arguments: &SystemArguments,
    reader: &SampleReader<'_>,
    mut lines: Lines,
    labels: &[String],
    mut answer: impl FnMut(&Sample) -> Result<A, Failure>,
) -> Result<Status, Failure> {
    let (system, format) = (reader.system, arguments.format.unwrap_or_default());
    let plot = arguments.plot.as_deref();
    let mut moments = Moments::new();
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
        let bad = |bad: BadState| lines.bad(bad.column, bad.reason);
        let sample = sample.and_then(|read| read.map_err(bad));
        if let Ok(sample) = &sample {
            angles.watch(system.model(), &sample.q, &lines);
        }
        let answered = sample.and_then(|sample| {
            let bad = |failure| lines.bad(place(&failure, lines.text()), failure.to_string());
            answer(&sample).map_err(bad)
        });
        if let (Ok(answer), Some(_)) = (&answered, plot) {
            moments.push(answer.moment());
        }
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
    // Answers are drawn even where other lines fail.
    if let Some(path) = plot {
        plot::draw(path, labels, &moments)?;
    }
    done
}

/// The column of the number that a sample has no answer for.
fn place(failure: &Failure, line: &str) -> Option<usize> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no entry")]
    match failure {
        Failure::System(SystemError::Overflow { input, entry, .. }) => {
            let others: Vec<&str> = names::aliases(input);
            let of_state = (input == "qdd").then_some("a");
            let mut names = [input.as_str()].into_iter().chain(of_state).chain(others);
            names.find_map(|name| column(line, name, *entry))
        }
        Failure::System(SystemError::Dynamics(
            Error::ZeroRotation { index, .. } | Error::LongRotation { index, .. },
        )) => column(line, "q", *index),
        _ => None,
    }
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
