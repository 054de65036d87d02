//! Solutions: the unknowns of a system in one state or many.

use super::estimate::estimate_failure;
use super::problem::{Parts, System, failure};
use super::share::share;
use super::states::States;
use super::with_owner::WithOwner;
use crate::array::{Answer, Shape, Value, filled};
use crate::error;
use crate::pool::Pool;
use crate::properties::properties;
use featherline_system::{
    Check, DerivativesError, Determined, DeterminedError, EstimateError, GuardedProgram,
    GuardedRun, Plan, PlanError, SolveStatus, SystemError,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};
use std::convert::Infallible;
use std::sync::Arc;

/// Solves for the requested outputs: by a compiled order of elimination where there are as many
/// equations as unknowns, and for what is determined elsewhere.
pub struct Solver {
    parts: Arc<Parts>,
    compiled: Option<Compiled>,
    determined: Pool<WithOwner<Determined<'static>, Parts>>,
}

struct Compiled {
    program: Arc<Program>,
    runs: Pool<WithOwner<GuardedRun<'static>, Program>>,
}

/// A program with its system.
pub struct Program {
    parts: Arc<Parts>,
    pub program: GuardedProgram,
}

/// The results for one state.
#[derive(Clone, Default)]
pub struct StateSolution {
    pub values: Vec<f64>,
    status: Option<&'static str>,
    residual: f64,
    condition: f64,
    why: Option<Reason>,
}

/// Why a state has no solution.
#[derive(Clone)]
pub enum Reason {
    System(SystemError),
    Determined(DeterminedError),
    Estimate(EstimateError),
    Derivatives(DerivativesError),
    Singular,
    Internal(String),
}

impl Reason {
    fn text(&self) -> String {
        match self {
            Self::System(error) => error.to_string(),
            Self::Estimate(error) => error.to_string(),
            Self::Derivatives(error) => error.to_string(),
            Self::Determined(error @ DeterminedError::Contradiction { .. }) => format!(
                "{error}. `estimate` weighs sensors by their errors, and `diagnose` tells what depends on each other"
            ),
            Self::Determined(error) => error.to_string(),
            Self::Singular => "the system is singular in this state, or so close to it that no digit would be right; \
                               `diagnose` tells what is not determined"
                .to_owned(),
            Self::Internal(text) => text.clone(),
        }
    }

    fn raise(self) -> PyErr {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others have this class")]
        match self {
            Self::System(error) | Self::Determined(DeterminedError::System(error)) => {
                failure(error)
            }
            Self::Estimate(error) => estimate_failure(error),
            Self::Internal(text) => error::internal(&text),
            other => PyValueError::new_err(other.text()),
        }
    }
}

impl From<SystemError> for Reason {
    fn from(error: SystemError) -> Self {
        Self::System(error)
    }
}

impl StateSolution {
    /// A state with a solution.
    pub fn solved(values: Vec<f64>, status: &'static str, residual: f64, condition: f64) -> Self {
        Self {
            values,
            status: Some(status),
            residual,
            condition,
            why: None,
        }
    }

    /// A state without one.
    pub fn failed(count: usize, reason: Reason) -> Self {
        Self {
            values: vec![f64::NAN; count],
            status: Some("failed"),
            residual: f64::NAN,
            condition: f64::NAN,
            why: Some(reason),
        }
    }
}

impl Solver {
    /// The solver of a system, in Markowitz's order.
    pub fn new(parts: &Arc<Parts>) -> PyResult<Self> {
        let system = &parts.system;
        let pattern = system.sparsity();
        if pattern.rows() != pattern.columns() {
            return Ok(Self::of(parts, None));
        }
        match Plan::without_search(system, &parts.columns()) {
            Ok(plan) => Ok(Self::of(parts, Some(plan.program().clone()))),
            Err(error) if is_singular(&error) => Ok(Self::of(parts, None)),
            Err(error) => Err(plan_failure(error)),
        }
    }

    /// The solver with a program.
    pub fn of(parts: &Arc<Parts>, program: Option<GuardedProgram>) -> Self {
        let compiled = program.map(|program| Compiled {
            program: Arc::new(Program {
                parts: Arc::clone(parts),
                program,
            }),
            runs: Pool::new(),
        });
        Self {
            parts: Arc::clone(parts),
            compiled,
            determined: Pool::new(),
        }
    }

    /// Solves for states.
    pub fn solve(&self, py: Python<'_>, states: &States) -> PyResult<Solution> {
        let mut rows = vec![StateSolution::default(); states.rows()];
        let is_quick = self.compiled.is_some();
        share(py, &mut rows, is_quick, |first, rows| {
            self.solve_rows(states, first, rows);
        })?;
        Solution::of(py, &self.parts, states.count, rows)
    }

    fn solve_rows(&self, states: &States, first: usize, rows: &mut [StateSolution]) {
        let Some(compiled) = &self.compiled else {
            for (k, row) in rows.iter_mut().enumerate() {
                *row = self.determined(states.row(first + k));
            }
            return;
        };
        let make = |own: &'static Program| GuardedRun::new(&own.parts.system, &own.program);
        let run = compiled
            .runs
            .try_take(|| WithOwner::new(&compiled.program, make));
        let mut run = match run {
            Ok(run) => run,
            Err(error) => {
                for row in rows {
                    *row = self.without(Reason::Internal(error.to_string()));
                }
                return;
            }
        };
        let program = &compiled.program.program;
        let columns: Vec<usize> = program.requested().collect();
        let mut found = vec![0.0; columns.len() * rows.len()];
        let mut checks = vec![Check::default(); rows.len()];
        let numbers = &states.numbers[first * states.width..(first + rows.len()) * states.width];
        // A state that can't be assembled keeps others from their solutions: then one by one.
        let together = run.run(numbers, &mut found, &mut checks).is_ok();
        let mut unknowns = vec![0.0; self.parts.system.unknowns().count()];
        for (k, row) in rows.iter_mut().enumerate() {
            let state = states.row(first + k);
            let found = &mut found[k * columns.len()..(k + 1) * columns.len()];
            let check = &mut checks[k];
            let done = match together {
                true => Ok(()),
                false => run.run(state, found, std::slice::from_mut(check)),
            };
            *row = match (done, check.status) {
                (Err(error), _) => self.without(error.into()),
                (Ok(()), SolveStatus::Singular) => self.determined(state),
                (Ok(()), SolveStatus::Overflow) => {
                    let what = "the solution";
                    self.without(featherline_error(what))
                }
                (Ok(()), status) => {
                    for (&column, &value) in columns.iter().zip(found.iter()) {
                        unknowns[column] = value;
                    }
                    let mut values = vec![0.0; self.parts.count()];
                    match self.parts.gather(&unknowns, &mut values) {
                        Err(error) => self.without(error.into()),
                        Ok(()) => {
                            let status = if status == SolveStatus::FellBack {
                                "factorised"
                            } else {
                                "compiled"
                            };
                            StateSolution::solved(
                                values,
                                status,
                                check.backward_error,
                                check.condition,
                            )
                        }
                    }
                }
            };
        }
        compiled.runs.give_back(run);
    }

    /// The unknowns that a state determines, NaN for the rest.
    fn determined(&self, state: &[f64]) -> StateSolution {
        let make = |own: &'static Parts| Ok::<_, Infallible>(Determined::new(&own.system));
        let Ok(mut solver) = self
            .determined
            .try_take(|| WithOwner::new(&self.parts, make));
        let [q, v, inputs] = self.parts.system.split(state);
        let mut solve = || -> Result<StateSolution, Reason> {
            let solution = solver.solve(q, v, inputs).map_err(Reason::Determined)?;
            let mut values = Vec::with_capacity(self.parts.count());
            for want in &self.parts.wants {
                let own = solution.values(&want.requested)?.into_iter();
                values.extend(own.map(|value| value.unwrap_or(f64::NAN)));
            }
            let is_whole = values.iter().all(|value| !value.is_nan());
            let pattern = self.parts.system.sparsity();
            let is_square = pattern.rows() == pattern.columns();
            // Equations that are nearly singular have no direction that is quite open.
            if solution.open() == 0 && is_square && self.compiled.is_some() {
                return Err(Reason::Singular);
            }
            let status = if is_whole { "determined" } else { "partial" };
            Ok(StateSolution::solved(
                values,
                status,
                solution.residual(),
                f64::NAN,
            ))
        };
        let row = solve().unwrap_or_else(|reason| self.without(reason));
        self.determined.give_back(solver);
        row
    }

    fn without(&self, reason: Reason) -> StateSolution {
        StateSolution::failed(self.parts.count(), reason)
    }
}

fn featherline_error(what: &'static str) -> Reason {
    Reason::System(SystemError::Dynamics(featherline::Error::Overflow { what }))
}

/// Whether there is no order because the equations depend on each other.
fn is_singular(error: &PlanError) -> bool {
    matches!(error, PlanError::Singular)
        || matches!(
            error,
            PlanError::Order(featherline_system::OrderError::Singular { .. })
        )
}

/// Why there is no plan.
pub fn plan_failure(error: PlanError) -> PyErr {
    if let PlanError::System(error) = error {
        failure(error)
    } else {
        PyValueError::new_err(error.to_string())
    }
}

/// The requested outputs of a system in one state (1-D arrays), or many (rows), by name.
///
/// Numbers that a state does not determine are NaN.
///
/// `status` tells how each state was solved: "compiled" by a fixed order of elimination,
/// "factorised" by a general factorisation where the order would have lost digits, "estimated" by
/// the estimator where its program would have, "determined" or "partial" as far as it is
/// determined, "failed" not at all.
#[pyclass(frozen, module = "featherline.results", name = "Solution", mapping)]
pub struct Solution {
    parts: Arc<Parts>,
    count: Option<usize>,
    rows: Vec<StateSolution>,
}

/// An error if the one state has no solution, a warning of rows without.
pub fn report_failures(
    py: Python<'_>,
    count: Option<usize>,
    rows: &mut [StateSolution],
) -> PyResult<()> {
    let failed = rows.iter().filter(|row| row.why.is_some()).count();
    if let Some(first) = rows.iter().position(|row| row.why.is_some())
        && let Some(why) = rows[first].why.take()
    {
        if count.is_none() {
            return Err(why.raise());
        }
        error::failed_states(py, rows.len(), failed, first, &why.text())?;
    }
    Ok(())
}

/// Some numbers of each row, as an array of one row or of many.
pub fn columns<'py>(
    py: Python<'py>,
    count: Option<usize>,
    width: usize,
    rows: impl Iterator<Item = impl AsRef<[f64]>>,
) -> Answer<'py> {
    let mut numbers = Vec::with_capacity(width * count.unwrap_or(1));
    for row in rows {
        numbers.extend_from_slice(row.as_ref());
    }
    filled(py, Shape::Vector(width), count, &numbers)
}

/// One number of each row: a float, or an array.
pub fn one_each<'py>(
    py: Python<'py>,
    count: Option<usize>,
    rows: impl Iterator<Item = f64>,
) -> Answer<'py> {
    filled(py, Shape::Scalar, count, &rows.collect::<Vec<_>>())
}

/// One word of each row: a string, or a list.
pub fn word_each<'py>(
    py: Python<'py>,
    count: Option<usize>,
    mut rows: impl ExactSizeIterator<Item = &'static str>,
) -> Answer<'py> {
    match count {
        None => Ok(rows
            .next()
            .unwrap_or_default()
            .into_pyobject(py)?
            .into_any()),
        Some(_) => Ok(PyList::new(py, rows)?.into_any()),
    }
}

/// The common description of mappings of requested outputs.
pub fn describe(parts: &Parts, count: Option<usize>) -> String {
    let wants: Vec<String> = parts
        .wants
        .iter()
        .map(|want| match count {
            None => format!("{} ({},)", want.name, want.count),
            Some(n) => format!("{} ({n}, {})", want.name, want.count),
        })
        .collect();
    wants.join(", ")
}

/// The methods of a mapping from the names of requested outputs to their numbers, which `get`
/// takes from all rows.
macro_rules! mapping {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> Answer<'py> {
                let (start, count) = self.parts.wanted(name)?;
                self.get(py, start, count)
            }

            fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
                let name = name.extract::<String>();
                name.is_ok_and(|name| self.parts.find(&name).is_some())
            }

            fn __len__(&self) -> usize {
                self.parts.wants.len()
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> Answer<'py> {
                Ok(self.keys(py)?.try_iter()?.into_any())
            }

            /// The names of the requested outputs.
            fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                PyList::new(py, self.parts.wants.iter().map(|want| want.name.as_str()))
            }

            /// The requested outputs, in the order of their names.
            fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
                let wants = self.parts.wants.iter();
                wants
                    .map(|want| self.get(py, want.start, want.count))
                    .collect()
            }

            /// Names and requested outputs.
            fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&str, Bound<'py, PyAny>)>> {
                let values = self.values(py)?;
                let names = self.parts.wants.iter().map(|want| want.name.as_str());
                Ok(names.zip(values).collect())
            }

            /// All requested outputs as a dictionary.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                self.items(py)?.into_py_dict(py)
            }
        }
    };
}

pub(super) use mapping;

mapping!(Solution);

impl Solution {
    /// The solution of one state or of many, by the names of the outputs.
    pub fn of(
        py: Python<'_>,
        parts: &Arc<Parts>,
        count: Option<usize>,
        mut rows: Vec<StateSolution>,
    ) -> PyResult<Self> {
        report_failures(py, count, &mut rows)?;
        Ok(Self {
            parts: Arc::clone(parts),
            count,
            rows,
        })
    }

    fn get<'py>(&self, py: Python<'py>, start: usize, count: usize) -> Answer<'py> {
        let rows = self.rows.iter().map(|row| &row.values[start..][..count]);
        columns(py, self.count, count, rows)
    }
}

properties! { Solution:
    /// The rest of the equations, ‖D y − b‖ / (‖D‖ ‖y‖): the relative backward error.
    residual: Answer<'py> =
        |self, py: 'py| one_each(py, self.count, self.rows.iter().map(|row| row.residual));
    /// A lower bound of the condition number of D; NaN where only what is determined was solved
    /// for.
    condition: Answer<'py> =
        |self, py: 'py| one_each(py, self.count, self.rows.iter().map(|row| row.condition));
    /// How each state was solved: a word, or a list of them.
    status: Answer<'py> = |self, py: 'py| {
        let words = self.rows.iter().map(|row| row.status.unwrap_or("failed"));
        word_each(py, self.count, words)
    };
}

#[pymethods]
impl Solution {
    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled("a Solution", "its to_dict()"))
    }

    fn __repr__(&self) -> String {
        let solved = self.rows.iter().filter(|row| row.status != Some("failed"));
        let outcome = match self.count {
            None => self.rows[0].status.unwrap_or("failed").to_owned(),
            Some(n) => format!("{} of {n} states solved", solved.count()),
        };
        format!("Solution({}; {outcome})", describe(&self.parts, self.count))
    }
}

#[pymethods]
impl System {
    /// Solves for the requested outputs in one state, or many (rows).
    ///
    /// `inputs` are the numbers of what is known, and the sensors' readings: a dictionary of the
    /// names in `system.inputs`, or an array of all in this order. The first call compiles an order
    /// of elimination, where there are as many equations as unknowns; `plan` searches for a better
    /// one.
    ///
    /// >>> system = fl.System(panda, known=["tau", "no-external-forces"])
    /// >>> solution = system.solve(q, v, {"tau": np.ones(7)})
    /// >>> np.allclose(solution["qdd"], panda.aba(q, v, np.ones(7)))
    /// True
    #[pyo3(signature = (q, v, inputs=None))]
    pub fn solve<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
    ) -> PyResult<Solution> {
        let states = self.states(q, v, inputs, false)?;
        self.default_solver(py)?.solve(py, &states)
    }
}

impl System {
    fn default_solver(&self, py: Python<'_>) -> PyResult<Arc<Solver>> {
        if let Some(solver) = self.solver.get() {
            return Ok(Arc::clone(solver));
        }
        let made = py.detach(|| Solver::new(&self.parts))?;
        Ok(Arc::clone(self.solver.get_or_init(|| Arc::new(made))))
    }
}
