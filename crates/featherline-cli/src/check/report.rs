//! The report on a robot.

use super::finding::{Line, seen_from, write};
use crate::format::write_line;
use crate::message::{is_quiet, note, printable};
use crate::robot::{self, Robot};
use crate::snippet::Terminal;
use crate::status::Status;
use featherline_formats::check::{Finding, findings};
use featherline_formats::repair::Repairs;
use featherline_formats::{Error, Severity};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The most findings of a kind that are written with their lines.
const WITH_LINES: usize = 3;

/// Notes of which a robot has many or none.
const FOLDED: [&str; 2] = ["large-moments", "outside-shapes"];

/// The results of a check of a robot.
#[derive(Default)]
pub struct Report {
    /// The robot's name; none if its file can't be read.
    robot: Option<String>,
    findings: Vec<Finding>,
    /// The repairs of its text.
    repairs: Option<Repairs>,
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
    /// The report on a robot that was read, or on the error that kept it from being read, with the
    /// repairs of its text.
    pub fn of(read: Result<&Robot, &Error>, repairs: Option<Repairs>) -> Self {
        Self {
            robot: read.ok().map(|robot| robot.model.name().to_owned()),
            // The most important ones come last, where they are seen.
            findings: findings(read, repairs.as_ref()),
            repairs,
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

    /// Adds findings.
    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by_key(|it| it.severity);
    }

    /// How many repairs there are.
    fn repairs(&self) -> usize {
        self.repairs.as_ref().map_or(0, |it| it.repairs.len())
    }

    /// The next step after the repairs, in words.
    fn remedy(&self, repairs: &Repairs) -> String {
        let command = format!("featherline check {}", self.name);
        let it = match repairs.repairs.len() {
            1 => "it",
            _ => "them",
        };
        match (&repairs.outcome, repairs.is_expanded) {
            (Err(error), _) => {
                let codes: BTreeSet<&str> = error.all().map(|it| it.cause().code()).collect();
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
        }
    }

    /// Exit codes: something that can't be read, warnings, neither.
    pub fn status(&self) -> Status {
        match self.count(Severity::Error) {
            0 => Status::found_if(self.count(Severity::Warning) > 0),
            _ => Status::Refused,
        }
    }

    fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings.filter(|it| it.severity == severity).count()
    }

    /// Writes the report as text.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let terminal = Terminal::stdout();
        // The file is named once, unless each line must stand alone.
        let folder = self.folder.as_deref().filter(|_| !is_quiet());
        if folder.is_some() && !self.findings.is_empty() {
            writeln!(out, "checking {}", printable(&self.name))?;
        }
        let mut written: HashMap<&str, usize> = HashMap::new();
        for (finding, count) in self.shown() {
            let written = written.entry(finding.code).or_default();
            *written += 1;
            let has_line = *written <= WITH_LINES && !is_quiet();
            match finding.severity {
                Severity::Note if is_quiet() => {}
                // Of a robot that can't be read, the reasons are what counts, and what is repaired.
                Severity::Note if self.robot.is_none() => {}
                Severity::Warning if self.robot.is_none() && finding.repair.is_none() => {}
                Severity::Note | Severity::Warning | Severity::Error => {
                    write(finding, count, folder, has_line, &terminal, out)?
                }
            }
        }
        if let (Some(robot), false) = (&self.robot, is_quiet()) {
            match self.count(Severity::Warning) {
                0 => writeln!(out, "{robot}: no warnings")?,
                1 => writeln!(out, "{robot}: 1 warning")?,
                n => writeln!(out, "{robot}: {n} warnings")?,
            }
        }
        if self.robot.is_none() && !is_quiet() {
            let file = seen_from(Path::new(&self.name), folder)
                .display()
                .to_string();
            let (file, follows) = (printable(&file), self.what_follows());
            writeln!(out, "{file}: can't be read{follows}")?;
        }
        let Some(repairs) = self.repairs.as_ref().filter(|it| !it.repairs.is_empty()) else {
            return Ok(());
        };
        let count = match repairs.repairs.len() {
            1 => "1 repair".to_owned(),
            n => format!("{n} repairs"),
        };
        out.flush()?;
        note(&format!("{count}: {}", self.remedy(repairs)));
        Ok(())
    }

    /// The last line of a file that can't be read: reading stopped at these errors, and others may
    /// follow.
    fn what_follows(&self) -> String {
        let findings = self.findings.iter();
        let is_in_text =
            |it: &&Finding| it.severity == Severity::Error && it.location.position.is_some();
        let is_repairable = self.repairs.as_ref().is_some_and(|it| it.outcome.is_ok());
        match (findings.filter(is_in_text).count(), self.repairs()) {
            (0, _) => String::new(),
            (_, 1) if is_repairable => "; with the repair it can".to_owned(),
            (_, _) if is_repairable => "; with the repairs it can".to_owned(),
            (1, _) => "; reading stopped at this error, and others may follow once it is mended"
                .to_owned(),
            (count, _) => format!(
                "; reading stopped at these {count} errors, and others may follow once they are mended"
            ),
        }
    }

    /// The findings as text has them: of notes that only repairs know of, and of placeholders, the
    /// first of each kind, and how many there are.
    fn shown(&self) -> Vec<(&Finding, usize)> {
        let mut shown: Vec<(&Finding, usize)> = Vec::new();
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for finding in &self.findings {
            let reason = finding.repair.as_ref().map(|it| &it.reason);
            let is_of_repair = reason == Some(&finding.message);
            let is_folded = is_of_repair || FOLDED.contains(&finding.code);
            if finding.severity == Severity::Note && is_folded {
                if let Some(&first) = firsts.get(finding.code) {
                    shown[first].1 += 1;
                    continue;
                }
                firsts.insert(finding.code, shown.len());
            }
            shown.push((finding, 1));
        }
        shown
    }

    /// Writes a line of JSON for each finding, and one with their numbers.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        for finding in &self.findings {
            if finding.severity == Severity::Note && is_quiet() {
                continue;
            }
            write_line(out, &Line::of(finding, self.repairs.as_ref()))?;
        }
        let counts = Counts {
            robot: self.robot.as_deref(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            notes: self.count(Severity::Note),
            repairs: self.repairs(),
        };
        write_line(out, &counts)
    }
}
