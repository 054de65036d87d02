//! Plans: searched orders of elimination, compiled; and what orders cost.

use super::problem::{Parts, System};
use super::solution::{Solution, Solver, plan_failure};
use super::text;
use crate::argument::names;
use crate::array::Value;
use crate::error::natural;
use crate::properties::properties;
use featherline::scalar::Operations;
use featherline_system::{
    CompiledSolve, Elimination, EliminationOrder, EstimateProgram, EstimatorOptions, OrderError,
    Progress, SearchOptions, Stage, Template, order,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The variance of equations that cannot be compiled without one.
const EQUATION: f64 = 1e-6;

/// Between two looks at signals and at the progress of a search.
const LOOK: Duration = Duration::from_millis(20);

/// The best order of elimination that a search found for the requested outputs of a `System`,
/// compiled to a program whose results are checked.
///
/// Made by `system.plan()`. It can be pickled, so that the search is done once.
#[pyclass(frozen, module = "featherline", name = "Plan")]
pub struct Plan {
    system: Py<System>,
    plan: Arc<featherline_system::Plan>,
    solver: Solver,
    seconds: f64,
}

impl Plan {
    fn of(
        system: Py<System>,
        parts: &Arc<Parts>,
        plan: featherline_system::Plan,
        seconds: f64,
    ) -> Self {
        Self {
            solver: Solver::of(parts, Some(plan.program().clone())),
            plan: Arc::new(plan),
            system,
            seconds,
        }
    }
}

properties! { Plan:
    /// The system that it is for.
    system: Py<System> = |self, py: 'py| self.system.clone_ref(py);
    /// The operations of one state, everything included but the check of the result.
    operations: u64 = |self| self.plan.operations();
    /// The operations of one state with the check of the result.
    checked_operations: u64 = |self| self.plan.program().count().total();
    /// The time in s that the search and the compilation took.
    seconds: f64 = |self| self.seconds;
    /// The order: pairs of a row and the column that it is solved for.
    pivots: Vec<(usize, usize)> = |self| self.plan.order().pivots().to_vec();
}

#[pymethods]
impl Plan {
    /// Solves for the requested outputs in one state, or many (rows), as `system.solve` does.
    #[pyo3(signature = (q, v, inputs=None))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        inputs: Option<Value<'_, 'py>>,
    ) -> PyResult<Solution> {
        let states = self.system.get().states(q, v, inputs, false)?;
        self.solver.solve(py, &states)
    }

    fn __repr__(&self) -> String {
        format!(
            "Plan('{}': {} operations a state, {} with the check; made in {:.2} s)",
            self.system.get().parts.system.model().name(),
            self.plan.operations(),
            self.plan.program().count().total(),
            self.seconds
        )
    }

    #[staticmethod]
    fn _from_bytes(system: Py<System>, bytes: &[u8], key: u128, seconds: f64) -> PyResult<Self> {
        let parts = Arc::clone(&system.get().parts);
        let plan = featherline_system::Plan::from_bytes(bytes, &parts.system, key)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::of(system, &parts, plan, seconds))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Self>().getattr("_from_bytes")?;
        let bytes = PyBytes::new(py, &self.plan.to_bytes());
        let content = (
            self.system.clone_ref(py),
            bytes,
            self.plan.key(),
            self.seconds,
        );
        (make, content).into_pyobject(py)
    }
}

/// The cost of an elimination in some order: its operations, of which there are so many of each
/// kind; new entries (fill-in); and the instructions of the compiled program, everything included.
/// None where the order is none of the system, for a `reason`.
#[pyclass(
    frozen,
    module = "featherline.results",
    name = "OperationCount",
    get_all
)]
#[derive(Clone, Default)]
pub struct OperationCount {
    /// All operations of one state.
    operations: Option<u64>,
    /// Additions and subtractions.
    additions: Option<u64>,
    /// Multiplications.
    multiplications: Option<u64>,
    /// Divisions.
    divisions: Option<u64>,
    /// Entries that elimination adds to those of D.
    fill_in: Option<usize>,
    /// The instructions of the compiled program; None where it was not compiled.
    program: Option<u64>,
    /// Why the order is none of the system; None where it is one.
    reason: Option<String>,
}

impl OperationCount {
    fn plain(count: Operations) -> Self {
        Self {
            operations: Some(count.total()),
            additions: Some(count.additions),
            multiplications: Some(count.multiplications),
            divisions: Some(count.divisions),
            ..Self::default()
        }
    }

    fn of_order(
        system: &featherline_system::System,
        template: &Template,
        planned: Result<EliminationOrder, OrderError>,
        with_program: bool,
    ) -> Self {
        let counted = || -> Result<Self, String> {
            let order = planned.map_err(|error| system.describe_order_error(&error))?;
            let elimination = Elimination::new(template, &order).map_err(|e| e.to_string())?;
            let count = elimination
                .operations(template)
                .map_err(|e| e.to_string())?;
            let program = with_program
                .then(|| CompiledSolve::new(system, template, &order).ok())
                .flatten();
            Ok(Self {
                fill_in: Some(elimination.fill_in()),
                program: program.map(|compiled| compiled.program().count().total()),
                ..Self::plain(count)
            })
        };
        counted().unwrap_or_else(|reason| Self {
            reason: Some(reason),
            ..Self::default()
        })
    }
}

#[pymethods]
impl OperationCount {
    fn __repr__(&self) -> String {
        match (&self.operations, &self.reason) {
            (Some(count), _) => {
                let fill = self
                    .fill_in
                    .map_or(String::new(), |n| format!(", fill_in={n}"));
                let program = self
                    .program
                    .map_or(String::new(), |n| format!(", program={n}"));
                format!("OperationCount(operations={count}{fill}{program})")
            }
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or("unknown");
                format!("OperationCount(none: {reason})")
            }
        }
    }
}

#[pymethods]
impl System {
    /// Searches for an order of elimination with few operations, and compiles it.
    ///
    /// seconds: how long to search at most; the orders with a name are judged in any case.
    /// changes: search until so many changes of the order are tried, instead: the same plan on
    /// every machine. progress: called with the share that is done and the fewest operations so far
    /// (None before there is an order). Ctrl-C ends it.
    ///
    /// >>> plan = fl.System(panda, known=["tau", "no-external-forces"]).plan(seconds=0.1)
    /// >>> np.allclose(plan.solve(q, v, {"tau": np.ones(7)})["qdd"], panda.aba(q, v, np.ones(7)))
    /// True
    #[pyo3(signature = (seconds=10.0, *, changes=None, seed=0, progress=None))]
    fn plan(
        slf: Bound<'_, Self>,
        py: Python<'_>,
        seconds: f64,
        changes: Option<i128>,
        seed: i128,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Plan> {
        let stop = Arc::new(AtomicBool::new(false));
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
            PyValueError::new_err(format!("seconds is {seconds}, where a time is expected"))
        })?;
        let defaults = SearchOptions {
            seed: natural("seed", seed)?,
            stop: Some(Arc::clone(&stop)),
            ..SearchOptions::default()
        };
        let changes = changes.map(|n| natural("changes", n)).transpose()?;
        let options = match changes {
            Some(changes) => SearchOptions {
                time: Duration::MAX,
                exchanges: changes,
                ..defaults
            },
            None => SearchOptions { time, ..defaults },
        };
        let parts = Arc::clone(&slf.get().parts);
        let start = Instant::now();
        let latest: Mutex<Option<Progress>> = Mutex::new(None);
        let mut outcome = Ok(());
        let plan = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let columns = parts.columns();
                featherline_system::Plan::new(&parts.system, &columns, &options, |stage| {
                    if let Stage::Search(progress) = stage {
                        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
                    }
                })
            });
            while !worker.is_finished() {
                py.detach(|| std::thread::sleep(LOOK));
                let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
                outcome = py
                    .check_signals()
                    .and_then(|()| tell(progress.as_ref(), news));
                if outcome.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    break;
                }
            }
            py.detach(|| worker.join())
        });
        outcome?;
        let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        tell(progress.as_ref(), news)?;
        let plan = plan
            .map_err(|_| crate::error::internal(&"the search ended early"))?
            .map_err(plan_failure)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Plan::of(slf.unbind(), &parts, plan, seconds))
    }

    /// The operations of one factorisation and one solution in each order of elimination, without
    /// the assembly of the equations.
    ///
    /// orders: some of "rnea", "aba", "crba_ltdl", "markowitz", "minimum_degree", "amd", "colamd",
    /// "nested_dissection", "reverse_cuthill_mckee"; all without it, or by "all". programs: whether
    /// to compile each, and count the instructions, everything included. With more or fewer
    /// equations than unknowns, the programs of the estimate of all unknowns and of its check are
    /// counted.
    ///
    /// >>> system = fl.System(panda, known=["tau", "no-external-forces"])
    /// >>> counts = system.count_operations(["aba", "crba_ltdl"])
    /// >>> counts["aba"].operations < counts["crba_ltdl"].operations
    /// True
    #[pyo3(signature = (orders=None, *, programs=false))]
    fn count_operations<'py>(
        &self,
        py: Python<'py>,
        orders: Option<&Bound<'py, PyAny>>,
        programs: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let orders = orders.map(|it| names("orders", it)).transpose()?;
        let orders = orders.filter(|it| !it.iter().any(|word| word == "all"));
        let all = PyDict::new(py);
        let system = &self.parts.system;
        if let Some(unknown) = orders
            .iter()
            .flatten()
            .find(|word| order::NAMED.iter().all(|(name, _)| name != word))
        {
            let names: Vec<&str> = order::NAMED.iter().map(|(name, _)| *name).collect();
            return Err(text::no_such("order", unknown, &names));
        }
        let pattern = system.sparsity();
        if pattern.rows() != pattern.columns() {
            let unknowns: Vec<usize> = (0..system.unknowns().count()).collect();
            let options = EstimatorOptions::default();
            let weighted = options.equation_variance(EQUATION);
            let program = py.detach(|| {
                EstimateProgram::new(system, &options, &unknowns)
                    .or_else(|_| EstimateProgram::new(system, &weighted, &unknowns))
            });
            let program = program.map_err(super::program::program_failure)?;
            let counts = [
                ("estimate", program.solve().count()),
                ("check", program.check().count()),
            ];
            for (name, count) in counts {
                all.set_item(name, Py::new(py, OperationCount::plain(count))?)?;
            }
            return Ok(all);
        }
        let template = py
            .detach(|| self.template())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        for (name, plan) in order::NAMED {
            let is_asked = orders.as_ref();
            if is_asked.is_none_or(|orders| orders.iter().any(|order| order == name)) {
                let count = py.detach(|| {
                    OperationCount::of_order(system, &template, plan(system, &template), programs)
                });
                all.set_item(name, Py::new(py, count)?)?;
                py.check_signals()?;
            }
        }
        Ok(all)
    }
}

/// Reports how far a search has come.
fn tell(progress: Option<&Bound<'_, PyAny>>, news: Option<Progress>) -> PyResult<()> {
    let (Some(progress), Some(news)) = (progress, news) else {
        return Ok(());
    };
    let best = (news.best < u64::MAX).then_some(news.best);
    progress.call1((news.done, best)).map(|_| ())
}
