//! The matrix, its factors and its solution as files that other programs read.

use super::answers;
use super::arguments::SystemArguments;
use super::count;
use super::plan::plan;
use super::sample::{Sample, SampleReader};
use super::simulate::Record;
use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::message::warn;
use crate::states::{BadLine, Lines};
use crate::status::Status;
use featherline::Model;
use featherline::kernel::links;
use featherline_record::csv_cell;
use featherline_system::{
    AssemblyMemory, Factorisation, Label, SensorSimulation, System, TriangularFactors,
};
use serde::Serialize;
use std::fmt::{Display, Write as _};
use std::fs;
use std::io::{ErrorKind, Write, stdout};
use std::path::Path;

/// The files that may be left of another system.
const OF_FACTORS: [&str; 5] = ["order.csv", "L.mtx", "U.mtx", "R.mtx", "y.mtx"];

/// The orders that are tried where none is asked for.
const DEFAULT_ORDERS: [&str; 4] = ["markowitz", "minimum_degree", "aba", "crba_ltdl"];

/// An order whose solution leaves no more of D y − b, beside the largest unknown, is accurate.
const ACCURATE: f64 = 1e-12;

/// The headings of the tables of rows and columns.
const HEADINGS: &str = "index,what,name,component,unit,frame";

/// How many samples of a simulation are passed over: it begins in the neutral configuration.
const SWING: usize = 20;

/// D y = b in a state.
struct Matrix<'s> {
    system: &'s System,
    values: Vec<f64>,
    right: Vec<f64>,
}

/// The order that was chosen, and what it makes of the matrix.
type Solution = (&'static str, Factorisation);

/// The contents of a line of JSON.
#[derive(Serialize)]
struct Report<'a> {
    folder: &'a Path,
    equations: usize,
    unknowns: usize,
    entries: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fill_in: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// Writes the files, and prints the solution.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    folder: &Path,
    format: Format,
) -> Result<Status, Failure> {
    if arguments.orders.len() > 1 || arguments.orders.iter().any(|order| order == count::ALL) {
        let reason = "--export writes the factors of one order: give --orders one name";
        return Err(Failure::sensors(reason));
    }
    let (line, sample) = sample(arguments, system)?;
    let state = [&sample.q[..], &sample.v, &sample.inputs];
    let (values, right) = system.assembled(&mut AssemblyMemory::new(system), state)?;
    let matrix = Matrix {
        system,
        values,
        right,
    };
    let rows: Vec<Label> = (0..).map_while(|row| system.row_label(row)).collect();
    let columns: Vec<Label> = (0..).map_while(|at| system.column_label(at)).collect();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Failure::of_file(&path))
    };
    fs::create_dir_all(folder).map_err(Failure::of_file(folder))?;
    for name in OF_FACTORS {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(reason) if reason.kind() != ErrorKind::NotFound => {
                return Err(Failure::File { path, reason });
            }
            _ => {}
        }
    }
    let name = system.model().name();
    write("frames.csv", frames(system.model()))?;
    write("sample.jsonl", format!("{}\n", line.trim()))?;
    write("rows.csv", table(&rows))?;
    write("columns.csv", table(&columns))?;
    let pattern = system.sparsity();
    let size = [pattern.rows(), pattern.columns()];
    let entries = pattern.iter().zip(&matrix.values);
    let entries = entries.map(|((row, column), &value)| (row, column, value));
    let entries: Vec<_> = entries.collect();
    let comment = format!(
        "D of D y = b, {name} in the state of sample.jsonl; rows are in rows.csv, columns in columns.csv"
    );
    write("D.mtx", coordinates(&comment, size, &entries))?;
    let comment = format!("b of D y = b, {name}; rows are in rows.csv");
    write("b.mtx", array(&comment, &matrix.right))?;
    let solved = matrix.solve(arguments);
    if let Ok((_, solved)) = &solved {
        let factors = &solved.factors;
        write("order.csv", order(factors, &rows, &columns))?;
        let joining = "R, the entries of D that join two blocks";
        for (file, what, entries) in [
            ("L.mtx", "L, lower triangular", &factors.lower),
            ("U.mtx", "U, upper triangular", &factors.upper),
            ("R.mtx", joining, &factors.coupling),
        ] {
            let comment =
                format!("{what}: P D Q = L U + R with rows and columns in the order of order.csv");
            write(file, coordinates(&comment, size, entries))?;
        }
        let comment = format!("y of D y = b, {name}; unknowns are in columns.csv");
        write("y.mtx", array(&comment, &solved.y))?;
    }
    let solved = solved.as_ref().map_err(String::as_str);
    report(folder, &matrix, &columns, solved, format)
}

/// The first sample of a file, or of a simulation.
fn sample(arguments: &SystemArguments, system: &System) -> Result<(String, Sample), Failure> {
    let reader = SampleReader::new(system, false);
    let read = |line: &str| reader.read(line);
    let Some(path) = &arguments.sample else {
        let failure = |error: &dyn Display| {
            Failure::sensors(format_args!("no state can be simulated: {error}"))
        };
        let mut simulation = SensorSimulation::new(system, 0).map_err(|error| failure(&error))?;
        // Pivots that vanish in the neutral configuration do not vanish in the swing.
        let mut sample = simulation.advance().map_err(|error| failure(&error))?;
        for _ in 0..SWING {
            sample = simulation.advance().map_err(|error| failure(&error))?;
        }
        let line =
            serde_json::to_string(&Record { system, sample }).map_err(|error| failure(&error))?;
        let sample = read(&line).map_err(|bad| failure(&bad.reason))?;
        return Ok((line, sample));
    };
    let mut lines = Lines::open(path)?;
    let name = lines.name().to_owned();
    let failure = |bad: BadLine| Failure::State(format!("{name}: {bad}"));
    let line = match lines.next()? {
        None => return Err(Failure::State(format!("there is no sample in {name}"))),
        Some(line) => line.map_err(failure)?.to_owned(),
    };
    let sample = read(&line).map_err(|bad| failure(lines.bad(bad.column, bad.reason)))?;
    Ok((line, sample))
}

impl Matrix<'_> {
    /// The factors in the order that was asked for, and y by them; or why there are none.
    fn solve(&self, arguments: &SystemArguments) -> Result<Solution, String> {
        let system = self.system;
        let template = system.template().map_err(|error| error.to_string())?;
        let solve_in = |name, order: &_| {
            let solved = Factorisation::new(&template, order, &self.values, &self.right);
            solved.map(|solved| (name, solved)).map_err(|error| {
                format!(
                    "in the order {name}, {error}; give another order (--orders, --search), or \
                     another state (--sample)"
                )
            })
        };
        if arguments.searches() {
            let all: Vec<usize> = (0..template.size()).collect();
            let plan = plan(arguments, system, &all);
            let plan = plan.map_err(|none| Failure::from(none).to_string())?;
            return solve_in("searched", plan.order());
        }
        // The first accurate order, or the one that is asked for.
        let mut orders: Vec<_> = count::chosen(arguments).collect();
        if arguments.orders.is_empty() {
            let rank = |name| DEFAULT_ORDERS.iter().position(|known| *known == name);
            orders.retain(|(name, _)| rank(*name).is_some());
            orders.sort_by_key(|(name, _)| rank(*name));
        }
        let (mut best, mut reason): (Option<Solution>, _) = (None, None);
        for (name, order) in orders {
            let solved = order(system, &template)
                .map_err(|error| system.describe_order_error(&error))
                .and_then(|order| solve_in(name, &order));
            match solved {
                Err(error) => _ = reason.get_or_insert(error),
                Ok(solved) => {
                    let (_, found) = &solved;
                    let largest = found.y.iter().fold(1.0_f64, |most, y| most.max(y.abs()));
                    let is_accurate = found.residual <= ACCURATE * largest;
                    if best
                        .as_ref()
                        .is_none_or(|(_, best)| found.residual < best.residual)
                    {
                        best = Some(solved);
                    }
                    if is_accurate {
                        break;
                    }
                }
            }
        }
        best.ok_or(reason.unwrap_or_default())
    }
}

fn report(
    folder: &Path,
    matrix: &Matrix<'_>,
    columns: &[Label],
    solved: Result<&Solution, &str>,
    format: Format,
) -> Result<Status, Failure> {
    let (system, pattern) = (matrix.system, matrix.system.sparsity());
    let mut out = stdout().lock();
    match format {
        Format::Jsonl => {
            let solution = solved.ok();
            let report = Report {
                folder,
                equations: pattern.rows(),
                unknowns: pattern.columns(),
                entries: pattern.entries(),
                order: solution.map(|(order, _)| *order),
                fill_in: solution.map(|(_, solved)| solved.fill_in),
                residual: solution.map(|(_, solved)| solved.residual),
                y: solution.map(|(_, solved)| &solved.y[..]),
                reason: solved.err(),
            };
            write_line(&mut out, &report)?;
        }
        Format::Text => {
            writeln!(
                out,
                "{}: D is {} × {} with {} entries, in `{}`",
                system.model().name(),
                pattern.rows(),
                pattern.columns(),
                pattern.entries(),
                folder.display()
            )?;
            if let Ok((order, solved)) = solved {
                let names = columns.iter();
                let names = names.map(|label| format!("{label} [{}]", label.unit));
                let names: Vec<String> = names.collect();
                let table = answers::unknowns(&names, solved.y.iter().copied().map(Some));
                writeln!(out, "{table}\n")?;
                writeln!(
                    out,
                    "order {order}: {} blocks, fill-in {}; largest |D y − b| {}",
                    solved.factors.blocks.last().map_or(0, |last| last + 1),
                    solved.fill_in,
                    featherline_record::number::short(solved.residual)
                )?;
            }
        }
    }
    if let Err(reason) = solved {
        warn(&format!(
            "there are no factors and no y: {reason}; see --diagnose"
        ));
    }
    Ok(Status::Done)
}

/// A line for each row or column, numbered from 1.
fn table(labels: &[Label]) -> String {
    let mut text = format!("{HEADINGS}\n");
    for (k, label) in labels.iter().enumerate() {
        // Writing to a string cannot fail.
        let Label {
            what,
            name,
            component,
            unit,
            frame,
        } = label;
        let cells = [what, name, component, unit, frame].map(|cell| csv_cell(cell));
        let _ = writeln!(text, "{},{}", k + 1, cells.join(","));
    }
    text
}

/// Where the frame `link` of each joint's body is in the joint's output frame: a rotation, row by
/// row, and an origin in m.
fn frames(model: &Model) -> String {
    let mut text = "joint,r11,r12,r13,r21,r22,r23,r31,r32,r33,x,y,z\n".to_owned();
    for (joint, link) in model.joints().iter().zip(links(model)).skip(1) {
        let rows = link.frame.to_homogeneous();
        let rotation = rows[..3].iter().flat_map(|row| &row[..3]);
        let origin = rows[..3].iter().map(|row| &row[3]);
        let numbers: Vec<String> = rotation.chain(origin).map(|x| x.to_string()).collect();
        let _ = writeln!(text, "{},{}", csv_cell(&joint.name), numbers.join(","));
    }
    text
}

/// The pivots in the order of elimination, numbered from 1.
fn order(factors: &TriangularFactors<f64>, rows: &[Label], columns: &[Label]) -> String {
    let mut text = "pivot,block,row,column,equation,unknown\n".to_owned();
    for (k, (&(row, column), block)) in factors.pivots.iter().zip(&factors.blocks).enumerate() {
        let (equation, unknown) = (rows[row].to_string(), columns[column].to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{}",
            k + 1,
            block + 1,
            row + 1,
            column + 1,
            csv_cell(&equation),
            csv_cell(&unknown)
        );
    }
    text
}

/// A sparse matrix in the Matrix Market format (Boisvert, Pozo and Remington 1996).
fn coordinates(
    comment: &str,
    [rows, columns]: [usize; 2],
    entries: &[(usize, usize, f64)],
) -> String {
    let mut text = format!("%%MatrixMarket matrix coordinate real general\n% {comment}\n");
    let _ = writeln!(text, "{rows} {columns} {}", entries.len());
    for &(row, column, value) in entries {
        let _ = writeln!(text, "{} {} {value:e}", row + 1, column + 1);
    }
    text
}

/// A vector in the Matrix Market format.
fn array(comment: &str, values: &[f64]) -> String {
    let mut text = format!(
        "%%MatrixMarket matrix array real general\n% {comment}\n{} 1\n",
        values.len()
    );
    for value in values {
        let _ = writeln!(text, "{value:e}");
    }
    text
}
