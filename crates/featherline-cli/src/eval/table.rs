//! Results as tables.

use super::value::{Array, Counts, Outcome, Value, missing};
use crate::operations;
use crate::states::{BadLine, State};
use crate::table::{align_numbers, plain};
use comfy_table::Table;
use console::Term;
use featherline::Model;
use featherline::quantity::Dimension;
use featherline::spatial::{Mat3, Vec3};
use featherline_record::coordinates::{self, Entry, Measure};
use featherline_record::number::{short, short_among};
use nalgebra::DMatrix;
use std::io::{self, Write};

/// Columns of text where the output is not a terminal.
const WIDTH: usize = 120;
/// Components of a 6-vector.
const COMPONENTS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Writes the results of one state.
pub fn write(
    out: &mut impl Write,
    model: &Model,
    label: &str,
    state: &State,
    results: &[(&str, Outcome)],
) -> io::Result<()> {
    let title = format!("{} · {label}", model.name());
    writeln!(out, "{}\n", console::style(title).bold())?;
    let velocities = coordinates::velocity(model);
    write_coordinates(out, model, &velocities, state, results)?;
    write_vectors(out, results)?;
    for (key, outcome) in results {
        if let Ok(value) = outcome {
            let is_shown = matches!(value, Value::Array(array)
                if line(array).is_some() || unit_by_coordinate(array).is_some());
            if !is_shown {
                write_table(out, key, value, &velocities)?;
            }
        }
    }
    for (key, reason) in missing(results) {
        writeln!(out, "{key}: none; {reason}\n")?;
    }
    Ok(())
}

/// Writes a result that has a table of its own.
fn write_table(
    out: &mut impl Write,
    key: &str,
    value: &Value,
    velocities: &[Entry],
) -> io::Result<()> {
    match value {
        Value::State(_) => Ok(()),
        Value::Counts(counts) => write_counts(out, key, counts),
        Value::Parts(parts) => {
            for (part, value) in parts {
                write_table(out, &format!("{key}, {part}"), value, velocities)?;
            }
            Ok(())
        }
        Value::Array(array) if array.is_placement() => write_placements(out, key, array),
        Value::Array(array) if array.is_list && array.shape == [6] => {
            write_six_vectors(out, key, array)
        }
        Value::Array(array) => write_matrices(out, key, array, velocities),
    }
}

/// Numbers of any shape, as matrices.
fn write_matrices(
    out: &mut impl Write,
    key: &str,
    array: &Array,
    velocities: &[Entry],
) -> io::Result<()> {
    for (name, matrix) in array.matrices() {
        let labels: Vec<String> = match array.rows {
            None => vec![String::new()],
            Some(Dimension::Nv) => numbered(velocities),
            Some(Dimension::Fixed(count)) => COMPONENTS.map(str::to_owned)[..count].to_vec(),
            Some(_) => (0..matrix.nrows()).map(|k| k.to_string()).collect(),
        };
        let title = match array.is_list {
            true => format!("{key}, {name}"),
            false => key.to_owned(),
        };
        write_matrix(out, &title, &matrix, &labels)?;
    }
    Ok(())
}

/// A row of six numbers for each joint.
fn write_six_vectors(out: &mut impl Write, key: &str, array: &Array) -> io::Result<()> {
    let (linear, angular) = array
        .unit
        .split_once(", ")
        .unwrap_or((array.unit, array.unit));
    let mut headings = vec!["joint".to_owned()];
    for (k, component) in COMPONENTS.iter().enumerate() {
        let unit = if k < 3 { linear } else { angular };
        headings.push(format!("{component} [{unit}]"));
    }
    let mut table = plain(headings);
    for (name, entries) in array.names.iter().zip(array.numbers.chunks_exact(6)) {
        let row = entries.iter().map(|&x| short_among(x, &array.numbers));
        table.add_row([name.clone()].into_iter().chain(row));
    }
    finish(out, key, table)
}

/// Writes what is wrong with a line that is not a state.
pub fn write_bad(
    out: &mut impl Write,
    model: &Model,
    source: &str,
    bad: &BadLine,
) -> io::Result<()> {
    let title = format!("{} · {source}, line {}", model.name(), bad.line);
    writeln!(out, "{}\n", console::style(title).bold())?;
    writeln!(out, "not a state: {bad}\n")
}

/// The names of the coordinates, with the indices that stand above the columns of matrices.
fn numbered(entries: &[Entry]) -> Vec<String> {
    let digits = entries.len().saturating_sub(1).to_string().len();
    let labels = entries.iter().enumerate();
    labels
        .map(|(k, entry)| format!("{k:>digits$} {}", entry.label))
        .collect()
}

/// The given state and all results with one entry for each coordinate, side by side.
fn write_coordinates(
    out: &mut impl Write,
    model: &Model,
    velocities: &[Entry],
    state: &State,
    results: &[(&str, Outcome)],
) -> io::Result<()> {
    let configurations = coordinates::configuration(model);
    let are_paired = configurations == *velocities;
    if !are_paired {
        let mut table = plain(["configuration", "q", ""]);
        for (entry, &q) in configurations.iter().zip(&state.q) {
            table.add_row([
                entry.label.clone(),
                short(q),
                entry.measure.unit().to_owned(),
            ]);
        }
        finish(out, "", table)?;
    }
    let units = Units::of(velocities);
    let mut columns: Vec<(String, &[f64])> = Vec::new();
    if are_paired {
        columns.push((units.heading("q", |m| m.unit().to_owned()), &state.q));
    }
    // A state at rest needs no columns of zeros.
    for (name, values, unit) in [
        ("v", &state.v, Measure::rate_unit as fn(Measure) -> String),
        ("a", &state.a, acceleration_unit),
        ("τ given", &state.tau, force_unit),
    ] {
        if values.iter().any(|&x| x != 0.0) {
            columns.push((units.heading(name, unit), values));
        }
    }
    for (key, outcome) in results {
        match outcome {
            Ok(Value::Array(array)) if let Some(unit) = unit_by_coordinate(array) => {
                columns.push((units.heading(key, unit), &array.numbers));
            }
            _ => {}
        }
    }
    if columns.is_empty() || velocities.is_empty() {
        return Ok(());
    }
    let names = columns.iter().map(|(heading, _)| heading.clone());
    let mut table = plain(
        ["coordinate".to_owned()]
            .into_iter()
            .chain(units.heading_of_column())
            .chain(names),
    );
    let labels = numbered(velocities);
    for (k, entry) in velocities.iter().enumerate() {
        let mut row = vec![labels[k].clone()];
        if units == Units::Mixed {
            row.push(entry.measure.unit().to_owned());
        }
        row.extend(
            columns
                .iter()
                .map(|(_, values)| short_among(values[k], *values)),
        );
        table.add_row(row);
    }
    finish(out, "", table)
}

/// The unit of joint forces and joint accelerations, which are columns beside the state's.
fn unit_by_coordinate(array: &Array) -> Option<fn(Measure) -> String> {
    match (array.rows, array.is_list, array.unit) {
        (Some(Dimension::Nv), false, "N·m, N") if array.shape.len() == 1 => Some(force_unit),
        (Some(Dimension::Nv), false, "rad/s², m/s²") => Some(acceleration_unit),
        _ => None,
    }
}

/// The numbers and units of what stands in a line: a number, a point, a vector of six.
fn line(array: &Array) -> Option<String> {
    let join = |numbers: &[f64]| {
        let numbers = numbers.iter().map(|&x| short(x));
        numbers.collect::<Vec<_>>().join("  ")
    };
    let is_short = !array.is_list && array.shape.len() < 2;
    match (
        array.rows,
        array.numbers.split_at_checked(3),
        array.unit.split_once(", "),
    ) {
        (Some(Dimension::Fixed(6)), Some((linear, angular)), Some((first, second))) if is_short => {
            Some(format!(
                "{} {first}   {} {second}",
                join(linear),
                join(angular)
            ))
        }
        (None | Some(Dimension::Fixed(_)), ..) if is_short => {
            Some(format!("{} {}", join(&array.numbers), array.unit))
        }
        _ => None,
    }
}

fn acceleration_unit(measure: Measure) -> String {
    format!("{}/s²", measure.unit())
}

fn force_unit(measure: Measure) -> String {
    measure.force_unit().to_owned()
}

/// Whether all coordinates measure the same, so that a column can have one unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    One(Measure),
    Mixed,
}

impl Units {
    fn of(entries: &[Entry]) -> Self {
        match entries {
            [first, rest @ ..] if rest.iter().all(|e| e.measure == first.measure) => {
                Self::One(first.measure)
            }
            _ => Self::Mixed,
        }
    }

    fn heading(self, name: &str, unit: impl Fn(Measure) -> String) -> String {
        match self {
            Self::One(measure) => format!("{name} [{}]", unit(measure)),
            Self::Mixed => name.to_owned(),
        }
    }

    /// Mixed units stand in a column of their own.
    fn heading_of_column(self) -> Option<String> {
        (self == Self::Mixed).then(|| "unit".to_owned())
    }
}

/// Energies, points and 6-vectors, one a line.
fn write_vectors(out: &mut impl Write, results: &[(&str, Outcome)]) -> io::Result<()> {
    let mut table = plain([""; 0]);
    for (key, outcome) in results {
        let Ok(Value::Array(array)) = outcome else {
            continue;
        };
        let Some(text) = line(array) else {
            continue;
        };
        table.add_row([(*key).to_owned(), text]);
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}\n", table.trim_fmt())
}

/// A matrix, in blocks of columns that fit the width.
fn write_matrix(
    out: &mut impl Write,
    key: &str,
    matrix: &DMatrix<f64>,
    labels: &[String],
) -> io::Result<()> {
    let cells = matrix.map(|x| short_among(x, matrix));
    let width_of = |text: &str| console::measure_text_width(text) + 2;
    let names = labels.iter().map(|l| width_of(l)).max().unwrap_or_default();
    let widest = cells.iter().map(|c| width_of(c)).max().unwrap_or_default();
    let fitting = (width().saturating_sub(names) / widest.max(1)).max(1);
    let mut from = 0;
    while from < matrix.ncols() {
        let to = (from + fitting).min(matrix.ncols());
        let indices = (from..to).map(|k| k.to_string());
        let mut table = plain(["".to_owned()].into_iter().chain(indices));
        for (i, label) in labels.iter().enumerate() {
            let row = (from..to).map(|k| cells[(i, k)].clone());
            table.add_row([label.clone()].into_iter().chain(row));
        }
        finish(out, key, table)?;
        from = to;
    }
    Ok(())
}

fn width() -> usize {
    match Term::stdout().size_checked() {
        Some((_, columns)) => columns.into(),
        None => WIDTH,
    }
}

fn write_placements(out: &mut impl Write, key: &str, array: &Array) -> io::Result<()> {
    let headings = [
        "link",
        "x [m]",
        "y [m]",
        "z [m]",
        "roll [rad]",
        "pitch [rad]",
        "yaw [rad]",
    ];
    let mut table = plain(headings);
    for (name, placement) in array.matrices() {
        let axis = |k| Vec3::new(placement[(0, k)], placement[(1, k)], placement[(2, k)]);
        let rotation = Mat3::from_columns(axis(0), axis(1), axis(2));
        let angles = rotation.to_roll_pitch_yaw();
        let numbers = axis(3).to_array().into_iter().chain(angles);
        // Beside the robot's size, of about a metre.
        let numbers = numbers.map(|x| short_among(x, &[1.0]));
        table.add_row([name.to_owned()].into_iter().chain(numbers));
    }
    finish(out, key, table)
}

fn write_counts(out: &mut impl Write, key: &str, counts: &Counts) -> io::Result<()> {
    let mut table = plain(operations::HEADINGS);
    for (name, count) in &counts.0 {
        let numbers = match count {
            Err(_) => ["none"; 6].map(str::to_owned),
            Ok(count) => operations::columns(count).map(|it| it.to_string()),
        };
        table.add_row([(*name).to_owned()].into_iter().chain(numbers));
    }
    finish(out, key, table)
}

/// Writes a table of names, and of numbers aligned to the right.
fn finish(out: &mut impl Write, title: &str, mut table: Table) -> io::Result<()> {
    align_numbers(&mut table, 1..usize::MAX);
    if !title.is_empty() {
        writeln!(out, "{}", console::style(title).bold())?;
    }
    writeln!(out, "{}\n", table.trim_fmt())
}
