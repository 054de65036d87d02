//! Motions: single steps and trajectories by all methods of integration.

use crate::array::{Answer, Argument, Shape, Value};
use crate::error;
use crate::error::natural;
use crate::forces::{External, on_bodies};
use crate::maximal::in_python;
use crate::methods::{MethodName, of_motion};
use crate::model::Model;
use crate::states::{Failure, for_each, for_each_named, named};
use crate::torques::{Function, Torques};
use featherline::Error;
use featherline::spatial::Force;
use featherline_sim::integrator::forces::{BodyForces, FRICTION_TRANSITION, ForceModel, passive};
use featherline_sim::integrator::{
    ForwardDynamics, IntegratorError, MaximalVariationalIntegrator, Tolerance,
    VariationalIntegrator,
};
use featherline_sim::simulation::{
    LoopKeeping, Recorder, RecorderError, Sample, SimulationError, Simulator,
};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a motion runs before it looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(20);

/// The most steps after which it looks.
const MOST_STEPS: usize = 1000;

/// The most steps of a trajectory.
const MOST: f64 = 1e9;

impl From<IntegratorError> for Failure {
    fn from(error: IntegratorError) -> Self {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are the motion's")]
        match error {
            IntegratorError::Argument(error) => error.into(),
            IntegratorError::Maximal { source, .. } => source.into(),
            error => Self {
                of_state: !matches!(error, IntegratorError::BadParameter { .. }),
                error: PyValueError::new_err(in_python(&error.to_string())),
            },
        }
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        if let SimulationError::Integrator(error) = error {
            error.into()
        } else {
            Self {
                of_state: !matches!(
                    error,
                    SimulationError::TooManySteps { .. }
                        | SimulationError::TimeStandsStill { .. }
                        | SimulationError::VariationalLoops { .. }
                ),
                error: PyValueError::new_err(in_python(&error.to_string())),
            }
        }
    }
}

/// All forces besides gravity and those of `torques`.
pub fn other_forces<'m>(
    model: &'m featherline::Model,
    external: &[Force<f64>],
    with_passive: bool,
) -> Result<Vec<Box<dyn ForceModel + Send + 'm>>, IntegratorError> {
    let mut laws: Vec<Box<dyn ForceModel + Send + 'm>> = Vec::new();
    if !external.is_empty() {
        laws.push(Box::new(BodyForces::new(external)));
    }
    if with_passive {
        laws.push(Box::new(passive(model, FRICTION_TRANSITION)?));
    }
    Ok(laws)
}

/// The error that ended a motion: that of a function of the caller's, if it was that.
fn because(failure: impl Into<Failure>, function: Option<&Arc<Function>>) -> Failure {
    match function.and_then(|function| function.take_failure()) {
        Some(error) => Failure {
            error,
            of_state: false,
        },
        None => failure.into(),
    }
}

/// A step of one state, in place.
fn make_step(
    model: &featherline::Model,
    method: MethodName,
    (torques, external, with_passive): (Torques<'_>, &[Force<f64>], bool),
    (t, q, v): (f64, &mut [f64], &mut [f64]),
    h: f64,
) -> Result<(), Failure> {
    for (what, values) in [("q", &*q), ("v", &*v)] {
        if let Some(index) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what, index }.into());
        }
    }
    let laws = other_forces(model, external, with_passive)?;
    let has_loops = !model.loop_joints().is_empty();
    if method == MethodName::MaximalVariational {
        let mut motion = MaximalVariationalIntegrator::with_forces(model, (torques, laws))?;
        motion.start(t, q, v)?;
        motion.step(h)?;
        q.copy_from_slice(motion.configuration());
        v.copy_from_slice(motion.velocity()?);
    } else if has_loops {
        let simulator = Simulator::new(model, method.method(model, h, None)?)
            .with_controller(torques)
            .without_effort_limits()
            .with_forces(laws);
        let mut simulation = simulator.start(t, q, v)?;
        simulation.run(h, h, &mut ())?;
        q.copy_from_slice(simulation.configuration());
        v.copy_from_slice(simulation.velocity());
    } else if let Some(mut stepper) = method.stepper(model)? {
        let mut field = ForwardDynamics::with_forces(model, (torques, laws));
        stepper.step(&mut field, t, q, v, h)?;
    } else {
        let mut motion = VariationalIntegrator::with_forces(model, (torques, laws));
        motion.start(t, q, v)?;
        motion.step(h)?;
        q.copy_from_slice(motion.configuration());
        v.copy_from_slice(motion.velocity()?);
    }
    Ok(())
}

/// Takes the states of a motion, and ends it where it is interrupted.
struct States<'a> {
    q: &'a mut [f64],
    v: &'a mut [f64],
    /// The index of the interval that begins with the next sample.
    interval: Arc<AtomicUsize>,
    recorded: usize,
    /// One of so many is kept, and the last.
    every: usize,
    intervals: usize,
    watch: Watch<'a>,
}

/// Looks now and then whether a motion is interrupted.
struct Watch<'a> {
    stop: &'a AtomicBool,
    looked: Instant,
    reason: Option<PyErr>,
}

impl Watch<'_> {
    fn is_stopped(&mut self) -> bool {
        if self.looked.elapsed() > PATIENCE {
            self.looked = Instant::now();
            if let Err(reason) = Python::attach(|py| py.check_signals()) {
                self.reason = Some(reason);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        self.stop.load(Ordering::Relaxed)
    }
}

impl Recorder for States<'_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let k = self.recorded;
        self.interval.store(k, Ordering::Relaxed);
        self.recorded += 1;
        if k.is_multiple_of(self.every) || k == self.intervals {
            let row = k.div_ceil(self.every);
            let (nq, nv) = (sample.q.len(), sample.v.len());
            self.q[nq * row..][..nq].copy_from_slice(sample.q);
            self.v[nv * row..][..nv].copy_from_slice(sample.v);
        }
        match self.watch.is_stopped() {
            true => Err("the motion was interrupted".into()),
            false => Ok(ControlFlow::Continue(())),
        }
    }
}

/// How long a trajectory is, and when its states are taken.
struct Schedule {
    start: f64,
    seconds: f64,
    dt: f64,
    /// The number of steps, the last of which may be shorter.
    steps: usize,
    every: usize,
}

impl Schedule {
    fn read(
        start: f64,
        dt: f64,
        duration: Option<f64>,
        steps: Option<usize>,
        every: usize,
    ) -> PyResult<Self> {
        let bad = |text: &str| Err(PyValueError::new_err(text.to_owned()));
        if !(dt.is_finite() && dt > 0.0) {
            return bad(&format!(
                "dt must be a positive number of seconds, not {dt}"
            ));
        }
        if every == 0 {
            return bad("every must be 1 or more: so many steps lie between samples");
        }
        let (steps, seconds) = match (duration, steps) {
            (None, Some(steps)) => (steps as f64, steps as f64 * dt),
            (Some(seconds), None) if seconds.is_finite() && seconds >= 0.0 => {
                // A whole number of steps but for rounding, as a simulation counts them.
                ((seconds / dt - 1e-9).ceil().max(0.0), seconds)
            }
            (Some(seconds), None) => {
                return bad(&format!(
                    "duration must be a number of seconds not below zero, not {seconds}"
                ));
            }
            _ => return bad("give either duration, in seconds, or steps"),
        };
        if steps > MOST {
            return bad(&format!(
                "{steps:e} steps are more than the {MOST:e} that are made: take a longer dt"
            ));
        }
        Ok(Self {
            start,
            seconds,
            dt,
            steps: steps as usize,
            every,
        })
    }

    fn samples(&self) -> usize {
        self.steps.div_ceil(self.every) + 1
    }

    /// After how many steps to look whether the motion is interrupted: a divisor of those between
    /// samples.
    fn between(&self) -> usize {
        let mut divisors = (1..=self.every.min(MOST_STEPS)).rev();
        divisors
            .find(|&divisor| self.every.is_multiple_of(divisor))
            .unwrap_or(1)
    }

    fn times(&self) -> Vec<f64> {
        let last = self.samples() - 1;
        let time = |k: usize| match k == last {
            true => self.start + self.seconds,
            false => self.start + self.dt * (k * self.every) as f64,
        };
        (0..=last).map(time).collect()
    }
}

/// The joint forces of a call.
enum TorqueInput<'py> {
    Nothing,
    /// One row for all times, or a row for each step; of one state or many.
    Numbers {
        array: Bound<'py, PyAny>,
        rows: usize,
    },
    Function(Arc<Function>),
}

impl Model {
    /// Joint forces: none, numbers (nv,), (steps, nv) or (states, steps, nv), or a function.
    fn torques<'py>(
        &self,
        tau: Option<Value<'_, 'py>>,
        steps: usize,
        many: bool,
    ) -> PyResult<TorqueInput<'py>> {
        let Some(tau) = tau.filter(|tau| !tau.is_none()) else {
            return Ok(TorqueInput::Nothing);
        };
        if tau.is_callable() {
            return Ok(TorqueInput::Function(Function::new(tau.clone().unbind())));
        }
        let nv = self.model.nv();
        let array = tau.py().import("numpy")?.call_method1("asarray", (tau,))?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        let width = steps * nv;
        let (array, rows) = match shape[..] {
            [n] if n == nv => (array, 1),
            [k, n] if (k, n) == (steps, nv) => (array.call_method1("reshape", (width,))?, steps),
            [m, k, n] if many && (k, n) == (steps, nv) => {
                (array.call_method1("reshape", (m, width))?, steps)
            }
            _ => {
                return Err(error::shape(
                    "tau",
                    &shape,
                    &format!("({nv},), (steps, nv) = ({steps}, {nv}) or a function of (t, q, v)"),
                ));
            }
        };
        Ok(TorqueInput::Numbers { array, rows })
    }
}

#[pymethods]
impl Model {
    /// The state after a step of dt seconds: q (nq,) and v (nv,).
    ///
    /// tau: joint forces (nv,) that hold during the step, a function of (t, q, v) that returns
    /// them, or None. method: "symplectic-euler" (also "semi-implicit-euler"), "runge-kutta-4",
    /// "dormand-prince" (one step of equal length), "implicit-midpoint", "variational" or
    /// "maximal-variational". passive=True adds damping, dry
    /// friction and springs of the joints. external_forces as for `rnea`, constant in the frames.
    /// Loops must be closed, and are closed after the step. Rows are states, which are shared out
    /// among threads.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> q, v = pendulum.step([0.5, 0.0], [0.0, 0.0], None, 1e-3, "runge-kutta-4")
    /// >>> bool(v[0] < 0)
    /// True
    #[pyo3(signature = (q, v, tau, dt, method="symplectic-euler", external_forces=None, *, t=0.0, passive=false, out=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Option<Value<'_, 'py>>,
        dt: f64,
        method: &str,
        external_forces: Option<Value<'_, 'py>>,
        t: f64,
        passive: bool,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let method = of_motion(method)?;
        let external = External::read(self, external_forces, "local")?;
        let function = tau
            .filter(|tau| tau.is_callable())
            .map(|tau| Function::new(tau.clone().unbind()));
        let numbers = tau.filter(|tau| function.is_none() && !tau.is_none());
        let mut arguments = vec![self.q("q", q), self.tangent("v", v)];
        arguments.extend(numbers.map(|tau| self.tangent("tau", tau)));
        let arguments = external.after(self, arguments);
        let has_numbers = numbers.is_some();
        let shapes = [Shape::Vector(self.model.nq()), self.vector()];
        for_each_named(py, "State", &arguments, &shapes, out, |inputs, results| {
            let [q, v] = results else { return Ok(()) };
            q.copy_from_slice(inputs[0]);
            v.copy_from_slice(inputs[1]);
            let mut others = inputs[2..].iter();
            let torques = match &function {
                Some(function) => Torques::Function(function.clone()),
                None if has_numbers => others
                    .next()
                    .map_or(Torques::Nothing, |x| Torques::Constant(x)),
                None => Torques::Nothing,
            };
            let external = on_bodies(others.next());
            let forces = (torques, &external[..], passive);
            make_step(&self.model, method, forces, (t, q, v), dt)
                .map_err(|failure| because(failure, function.as_ref()))
        })
    }

    /// A motion from the state (q, v): times t (samples,), q (samples, nq) and v (samples, nv).
    ///
    /// Its length is duration in seconds, or a number of steps of dt seconds; every so many steps
    /// give a sample, and the end. tau: joint forces (nv,), one row (steps, nv) for each step, held
    /// during it, or a function of (t, q, v) that returns them, which methods call within steps;
    /// variational methods take row k at the time k dt. method: as for `step`; "dormand-prince"
    /// chooses its steps, of at most dt, by a tolerance, absolute and relative (1e-9). passive=True
    /// adds damping, dry friction and springs of the joints. external_forces as for `rnea`,
    /// constant in the frames. Loops must be closed, and are kept closed by projection after each
    /// step. Conditions that may spoil the motion are warnings.
    ///
    /// Rows of q and v are states, which are shared out among threads: t (samples,), q (states,
    /// samples, nq), v (states, samples, nv), with tau as above, or (states, steps, nv).
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> start = [2.0, 1.0], [0.0, 0.0]
    /// >>> motion = pendulum.trajectory(*start, duration=1.0, method="variational", every=100)
    /// >>> motion.t.shape, motion.q.shape
    /// ((11,), (11, 2))
    #[pyo3(signature = (q, v, duration=None, dt=1e-3, *, steps=None, tau=None, method="runge-kutta-4", external_forces=None, passive=false, every=1, tolerance=None, t=0.0))]
    fn trajectory<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        duration: Option<f64>,
        dt: f64,
        steps: Option<i128>,
        tau: Option<Value<'_, 'py>>,
        method: &str,
        external_forces: Option<Value<'_, 'py>>,
        passive: bool,
        every: i128,
        tolerance: Option<f64>,
        t: f64,
    ) -> Answer<'py> {
        let method = of_motion(method)?;
        let tolerance = match (tolerance, method) {
            (None, MethodName::DormandPrince) => Some(1e-9),
            (Some(_), MethodName::DormandPrince) | (None, _) => tolerance,
            _ => {
                return Err(PyValueError::new_err(
                    "tolerance is for the method 'dormand-prince', which chooses its steps by it",
                ));
            }
        };
        let steps = steps.map(|n| natural("steps", n)).transpose()?;
        let schedule = Schedule::read(t, dt, duration, steps, natural("every", every)?)?;
        let ndim = |value: Value<'_, 'py>| -> PyResult<usize> {
            py.import("numpy")?
                .call_method1("ndim", (value,))?
                .extract()
        };
        let many = ndim(q)? == 2 || ndim(v)? == 2;
        let given = self.torques(tau, schedule.steps, many)?;
        let external = External::read(self, external_forces, "local")?;
        let mut arguments = vec![self.q("q", q), self.tangent("v", v)];
        if let TorqueInput::Numbers { array, rows } = &given {
            arguments.push(Argument {
                name: "tau",
                value: array,
                width: rows * self.model.nv(),
            });
        }
        let arguments = external.after(self, arguments);
        let (function, rows) = match &given {
            TorqueInput::Nothing => (None, None),
            TorqueInput::Numbers { rows, .. } => (None, Some(*rows)),
            TorqueInput::Function(function) => (Some(function), None),
        };
        let samples = schedule.samples();
        let shapes = [
            Shape::Rows(samples, self.model.nq()),
            Shape::Rows(samples, self.model.nv()),
        ];
        let stop = AtomicBool::new(false);
        let warnings = Mutex::new(Vec::new());
        let mut results = for_each(py, &arguments, &shapes, None, |inputs, results| {
            let [q, v] = results else { return Ok(()) };
            let mut others = inputs[2..].iter();
            let interval = Arc::new(AtomicUsize::new(0));
            let torques = match (function, rows) {
                (Some(function), _) => Torques::Function(function.clone()),
                (None, None) => Torques::Nothing,
                (None, Some(rows)) => {
                    let numbers = others.next().copied().unwrap_or_default();
                    match rows {
                        1 if schedule.steps != 1 => Torques::Constant(numbers),
                        _ if method.is_variational() => Torques::Instants {
                            rows: numbers,
                            start: schedule.start,
                            apart: schedule.dt,
                        },
                        _ => Torques::Rows(numbers, interval.clone()),
                    }
                }
            };
            let external = on_bodies(others.next());
            let between = match torques {
                Torques::Rows(..) => 1,
                Torques::Nothing
                | Torques::Constant(_)
                | Torques::Set(_)
                | Torques::Instants { .. }
                | Torques::Function(_) => schedule.between(),
            };
            let mut states = States {
                q,
                v,
                interval,
                recorded: 0,
                every: schedule.every / between,
                intervals: schedule.steps.div_ceil(between),
                watch: Watch {
                    stop: &stop,
                    looked: Instant::now(),
                    reason: None,
                },
            };
            let outcome = (|| -> Result<(), Failure> {
                let model = &self.model;
                let laws = other_forces(model, &external, passive)?;
                let tolerance = tolerance.map(|tolerance| {
                    let mut tolerance = Tolerance::of(tolerance);
                    tolerance.greatest_step = tolerance.greatest_step.min(dt);
                    tolerance
                });
                let mut simulation = Simulator::new(model, method.method(model, dt, tolerance)?)
                    .with_controller(torques)
                    .without_effort_limits()
                    .with_forces(laws)
                    .with_loops_kept(LoopKeeping::default())
                    .start(schedule.start, inputs[0], inputs[1])?;
                let ran = simulation.run(schedule.seconds, between as f64 * dt, &mut states);
                let mut all = warnings.lock().unwrap_or_else(PoisonError::into_inner);
                for warning in simulation.warnings() {
                    let text = in_python(&warning.to_string());
                    // Of many states, each condition once.
                    if all
                        .iter()
                        .all(|(kind, _)| *kind != std::mem::discriminant(warning))
                    {
                        all.push((std::mem::discriminant(warning), text));
                    }
                }
                Ok(ran?)
            })();
            outcome.map_err(|failure| match states.watch.reason.take() {
                Some(error) => Failure {
                    error,
                    of_state: false,
                },
                None if stop.load(Ordering::Relaxed) => Failure {
                    error: PyKeyboardInterrupt::new_err(()),
                    of_state: false,
                },
                None => because(failure, function),
            })
        })?;
        for (_, text) in warnings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            error::warning(py, &text, 2)?;
        }
        results.insert(0, PyArray1::from_vec(py, schedule.times()).into_any());
        named(py, "Trajectory", PyTuple::new(py, results)?)
    }
}
