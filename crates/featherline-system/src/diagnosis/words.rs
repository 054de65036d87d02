//! The diagnosis in words.

use super::dependent::in_words;
use super::{Diagnosis, DiagnosisWarning, Remedy, Solvability};
use crate::problem::{Components, Contact, WrenchBasis};
use crate::requested::{Component, components_of, describe_component, name_of, name_of_component};
use crate::system::{Equation, System};
use crate::unknown::Unknown;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The rounding left of a change whose parts cancel.
const CANCELLED: f64 = 1e-9;

/// The unknowns undetermined by structure alone, where nothing is known of the numbers.
fn open_by_structure(system: &System, columns: &[usize]) -> Vec<Unknown> {
    let read = components_of(system, columns).into_iter();
    let is_open = |own: &Component| {
        own.terms
            .iter()
            .any(|term| columns.binary_search(&term.0).is_ok())
    };
    read.filter(is_open).map(|own| own.unknown).collect()
}

fn listed(components: Components) -> String {
    let words = components.iter().map(|c| Components::NAMES[c]);
    words.collect::<Vec<_>>().join(", ")
}

/// Unknowns by kind, with how many of them there are.
fn summary(open: &[Unknown]) -> String {
    let mut kinds: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    for unknown in open {
        let kind = match unknown {
            Unknown::JointForce { .. } => (0, "joint force τ", "joint forces τ"),
            Unknown::ExternalForce { .. } => (
                1,
                "component of an external force",
                "components of external forces",
            ),
            Unknown::JointAcceleration { .. } => {
                (2, "joint acceleration q̈", "joint accelerations q̈")
            }
            Unknown::LoopForce { .. } => (
                5,
                "component of a force in a loop joint",
                "components of forces in loop joints",
            ),
            Unknown::LoopAcceleration { .. } => (
                6,
                "acceleration of a loop joint",
                "accelerations of loop joints",
            ),
            Unknown::Force { .. } => (
                3,
                "component of a transmitted force",
                "components of transmitted forces",
            ),
            Unknown::Acceleration { .. } => (
                4,
                "component of a body acceleration",
                "components of body accelerations",
            ),
        };
        *kinds.entry(kind).or_default() += 1;
    }
    let words: Vec<String> = kinds
        .iter()
        .map(|((_, one, many), count)| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        })
        .collect();
    words.join(", ")
}

/// The names of joint forces that are not determined; without any, of other unknowns.
fn examples(system: &System, open: &[Unknown]) -> String {
    let is_joint_force = |unknown: &Unknown| matches!(unknown, Unknown::JointForce { .. });
    let is_of_loop = |unknown: &Unknown| matches!(unknown, Unknown::LoopForce { .. });
    let mut chosen = open.to_vec();
    if open.iter().any(is_joint_force) {
        chosen.retain(is_joint_force);
    } else if open.iter().any(is_of_loop) {
        chosen.retain(is_of_loop);
    }
    let names = chosen
        .iter()
        .map(|&unknown| name_of_component(system, unknown));
    first_of(names, 8).join(", ")
}

/// The first of some words, and how many more there are.
fn first_of(words: impl ExactSizeIterator<Item = String>, most: usize) -> Vec<String> {
    let more = words.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more"));
    words.take(most).chain(more).collect()
}

/// The quantities that change together, by name.
fn in_output_frames(system: &System, entries: &[(usize, f64)]) -> Vec<(String, f64)> {
    let is_in_link = |column: usize| match system.unknowns().at(column) {
        Some(Unknown::ExternalForce { joint, .. }) => {
            system.wrench_basis(joint) == WrenchBasis::Link
        }
        _ => false,
    };
    let largest = entries
        .iter()
        .fold(0.0_f64, |m, entry| m.max(entry.1.abs()));
    let (turned, own): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| is_in_link(entry.0));
    let columns: Vec<usize> = turned.iter().map(|entry: &(usize, f64)| entry.0).collect();
    let changes = components_of(system, &columns).into_iter().map(|own| {
        let change = |&(column, factor): &(usize, f64)| {
            let entry = turned.iter().find(|entry| entry.0 == column);
            entry.map_or(0.0, |entry| factor * entry.1)
        };
        let sum: f64 = own.terms.iter().map(change).sum();
        (name_of_component(system, own.unknown), sum)
    });
    let changes = changes.filter(|change| change.1.abs() > CANCELLED * largest);
    let own = own.into_iter();
    let own = own.map(|(column, value): (usize, f64)| (name_of(system, column), value));
    own.chain(changes).collect()
}

fn direction(system: &System, entries: &[(usize, f64)]) -> String {
    let mut sorted = in_output_frames(system, entries);
    sorted.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let words = sorted
        .iter()
        .map(|(name, value)| format!("{value:+.3} × {name}"));
    first_of(words, 6).join("\n      ")
}

impl Contact {
    /// The assumption in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Slippery => "slippery floor (Nori 2017, equation 24): no tangential forces",
            Self::Frictionless => {
                "floor without any friction: no tangential forces, no moment about the normal"
            }
            Self::Point => "point contacts: no moments",
            Self::FrictionlessPoint => "points on a floor without friction: normal forces only",
        }
    }
}

impl Diagnosis {
    /// The diagnosis in words.
    pub fn report(&self, system: &System) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(system, &mut text);
        text
    }

    fn write(&self, system: &System, text: &mut String) -> std::fmt::Result {
        let parts = &self.structure;
        writeln!(text, "{} equations, {} unknowns", self.rows, self.unknowns)?;
        writeln!(
            text,
            "structure: rank {}; exactly determined {} unknowns in {} blocks, the largest of {}; overdetermined {}; underdetermined {}",
            parts.rank(),
            parts.determined().columns.len(),
            parts.blocks().len(),
            parts.largest_block(),
            parts.overdetermined().columns.len(),
            parts.underdetermined().columns.len(),
        )?;
        for sample in &self.samples {
            let open = sample.directions.len();
            let words = if open == 0 {
                "everything is determined".to_owned()
            } else {
                format!("{} open", directions(open))
            };
            writeln!(
                text,
                "rank {} of {} in `{}`: {words}",
                sample.rank, self.unknowns, sample.sample
            )?;
        }
        if self.samples.is_empty() {
            writeln!(
                text,
                "ranks: not computed, more than {} independent directions are open",
                Self::TOO_MANY
            )?;
        }
        self.write_verdict(system, text)?;
        for warning in &self.warnings {
            writeln!(text)?;
            write_warning(warning, system, text)?;
        }
        self.write_redundancy(system, text)
    }

    fn write_verdict(&self, system: &System, text: &mut String) -> std::fmt::Result {
        writeln!(text)?;
        if self.is_solvable() {
            return writeln!(
                text,
                "SOLVABLE: every acceleration and every force is determined."
            );
        }
        let worst = self
            .samples
            .iter()
            .max_by_key(|sample| sample.directions.len());
        let structural = &self.structure.underdetermined().columns;
        if self.leaves_loop_forces_open(system) {
            writeln!(
                text,
                "DETERMINED BUT FOR FORCES IN LOOPS: every acceleration and every joint force is determined; components of forces between\n\
                 bodies are not, because loop constraints are redundant."
            )?;
        } else if !structural.is_empty() {
            writeln!(
                text,
                "NOT SOLVABLE, whatever the numbers: too few equations."
            )?;
            let open = match worst {
                Some(sample) => sample.undetermined_components.clone(),
                None => open_by_structure(system, structural),
            };
            writeln!(text, "  not determined: {}", summary(&open))?;
            writeln!(text, "  such as: {}", examples(system, &open))?;
        } else if self.is_solvable_in_general() {
            let special: Vec<String> = self
                .samples
                .iter()
                .filter(|sample| !sample.undetermined.is_empty())
                .map(|sample| format!("`{}`", sample.sample))
                .collect();
            writeln!(
                text,
                "ILL-POSED: determined in general position, but not in {}.",
                special.join(", ")
            )?;
        } else {
            writeln!(
                text,
                "NOT SOLVABLE: there are enough equations, but they depend on each other."
            )?;
        }
        match worst {
            Some(sample) if !sample.directions.is_empty() => {
                if structural.is_empty() || self.leaves_loop_forces_open(system) {
                    let open = &sample.undetermined_components;
                    let is_same = |other: &Solvability| other.undetermined_components == *open;
                    let place = if self.samples.iter().all(is_same) {
                        "any configuration".to_owned()
                    } else {
                        format!("`{}`", sample.sample)
                    };
                    writeln!(text, "  not determined in {place}: {}", summary(open))?;
                    writeln!(text, "  such as: {}", examples(system, open))?;
                }
                write_open(sample, system, text)
            }
            _ => Ok(()),
        }
    }

    fn write_redundancy(&self, system: &System, text: &mut String) -> std::fmt::Result {
        writeln!(text)?;
        let count = self.redundancy();
        if count == 0 {
            return writeln!(text, "No equation is redundant.");
        }
        writeln!(
            text,
            "{count} equation{} redundant.",
            if count == 1 { " is" } else { "s are" }
        )?;
        if !self.looked_for_redundant {
            return writeln!(
                text,
                "  Which knowns and sensors could be left out was not looked for: there are too many of them."
            );
        }
        self.write_dependent_sets(system, text)?;
        if !self.redundant.is_empty() {
            let sensors = system.problem().sensors();
            let redundant = self.redundant.iter();
            let names: Vec<&str> = redundant
                .map(|s| sensors[s.index()].name.as_str())
                .collect();
            writeln!(
                text,
                "  Each of these sensors could be left out by itself: the others determine what it measures, so that its errors can be found:"
            )?;
            writeln!(text, "  {}", names.join(", "))?;
        }
        if !self.redundant_rows.is_empty() {
            writeln!(
                text,
                "  Each of these readings could be left out by itself, though not with the others of its sensor:"
            )?;
        }
        for (sensor, readings) in self.redundant_readings(system) {
            writeln!(text, "  {sensor}: {}", readings.join(", "))?;
        }
        Ok(())
    }

    fn write_dependent_sets(&self, system: &System, text: &mut String) -> std::fmt::Result {
        let sets = self.dependent_sets_in_words(system);
        if sets.is_empty() {
            return Ok(());
        }
        writeln!(
            text,
            "  In each of these sets, any one equation could be left out, by itself; those that are exact must agree:"
        )?;
        for words in first_of(sets.iter().map(|set| format!("- {}", set.join("; "))), 8) {
            writeln!(text, "  {words}")?;
        }
        Ok(())
    }

    /// The unknowns that are not determined in one of the configurations, in words: components of
    /// six-vectors in the joints' output frames, as `--want` reads them.
    pub fn undetermined_in_words(&self, system: &System, sample: &Solvability) -> Vec<String> {
        let open = sample.undetermined_components.iter();
        open.map(|&unknown| describe_component(system, unknown))
            .collect()
    }

    /// The dependent sets, each by the words of its knowns and the names of its sensors, with what
    /// they say.
    pub fn dependent_sets_in_words(&self, system: &System) -> Vec<Vec<String>> {
        let sets = self.dependent_sets.iter();
        sets.map(|set| in_words(system, set)).collect()
    }

    /// Sensors that are redundant in part, and which of their readings are, in words.
    pub fn redundant_readings<'a>(&self, system: &'a System) -> Vec<(&'a str, Vec<String>)> {
        let mut readings: Vec<(&str, Vec<String>)> = Vec::new();
        for &row in &self.redundant_rows {
            let Some(Equation::Sensor { sensor, component }) = system.equations().at(row) else {
                continue;
            };
            let sensor = &system.problem().sensors()[sensor.index()];
            let words = sensor.kind.describe_row(component);
            let words = words.unwrap_or_else(|| format!("row {component}"));
            match readings.last_mut() {
                Some((name, words_before)) if *name == sensor.name => words_before.push(words),
                _ => readings.push((&sensor.name, vec![words])),
            }
        }
        readings
    }
}

fn write_open(sample: &Solvability, system: &System, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  No equation and no sensor notices a change by")?;
    const MOST: usize = 4;
    for (k, entries) in sample.directions.iter().take(MOST).enumerate() {
        let bullet = if k == 0 { "    " } else { "    or " };
        writeln!(text, "{bullet}  {}", direction(system, entries))?;
    }
    if sample.directions.len() > MOST {
        let others = sample.directions.len() - MOST;
        let plural = if others == 1 { "" } else { "s" };
        writeln!(text, "    or {others} other direction{plural}")?;
    }
    Ok(())
}

fn write_warning(
    warning: &DiagnosisWarning,
    system: &System,
    text: &mut String,
) -> std::fmt::Result {
    let model = system.model();
    match warning {
        DiagnosisWarning::ParallelContacts {
            frames,
            unmeasured,
            open,
            open_on_flat_floor,
            open_in_general,
            load_cells,
            remedies,
        } => {
            let name = if *load_cells {
                "LOAD CELLS UNDER THE FEET DO NOT SUFFICE (Nori 2017, Remark 5, from Property 3)"
            } else {
                "CONTACTS THAT CANNOT BE TOLD APART (Nori 2017, Property 3)"
            };
            writeln!(text, "{name}")?;
            for (frame, components) in frames.iter().zip(unmeasured) {
                writeln!(
                    text,
                    "  not measured at {}: {}",
                    model.frame(*frame).name,
                    listed(*components)
                )?;
            }
            writeln!(
                text,
                "  The robot as a whole has six equations for them. They leave {} open in general position,",
                directions(*open_in_general)
            )?;
            writeln!(
                text,
                "  {} where the frames are parallel, {} where they stand on one flat floor.",
                directions(*open),
                directions(*open_on_flat_floor)
            )?;
            let in_plane = Components::LINEAR_X
                .and(Components::LINEAR_Y)
                .and(Components::ANGULAR_Z);
            if frames.len() == 2 && unmeasured.iter().all(|components| *components == in_plane) {
                writeln!(
                    text,
                    "  Why: not measured is what acts in the planes of their soles, and two planes meet in a line, if only at\n  \
                     infinity. A force along it may act on one sole and against the other, and no sensor feels it."
                )?;
            }
            for remedy in remedies {
                write_remedy(remedy, text)?;
            }
            Ok(())
        }
        DiagnosisWarning::LoadCellsOnLine { sensors } => writeln!(
            text,
            "LOAD CELLS ON ONE LINE: {}\n  They tell nothing of the moment about it, and a lone cell nothing of any moment. Three that span \
             the sole tell\n  the normal force and both tangential moments (Nori 2017, equation 19).",
            sensors.join(", ")
        ),
        DiagnosisWarning::RepeatedLoops { forces, open } => {
            writeln!(
                text,
                "REDUNDANT LOOP CONSTRAINTS: joints that close loops hold what other joints hold, too, so that {} of forces can\n  \
                 change without any motion",
                directions(*open)
            )?;
            for force in forces {
                writeln!(text, "  not determined: {}", name_of(system, *force))?;
            }
            writeln!(
                text,
                "  remedy: a loop joint that holds less (in a planar linkage one that leaves motions across the plane free), a force sensor in\n  \
                 it, or an estimate, whose priors share such forces out"
            )
        }
        DiagnosisWarning::RedundantDrives { forces, open } => {
            writeln!(
                text,
                "LOOPS CAN BE DRIVEN IN MANY WAYS: motions are determined, and {} of joint forces can change together with forces in\n  \
                 loops without any other motion",
                directions(*open)
            )?;
            let forces = forces
                .iter()
                .filter_map(|&column| system.unknowns().at(column));
            let forces: Vec<Unknown> = forces.collect();
            writeln!(text, "  not determined: {}", examples(system, &forces))?;
            writeln!(
                text,
                "  remedy: say what is known of the forces of joints without a drive, and the accelerations of as many drives as the robot has\n  \
                 degrees of freedom; accelerations of all joints say the same several times"
            )
        }
        DiagnosisWarning::VelocityCheck { sensors } => writeln!(
            text,
            "VELOCITY IS GIVEN: readings of {} can check it, and determine nothing.",
            sensors.join(", ")
        ),
        DiagnosisWarning::FixedAccelerometers { sensors } => writeln!(
            text,
            "FIXED TO THE WORLD: {} can only read that the world is at rest, with its gravity, and determine nothing.",
            sensors.join(", ")
        ),
    }
}

fn directions(count: usize) -> String {
    format!("{count} direction{}", if count == 1 { "" } else { "s" })
}

fn write_remedy(remedy: &Remedy, text: &mut String) -> std::fmt::Result {
    let open: Vec<String> = remedy
        .open
        .iter()
        .filter(|(_, open)| *open > 0)
        .map(|(sample, open)| format!("{open} open in `{sample}`"))
        .collect();
    let outcome = if open.is_empty() {
        "solves it everywhere".to_owned()
    } else if open.len() < remedy.open.len() {
        format!(
            "solves it in general position, but leaves {}",
            open.join(", ")
        )
    } else {
        format!("leaves {}", open.join(", "))
    };
    writeln!(text, "  remedy: {}: {outcome}", remedy.contact.describe())
}
