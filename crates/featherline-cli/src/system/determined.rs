//! Solutions of systems that are singular in every state, such as those with redundant loop
//! constraints: what is determined, state by state.

use super::answers;
use super::arguments::SystemArguments;
use super::sample::{Sample, SampleReader};
use super::series::labels;
use super::solution::{Solution, Solver};
use crate::failure::Failure;
use crate::message::note;
use crate::states::Lines;
use crate::status::Status;
use featherline_system::{Determined, Requested, System};

/// Solves for the requested outputs as far as they are determined, sample by sample.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    wanted: &[Requested],
    lines: Lines,
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
    let labels = labels(system, wanted);
    answers::write(arguments, &reader, lines, &labels, |sample: &Sample| {
        let Sample { q, v, inputs, .. } = sample;
        let solution = solver.solve(q, v, inputs)?;
        let values = wanted.iter().map(|wanted| solution.values(wanted));
        let values: Vec<Vec<Option<f64>>> = values.collect::<Result<_, _>>()?;
        Ok(Solution {
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
    })
}
