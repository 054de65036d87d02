//! Operations of the elimination of a system in each order, or of its estimate.

use super::arguments::SystemArguments;
use super::plan::plan;
use super::series::wanted;
use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::status::Status;
use crate::table::{align_numbers, plain};
use clap::builder::PossibleValuesParser;
use comfy_table::Table;
use featherline::scalar::Operations;
use featherline_system::{
    CompiledSolve, Elimination, EliminationOrder, EstimateProgram, EstimatorOptions, OrderError,
    PlanError, System, Template, TemplateError, order,
};
use serde::Serialize;
use std::io::{BufWriter, Write, stdout};

/// The word for all of them.
pub const ALL: &str = "all";

/// The names of orders.
pub fn words() -> PossibleValuesParser {
    PossibleValuesParser::new([ALL].into_iter().chain(order::NAMED.map(|(name, _)| name)))
}

/// The orders that were asked for.
pub fn chosen(arguments: &SystemArguments) -> impl Iterator<Item = (&'static str, order::Planner)> {
    let asked = &arguments.orders;
    let chosen =
        |name: &str| asked.is_empty() || asked.iter().any(|order| order == name || order == ALL);
    order::NAMED
        .into_iter()
        .filter(move |(name, _)| chosen(name))
}

/// The operations of something, or why there is no count.
#[derive(Serialize)]
struct Count {
    /// An order, a formula, or a part of an estimate.
    order: &'static str,
    fill_in: Option<usize>,
    /// Without X, v and b, if it is an order.
    operations: Option<Operations>,
    /// The instructions of the compiled program that finds all unknowns, everything included.
    program: Option<Operations>,
    reason: Option<String>,
}

/// A line of JSON: what is counted, and of which system.
#[derive(Serialize)]
struct Record<'a> {
    equations: usize,
    unknowns: usize,
    entries: usize,
    #[serde(flatten)]
    count: &'a Count,
}

impl Count {
    /// Of a factorisation and a solution, and of the order's program for the requested unknowns.
    fn of(
        name: &'static str,
        order: Result<EliminationOrder, OrderError>,
        system: &System,
        [template, requested]: [&Template; 2],
    ) -> Self {
        let counted = || -> Result<_, String> {
            let order = order.map_err(|error| system.describe_order_error(&error))?;
            let elimination = Elimination::new(template, &order).map_err(|e| e.to_string())?;
            let operations = elimination.operations(template);
            let operations = operations.map_err(|e| e.to_string())?;
            let compiled = CompiledSolve::new(system, requested, &order).ok();
            let program = compiled.map(|compiled| compiled.program().count());
            Ok((elimination.fill_in(), operations, program))
        };
        match counted() {
            Ok((fill_in, operations, program)) => Self {
                order: name,
                fill_in: Some(fill_in),
                operations: Some(operations),
                program,
                reason: None,
            },
            Err(reason) => Self::plain(name, Err(reason)),
        }
    }

    /// Of something without fill-in.
    fn plain(name: &'static str, counted: Result<Operations, String>) -> Self {
        Self {
            order: name,
            fill_in: None,
            operations: counted.as_ref().ok().copied(),
            program: None,
            reason: counted.err(),
        }
    }
}

/// Writes the operations of one factorisation and one solution in each order, without the assembly
/// of the equations, and those of the order's compiled program with everything included. Of a
/// system that is not square, the estimate is counted.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    format: Format,
) -> Result<Status, Failure> {
    let counts = match system.template() {
        Ok(template) => orders(arguments, system, &template)?,
        Err(PlanError::Template(TemplateError::NotSquare { .. })) => {
            without_orders(arguments)?;
            estimate(system)?
        }
        Err(error) => {
            let reason = format!("the system can't be eliminated: {error}; see --diagnose");
            return Err(Failure::Sensors(reason));
        }
    };
    let mut out = BufWriter::new(stdout().lock());
    match format {
        Format::Text => {
            let pattern = system.sparsity();
            let (rows, columns) = (pattern.rows(), pattern.columns());
            let (name, entries) = (system.model().name(), pattern.entries());
            writeln!(
                out,
                "{name}: {rows} equations, {columns} unknowns, {entries} entries"
            )?;
            writeln!(out, "{}", table(&counts))?;
            for count in &counts {
                if let Some(reason) = &count.reason {
                    writeln!(out, "{} is no order of this system: {reason}", count.order)?;
                }
            }
        }
        Format::Jsonl => {
            let pattern = system.sparsity();
            for count in &counts {
                let record = Record {
                    equations: pattern.rows(),
                    unknowns: pattern.columns(),
                    entries: pattern.entries(),
                    count,
                };
                write_line(&mut out, &record)?;
            }
        }
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Fails if an option is for square systems only.
fn without_orders(arguments: &SystemArguments) -> Result<(), Failure> {
    let meant = [
        ("--search", arguments.search.is_some()),
        ("--search-changes", arguments.search_changes.is_some()),
        ("--orders", !arguments.orders.is_empty()),
        ("--want", !arguments.want.is_empty()),
    ];
    match meant.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Sensors(format!(
            "{option} is for as many equations as unknowns: these are solved by an estimate, leave it out"
        ))),
    }
}

/// The orders of a square system.
fn orders(
    arguments: &SystemArguments,
    system: &System,
    template: &Template,
) -> Result<Vec<Count>, Failure> {
    let columns: Vec<usize> = match &arguments.want[..] {
        [] => (0..template.size()).collect(),
        _ => wanted(arguments, system)?
            .iter()
            .flat_map(|wanted| wanted.columns(system))
            .collect(),
    };
    let requested = (0..template.size()).map(|column| columns.contains(&column));
    let requested = template
        .clone()
        .requesting(requested.collect())
        .map_err(Failure::sensors)?;
    let of = |name, order| Count::of(name, order, system, [template, &requested]);
    let mut counts: Vec<Count> = chosen(arguments)
        .map(|(name, order)| of(name, order(system, template)))
        .collect();
    if arguments.searches() {
        let plan = plan(arguments, system, &columns)?;
        counts.push(of("searched", Ok(plan.order().clone())));
        let check = plan.program().check().count();
        counts.push(Count::plain("the check of a result", Ok(check)));
    }
    Ok(counts)
}

/// The variance of equations that cannot be compiled without one.
const EQUATION: f64 = 1e-6;

/// The cost, as programs, of the maximum a posteriori estimate of all unknowns and of its check.
fn estimate(system: &System) -> Result<Vec<Count>, Failure> {
    let all: Vec<usize> = (0..system.unknowns().count()).collect();
    let options = EstimatorOptions::default();
    let program = EstimateProgram::new(system, &options, &all)
        .or_else(|_| EstimateProgram::new(system, &options.equation_variance(EQUATION), &all))
        .map_err(Failure::sensors)?;
    Ok(vec![
        Count::plain("estimate", Ok(program.solve().count())),
        Count::plain("the check of it", Ok(program.check().count())),
    ])
}

fn table(counts: &[Count]) -> Table {
    let operations = ["× and ÷", "+ and −", "together", "program"];
    let mut table = plain(["order", "fill-in"].into_iter().chain(operations));
    for count in counts {
        if let Some(operations) = &count.operations {
            let products = operations.multiplications + operations.divisions;
            let fill_in = count.fill_in.map(|it| it.to_string());
            let program = count.program.map(|it| it.total().to_string());
            table.add_row([
                count.order.to_owned(),
                fill_in.unwrap_or_default(),
                products.to_string(),
                operations.additions.to_string(),
                operations.total().to_string(),
                program.unwrap_or_default(),
            ]);
        }
    }
    align_numbers(&mut table, 1..6);
    table
}
