//! What is unknown, solved for by a compiled order of elimination, each result checked.

use super::answers;
use super::arguments::SystemArguments;
use super::determined;
use super::plan::plan;
use super::plot;
use super::sample::{Sample, SampleReader};
use super::series::{Moment, Moments, labels, wanted};
use crate::failure::Failure;
use crate::format::Format;
use crate::message::note;
use crate::states::Lines;
use crate::status::Status;
use featherline_record::number::short;
use featherline_system::{
    Check, Determined, GuardedRun, Requested, SolveStatus, System, SystemError,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;

/// Why a state has no solution.
const SINGULAR: &str = "the system is singular in this state, or so close to it that no digit would be right; \
                        `--diagnose` reports what is not determined";

/// Solves for the requested outputs, sample by sample.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    data: &Path,
    format: Format,
) -> Result<Status, Failure> {
    let wanted = wanted(arguments, system)?;
    let reader = SampleReader::new(system, false);
    let lines = Lines::open(data)?;
    let columns: Vec<usize> = wanted.iter().flat_map(|w| w.columns(system)).collect();
    let plan = match plan(arguments, system, &columns) {
        Err(none) if none.is_singular() && !system.unknowns().loops().is_empty() => {
            return determined::run(arguments, system, &wanted, lines, format);
        }
        planned => planned?,
    };
    let failure = |error: &dyn fmt::Display| Failure::Sensors(error.to_string());
    let mut run = GuardedRun::new(system, plan.program()).map_err(|error| failure(&error))?;
    let found: Vec<usize> = plan.program().requested().collect();
    let mut values = vec![0.0; found.len()];
    let mut unknowns = vec![0.0; system.unknowns().count()];
    let mut moments = Moments::new();
    let mut singular = Singular::new(system);
    let labels = labels(system, &wanted);
    let done = answers::write(system, lines, &reader, format, |sample: &Sample| {
        let state = [&sample.q[..], &sample.v, &sample.inputs].concat();
        let mut checks = [Check::default()];
        run.run(&state, &mut values, &mut checks)?;
        if checks[0].status == SolveStatus::Overflow {
            let Sample { q, v, inputs, .. } = sample;
            let error = system.overflow("the solution", q, v, inputs, |q, v, inputs| {
                let state = [q, v, inputs].concat();
                let again = run.run(&state, &mut values, &mut checks);
                again.is_ok() && checks[0].status == SolveStatus::Overflow
            });
            return Err(error.into());
        }
        for (&column, &value) in found.iter().zip(&values) {
            unknowns[column] = value;
        }
        let values = match checks[0].status {
            SolveStatus::Singular => singular.determined(sample, &wanted)?,
            _ => Some(all(&wanted, system, &unknowns)?),
        };
        if arguments.plot.is_some() {
            let drawn = match &values {
                Some(values) => values.concat(),
                None => vec![None; labels.len()],
            };
            let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
            moments.push(Moment {
                time: sample.time,
                values: drawn.into_iter().map(number).collect(),
                deviations: None,
            });
        }
        Ok(Solved {
            system,
            wanted: &wanted,
            labels: &labels,
            time: sample.time,
            values,
            check: checks[0],
        })
    });
    singular.tell();
    // Answers are drawn even where other lines fail.
    if let Some(path) = &arguments.plot {
        plot::draw(path, &labels, &moments)?;
    }
    done
}

/// The requested outputs of a solution.
fn all(
    wanted: &[Requested],
    system: &System,
    unknowns: &[f64],
) -> Result<Vec<Vec<Option<f64>>>, SystemError> {
    let values = wanted.iter().map(|wanted| wanted.values(system, unknowns));
    values
        .map(|values| Ok(values?.into_iter().map(Some).collect()))
        .collect()
}

/// States that are singular though others are not.
struct Singular<'s> {
    solver: Determined<'s>,
    count: usize,
}

impl<'s> Singular<'s> {
    fn new(system: &'s System) -> Self {
        Self {
            solver: Determined::new(system),
            count: 0,
        }
    }

    /// What such a state determines all the same; none where its equations contradict each other,
    /// as they do unless what is known happens to fit, or where no direction is quite open.
    fn determined(
        &mut self,
        sample: &Sample,
        wanted: &[Requested],
    ) -> Result<Option<Vec<Vec<Option<f64>>>>, SystemError> {
        self.count += 1;
        let Sample { q, v, inputs, .. } = sample;
        match self.solver.solve(q, v, inputs) {
            Ok(solution) if solution.open() > 0 => {
                let values = wanted.iter().map(|wanted| solution.values(wanted));
                values.collect::<Result<_, _>>().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Says how many there were.
    fn tell(&self) {
        match self.count {
            0 => {}
            1 => note("one state is singular; its answer says so under `errors`"),
            n => note(&format!(
                "{n} states are singular; their answers say so under `errors`"
            )),
        }
    }
}

/// The solution of one sample.
struct Solved<'a> {
    system: &'a System,
    wanted: &'a [Requested],
    labels: &'a [String],
    time: Option<f64>,
    /// None of a singular state that determines nothing.
    values: Option<Vec<Vec<Option<f64>>>>,
    check: Check,
}

/// How the solution went.
#[derive(Serialize)]
struct Solver {
    backward_error: f64,
    condition: f64,
    fell_back: bool,
}

impl Serialize for Solved<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        if let Some(time) = self.time {
            map.serialize_entry("t", &time)?;
        }
        let is_solved = self.check.status != SolveStatus::Singular;
        for (k, wanted) in self.wanted.iter().enumerate() {
            let name = wanted.name(self.system.model());
            map.serialize_entry(&name, &self.values.as_ref().map(|values| &values[k]))?;
        }
        if is_solved {
            let solver = Solver {
                backward_error: self.check.backward_error,
                condition: self.check.condition,
                fell_back: self.check.status == SolveStatus::FellBack,
            };
            map.serialize_entry("solver", &solver)?;
        } else {
            map.serialize_entry(
                "errors",
                &[("solution", SINGULAR)].into_iter().collect::<Errors>(),
            )?;
        }
        map.end()
    }
}

type Errors = std::collections::BTreeMap<&'static str, &'static str>;

impl fmt::Display for Solved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(values) = &self.values else {
            return writeln!(f, "no solution: {SINGULAR}");
        };
        let table = answers::unknowns(self.labels, values.iter().flatten().copied());
        writeln!(f, "{table}\n")?;
        if self.check.status == SolveStatus::Singular {
            return writeln!(f, "solved as far as it is determined: {SINGULAR}");
        }
        let solver = match self.check.status {
            SolveStatus::FellBack => "a general factorisation, for the compiled order lost digits",
            _ => "the compiled order",
        };
        writeln!(
            f,
            "solved by {solver}; backward error {}, condition at least {}",
            short(self.check.backward_error),
            short(self.check.condition)
        )
    }
}
