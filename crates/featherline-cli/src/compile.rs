//! `featherline compile`: an algorithm for one robot as a program without branches.

use crate::arguments::CompileArguments;
use crate::eval::frame_and_axes;
use crate::failure::Failure;
use crate::robot;
use crate::suggestion::did_you_mean;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use featherline::Model;
use featherline::scalar::Operations;
use featherline_compile::{Options, Program, Quantity};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{Write, stdout};
use std::process::ExitCode;

/// The parts of the bar, and where the choice of frames and the simplification are done.
const PARTS: u64 = 1000;
const CHOSEN: u64 = 600;
const SIMPLIFIED: u64 = 900;

/// Compiles, writes the program and shows what it costs.
pub fn run(arguments: &CompileArguments) -> Result<ExitCode, Failure> {
    let robot = robot::load_tree(&arguments.robot)?;
    let model = &robot.model;
    let quantity = quantity(arguments.quantity.trim(), model)?;
    // Nothing is drawn where standard error is no terminal.
    let bar = ProgressBar::new(PARTS);
    // The template is sound; were it not, the plain bar would do.
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
    let function = function.simplified();
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
    writeln!(out, "{}\n", console::style(program.name()).bold())?;
    let rows = [
        ("textbook", textbook(quantity, model)),
        ("kernel, traced", Some(program.traced())),
        ("program", Some(program.count())),
    ];
    writeln!(out, "{}", counts(rows).trim_fmt())?;
    Ok(ExitCode::SUCCESS)
}

/// A table of operations; what has none has no row.
pub fn counts<'a>(rows: impl IntoIterator<Item = (&'a str, Option<Operations>)>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["", "×", "+ −", "÷", "√", "sin & cos", "other", "all"]);
    for (name, count) in rows {
        let Some(count) = count else { continue };
        let numbers = [
            count.multiplications,
            count.additions,
            count.divisions,
            count.square_roots,
            count.sin_cos,
            count.other,
            count.total(),
        ];
        let numbers = numbers.iter().map(u64::to_string);
        table.add_row([name.to_owned()].into_iter().chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The textbook's count, if the robot is such a chain.
fn textbook(quantity: Quantity, model: &Model) -> Option<Operations> {
    let n = model.nv() as u64;
    let simple = |joint: &featherline::model::Joint| joint.nv == 1 && joint.nq == 1;
    let is_chain = model.joints().len() as u64 == n + 1
        && model.depth() as u64 == n
        && model.joints()[1..].iter().all(simple);
    if is_chain {
        chain_formula(quantity, n)
    } else {
        None
    }
}

/// The textbook's count for a chain of n joints of one degree of freedom on a fixed base (R. Featherstone, *Rigid Body
/// Dynamics Algorithms*, 2008, table 10.1), sines and cosines left out.
pub fn chain_formula(quantity: Quantity, n: u64) -> Option<Operations> {
    let (multiplications, additions) = match quantity {
        _ if n < 2 => return None,
        Quantity::Rnea => (93 * n - 108, 81 * n - 100),
        Quantity::Aba => (224 * n - 259, 205 * n - 248),
        _ => return None,
    };
    Some(Operations {
        multiplications,
        additions,
        ..Operations::default()
    })
}

fn quantity(name: &str, model: &Model) -> Result<Quantity, Failure> {
    if let Some((_, quantity)) = Quantity::NAMED
        .into_iter()
        .find(|(known, _)| *known == name)
    {
        return Ok(quantity);
    }
    if let Some(("jacobian", frame)) = name.split_once(':') {
        let (frame, reference) = frame_and_axes(name, frame, model)?;
        return Ok(Quantity::Jacobian(frame, reference));
    }
    let names = Quantity::NAMED.map(|(known, _)| known);
    Err(Failure::Quantity(format!(
        "there is no program for the quantity `{name}`{}\nquantities: {}, jacobian:LINK:local|world|aligned",
        did_you_mean(name, names),
        names.join(", ")
    )))
}
