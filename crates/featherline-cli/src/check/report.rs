//! The report on a robot.

use super::conditioning::{Conditioning, conditioning};
use super::finding::{Finding, Remedy, Weight, seen_from};
use crate::failure::Failure;
use crate::message::{is_quiet, note, printable};
use crate::robot::{self, Robot};
use crate::snippet::Terminal;
use crate::status::Status;
use featherline::Model;
use featherline::model::{Joint, ModelWarning};
use featherline_formats::repair::Repairs;
use featherline_formats::{Error, Location, WarningCause, plausibility};
use featherline_record::number::short;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most degrees of freedom for which square matrices are made: one of them takes 32 MB.
const DENSE: usize = 2000;

/// The most findings of a kind that are written with their lines.
const WITH_LINES: usize = 3;

/// Notes of which a robot has many or none.
const FOLDED: [&str; 2] = ["large-moments", "outside-shapes"];

/// What was found about a robot.
#[derive(Default)]
pub struct Report {
    /// The robot's name; none if its file can't be read.
    robot: Option<String>,
    findings: Vec<Finding>,
    /// How many repairs there are, and what to do about them.
    repairs: usize,
    remedy: String,
    /// Whether the file can be read with the repairs.
    is_repairable: bool,
    /// The robot as it is named on the command line.
    name: String,
    /// The folder that files are seen from, if it is not the current one.
    folder: Option<PathBuf>,
}

/// The last line of a report in JSON.
#[derive(Serialize)]
struct Counts<'a> {
    robot: Option<&'a str>,
    errors: usize,
    warnings: usize,
    notes: usize,
    repairs: usize,
}

impl Report {
    /// The report on a robot that was read.
    pub fn of(robot: &Robot) -> Result<Self, Failure> {
        let mut report = Self {
            robot: Some(robot.model.name().to_owned()),
            findings: robot.warnings.iter().map(Finding::from).collect(),
            ..Self::default()
        };
        let doubts = plausibility::doubts(&robot.description);
        report.findings.extend(doubts.iter().map(Finding::from));
        let unused = robot.actuation(None).warnings;
        report.findings.extend(unused.iter().map(Finding::from));
        report.add_numbers(robot)?;
        // Notes first; what matters most is what is seen last.
        report.findings.sort_by_key(|it| it.severity);
        Ok(report)
    }

    /// The report on a robot that can't be read.
    pub fn of_error(error: &Error) -> Self {
        Self {
            findings: all(error).map(Finding::from).collect(),
            ..Self::default()
        }
    }

    /// The same report, about the robot of a name; a file is seen from its own folder if that is
    /// not below the current one.
    pub fn about(mut self, robot: &Path) -> Self {
        self.name = robot.display().to_string();
        self.folder = robot::folder(robot);
        self
    }

    /// Adds what the model's numbers say.
    fn add_numbers(&mut self, robot: &Robot) -> Result<(), Failure> {
        let model = &robot.model;
        let mut add = |severity, code, message| {
            self.findings
                .push(Finding::of_robot(severity, code, message));
        };
        if let Some(loops) = robot::loops_are_open(model) {
            add(Weight::Note, "open-loops", loops);
        }
        for joint in model.joint_ids().map(|id| model.joint(id)) {
            if let Some(outside) = outside_limits(model, joint) {
                add(Weight::Note, "neutral-outside-limits", outside);
            }
        }
        for limit in robot::limits_without_lines(robot) {
            add(Weight::Warning, "zero-bound", limit);
        }
        let doubts = || {
            robot.warnings.iter().filter_map(|w| {
                if let WarningCause::Model(warning) = &w.cause {
                    Some(warning)
                } else {
                    None
                }
            })
        };
        if doubts().any(|doubt| matches!(doubt, ModelWarning::TooLarge { .. })) {
            let message = "the conditioning of the mass matrix was not tested: it overflows with such large values";
            add(Weight::Note, "not-tested", message.to_owned());
            return Ok(());
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
            let message = format!(
                "the conditioning of the mass matrix was not tested: with {} degrees of freedom, more than {DENSE}, that \
                 would take too much memory and time",
                model.nv()
            );
            add(Weight::Note, "not-tested", message);
            return Ok(());
        }
        let found = conditioning(model)?;
        let code = match &found {
            Conditioning::Sound => return Ok(()),
            Conditioning::Singular { joint, .. } if is_known(joint) => return Ok(()),
            Conditioning::Singular { .. } => "singular-mass-matrix",
            Conditioning::Overflow { .. } => "overflowing-mass-matrix",
            Conditioning::Bad { .. } => "ill-conditioned-mass-matrix",
        };
        add(Weight::Warning, code, found.to_string());
        Ok(())
    }

    /// Adds findings.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by_key(|it| it.severity);
    }

    /// Adds repairs to the findings that they are of; others are findings of their own.
    pub fn add(&mut self, repairs: &Repairs, robot: &Path) {
        self.repairs = repairs.repairs.len();
        let command = format!("featherline check {}", robot.display());
        let it = if self.repairs == 1 { "it" } else { "them" };
        self.remedy = match (&repairs.outcome, repairs.is_expanded) {
            (Err(error), _) => {
                let codes: BTreeSet<&str> = all(error).map(|it| it.cause().code()).collect();
                let codes: Vec<String> = codes.iter().map(|it| format!("`{it}`")).collect();
                format!(
                    "`{command} --diff` shows; with {it}, the robot still can't be read, and --fix writes nothing: first \
                     correct the {} {} by hand",
                    if codes.len() == 1 { "error" } else { "errors" },
                    codes.join(", ")
                )
            }
            (Ok(_), true) => format!(
                "`{command} --diff` shows, in the text that the xacro expands to; make the changes in the xacro"
            ),
            (Ok(_), false) => format!("`{command} --diff` shows, `{command} --fix` writes"),
        };
        let key = |code: &'static str, location: &Location| {
            let start = location.span.as_ref().map(|it| it.bytes.start);
            (code, location.file.clone(), start)
        };
        let mut known = HashMap::new();
        for (index, finding) in self.findings.iter().enumerate() {
            known
                .entry(key(finding.code, &finding.location))
                .or_insert(index);
        }
        for repair in &repairs.repairs {
            match known.remove(&key(repair.code, &repair.location)) {
                Some(index) => self.findings[index].repair = Some(Remedy::of(repair, repairs)),
                None => self.findings.push(Finding::of_repair(repair, repairs)),
            }
        }
        self.is_repairable = repairs.outcome.is_ok();
        if let Err(error) = &repairs.outcome {
            all(error).for_each(|it| self.add_remaining(it));
        }
        self.findings.sort_by_key(|it| it.severity);
    }

    /// Adds an error that remains with the repairs, unless it is the one that was found without.
    fn add_remaining(&mut self, error: &Error) {
        let mut remaining = Finding::from(error);
        let is_same = |it: &Finding| {
            (it.code, &it.message, &it.location.element)
                == (
                    remaining.code,
                    &remaining.message,
                    &remaining.location.element,
                )
        };
        if !self.findings.iter().any(is_same) {
            let repairs = match self.repairs {
                1 => "the repair above is",
                _ => "the repairs above are",
            };
            let end = match remaining.message.ends_with('?') {
                true => "",
                false => ".",
            };
            remaining.message +=
                &format!("{end} This error appears once {repairs} made, and no repair is known");
            self.findings.push(remaining);
        }
    }

    /// Exit codes: something that can't be read, warnings, neither.
    pub fn status(&self) -> Status {
        match self.count(Weight::Error) {
            0 => Status::found_if(self.count(Weight::Warning) > 0),
            _ => Status::Refused,
        }
    }

    fn count(&self, weight: Weight) -> usize {
        let findings = self.findings.iter();
        findings.filter(|it| it.severity == weight).count()
    }

    /// Writes the report as text.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let terminal = Terminal::stdout();
        // The file is named once, unless each line must stand alone.
        let folder = self.folder.as_deref().filter(|_| !is_quiet());
        if folder.is_some() && !self.findings.is_empty() {
            writeln!(out, "checking {}", printable(&self.name))?;
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for finding in self.shown() {
            let count = counts.entry(finding.code).or_default();
            *count += 1;
            let has_line = *count <= WITH_LINES && !is_quiet();
            match finding.severity {
                Weight::Note if is_quiet() => {}
                // Of a robot that can't be read, the reasons are what counts, and what is repaired.
                Weight::Note if self.robot.is_none() => {}
                Weight::Warning if self.robot.is_none() && finding.repair.is_none() => {}
                Weight::Note | Weight::Warning | Weight::Error => {
                    finding.seen_from(folder).write(out, has_line, &terminal)?
                }
            }
        }
        if let (Some(robot), false) = (&self.robot, is_quiet()) {
            match self.count(Weight::Warning) {
                0 => writeln!(out, "{robot}: no warnings")?,
                1 => writeln!(out, "{robot}: 1 warning")?,
                n => writeln!(out, "{robot}: {n} warnings")?,
            }
        }
        if self.robot.is_none() && !is_quiet() {
            let file = Path::new(&self.name);
            let file = seen_from(file, folder).display().to_string();
            writeln!(
                out,
                "{}: can't be read{}",
                printable(&file),
                self.what_follows()
            )?;
        }
        let repairs = match self.repairs {
            0 => return Ok(()),
            1 => "1 repair".to_owned(),
            n => format!("{n} repairs"),
        };
        out.flush()?;
        note(&format!("{repairs}: {}", self.remedy));
        Ok(())
    }

    /// The last line of a file that can't be read: reading stopped at these errors, and others may
    /// follow.
    fn what_follows(&self) -> String {
        let findings = self.findings.iter();
        let is_in_text =
            |it: &&Finding| it.severity == Weight::Error && it.location.position.is_some();
        match (findings.filter(is_in_text).count(), self.repairs) {
            (0, _) => String::new(),
            (_, 1) if self.is_repairable => "; with the repair it can".to_owned(),
            (_, _) if self.is_repairable => "; with the repairs it can".to_owned(),
            (1, _) => "; reading stopped at this error, and others may follow once it is mended"
                .to_owned(),
            (count, _) => format!(
                "; reading stopped at these {count} errors, and others may follow once they are mended"
            ),
        }
    }

    /// The findings as text has them: of notes that only repairs know of, and of placeholders, the
    /// first of each kind.
    fn shown(&self) -> Vec<Finding> {
        let mut shown: Vec<Finding> = Vec::new();
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for finding in &self.findings {
            let reason = finding.repair.as_ref().map(|it| &it.reason);
            let is_of_repair = reason == Some(&finding.message);
            let is_folded = is_of_repair || FOLDED.contains(&finding.code);
            if finding.severity == Weight::Note && is_folded {
                if let Some(&first) = firsts.get(finding.code) {
                    shown[first].count += 1;
                    continue;
                }
                firsts.insert(finding.code, shown.len());
            }
            shown.push(finding.clone());
        }
        shown
    }

    /// Writes a line of JSON for each finding, and one with their numbers.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        for finding in &self.findings {
            if finding.severity == Weight::Note && is_quiet() {
                continue;
            }
            serde_json::to_writer(&mut *out, finding)?;
            writeln!(out)?;
        }
        let counts = Counts {
            robot: self.robot.as_deref(),
            errors: self.count(Weight::Error),
            warnings: self.count(Weight::Warning),
            notes: self.count(Weight::Note),
            repairs: self.repairs,
        };
        serde_json::to_writer(&mut *out, &counts)?;
        writeln!(out)
    }
}

/// An error, and the others of the same reading.
pub fn all(error: &Error) -> impl Iterator<Item = &Error> {
    std::iter::once(error).chain(error.others())
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
