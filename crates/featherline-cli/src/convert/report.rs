//! The report on a converted robot.

use crate::message::is_quiet;
use crate::robot::{Robot, grouped, is_mesh, with_others};
use featherline::words::Words;
use featherline_formats::description::Source;
use featherline_formats::{
    Difference, FileFormat, Missing, Severity, Warning, WarningCause, Written,
};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// The greatest relative difference that rotations written as angles or quaternions explain.
const ROUNDING: f64 = 1e-12;

#[derive(Serialize)]
pub struct Report {
    file: String,
    format: &'static str,
    /// Whether nothing is missing, nothing differs, and nothing was left out on reading.
    pub is_same: bool,
    /// The same of what was read.
    #[serde(skip)]
    is_written: bool,
    /// Whether that is so but for what the format's program refuses.
    #[serde(skip)]
    is_only_refused: bool,
    /// How many parts of the robot's file were left out on reading.
    parts_left_out: usize,
    /// Which ones; some are of several parts.
    left_out: Vec<String>,
    /// The same for people, as `folded`.
    #[serde(skip)]
    left_out_folded: Vec<String>,
    /// The parts that the new file can't express, or a program refuses.
    missing: Vec<String>,
    /// The same for people: the first of each kind, and how many more there are.
    #[serde(skip)]
    folded: Vec<String>,
    /// Remarks for the user.
    notes: Vec<String>,
    /// The differences between both files.
    differences: Vec<String>,
    /// The same for people, as `folded`.
    #[serde(skip)]
    differences_folded: Vec<String>,
    /// The greatest relative difference of each quantity.
    quantities: Vec<QuantityDifference>,
}

#[derive(Serialize)]
struct QuantityDifference {
    quantity: &'static str,
    relative_difference: f64,
    /// The joint or frame of the greatest difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

impl Report {
    pub fn of(
        path: &Path,
        format: FileFormat,
        (robot, floats): (&Robot, bool),
        difference: &Difference,
    ) -> Self {
        let in_words = match format.has_settings() {
            true => unread(robot),
            false => [settings(robot), unread(robot)].concat(),
        };
        // A model file is of the model: what is beside it is missing by intent.
        let (lost, mut notes) = match format.has_description() {
            true => (in_words, Vec::new()),
            false => (Vec::new(), [beside_the_model(robot), in_words].concat()),
        };
        if !format.says_floating_base() && floats {
            notes.push(
                "a URDF does not say that its base floats: read the file with `--floating-base`"
                    .to_owned(),
            );
        }
        let mut unread_parts: Vec<Warning> = Vec::new();
        for warning in &robot.warnings {
            if warning.cause.parts_left_out() == 0 {
                continue;
            }
            match format.has_description() {
                false if !is_of_model(&warning.cause) => notes.push(warning.to_string()),
                // The writer names each mesh that it leaves out.
                true if format.has_settings() && is_mesh(&warning.cause) => {}
                true | false => unread_parts.push(warning.clone()),
            }
        }
        let parts_left_out = unread_parts
            .iter()
            .map(|it| it.cause.parts_left_out())
            .sum();
        let is_written = lost.is_empty() && difference.is_same(ROUNDING);
        let quantities = difference.quantities.iter().map(|it| QuantityDifference {
            quantity: it.quantity,
            relative_difference: it.relative,
            at: it.at.clone(),
        });
        Self {
            file: path.display().to_string(),
            format: format.name(),
            is_same: is_written && parts_left_out == 0,
            is_written,
            is_only_refused: is_written,
            parts_left_out,
            left_out: unread_parts.iter().map(ToString::to_string).collect(),
            left_out_folded: grouped(&unread_parts, "--format jsonl"),
            folded: lost.clone(),
            missing: lost,
            notes,
            differences: Vec::new(),
            differences_folded: Vec::new(),
            quantities: quantities.collect(),
        }
    }

    /// The report with the writer's warnings, and the SRDF beside a URDF.
    pub fn with_written(mut self, written: &Written, difference: &Difference) -> Self {
        if let Some(srdf) = written.srdf() {
            let path = Path::new(&self.file).with_file_name(&srdf.path);
            let path = path.display();
            self.notes.push(format!(
                "{path} is written beside it, with named configurations, groups and pairs of links that do not \
                 collide: `--srdf {path}` reads it"
            ));
        }
        let mut kinds: Vec<(String, String)> = Vec::new();
        for warning in &written.warnings {
            if warning.severity() == Severity::Note {
                self.notes.push(warning.to_string());
                continue;
            }
            self.missing.push(warning.to_string());
            (self.is_same, self.is_written) = (false, false);
            self.is_only_refused &= matches!(warning.cause, WarningCause::RefusedBy { .. });
            let kind = without_names(&warning.cause.to_string());
            kinds.push((kind, warning.to_string()));
        }
        self.folded.extend(folded(kinds));
        // A part that the writer has named is named once.
        let lacks = difference.missing.iter().filter(|it| {
            let name = format!("`{}`", it.name);
            !it.is_in_first || !self.missing.iter().any(|known| known.contains(&name))
        });
        let lacks = lacks.map(
            |Missing {
                 what,
                 name,
                 is_in_first,
                 ..
             }| match is_in_first {
                true => format!("the new file has no {what} `{name}`"),
                false => format!("the new file adds a {what} `{name}`"),
            },
        );
        let kinds = difference.other_kinds.iter().cloned();
        self.differences = lacks.chain(kinds).collect();
        self.is_only_refused &= self.differences.is_empty();
        let kinds = self.differences.iter();
        self.differences_folded = folded(kinds.map(|it| (without_names(it), it.clone())));
        self
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (note, warning) = (
            console::style("note:").bold(),
            console::style("warning:").yellow().bold(),
        );
        if !is_quiet() {
            for what in &self.notes {
                writeln!(out, "{note} {what}")?;
            }
            let written = self.folded.iter().chain(&self.differences_folded);
            for what in self.left_out_folded.iter().chain(written) {
                writeln!(out, "{warning} {what}")?;
            }
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
        let parts = match self.parts_left_out {
            1 => "1 part that was".to_owned(),
            count => format!("{count} parts that were"),
        };
        let robot = match (self.is_written, self.parts_left_out) {
            (true, 0) => "the same robot".to_owned(),
            (true, _) => format!("the same robot, but for {parts} left out on reading"),
            (false, 0) => {
                let count = self.missing.len() + self.differences.len();
                match count {
                    _ if self.is_only_refused => {
                        format!("the same robot, but MuJoCo refuses it: {count} warnings say why")
                    }
                    0 => "not all of the robot: the numbers above differ".to_owned(),
                    1 => "not all of the robot: a warning says what is missing".to_owned(),
                    _ => format!("not all of the robot: {count} warnings say what is missing"),
                }
            }
            (false, _) => format!("not all of the robot, and without {parts} left out on reading"),
        };
        writeln!(out, "{}: {robot}", self.file)
    }
}

/// Whether what is left out on reading is part of a model: a bound, a law of a mimic joint, bodies.
fn is_of_model(cause: &WarningCause) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are part of it")]
    match cause {
        WarningCause::LeftOut { what, .. } => {
            matches!(*what, "the bound" | "the range" | "the value")
        }
        WarningCause::NoSuchParts { .. } => false,
        cause => !is_mesh(cause),
    }
}

/// The first message of each kind, and how many more there are.
fn folded(messages: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut kinds: Vec<(String, String, usize)> = Vec::new();
    for (kind, message) in messages {
        match kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, _, more)) => *more += 1,
            None => kinds.push((kind, message, 0)),
        }
    }
    let all = kinds.iter();
    all.map(|(_, first, more)| with_others(first, *more, "--format jsonl"))
        .collect()
}

/// A message without the names and numbers in it.
fn without_names(message: &str) -> String {
    let mut text: String = message.split('`').step_by(2).collect();
    text.retain(|character| !character.is_ascii_digit());
    text
}

/// The attributes that the reader had no use for, so that they are in no description and in no file
/// that is written. Elements are kept as they are: what becomes of them, the writer says.
fn unread(robot: &Robot) -> Vec<String> {
    let warnings = robot.warnings.iter();
    let lost = warnings.filter(|warning| {
        if let WarningCause::Unused { what, .. } = &warning.cause {
            // Those of MJCF are settings of parts.
            let element = warning.location.element.as_deref();
            let is_setting = element.is_some_and(|it| it.starts_with("mujoco"));
            what.starts_with("the attribute") && !is_setting
        } else {
            false
        }
    });
    let lost = lost.map(|warning| format!("{warning}, and is not in the file"));
    lost.collect()
}

/// The settings of parts, which only their own format has: how many of each kind, and where the
/// first one is.
fn settings(robot: &Robot) -> Vec<String> {
    let of = &robot.description;
    let kinds = of.settings_by_kind().into_iter();
    let lost = kinds.map(|(what, count, source)| {
        let place = of.sources.location(source);
        format!("{place}: {what} is not in the file ({count} of them, the first here)")
    });
    lost.collect()
}

/// The parts that a model file has no room for: how many of each kind, and where the first one is.
fn beside_the_model(robot: &Robot) -> Vec<String> {
    fn sources<T>(parts: &[T], source: fn(&T) -> Source) -> Vec<Source> {
        parts.iter().map(source).collect()
    }
    let of = &robot.description;
    let kinds = [
        ("shapes", sources(&of.geometry, |it| it.source)),
        ("actuators", sources(&of.actuators, |it| it.source)),
        ("tendons", sources(&of.tendons, |it| it.source)),
        ("sensors", sources(&of.sensors, |it| it.source)),
        ("contact pairs", sources(&of.contact_pairs, |it| it.source)),
        (
            "contact exclusions",
            sources(&of.contact_exclusions, |it| it.source),
        ),
        (
            "elements that no model has a place for",
            sources(&of.kept, |it| it.source),
        ),
    ];
    let lost = kinds.into_iter().filter_map(|(what, sources)| {
        let place = of.sources.location(*sources.first()?);
        let count = sources.len();
        Some(format!(
            "{place}: {what} are not in the file ({count} of them, the first here): a model file holds the model alone"
        ))
    });
    lost.collect()
}
