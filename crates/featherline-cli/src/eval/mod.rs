//! `featherline eval`: quantities of states, one by one as they are read.

mod arguments;
mod evaluation;
mod quantity;
mod source;
mod table;
mod value;

pub use arguments::{EvalArguments, help};

use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::names;
use crate::robot;
use crate::states::{BadLines, BadRecord, Bar, State};
use crate::status::Status;
use evaluation::Evaluation;
use featherline::Model;
use quantity::{EvalQuantity, Request};
use source::Source;
use std::io::{BufWriter, Write, stdout};
use value::Record;

/// Evaluates every state and writes what was asked for.
pub fn run(arguments: &EvalArguments) -> Result<Status, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let model = &robot.model;
    let format = arguments.format;
    let requests = requests(arguments, model)?;
    if (requests.iter()).any(|it| it.quantity != EvalQuantity::MaximalDynamics) {
        robot::warn_of_loops(&arguments.robot, model);
    }
    let mut source = Source::open(arguments, &robot)?;
    let mut evaluation = Evaluation::new(model, &requests);
    let given = names::separated(&arguments.compute);
    let named: Vec<&str> = given.iter().map(|key| names::canonical(key)).collect();
    if let Some((key, reason)) = evaluation.without_room(&named) {
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
                    Format::Jsonl => write_line(&mut out, &Record(&results))?,
                    Format::Text => {
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
                    Format::Jsonl => write_line(&mut out, &BadRecord { error: &bad })?,
                    Format::Text => table::write_bad(&mut out, model, source.name(), &bad)?,
                }
                bad_lines.add(bad);
            }
            Ok(None) => break bad_lines.outcome(source.name()),
            // Earlier answers are written all the same.
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

/// The requests of the arguments, or else all that the format has by default.
fn requests(arguments: &EvalArguments, model: &Model) -> Result<Vec<Request>, Failure> {
    if !arguments.compute.is_empty() {
        let mut requests = quantity::requests(&names::separated(&arguments.compute), model)?;
        // A random state is known to nobody else.
        if arguments.format == Format::Jsonl && arguments.random.is_some() {
            quantity::add_state(&mut requests);
        }
        return Ok(requests);
    }
    quantity::all_but(
        match (arguments.format, &arguments.states) {
            // A table has the state anyway.
            (Format::Text, _) => &[EvalQuantity::State],
            (Format::Jsonl, None) => &[EvalQuantity::OperationCounts],
            (Format::Jsonl, Some(_)) => &[EvalQuantity::OperationCounts, EvalQuantity::State],
        },
        model,
    )
}
