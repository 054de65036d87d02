//! The unknowns, solved for by a compiled order of elimination, each result checked.

use super::answers;
use super::arguments::SystemArguments;
use super::determined;
use super::plan::plan;
use super::sample::{Sample, SampleReader};
use super::series::{labels, wanted};
use super::solution::{Solution, Solver};
use crate::failure::Failure;
use crate::message::note;
use crate::states::Lines;
use crate::status::Status;
use featherline_system::{
    Check, Determined, GuardedRun, Requested, SolveStatus, System, SystemError,
};
use std::path::Path;

/// Solves for the requested outputs, sample by sample.
pub fn run(arguments: &SystemArguments, system: &System, data: &Path) -> Result<Status, Failure> {
    let wanted = wanted(arguments, system)?;
    let reader = SampleReader::new(system, false);
    let lines = Lines::open(data)?;
    let columns: Vec<usize> = wanted.iter().flat_map(|w| w.columns(system)).collect();
    let plan = match plan(arguments, system, &columns) {
        Err(none) if none.is_singular() => {
            return determined::run(arguments, system, &wanted, lines);
        }
        planned => planned?,
    };
    let mut run = GuardedRun::new(system, plan.program()).map_err(Failure::sensors)?;
    let found: Vec<usize> = plan.program().requested().collect();
    let mut values = vec![0.0; found.len()];
    let mut unknowns = vec![0.0; system.unknowns().count()];
    let mut singular = Singular::new(system);
    let labels = labels(system, &wanted);
    let done = answers::write(arguments, &reader, lines, &labels, |sample: &Sample| {
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
            SolveStatus::Accepted | SolveStatus::FellBack | SolveStatus::Overflow => {
                Some(all(&wanted, system, &unknowns)?)
            }
        };
        Ok(Solution {
            system,
            wanted: &wanted,
            labels: &labels,
            time: sample.time,
            values,
            solver: Solver::checked(&checks[0]),
        })
    });
    singular.tell();
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

    /// The quantities that such a state determines all the same; none where its equations
    /// contradict each other, as they do unless what is known happens to fit, or where no direction
    /// is quite open.
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
