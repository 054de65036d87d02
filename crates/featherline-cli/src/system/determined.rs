//! Solutions with redundant loop constraints: what is determined, state by state.

use super::answers;
use super::arguments::SystemArguments;
use super::plot;
use super::sample::{Sample, SampleReader};
use super::series::{Moment, Moments, labels};
use crate::failure::Failure;
use crate::format::Format;
use crate::message::note;
use crate::states::Lines;
use crate::status::Status;
use featherline_record::number::short;
use featherline_system::{Determined, DeterminedError, Requested, System};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// Solves for the requested outputs as far as they are determined, sample by sample.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    wanted: &[Requested],
    lines: Lines,
    format: Format,
) -> Result<Status, Failure> {
    note(
        "loop constraints are redundant, so that components of forces are not determined (see --diagnose); what is \
         determined is solved for, without a compiled order",
    );
    let reader = SampleReader::new(system, false);
    let mut solver = Determined::new(system);
    let mut moments = Moments::new();
    let labels = labels(system, wanted);
    let done = answers::write(system, lines, &reader, format, |sample: &Sample| {
        let Sample { q, v, inputs, .. } = sample;
        let solution = solver.solve(q, v, inputs).map_err(|error| match error {
            DeterminedError::System(error) => Failure::from(error),
            other => Failure::Sensors(other.to_string()),
        })?;
        let values = wanted.iter().map(|wanted| solution.values(wanted));
        let values: Vec<Vec<Option<f64>>> = values.collect::<Result<_, _>>()?;
        if arguments.plot.is_some() {
            let numbers = values.iter().flatten();
            moments.push(Moment {
                time: sample.time,
                values: numbers.map(|value| value.unwrap_or(f64::NAN)).collect(),
                deviations: None,
            });
        }
        Ok(Solved {
            system,
            wanted,
            labels: &labels,
            time: sample.time,
            values,
            solver: Solver {
                residual: solution.residual(),
                open_directions: solution.open(),
            },
        })
    });
    // Answers are drawn even where other lines fail.
    if let Some(path) = &arguments.plot {
        plot::draw(path, &labels, &moments)?;
    }
    done
}

/// What is determined of one sample.
struct Solved<'a> {
    system: &'a System,
    wanted: &'a [Requested],
    labels: &'a [String],
    time: Option<f64>,
    values: Vec<Vec<Option<f64>>>,
    solver: Solver,
}

/// How the solution went.
#[derive(Serialize)]
struct Solver {
    residual: f64,
    open_directions: usize,
}

impl Serialize for Solved<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        if let Some(time) = self.time {
            map.serialize_entry("t", &time)?;
        }
        for (wanted, values) in self.wanted.iter().zip(&self.values) {
            map.serialize_entry(&wanted.name(self.system.model()), values)?;
        }
        map.serialize_entry("solver", &self.solver)?;
        map.end()
    }
}

impl fmt::Display for Solved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = answers::unknowns(self.labels, self.values.iter().flatten().copied());
        writeln!(f, "{table}\n")?;
        let Solver {
            residual,
            open_directions,
        } = self.solver;
        let plural = if open_directions == 1 { "" } else { "s" };
        writeln!(
            f,
            "solved as far as it is determined; {open_directions} direction{plural} open, residual {}",
            short(residual)
        )
    }
}
