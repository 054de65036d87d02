//! Determined and undetermined quantities, and additions that would help.

use crate::failure::Failure;
use crate::format::{Format, write_line};
use crate::status::Status;
use featherline_system::{Addition, Advice, Diagnosis, System};
use serde::Serialize;
use std::io::{BufWriter, Write, stdout};

/// The most sets of additions in the text.
const MOST: usize = 8;

/// Writes the diagnosis, and advice where something is open.
pub fn run(system: &System, with_advice: bool, format: Format) -> Result<Status, Failure> {
    let diagnosis = Diagnosis::of(system)?;
    let advice = if with_advice && !diagnosis.is_solvable() {
        Some(Advice::from_catalogue(system, &Advice::catalogue(system))?)
    } else {
        None
    };
    let mut out = BufWriter::new(stdout().lock());
    match format {
        Format::Text => {
            writeln!(out, "{}", system.model().name())?;
            write!(out, "{}", diagnosis.report(system))?;
            if let Some(advice) = &advice {
                write_advice(&mut out, system, advice)?;
            }
        }
        Format::Jsonl => write_line(&mut out, &Record::of(system, &diagnosis, advice.as_ref()))?,
    }
    out.flush()?;
    Ok(Status::found_if(!diagnosis.is_solvable()))
}

/// An addition as it is asked for: an argument, or the name of a sensor that the file would have to
/// have.
fn asked(addition: &Addition, system: &System) -> String {
    let name = addition.name(system.model());
    match addition {
        Addition::Known(_) => format!("--known {name}"),
        Addition::Sensor(_) => name,
    }
}

fn write_advice(out: &mut impl Write, system: &System, advice: &Advice) -> Result<(), Failure> {
    writeln!(out)?;
    let Some(first) = advice.additions.first() else {
        let none = "ADVICE: nothing in the catalogue would determine everything.";
        return Ok(writeln!(out, "{none}")?);
    };
    let size = match first.len() {
        1 => "one measurement or assumption".to_owned(),
        n => format!("{n} measurements or assumptions"),
    };
    let claim = if advice.smallest {
        "the smallest additions are of"
    } else {
        "this would do, though less may: "
    };
    writeln!(out, "ADVICE: {claim} {size}:")?;
    for set in advice.additions.iter().take(MOST) {
        let names: Vec<String> = set.iter().map(|one| asked(one, system)).collect();
        writeln!(out, "  - {}", names.join(", and "))?;
    }
    if advice.additions.len() > MOST {
        writeln!(out, "  and {} other ways", advice.additions.len() - MOST)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Record<'a> {
    robot: &'a str,
    equations: usize,
    unknowns: usize,
    structural_rank: usize,
    largest_block: usize,
    solvable: bool,
    solvable_in_general: bool,
    /// Only forces between bodies are undetermined, because loop constraints are redundant.
    solvable_but_for_loop_forces: bool,
    redundant_equations: usize,
    /// Null where it was not looked for.
    redundant_sensors: Option<Vec<&'a str>>,
    dependent_sets: Option<Vec<Vec<String>>>,
    configurations: Vec<Configuration<'a>>,
    advice: Option<Vec<Vec<String>>>,
    report: String,
}

#[derive(Serialize)]
struct Configuration<'a> {
    name: &'a str,
    rank: usize,
    open: usize,
    undetermined: Vec<String>,
}

impl<'a> Record<'a> {
    fn of(system: &'a System, diagnosis: &'a Diagnosis, advice: Option<&'a Advice>) -> Self {
        let sensors = system.problem().sensors();
        let redundant = diagnosis.redundant.iter();
        let redundant = redundant.map(|id| sensors[id.index()].name.as_str());
        let samples = diagnosis.samples.iter().map(|sample| Configuration {
            name: &sample.sample,
            rank: sample.rank,
            open: sample.directions.len(),
            undetermined: diagnosis.undetermined_in_words(system, sample),
        });
        let looked = diagnosis.looked_for_redundant;
        Self {
            robot: system.model().name(),
            equations: diagnosis.rows,
            unknowns: diagnosis.unknowns,
            structural_rank: diagnosis.structure.rank(),
            largest_block: diagnosis.structure.largest_block(),
            solvable: diagnosis.is_solvable(),
            solvable_in_general: diagnosis.is_solvable_in_general(),
            solvable_but_for_loop_forces: diagnosis.leaves_loop_forces_open(system),
            redundant_equations: diagnosis.redundancy(),
            redundant_sensors: looked.then(|| redundant.collect()),
            dependent_sets: looked.then(|| diagnosis.dependent_sets_in_words(system)),
            configurations: samples.collect(),
            advice: advice.map(|advice| {
                let sets = advice.additions.iter();
                sets.map(|set| set.iter().map(|one| asked(one, system)).collect())
                    .collect()
            }),
            report: diagnosis.report(system),
        }
    }
}
