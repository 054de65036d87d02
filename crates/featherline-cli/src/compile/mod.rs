//! `featherline compile`: an algorithm for one robot as a program without branches.

mod arguments;

pub use arguments::{CompileArguments, help};

use crate::failure::Failure;
use crate::message;
use crate::names;
use crate::operations;
use crate::robot;
use crate::status::Status;
use featherline::Model;
use featherline::kernel;
use featherline::scalar::Operations;
use featherline_compile::{Options, Program, Quantity};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{Write, stdout};

/// The parts of the bar, and those after the choice of frames and the simplification.
const PARTS: u64 = 1000;
const CHOSEN: u64 = 600;
const SIMPLIFIED: u64 = 900;

/// Compiles, writes the program and counts its operations.
pub fn run(arguments: &CompileArguments) -> Result<Status, Failure> {
    let robot = robot::load_tree(&arguments.robot)?;
    let model = &robot.model;
    let asked = arguments.quantity.trim();
    let (listed, parameters) = names::quantity(asked, model, []).map_err(Failure::Quantity)?;
    let name = match listed.entry.parameters {
        [] => listed.entry.key,
        _ => asked,
    };
    let quantity = Quantity::named(listed.entry.name, &parameters);
    let quantity = quantity.ok_or_else(|| Failure::Quantity(asked.to_owned()))??;
    // Hidden where standard error is not a terminal.
    let bar = ProgressBar::new(PARTS);
    // The template is valid; the plain bar would do.
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message("choosing frames and parameters");
    let function = quantity.trace_lean_watched(model, |share| {
        bar.set_position((share * CHOSEN as f64) as u64);
    })?;
    bar.set_message(format!(
        "simplifying {} operations",
        function.graph.count().total()
    ));
    let mut function = function.simplified();
    function.name = format!("{name} of {}", model.name());
    bar.set_position(SIMPLIFIED);
    bar.set_message(format!(
        "scheduling {} operations",
        function.graph.count().total()
    ));
    let program = Program::new(
        &function,
        &Options {
            fuse: arguments.fma,
        },
    );
    bar.finish_and_clear();
    let path = &arguments.output;
    std::fs::write(path, program.to_bytes()).map_err(|error| {
        Failure::Program(format!(
            "can't write the program to `{}`: {error}",
            path.display()
        ))
    })?;
    let mut out = stdout().lock();
    let title = match name == asked {
        true => program.name().to_owned(),
        false => format!("{asked} ({name}) of {}", model.name()),
    };
    writeln!(
        out,
        "{}\n",
        console::style(message::printable(&title)).bold()
    )?;
    let rows = [
        ("textbook", textbook(listed.entry.name, model)),
        ("kernel, traced", Some(program.traced())),
        ("program", Some(program.count())),
    ];
    writeln!(out, "{}", operations::table(rows).trim_fmt())?;
    Ok(Status::Done)
}

/// The textbook's count, if the robot is such a chain.
fn textbook(quantity: &str, model: &Model) -> Option<Operations> {
    let n = model.nv() as u64;
    let simple = |joint: &featherline::model::Joint| joint.nv == 1 && joint.nq == 1;
    let is_chain = model.joints().len() as u64 == n + 1
        && kernel::depth(model) as u64 == n
        && model.joints()[1..].iter().all(simple);
    match quantity {
        "rnea" if is_chain => operations::rnea_of_chain(n),
        "aba" if is_chain => operations::aba_of_chain(n),
        _ => None,
    }
}
