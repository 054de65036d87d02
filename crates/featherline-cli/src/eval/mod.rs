//! `featherline eval`: quantities for states, one by one as they come.

mod evaluation;
mod progress;
mod quantity;
mod source;
mod state;
mod table;
mod value;

use crate::arguments::{EvalArguments, Format};
use crate::failure::Failure;
use crate::robot;
use evaluation::Evaluation;
use progress::Bar;
pub use source::RandomStates;
use source::Source;
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::process::ExitCode;
use value::Record;

/// Evaluates every state and writes what was asked for.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    let requests = quantity::requests(&arguments.compute, model, arguments.states.is_some())?;
    let mut source = Source::open(arguments, model)?;
    let format = arguments.format.unwrap_or(if stdout().is_terminal() {
        Format::Table
    } else {
        Format::Jsonl
    });
    let mut evaluation = Evaluation::new(model, &requests);
    let mut out = BufWriter::new(stdout().lock());
    let mut bar = Bar::new();
    let done = loop {
        let state = match source.next() {
            Ok(Some(state)) => state,
            Ok(None) => break Ok(ExitCode::SUCCESS),
            // What was computed before the mistake is written all the same.
            Err(failure) => break Err(failure),
        };
        let results = evaluation.evaluate(&state);
        match format {
            Format::Jsonl => {
                serde_json::to_writer(&mut out, &Record(&results))?;
                writeln!(out)?;
            }
            Format::Table => table::write(&mut out, model, &source.label(), &state, &results)?,
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
