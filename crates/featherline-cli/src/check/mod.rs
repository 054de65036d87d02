//! `featherline check`: what is physically wrong or doubtful about a robot, and its repair.

mod arguments;
mod diff;
mod finding;
mod fix;
mod report;
mod self_collision;

pub use arguments::{CheckArguments, HELP};

use crate::failure::Failure;
use crate::file;
use crate::format::{Format, write_line};
use crate::message::is_quiet;
use crate::robot;
use crate::status::Status;
use featherline_formats::repair::{self, Repairs};
use report::Report;
use self_collision::{SAMPLES, Survey};
use std::io::{BufWriter, Write, stdout};

/// Reports errors, warnings and notes, or repairs them.
pub fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    if arguments.fix || arguments.diff {
        return fix::run(arguments);
    }
    let mut survey = None;
    let repairs = || repairs(arguments);
    let report = match robot::load(&arguments.robot) {
        Ok(robot) => {
            let mut report = Report::of(Ok(&robot), repairs());
            if arguments.self_collision {
                let found = Survey::of(&robot, arguments.samples.unwrap_or(SAMPLES))?;
                report.extend(found.findings());
                survey = Some((found, robot));
            }
            report
        }
        Err(Failure::Load(error)) => Report::of(Err(&error), repairs()),
        Err(failure) => return Err(failure),
    };
    let report = report.about(&arguments.robot.robot);
    if let (Some((survey, robot)), Some(path)) = (&survey, &arguments.write_srdf) {
        let written = survey.srdf(robot)?;
        // The data of the robot's own SRDF are in the new one.
        let own = arguments.robot.srdf.as_deref();
        let done = match own.is_some_and(|own| file::is_same(own, path)) {
            true => std::fs::write(path, &written.text),
            false => written.write_text(path),
        };
        done.map_err(Failure::of_file(path))?;
    }
    if let (Some((survey, _)), Format::Jsonl) = (&survey, arguments.format) {
        let mut out = stdout().lock();
        write_line(&mut out, survey)?;
    }
    write(&report, arguments.format)?;
    if let (Some((survey, _)), Format::Text) = (&survey, arguments.format)
        && !is_quiet()
    {
        stdout()
            .lock()
            .write_all(survey.text(arguments.write_srdf.as_deref()).as_bytes())?;
    }
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
