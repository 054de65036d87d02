//! What the elimination of a system costs, order by order.

use super::plan::plan;
use crate::arguments::{Format, SystemArguments};
use crate::failure::Failure;
use comfy_table::{CellAlignment, Table, presets::NOTHING};
use featherline::scalar::Operations;
use featherline_system::{Elimination, EliminationOrder, OrderError, System, Template, order};
use serde::Serialize;
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

type Planner = fn(&System, &Template) -> Result<EliminationOrder, OrderError>;

/// Every order that is counted.
pub const ORDERS: [(&str, Planner); 9] = [
    ("rnea", |system, _| order::rnea(system)),
    ("aba", |system, _| order::aba(system)),
    ("crba_ltdl", |system, _| order::crba(system)),
    ("markowitz", |_, template| order::markowitz(template)),
    ("minimum_degree", |_, template| {
        order::minimum_degree(template)
    }),
    ("amd", |_, template| order::amd(template)),
    ("colamd", |_, template| order::colamd(template)),
    ("nested_dissection", |_, template| {
        order::nested_dissection(template)
    }),
    ("reverse_cuthill_mckee", |_, template| {
        order::reverse_cuthill_mckee(template)
    }),
];

/// The orders that were asked for.
pub fn chosen(arguments: &SystemArguments) -> impl Iterator<Item = (&'static str, Planner)> {
    let asked = &arguments.orders;
    let chosen = |name: &str| asked.is_empty() || asked.iter().any(|order| order == name);
    ORDERS.into_iter().filter(move |(name, _)| chosen(name))
}

/// An order and its cost, or why there is none.
#[derive(Serialize)]
pub struct Count {
    pub order: &'static str,
    fill_in: Option<usize>,
    pub operations: Option<Operations>,
    pub reason: Option<String>,
}

impl Count {
    /// Of a factorisation and a solution.
    pub fn of(
        name: &'static str,
        order: Result<EliminationOrder, OrderError>,
        template: &Template,
    ) -> Self {
        let counted = || -> Result<(usize, Operations), String> {
            let order = order.map_err(|e| e.to_string())?;
            let elimination = Elimination::new(template, &order).map_err(|e| e.to_string())?;
            let operations = elimination
                .operations(template)
                .map_err(|e| e.to_string())?;
            Ok((elimination.fill_in(), operations))
        };
        let counted = counted();
        Self {
            order: name,
            fill_in: counted.as_ref().ok().map(|(fill_in, _)| *fill_in),
            operations: counted.as_ref().ok().map(|(_, operations)| *operations),
            reason: counted.err(),
        }
    }

    /// Of something in which nothing is filled in.
    pub fn plain(name: &'static str, counted: Result<Operations, String>) -> Self {
        Self {
            order: name,
            fill_in: None,
            operations: counted.as_ref().ok().copied(),
            reason: counted.err(),
        }
    }

    /// Whether it is the count of a formula.
    pub fn is_formula(&self) -> bool {
        self.order.starts_with("formula")
    }
}

/// Writes what one factorisation and one solve cost in each order. Putting the equations together is counted only in the
/// programs of an order that was searched for.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    format: Format,
) -> Result<ExitCode, Failure> {
    let template = Template::of_system(system).map_err(|error| {
        Failure::Sensors(format!(
            "the system can't be eliminated: {error}; see --diagnose"
        ))
    })?;
    let mut counts: Vec<Count> = chosen(arguments)
        .map(|(name, order)| Count::of(name, order(system, &template), &template))
        .collect();
    if arguments.search.is_some() {
        let all: Vec<usize> = (0..template.size()).collect();
        let plan = plan(arguments, system, &all)?;
        counts.push(Count::of("searched", Ok(plan.order().clone()), &template));
        let program = |order, operations| Count::plain(order, Ok(operations));
        let (solve, check) = (plan.program().solve().program(), plan.program().check());
        counts.push(program("its program, all included", solve.count()));
        counts.push(program("the check of a result", check.count()));
    }
    let mut out = BufWriter::new(stdout().lock());
    match format {
        Format::Table => {
            let (size, entries) = (template.size(), template.pattern().entries());
            let name = system.model().name();
            writeln!(out, "{name}: {size} equations, {entries} entries")?;
            writeln!(out, "{}", table(&counts))?;
            for count in &counts {
                if let Some(reason) = &count.reason {
                    writeln!(out, "{} is no order of this system: {reason}", count.order)?;
                }
            }
        }
        Format::Jsonl => {
            for count in &counts {
                serde_json::to_writer(&mut out, count)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn table(counts: &[Count]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["order", "fill-in", "× and ÷", "+ and −", "together"]);
    for count in counts {
        if let Some(operations) = &count.operations {
            let products = operations.multiplications + operations.divisions;
            table.add_row([
                count.order.to_owned(),
                count
                    .fill_in
                    .map_or_else(String::new, |fill_in| fill_in.to_string()),
                products.to_string(),
                operations.additions.to_string(),
                operations.total().to_string(),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
