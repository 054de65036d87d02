//! Estimates written down as programs.

mod optimality;
mod run;

pub use run::{EstimateCheck, EstimateRun, EstimateStatus};

use super::error::EstimateError;
use super::estimator::check_index;
use super::options::EstimatorOptions;
use super::prior_scale::units;
use crate::error::SystemError;
use crate::order;
use crate::program::{larger, program, state_ports, together, whole_blocks, width};
use crate::system::System;
use crate::template::PlanError;
use featherline::scalar::{Operations, Scalar};
use featherline_compile::{Graph, Port, Program, Trace};
use featherline_sparse::order::{Weights, markowitz_with};
use featherline_sparse::{Elimination, EliminationOrder, Template};
use optimality::Optimality;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

/// How many disturbed orders are tried besides Markowitz's own.
const RESTARTS: usize = 12;

/// A size that is none: what is divided by it is zero as well.
const NOTHING: f64 = 1e-300;

/// Why an estimate can't be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EstimateProgramError {
    /// There is no such estimate.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Its equations can't be eliminated in a fixed order.
    #[error(
        "the estimate can't be compiled: {0}; where rows that hold exactly say the same, give equations a variance \
         (`EstimatorOptions::equation_variance`), or use an `Estimator` (`system --estimate`), which looks at the numbers of each \
         state, and takes unknowns that nothing tells, too"
    )]
    Plan(#[from] PlanError),
}

/// The maximum a posteriori estimate of some unknowns, all sensors on, as a program without
/// branches: what an [`Estimator`](super::Estimator) of the same options finds for its mean, at a
/// fraction of the time where there are many states.
///
/// The unknowns and the multipliers of all rows are one square sparse system, in which nothing is
/// squared and exact rows have no error. It is eliminated in an order that is found offline, and
/// the solution is corrected once by what it leaves. A second program puts the equations together
/// once more, and bounds by what share of themselves they are met inexactly, row by row (Oettli and
/// Prager 1964; Higham 2002, theorem 7.3). An [`EstimateRun`] looks at both for every state, and
/// where they say that digits are lost, the estimator itself finds the estimate.
///
/// There are no variances, tests of sensors, or means of priors; sensors can't be switched off:
/// these are the estimator's.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{
///     EstimateCheck, EstimateProgram, EstimateRun, EstimateStatus, EstimatorOptions, KnownValue, Noise, Problem, Sensor,
///     SensorKind, System,
/// };
///
/// // Accelerations and torques are measured, both with errors.
/// let mut problem = Problem::new(samples::double_pendulum()).external_forces(KnownValue::Zero);
/// for joint in problem.model().joint_ids().collect::<Vec<_>>() {
///     for (name, kind) in [
///         ("encoder", SensorKind::JointAcceleration { joint }),
///         ("torque", SensorKind::JointForce { joint }),
///     ] {
///         let name = format!("{name} {}", joint.index());
///         problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(0.1)))?;
///     }
/// }
/// let system = System::new(problem)?;
/// let requested: Vec<usize> = system.unknowns().joint_forces().collect();
/// let options = EstimatorOptions::default();
/// let program = EstimateProgram::new(&system, &options, &requested)?;
///
/// let state = [0.1, 0.2, 0.0, 0.0, 0.02, -0.1, 0.03, 0.05]; // q, v, readings
/// let (mut torques, mut checks) = ([0.0; 2], [EstimateCheck::default()]);
/// EstimateRun::new(&system, &program)?.run(&state, &mut torques, &mut checks)?;
/// assert_eq!(checks[0].status, EstimateStatus::Accepted);
/// # let mut estimator = featherline_system::Estimator::new(system.clone(), &options)?;
/// # let estimate = estimator.update(&state[..2], &state[2..4], &state[4..])?;
/// # assert!((estimate.mean()[requested[0]] - torques[0]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateProgram {
    options: EstimatorOptions,
    /// State → what is found, and the largest share by which it was corrected.
    solve: Program,
    /// State and what was found → the largest share of itself by which a row is not met.
    check: Program,
    /// Columns of the system.
    requested: Vec<usize>,
    /// Where they stand among what is found.
    positions: Vec<usize>,
}

impl EstimateProgram {
    /// Compiles the estimate of the unknowns in some columns.
    ///
    /// Cost: seconds for a humanoid.
    ///
    /// # Errors
    /// [`EstimateProgramError::Estimate`] for a variance that is none, and for a column that does
    /// not exist; [`EstimateProgramError::Plan`] where no order fits all states: rows that are
    /// exact and redundant, say.
    pub fn new(
        system: &System,
        options: &EstimatorOptions,
        requested: &[usize],
    ) -> Result<Self, EstimateProgramError> {
        let mut requested = requested.to_vec();
        requested.sort_unstable();
        requested.dedup();
        for &column in &requested {
            check_index("column", column, system.unknowns().count())?;
        }
        let optimality = Optimality::new(system, options)?;
        let template = optimality.template(system, &requested)?;
        let order = cheapest(&template)?;
        let (whole, rows) = whole_blocks(&template, &order)?;
        let found: Vec<usize> = (0..whole.size())
            .filter(|&column| whole.requested()[column])
            .collect();
        let positions = requested
            .iter()
            .filter_map(|column| found.binary_search(column).ok());
        let parts = Parts {
            system,
            optimality: &optimality,
            rows: &rows,
            found: &found,
        };
        Ok(Self {
            options: *options,
            solve: parts.solve(&whole, &order)?,
            check: parts.check().map_err(PlanError::from)?,
            positions: positions.collect(),
            requested,
        })
    }

    /// The program that estimates. Its inputs are q, v and the system's inputs; its outputs are all
    /// unknowns and multipliers that are found, requested or not, and the largest share of itself
    /// by which one that is requested was corrected.
    pub fn solve(&self) -> &Program {
        &self.solve
    }

    /// The program that checks.
    pub fn check(&self) -> &Program {
        &self.check
    }

    /// Which unknowns are estimated, as columns of the system, ascending.
    pub fn requested(&self) -> &[usize] {
        &self.requested
    }

    /// The operations of an estimate and its check, everything included.
    pub fn count(&self) -> Operations {
        together(&self.solve, &self.check)
    }
}

/// The cheapest elimination among Markowitz's orders under random weights.
fn cheapest(template: &Template) -> Result<EliminationOrder, PlanError> {
    let operations = |order: &EliminationOrder| -> Result<u64, PlanError> {
        Ok(Elimination::new(template, order)?
            .operations(template)?
            .total())
    };
    let mut best = order::markowitz(template)?;
    let mut least = operations(&best)?;
    let mut random = ChaCha8Rng::seed_from_u64(0);
    for _ in 0..RESTARTS {
        let weights = Weights::random(&mut random);
        // A disturbed order that meets no pivot is no reason to fail.
        if let Ok(order) = markowitz_with(template, weights, Some(&mut random))
            && let Ok(count) = operations(&order)
            && count < least
        {
            (best, least) = (order, count);
        }
    }
    Ok(best)
}

/// The input of the two programs: system, optimality conditions, and the blocks that are computed.
struct Parts<'a> {
    system: &'a System,
    optimality: &'a Optimality,
    /// The rows of the blocks that are computed, and what they find.
    rows: &'a [usize],
    found: &'a [usize],
}

impl Parts<'_> {
    fn solve(&self, whole: &Template, order: &EliminationOrder) -> Result<Program, PlanError> {
        let elimination = Elimination::new(whole, order)?;
        let units = units(self.system);
        let inputs = state_ports(self.system);
        let graph = Graph::try_record(width(&inputs), |state| {
            let state = self.system.split(state);
            let (a, right) = self.system.traced(state)?;
            let (values, right) = (self.optimality.values(&a), self.optimality.right(&right));
            let mut factors = elimination.factors();
            let mut x = vec![Trace::zero(); right.len()];
            factors.factorize(&elimination, &values)?;
            factors.solve(&elimination, &right, &mut x)?;
            let mut rest = vec![Trace::zero(); right.len()];
            for &row in self.rows {
                rest[row] = self.rest(row, &values, &right, &x).0;
            }
            let mut step = vec![Trace::zero(); right.len()];
            factors.solve(&elimination, &rest, &mut step)?;
            let mut most = Trace::zero();
            for (column, &unit) in units.iter().enumerate() {
                let size = (x[column] + step[column]).abs() + Trace::constant(unit);
                if !step[column].is_zero() {
                    most = larger(most, step[column].abs() / size);
                }
            }
            let found = self.found.iter().map(|&column| x[column] + step[column]);
            Ok::<_, PlanError>(found.chain([most]).collect())
        })?;
        let outputs = vec![
            Port::vector("unknowns", self.found.len()),
            Port::vector("correction", 1),
        ];
        Ok(program(self.system, "estimate", graph, inputs, outputs))
    }

    fn check(&self) -> Result<Program, SystemError> {
        let mut inputs = state_ports(self.system);
        let state = width(&inputs);
        let graph = Graph::try_record(state + self.found.len(), |numbers| {
            let (state, found) = numbers.split_at(state);
            let state = self.system.split(state);
            let (a, right) = self.system.traced(state)?;
            let (values, right) = (self.optimality.values(&a), self.optimality.right(&right));
            let mut x = vec![Trace::zero(); right.len()];
            for (&column, &value) in self.found.iter().zip(found) {
                x[column] = value;
            }
            let mut most = Trace::zero();
            for &row in self.rows {
                let (rest, size) = self.rest(row, &values, &right, &x);
                most = larger(most, rest.abs() / larger(size, Trace::constant(NOTHING)));
            }
            Ok::<_, SystemError>(vec![most])
        })?;
        inputs.push(Port::vector("unknowns", self.found.len()));
        let outputs = vec![Port::vector("rest", 1)];
        let what = "check of the estimate";
        Ok(program(self.system, what, graph, inputs, outputs))
    }

    /// A row's residual, and the sum of the magnitudes of its terms.
    fn rest(&self, row: usize, values: &[Trace], right: &[Trace], x: &[Trace]) -> (Trace, Trace) {
        let pattern = self.optimality.pattern();
        let (mut rest, mut size) = (right[row], right[row].abs());
        for slot in pattern.row_range(row) {
            if !values[slot].is_zero() {
                let product = values[slot] * x[pattern.indices()[slot]];
                rest -= product;
                size += product.abs();
            }
        }
        (rest, size)
    }
}
