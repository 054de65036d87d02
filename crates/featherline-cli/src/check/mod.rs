//! `featherline check`: what is physically wrong or doubtful about a robot, and its repair.

mod arguments;
mod conditioning;
mod diff;
mod finding;
mod fix;
mod report;

pub use arguments::{CheckArguments, HELP};

use crate::failure::Failure;
use crate::format::Format;
use crate::robot;
use crate::status::Status;
use featherline_formats::repair::{self, Repairs};
use report::Report;
use std::io::{BufWriter, Write, stdout};

/// Reports errors, warnings and notes, or repairs them.
pub fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    if arguments.fix || arguments.diff {
        return fix::run(arguments);
    }
    let mut report = match robot::load(&arguments.robot) {
        Ok(robot) => Report::of(&robot)?,
        Err(Failure::Load(error)) => Report::of_error(&error),
        Err(failure) => return Err(failure),
    };
    if let Some(repairs) = repairs(arguments) {
        report.add(&repairs, &arguments.robot.robot);
    }
    let report = report.about(&arguments.robot.robot);
    write(&report, arguments.format)?;
    Ok(report.status())
}

/// Writes a report to standard output.
fn write(report: &Report, format: Format) -> Result<(), Failure> {
    let mut out = BufWriter::new(stdout().lock());
    match format {
        Format::Text => report.write(&mut out)?,
        Format::Jsonl => report.write_json(&mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// The repairs of the robot's file, if it has one that can be read.
fn repairs(arguments: &CheckArguments) -> Option<Repairs> {
    let path = robot::text_file(&arguments.robot)?;
    repair::propose(path, &arguments.repair_options()).ok()
}
