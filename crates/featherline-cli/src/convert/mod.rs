//! `featherline convert`: a robot in a file of another format, and what became of it.

mod arguments;

pub use arguments::{ConvertArguments, HELP};

use crate::failure::Failure;
use crate::format::Format;
use crate::robot;
use crate::status::Status;
use featherline_formats::{Difference, model_file, urdf};
use serde::Serialize;
use std::io::{self, BufWriter, Write, stdout};
use std::path::Path;

/// The greatest relative difference that rotations written as angles explain.
const ROUNDING: f64 = 1e-12;

/// Writes the file, reads it again and reports the difference.
pub fn run(arguments: &ConvertArguments) -> Result<Status, Failure> {
    let robot = robot::load_and_warn(&arguments.robot)?;
    let is_json = arguments.output.extension().is_some_and(|it| it == "json");
    let (text, missing) = if is_json {
        (model_file::to_string(&robot.model) + "\n", Vec::new())
    } else {
        let written = urdf::to_string(&robot.description);
        let written = written.map_err(|error| Failure::Robot(error.to_string()))?;
        let warnings = written.warnings.iter();
        (written.text, warnings.map(ToString::to_string).collect())
    };
    let failed = |reason| Failure::File {
        path: arguments.output.clone(),
        reason,
    };
    if is_same_file(&arguments.robot.robot, &arguments.output) {
        let reason = "it is the robot's own file; give another name";
        return Err(failed(io::Error::other(reason)));
    }
    std::fs::write(&arguments.output, text).map_err(failed)?;
    let options = arguments.robot.load_options(arguments.robot.floats());
    let again = featherline_formats::load_with(&arguments.output, &options);
    let again = again.map_err(|error| Failure::Robot(error.to_string()))?;
    let difference = Difference::of(&robot.model, &again.model, arguments.states)?;
    let report = Report::of(&arguments.output, missing, &difference);
    let mut out = BufWriter::new(stdout().lock());
    match arguments.format {
        Format::Text => report.write(&mut out)?,
        Format::Jsonl => {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Status::found_if(!report.is_same))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

#[derive(Serialize)]
struct Report {
    file: String,
    /// Whether nothing is missing and nothing differs.
    is_same: bool,
    /// What the new file can't express.
    missing: Vec<String>,
    /// What the models of both files do not have in common.
    differences: Vec<String>,
    /// The greatest relative difference of each quantity.
    quantities: Vec<Quantity>,
}

#[derive(Serialize)]
struct Quantity {
    quantity: &'static str,
    relative_difference: f64,
    /// The joint or frame of the greatest difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

impl Report {
    fn of(path: &Path, missing: Vec<String>, difference: &Difference) -> Self {
        let lacks = difference.missing.iter().map(|it| {
            let (what, name) = (it.what, &it.name);
            match it.is_in_first {
                true => format!("the new file has no {what} `{name}`"),
                false => format!("the new file adds a {what} `{name}`"),
            }
        });
        let quantities = difference.quantities.iter().map(|it| Quantity {
            quantity: it.quantity,
            relative_difference: it.relative,
            at: it.at.clone(),
        });
        Self {
            file: path.display().to_string(),
            is_same: missing.is_empty() && difference.is_same(ROUNDING),
            differences: lacks
                .chain(difference.other_kinds.iter().cloned())
                .collect(),
            quantities: quantities.collect(),
            missing,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let warning = console::style("warning:").yellow().bold();
        for what in self.missing.iter().chain(&self.differences) {
            writeln!(out, "{warning} {what}")?;
        }
        writeln!(out, "greatest relative difference of")?;
        for it in &self.quantities {
            let at = match &it.at {
                Some(at) if it.relative_difference > ROUNDING => format!("  at `{at}`"),
                _ => String::new(),
            };
            writeln!(
                out,
                "  {:<22} {:>8.1e}{at}",
                it.quantity, it.relative_difference
            )?;
        }
        match self.is_same {
            true => writeln!(out, "{}: the same robot", self.file),
            false => writeln!(out, "{}: not all of the robot", self.file),
        }
    }
}
