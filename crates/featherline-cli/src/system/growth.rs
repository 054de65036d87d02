//! What elimination costs as a robot grows: cut to its first body, its first two, and so on.

use super::arguments::SystemArguments;
use super::count::{self, Count, ESTIMATE, chosen};
use super::growth_plot::{self, Curve};
use crate::failure::Failure;
use crate::format::Format;
use crate::message;
use crate::operations::{aba_of_chain, rnea_of_chain};
use crate::states::{Bar, Progress};
use crate::status::Status;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use featherline::scalar::Operations;
use featherline_system::{
    CompiledSolve, EliminationOrder, PlanError, Requested, System, Template, TemplateError,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

/// At most so many parts of the robot are counted.
const MOST: usize = 24;

/// The part of the robot that has the first so many bodies, and what its orders cost.
struct Part {
    bodies: usize,
    counts: Vec<Count>,
}

#[derive(Serialize)]
struct Line<'a> {
    bodies: usize,
    #[serde(flatten)]
    count: &'a Count,
}

/// Counts for the robot's first bodies, up to all of them, writes the numbers and draws them.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    picture: &Path,
    format: Format,
) -> Result<Status, Failure> {
    if arguments.searches() {
        let reason = "--search looks for one order of the whole robot: leave it out, or --plot";
        return Err(Failure::Sensors(reason.to_owned()));
    }
    // The parts of a robot are counted as the whole is.
    let is_estimate = matches!(
        system.template(),
        Err(PlanError::Template(TemplateError::NotSquare { .. }))
    );
    if is_estimate {
        count::without_orders(arguments)?;
    }
    let all = system.model().joints().len() - 1;
    let steps = all.clamp(1, MOST);
    let mut bar = Bar::new();
    let mut parts: Vec<Part> = Vec::new();
    // For each sensor that is cut off, the number of bodies with which it is there.
    let mut sensors = BTreeMap::new();
    for step in 1..=steps {
        let bodies = (step * all).div_ceil(steps);
        parts.push(part(arguments, system, is_estimate, bodies, &mut sensors)?);
        bar.show(Progress {
            done: step as u64,
            total: Some(steps as u64),
        });
    }
    bar.finish();
    let counts = || parts.iter().flat_map(|part| &part.counts);
    if counts().all(|count| count.is_formula() || count.operations.is_none()) {
        let reason = counts().find_map(|count| count.reason.clone());
        let reason = reason.unwrap_or_else(|| "the robot has no bodies".to_owned());
        return Err(Failure::Sensors(format!(
            "no order fits any part of the robot: {reason}; see --diagnose"
        )));
    }
    warn(&sensors);
    growth_plot::draw(picture, system.model().name(), &curves(&parts))?;
    let mut out = BufWriter::new(stdout().lock());
    match format {
        Format::Text => {
            writeln!(
                out,
                "{}: operations for its first N bodies",
                system.model().name()
            )?;
            writeln!(out, "{}", table(&parts).trim_fmt())?;
        }
        Format::Jsonl => {
            for part in &parts {
                for count in &part.counts {
                    let bodies = part.bodies;
                    serde_json::to_writer(&mut out, &Line { bodies, count })?;
                    writeln!(out)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Counts the orders of the first so many bodies; notes which sensors are not there.
fn part(
    arguments: &SystemArguments,
    system: &System,
    is_estimate: bool,
    bodies: usize,
    sensors: &mut BTreeMap<String, Option<usize>>,
) -> Result<Part, Failure> {
    let cut = system.problem().first_bodies(bodies);
    let counts = match cut {
        Ok((problem, gone)) => {
            for there in sensors
                .iter_mut()
                .filter(|(name, from)| from.is_none() && !gone.contains(name))
            {
                *there.1 = Some(bodies);
            }
            sensors.extend(gone.into_iter().map(|name| (name, None)));
            let system = System::new(problem)?;
            if is_estimate {
                estimate(&system)
            } else {
                orders(arguments, &system)
            }
        }
        // A mimic joint whose mimicked joint is cut off.
        Err(error) if is_estimate => nothing(ESTIMATE, &error.to_string()),
        Err(error) => nothing(chosen(arguments).map(|(name, _)| name), &error.to_string()),
    };
    let formulas = [
        ("formula of RNEA for a chain", rnea_of_chain(bodies as u64)),
        ("formula of ABA for a chain", aba_of_chain(bodies as u64)),
    ];
    let formulas = formulas.map(|(name, operations)| {
        let none = || "the formula begins with two joints".to_owned();
        Count::plain(name, operations.ok_or_else(none))
    });
    let counts = counts.into_iter().chain(formulas).collect();
    Ok(Part { bodies, counts })
}

/// Every order of a system, and the cheapest as a program.
fn orders(arguments: &SystemArguments, system: &System) -> Vec<Count> {
    let template = match system.template() {
        Ok(template) => template,
        Err(error) => {
            return nothing(chosen(arguments).map(|(name, _)| name), &error.to_string());
        }
    };
    let mut counts = Vec::new();
    let mut cheapest: Option<(u64, EliminationOrder)> = None;
    for (name, planner) in chosen(arguments) {
        let order = planner(system, &template);
        let count = Count::of(name, order.clone(), system, &template);
        if let (Ok(order), Some(operations)) = (order, &count.operations)
            && cheapest
                .as_ref()
                .is_none_or(|(least, _)| operations.total() < *least)
        {
            cheapest = Some((operations.total(), order));
        }
        counts.push(count);
    }
    let program = match cheapest {
        None => Err("no order fits".to_owned()),
        Some((_, order)) => compiled(system, template, &order).map_err(|error| error.to_string()),
    };
    counts.push(Count::plain(PROGRAM, program));
    counts
}

/// The parts of an estimate, and its program.
fn estimate(system: &System) -> Vec<Count> {
    match count::estimate(system) {
        Ok(mut counts) => {
            let program = counts.iter().find_map(|count| count.program);
            let none = || "an estimate without a program".to_owned();
            counts.push(Count::plain(PROGRAM, program.ok_or_else(none)));
            counts
        }
        Err(error) => nothing(ESTIMATE, &error.to_string()),
    }
}

/// The operations of the requested outputs of a system, everything included.
fn compiled(
    system: &System,
    template: Template,
    order: &EliminationOrder,
) -> Result<Operations, PlanError> {
    let wanted = Requested::open(system);
    let columns: Vec<usize> = wanted.iter().flat_map(|w| w.columns(system)).collect();
    let is_wanted = (0..template.size()).map(|column| columns.contains(&column));
    let template = template.requesting(is_wanted.collect())?;
    let solve = CompiledSolve::new(system, &template, order)?;
    Ok(solve.program().count())
}

/// The cheapest order, or the estimate, with everything included.
const PROGRAM: &str = "a program, all included";

/// Why there is no count of any of these.
fn nothing(names: impl IntoIterator<Item = &'static str>, reason: &str) -> Vec<Count> {
    let names = names.into_iter().chain([PROGRAM]);
    let counts = names.map(|name| Count::plain(name, Err(reason.to_owned())));
    counts.collect()
}

/// Says from how many bodies on a sensor is there.
fn warn(sensors: &BTreeMap<String, Option<usize>>) {
    for (name, from) in sensors {
        message::warn(&match from {
            Some(from) => format!(
                "sensor `{name}` counts from {from} bodies on, because it reads one that is cut off before"
            ),
            None => format!("sensor `{name}` is left out, because it reads a body that is cut off"),
        });
    }
}

/// The counts of each order, over the numbers of bodies.
fn curves(parts: &[Part]) -> Vec<Curve<'_>> {
    let first = parts.first().map_or(&[][..], |part| &part.counts);
    let curve = |(k, count): (usize, &Count)| Curve {
        name: count.order,
        is_formula: count.is_formula(),
        points: parts
            .iter()
            .map(|part| {
                (
                    part.bodies,
                    part.counts[k].operations.map(|o| Operations::total(&o)),
                )
            })
            .collect(),
    };
    // What has no count anywhere has no curve.
    let curves = first.iter().enumerate().map(curve);
    curves
        .filter(|curve| curve.points.iter().any(|point| point.1.is_some()))
        .collect()
}

fn table(parts: &[Part]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    let curves = curves(parts);
    table.set_header(
        ["N"]
            .into_iter()
            .chain(curves.iter().map(|curve| curve.name)),
    );
    for (k, part) in parts.iter().enumerate() {
        let totals = curves.iter().map(|curve| match curve.points[k].1 {
            Some(total) => total.to_string(),
            None => "–".to_owned(),
        });
        table.add_row([part.bodies.to_string()].into_iter().chain(totals));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
