//! Results as tables.

use super::value::{Array, ByJoint, Counts, Outcome, Value, missing};
use crate::states::{BadLine, State};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use console::Term;
use featherline::Model;
use featherline::quantity::Dimension;
use featherline::scalar::Operations;
use featherline::spatial::Se3;
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
            write_table(out, key, value, &velocities)?;
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
    let components = || COMPONENTS.map(str::to_owned);
    match value {
        Value::Square(matrix) => write_matrix(out, key, matrix, &numbered(velocities)),
        Value::Jacobian(matrix) => write_matrix(out, key, matrix, &components()),
        Value::Placements(placements) => write_placements(out, key, placements),
        Value::Counts(counts) => write_counts(out, key, counts),
        Value::Motions(all) => write_six_vectors(out, key, all, ["m/s²", "rad/s²"]),
        Value::Wrenches(all) => write_six_vectors(out, key, all, ["N", "N·m"]),
        Value::Matrices(all) => {
            for (name, matrix) in all {
                write_matrix(out, &format!("{key}, {name}"), matrix, &components())?;
            }
            Ok(())
        }
        Value::Array(array) => write_array(out, key, array, velocities),
        Value::Parts(parts) => {
            for (part, value) in parts {
                write_table(out, &format!("{key}, {part}"), value, velocities)?;
            }
            Ok(())
        }
        Value::State(_)
        | Value::Forces(_)
        | Value::Accelerations(_)
        | Value::Energy(_)
        | Value::Point(_)
        | Value::Momentum(_) => Ok(()),
    }
}

/// Numbers of any shape, as matrices.
fn write_array(
    out: &mut impl Write,
    key: &str,
    array: &Array,
    velocities: &[Entry],
) -> io::Result<()> {
    let is_each_joint = array.shape.len() > 2;
    for (joint, matrix) in array.matrices() {
        let rows = &array.dimensions[usize::from(is_each_joint)..];
        let labels: Vec<String> = match rows.first() {
            None => vec![String::new()],
            Some(Dimension::Nv) => numbered(velocities),
            Some(Dimension::Fixed(count)) => COMPONENTS.map(str::to_owned)[..*count].to_vec(),
            Some(_) => (0..matrix.nrows()).map(|k| k.to_string()).collect(),
        };
        let of = if is_each_joint {
            format!(", {joint}")
        } else {
            String::new()
        };
        write_matrix(
            out,
            &format!("{key}{of} [{}]", array.unit),
            &matrix,
            &labels,
        )?;
    }
    Ok(())
}

/// A row of six numbers for each joint.
fn write_six_vectors(
    out: &mut impl Write,
    key: &str,
    all: &ByJoint<[f64; 6]>,
    [linear, angular]: [&str; 2],
) -> io::Result<()> {
    let mut headings = vec!["joint".to_owned()];
    for (k, component) in COMPONENTS.iter().enumerate() {
        let unit = if k < 3 { linear } else { angular };
        headings.push(format!("{component} [{unit}]"));
    }
    let mut table = plain(headings);
    let numbers: Vec<f64> = all.iter().flat_map(|(_, entries)| *entries).collect();
    for (name, entries) in all {
        let row = entries.iter().map(|&x| short_among(x, &numbers));
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
        let mut table = plain(["configuration", "q", ""].map(str::to_owned));
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
            Ok(Value::Forces(values)) => columns.push((units.heading(key, force_unit), values)),
            Ok(Value::Accelerations(values)) => {
                columns.push((units.heading(key, acceleration_unit), values));
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
    let mut table = plain([]);
    let join = |values: &[f64]| {
        values
            .iter()
            .map(|&x| short(x))
            .collect::<Vec<_>>()
            .join("  ")
    };
    for (key, outcome) in results {
        let text = match outcome {
            Ok(Value::Energy(energy)) => format!("{} J", short(*energy)),
            Ok(Value::Point(point)) => format!("{} m", join(point)),
            Ok(Value::Momentum(momentum)) => {
                let (linear, angular) = momentum.split_at(3);
                format!("{} N·s   {} N·m·s", join(linear), join(angular))
            }
            _ => continue,
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

fn write_placements(
    out: &mut impl Write,
    key: &str,
    placements: &[(String, Se3<f64>)],
) -> io::Result<()> {
    let headings = [
        "link",
        "x [m]",
        "y [m]",
        "z [m]",
        "roll [rad]",
        "pitch [rad]",
        "yaw [rad]",
    ];
    let mut table = plain(headings.map(str::to_owned));
    for (name, placement) in placements {
        let angles = placement.rotation.to_roll_pitch_yaw();
        let numbers = placement.translation.to_array().into_iter().chain(angles);
        // Beside the robot's size, of about a metre.
        let numbers = numbers.map(|x| short_among(x, &[1.0]));
        table.add_row([name.clone()].into_iter().chain(numbers));
    }
    finish(out, key, table)
}

fn write_counts(out: &mut impl Write, key: &str, counts: &Counts) -> io::Result<()> {
    let headings = ["", "×", "+ −", "÷", "√", "sin & cos", "other"];
    let mut table = plain(headings.map(str::to_owned));
    for (name, count) in &counts.0 {
        let numbers = match count {
            Err(_) => ["none"; 6].map(str::to_owned),
            Ok(Operations {
                additions,
                multiplications,
                divisions,
                square_roots,
                sin_cos,
                other,
            }) => [
                multiplications,
                additions,
                divisions,
                square_roots,
                sin_cos,
                other,
            ]
            .map(u64::to_string),
        };
        table.add_row([(*name).to_owned()].into_iter().chain(numbers));
    }
    finish(out, key, table)
}

fn plain(headings: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    let mut headings = headings.into_iter().peekable();
    if headings.peek().is_some() {
        table.set_header(headings);
    }
    table
}

/// Writes a table of names, and of numbers aligned to the right.
fn finish(out: &mut impl Write, title: &str, mut table: Table) -> io::Result<()> {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if !title.is_empty() {
        writeln!(out, "{}", console::style(title).bold())?;
    }
    writeln!(out, "{}\n", table.trim_fmt())
}
