//! Estimates as compiled programs.

use super::estimate::estimate_failure;
use super::estimator::PriorArgument;
use super::problem::{Parts, System};
use super::share::share;
use super::solution::{Reason, Solution, StateSolution};
use super::with_owner::WithOwner;
use crate::array::Value;
use crate::error;
use crate::pool::Pool;
use crate::properties::properties;
use featherline_system::{
    EstimateCheck, EstimateProgramError, EstimateRun, EstimateStatus, SensorSimulation,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// How often a time is measured; the least counts.
const REPETITIONS: usize = 7;

/// The states that times are measured with.
const STATES: usize = 64;

/// An estimate with all sensors on as a compiled program, which `system.compile()` makes: the means
/// of the requested outputs, in a fraction of the time. It has no standard deviations and tests.
///
/// Every result is checked; where a state loses digits, the estimator itself finds the estimate.
#[pyclass(frozen, module = "featherline", name = "EstimateProgram")]
pub struct EstimateProgram {
    system: Py<System>,
    parts: Arc<Parts>,
    program: Arc<Program>,
    runs: Pool<WithOwner<EstimateRun<'static>, Program>>,
    operations: u64,
    seconds: f64,
    /// In s a state: the estimator, the program of one state, and of many.
    times: [f64; 3],
}

struct Program {
    parts: Arc<Parts>,
    program: featherline_system::EstimateProgram,
}

pub fn program_failure(error: EstimateProgramError) -> PyErr {
    if let EstimateProgramError::Estimate(error) = error {
        estimate_failure(error)
    } else {
        PyValueError::new_err(error.to_string())
    }
}

impl EstimateProgram {
    fn run(&self, states: &super::states::States, first: usize, rows: &mut [StateSolution]) {
        let make = |own: &'static Program| EstimateRun::new(&own.parts.system, &own.program);
        let made = self.runs.try_take(|| WithOwner::new(&self.program, make));
        let count = self.parts.count();
        let mut run = match made {
            Ok(run) => run,
            Err(error) => {
                for row in rows {
                    *row = StateSolution::failed(count, Reason::Estimate(error.clone()));
                }
                return;
            }
        };
        let columns = self.program.program.requested();
        let mut means = vec![0.0; columns.len() * rows.len()];
        let mut checks = vec![EstimateCheck::default(); rows.len()];
        let numbers = &states.numbers[first * states.width..(first + rows.len()) * states.width];
        let done = run.run(numbers, &mut means, &mut checks);
        let mut unknowns = vec![0.0; self.parts.system.unknowns().count()];
        for (k, row) in rows.iter_mut().enumerate() {
            let means = &means[k * columns.len()..(k + 1) * columns.len()];
            for (&column, &mean) in columns.iter().zip(means) {
                unknowns[column] = mean;
            }
            let check = std::mem::take(&mut checks[k]);
            let status = match (&done, check.status) {
                (Err(error), _) => Err(Reason::System(error.clone())),
                (Ok(()), EstimateStatus::Failed(error)) => Err(Reason::Estimate(error)),
                (Ok(()), EstimateStatus::FellBack) => Ok("estimated"),
                (Ok(()), _) => Ok("compiled"),
            };
            let found = status.and_then(|status| {
                let mut values = vec![0.0; count];
                self.parts.gather(&unknowns, &mut values)?;
                Ok(StateSolution::solved(
                    values,
                    status,
                    check.backward_error,
                    f64::NAN,
                ))
            });
            *row = found.unwrap_or_else(|reason| StateSolution::failed(count, reason));
        }
        self.runs.give_back(run);
    }

    /// Times of the estimator, of the program of one state, and of many, in s a state; NaN where
    /// nothing can be simulated.
    fn measure(&self, options: &featherline_system::EstimatorOptions) -> [f64; 3] {
        let system = &self.parts.system;
        let measured = || -> Option<[f64; 3]> {
            let mut simulation = SensorSimulation::new(system, 0).ok()?;
            let mut numbers = Vec::new();
            let mut one = None;
            for _ in 0..STATES {
                let state = simulation.advance().ok()?;
                numbers.extend(state.q.iter().chain(&state.v).chain(&state.inputs));
                one = Some(state);
            }
            let one = one?;
            let width = numbers.len() / STATES;
            let mut estimator = featherline_system::Estimator::new(system.clone(), options).ok()?;
            let mut run = EstimateRun::new(system, &self.program.program).ok()?;
            let count = self.program.program.requested().len();
            let mut means = vec![0.0; count * STATES];
            let mut checks = vec![EstimateCheck::default(); STATES];
            let mut times = [f64::INFINITY; 3];
            for _ in 0..REPETITIONS {
                let start = Instant::now();
                let _ = estimator.update(&one.q, &one.v, &one.inputs);
                times[0] = start.elapsed().as_secs_f64().min(times[0]);
                let start = Instant::now();
                let _ = run.run(&numbers[..width], &mut means[..count], &mut checks[..1]);
                times[1] = start.elapsed().as_secs_f64().min(times[1]);
                let start = Instant::now();
                let _ = run.run(&numbers, &mut means, &mut checks);
                times[2] = (start.elapsed().as_secs_f64() / STATES as f64).min(times[2]);
            }
            Some(times)
        };
        measured().unwrap_or([f64::NAN; 3])
    }
}

properties! { EstimateProgram:
    /// The system that it is for.
    system: Py<System> = |self, py: 'py| self.system.clone_ref(py);
    /// The operations of one state with its check, everything included.
    operations: u64 = |self| self.operations;
    /// The time in s that the compilation took.
    seconds: f64 = |self| self.seconds;
    /// How many times faster the program is than the estimator, one state a call.
    gain: f64 = |self| self.times[0] / self.times[1];
    /// The times in s of one state, as they were measured after the compilation: "estimator" (means
    /// alone), "program", and "program, many states" (each of 64 in one call).
    times: std::collections::BTreeMap<&'static str, f64> = |self| {
        let names = ["estimator", "program", "program, many states"];
        names.into_iter().zip(self.times).collect()
    };
}

#[pymethods]
impl EstimateProgram {
    /// The most probable values of the requested outputs in one state, or many (rows), as
    /// `system.estimate` finds them. All sensors have to have readings.
    #[pyo3(signature = (q, v, readings=None))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        readings: Option<Value<'_, 'py>>,
    ) -> PyResult<Solution> {
        let states = self.system.get().states(q, v, readings, false)?;
        let mut rows = vec![StateSolution::default(); states.rows()];
        share(py, &mut rows, true, |first, rows| {
            self.run(&states, first, rows);
        })?;
        Solution::of(py, &self.parts, states.count, rows)
    }

    fn __repr__(&self) -> String {
        let [estimator, one, many] = self.times.map(|time| 1e6 * time);
        format!(
            "EstimateProgram('{}': {} operations a state; {one:.1} µs, {many:.1} µs among many, where the estimator takes {estimator:.1} µs)",
            self.parts.system.model().name(),
            self.operations
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "an EstimateProgram",
            "its system, and compile that",
        ))
    }
}

#[pymethods]
impl System {
    /// Compiles the estimate of the requested outputs, all sensors on. Takes seconds for a
    /// humanoid.
    ///
    /// prior, equation_sigma: as those of an `Estimator`. Priors of single unknowns
    /// (`fl.Prior`) cannot be compiled, and neither can redundant equations that hold exactly; an
    /// equation_sigma helps there.
    ///
    /// >>> torque = fl.Sensor.joint_force("torque", "all", sigma=0.1)
    /// >>> encoder = fl.Sensor.joint_acceleration("encoder", "all", sigma=0.5)
    /// >>> sensors = [torque, encoder]
    /// >>> system = fl.System(panda, known=["no-external-forces"], sensors=sensors, want=["tau"])
    /// >>> program, readings = system.compile(), {"torque": panda.rnea(q, v, a), "encoder": a}
    /// >>> expected = system.estimate(q, v, readings)["tau"]
    /// >>> np.allclose(program.estimate(q, v, readings)["tau"], expected)
    /// True
    #[pyo3(signature = (*, prior=Default::default(), equation_sigma=None))]
    fn compile(
        slf: Bound<'_, Self>,
        py: Python<'_>,
        prior: PriorArgument,
        equation_sigma: Option<f64>,
    ) -> PyResult<EstimateProgram> {
        let parts = Arc::clone(&slf.get().parts);
        if !parts.priors.is_empty() {
            return Err(PyValueError::new_err(
                "a program has no means and covariances of priors. Leave out `priors`, or use `estimate`",
            ));
        }
        let options = prior.options(py, equation_sigma)?;
        let start = Instant::now();
        let worker = Arc::clone(&parts);
        // A thread of its own, so that Ctrl-C is heard; what it still works on then is dropped.
        let running = std::thread::spawn(move || {
            featherline_system::EstimateProgram::new(&worker.system, &options, &worker.columns())
        });
        while !running.is_finished() {
            py.detach(|| std::thread::sleep(std::time::Duration::from_millis(10)));
            py.check_signals()?;
        }
        let program = running
            .join()
            .map_err(|_| error::internal(&"the compilation ended early"))?
            .map_err(program_failure)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut made = EstimateProgram {
            operations: program.count().total(),
            program: Arc::new(Program {
                parts: Arc::clone(&parts),
                program,
            }),
            runs: Pool::new(),
            system: slf.unbind(),
            times: [f64::NAN; 3],
            parts,
            seconds,
        };
        made.times = py.detach(|| made.measure(&options));
        Ok(made)
    }
}
