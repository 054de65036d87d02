//! `featherline eval`: quantities for states, one by one as they come.

mod angle;
mod evaluation;
pub mod place;
mod progress;
mod quantity;
mod source;
mod state;
mod table;
mod value;

use crate::arguments::{EvalArguments, Format};
use crate::failure::Failure;
use crate::robot;
pub use angle::Angles;
use evaluation::Evaluation;
use featherline::Model;
pub use progress::Bar;
pub use quantity::frame_and_axes;
use quantity::{Quantity, Request};
use source::Source;
pub use source::{BadLine, Lines, Progress, RandomStates};
use state::State;
pub use state::{BadState, bad_json};
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::process::ExitCode;
pub use value::BadRecord;
use value::Record;

/// Evaluates every state and writes what was asked for.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    let robot = robot::load_tree(&arguments.robot)?;
    let model = &robot.model;
    let format = arguments.format.unwrap_or(if stdout().is_terminal() {
        Format::Table
    } else {
        Format::Jsonl
    });
    let requests = requests(arguments, format, model)?;
    let mut source = Source::open(arguments, model)?;
    let mut evaluation = Evaluation::new(model, &requests);
    if let Some((key, reason)) = evaluation.without_room(&arguments.compute) {
        return Err(Failure::Quantity(format!("quantity `{key}`: {reason}")));
    }
    let mut out = BufWriter::new(stdout().lock());
    let mut bar = Bar::new();
    let mut bad_lines = BadLines::default();
    let done = loop {
        match source.next() {
            Ok(Some(Ok(state))) => {
                let results = evaluation.evaluate(&state);
                if let Some(quantity) = evaluation.overflow() {
                    let again = |state: &State| evaluation.overflows(quantity, state);
                    bad_lines.add(source.too_large(quantity, &state, again));
                }
                match format {
                    Format::Jsonl => {
                        serde_json::to_writer(&mut out, &Record(&results))?;
                        writeln!(out)?;
                    }
                    Format::Table => {
                        table::write(&mut out, model, &source.label(), &state, &results)?;
                    }
                }
                if arguments.compute.is_empty() {
                    // They are the same in every state.
                    evaluation.without_counts();
                }
            }
            Ok(Some(Err(bad))) => {
                match format {
                    Format::Jsonl => {
                        serde_json::to_writer(&mut out, &BadRecord { error: &bad })?;
                        writeln!(out)?;
                    }
                    Format::Table => table::write_bad(&mut out, model, source.name(), &bad)?,
                }
                bad_lines.add(bad);
            }
            Ok(None) => break bad_lines.outcome(source.name()),
            // What was computed before is written all the same.
            Err(failure) => break Err(failure),
        }
        if source.may_wait() {
            out.flush()?;
        }
        bar.show(source.progress());
    };
    out.flush()?;
    bar.finish();
    done
}

/// What was asked for, or else what is worth showing.
fn requests(
    arguments: &EvalArguments,
    format: Format,
    model: &Model,
) -> Result<Vec<Request>, Failure> {
    if !arguments.compute.is_empty() {
        return quantity::requests(&arguments.compute, model);
    }
    Ok(quantity::all_but(match (format, &arguments.states) {
        // A table shows the state by itself.
        (Format::Table, _) => &[Quantity::State],
        (Format::Jsonl, None) => &[Quantity::OperationCounts],
        (Format::Jsonl, Some(_)) => &[Quantity::OperationCounts, Quantity::State],
    }))
}

/// Lines without an answer, or without all of it: those that are no states, and those whose numbers are too large.
#[derive(Default)]
pub struct BadLines {
    count: u64,
    first: Option<BadLine>,
}

impl BadLines {
    /// Notes one.
    pub fn add(&mut self, bad: BadLine) {
        self.count += 1;
        self.first.get_or_insert(bad);
    }

    /// How a run that met them ends.
    pub fn outcome(&self, source: &str) -> Result<ExitCode, Failure> {
        match (&self.first, self.count) {
            (None, _) => Ok(ExitCode::SUCCESS),
            (Some(bad), 1) => Err(Failure::State(format!("{source}, {bad}"))),
            (Some(bad), n) => Err(Failure::State(format!(
                "{n} lines have no answer; the first: {source}, {bad}"
            ))),
        }
    }
}
