//! `featherline check`: what is physically wrong or doubtful about a robot.

mod arguments;
mod conditioning;

pub use arguments::{CheckArguments, HELP};

use crate::failure::Failure;
use crate::format::Format;
use crate::message::is_quiet;
use crate::robot::{self, Robot};
use crate::status::Status;
use conditioning::{Conditioning, conditioning};
use featherline::Model;
use featherline::model::{Joint, ModelWarning};
use featherline_formats::{Severity, WarningCause};
use featherline_record::number::short;
use serde::Serialize;
use std::io::{self, BufWriter, Write, stdout};

/// The most degrees of freedom for which square matrices are made: one of them takes 32 MB.
const DENSE: usize = 2000;

/// Reports warnings and notes.
pub fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    let robot = robot::load(&arguments.robot)?;
    let mut report = Report::of(&robot)?;
    if is_quiet() {
        report.notes.clear();
    }
    let mut out = BufWriter::new(stdout().lock());
    match arguments.format {
        Format::Text => report.write(&mut out)?,
        Format::Jsonl => {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Status::found_if(!report.warnings.is_empty()))
}

/// The report on a robot.
#[derive(Default, Serialize)]
struct Report {
    robot: String,
    /// What is wrong or doubtful.
    warnings: Vec<String>,
    /// What is right, and good to know.
    notes: Vec<String>,
}

impl Report {
    fn of(robot: &Robot) -> Result<Self, Failure> {
        let mut report = Self {
            robot: robot.model.name().to_owned(),
            ..Self::default()
        };
        for warning in &robot.warnings {
            match warning.severity() {
                Severity::Note => report.notes.push(warning.to_string()),
                Severity::Warning => report.warnings.push(warning.to_string()),
            }
        }
        let model = &robot.model;
        report.notes.extend(robot::loops_are_open(model));
        for joint in model.joint_ids().map(|id| model.joint(id)) {
            report.notes.extend(outside_limits(model, joint));
        }
        report.warnings.extend(robot::limits_without_lines(robot));
        let doubts = || {
            robot.warnings.iter().filter_map(|w| match &w.cause {
                WarningCause::Model(warning) => Some(warning),
                _ => None,
            })
        };
        if doubts().any(|doubt| matches!(doubt, ModelWarning::TooLarge { .. })) {
            report.notes.push(
                "the conditioning of the mass matrix was not tested: it overflows with such large values"
                    .to_owned(),
            );
            return Ok(report);
        }
        // The reader already reports which joint moves nothing.
        let is_known = |joint: &str| {
            doubts().any(|doubt| {
                matches!(
                    doubt,
                    ModelWarning::MovesNothing { joint: j }
                        | ModelWarning::DependentMotions { joint: j, .. } if j == joint
                )
            })
        };
        if model.nv() > DENSE {
            report.notes.push(format!(
                "the conditioning of the mass matrix was not tested: with {} degrees of freedom, more than {DENSE}, that \
                 would take too much memory and time",
                model.nv()
            ));
            return Ok(report);
        }
        match conditioning(model)? {
            Conditioning::Sound => {}
            Conditioning::Singular { joint, .. } if is_known(&joint) => {}
            bad => report.warnings.push(bad.to_string()),
        }
        Ok(report)
    }
}

impl Report {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for note in &self.notes {
            writeln!(out, "{} {note}", console::style("note:").bold())?;
        }
        for warning in &self.warnings {
            let label = console::style("warning:").yellow().bold();
            writeln!(out, "{label} {warning}")?;
        }
        match self.warnings.len() {
            _ if is_quiet() => Ok(()),
            0 => writeln!(out, "{}: no warnings", self.robot),
            1 => writeln!(out, "{}: 1 warning", self.robot),
            n => writeln!(out, "{}: {n} warnings", self.robot),
        }
    }
}

/// A note that a joint's neutral configuration violates its limits.
fn outside_limits(model: &Model, joint: &Joint) -> Option<String> {
    let mut neutral = vec![0.0; joint.kind.nq()];
    joint.kind.neutral(&mut neutral);
    let mimics = joint.mimic.map(|mimic| {
        // Where the mimicked joint is neutral, a mimic joint is at its offset.
        neutral.fill(mimic.offset);
        format!(", where it mimics `{}`", model.joint(mimic.source).name)
    });
    let bounds = joint.limits.lower.iter().zip(&joint.limits.upper);
    let outside = neutral
        .iter()
        .zip(bounds)
        .find(|(q, (lower, upper))| *q < lower || *q > upper);
    outside.map(|(&q, (&lower, &upper))| {
        format!(
            "joint `{}`: the neutral configuration {}{} lies outside the limits [{}, {}], \
             so that a controller should not start there",
            joint.name,
            short(q),
            mimics.unwrap_or_default(),
            short(lower),
            short(upper)
        )
    })
}
