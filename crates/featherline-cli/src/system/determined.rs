//! Solutions of systems that are singular in every state, such as those with redundant loop
//! constraints: what is determined, state by state.

use super::answers;
use super::arguments::SystemArguments;
use super::plot;
use super::sample::{Sample, SampleReader};
use super::series::{Moment, Moments, labels};
use super::solved::{Solved, Solver};
use crate::failure::Failure;
use crate::format::Format;
use crate::message::note;
use crate::states::Lines;
use crate::status::Status;
use featherline_system::{Determined, DeterminedError, Requested, System};

/// Solves for the requested outputs as far as they are determined, sample by sample.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    wanted: &[Requested],
    lines: Lines,
    format: Format,
) -> Result<Status, Failure> {
    let why = match system.unknowns().loops().is_empty() {
        true => {
            "equations depend on each other in every state, so that some unknowns are not determined"
        }
        false => "loop constraints are redundant, so that components of forces are not determined",
    };
    note(&format!(
        "{why} (see --diagnose); what is determined is solved for, without a compiled order"
    ));
    let reader = SampleReader::new(system, false);
    let mut solver = Determined::new(system);
    let mut moments = Moments::new();
    let labels = labels(system, wanted);
    let done = answers::write(system, lines, &reader, format, |sample: &Sample| {
        let Sample { q, v, inputs, .. } = sample;
        let solution = solver.solve(q, v, inputs).map_err(|error| {
            if let DeterminedError::System(error) = error {
                Failure::from(error)
            } else {
                Failure::Sensors(error.to_string())
            }
        })?;
        let values = wanted.iter().map(|wanted| solution.values(wanted));
        let values: Vec<Vec<Option<f64>>> = values.collect::<Result<_, _>>()?;
        if arguments.plot.is_some() {
            moments.push(Moment::solved(sample.time, values.iter().flatten()));
        }
        Ok(Solved {
            system,
            wanted,
            labels: &labels,
            time: sample.time,
            values: Some(values),
            solver: Some(Solver::Determined {
                residual: solution.residual(),
                open_directions: solution.open(),
            }),
        })
    });
    // Answers are drawn even where other lines fail.
    if let Some(path) = &arguments.plot {
        plot::draw(path, &labels, &moments)?;
    }
    done
}
