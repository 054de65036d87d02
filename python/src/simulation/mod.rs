//! Simulations: a robot in motion, with what drives it.

mod advance;
mod callbacks;
mod controller;
mod event;
mod options;
mod pictures;
mod recording;
mod run;

pub use event::{Event, ProportionalDerivative};
pub use recording::Recording;

use crate::error;
use crate::methods::MethodName;
use crate::model::Model;
use crate::pool::lock;
use crate::properties::properties;
use crate::states::one_state;
use advance::{failure, write};
use callbacks::External;
use controller::Control;
use featherline_sim::integrator::forces::JointLimits;
use featherline_sim::simulation::Conservation;
use numpy::PyArray1;
use options::Options;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use recording::Log;
use run::Clock;
use std::sync::{Mutex, MutexGuard, PoisonError};

pyo3::create_exception!(
    featherline,
    SimulationError,
    PyRuntimeError,
    "A motion that could not go on: the message says when, which joint, and what to do. The state of the simulation is that after the last good step."
);

/// A robot in motion under gravity, a controller and other forces.
///
/// `q`, `v` and `t` are the state; their arrays are the simulation's own and may be written
/// between runs. `run` goes on for some seconds, `step` for one step of `dt`.
///
/// controller: joint forces (nv,); a function of (t, q, v) that returns them, or of (t, q, v, tau)
/// that writes them into tau; "gravity"; or a `ProportionalDerivative`. A function is called every
/// `control_period` seconds (by default dt) and its forces are held in between; `control_period=0`
/// calls it in continuous time, at every evaluation of the method.
///
/// external_forces: as for `Model.rnea`, or a function of (t, q, v) that returns such.
///
/// events: an `Event`, or a function of (t, q, v) whose zero ends the run, or several.
///
/// passive adds damping, friction and springs of the joints. limits adds stops: True for each
/// joint's own, (stiffness, damping) for all, or a dictionary from joints to them. loops says how
/// closed loops stay closed: "projection", "stabilisation" or "both"; assemble begins at a state
/// nearby in which they are closed (by default where no q is given).
///
/// >>> pendulum = fl.load("double_pendulum")
/// >>> simulation = fl.Simulation(pendulum, q=[2.0, 1.0])
/// >>> recording = simulation.run(1.0)
/// >>> len(recording), simulation.conservation.energy_error < 1e-6
/// (101, True)
#[pyclass(frozen, module = "featherline", name = "Simulation", weakref)]
pub struct Simulation {
    model: Py<Model>,
    q: Py<PyArray1<f64>>,
    v: Py<PyArray1<f64>>,
    t: Mutex<f64>,
    options: Options,
    control_period: Option<f64>,
    forces: Mutex<Forces>,
    events: Vec<Py<Event>>,
    /// Not in place: Python aligns objects to 16 bytes, and vectors in it need 32.
    inner: Box<Mutex<Inner>>,
}

/// What callers may change between runs.
struct Forces {
    control: Control,
    given_control: Option<Py<PyAny>>,
    external: Option<External>,
    given_external: Option<Py<PyAny>>,
}

/// What is kept from run to run.
struct Inner {
    log: Log,
    conservation: Conservation,
    limits: Option<JointLimits>,
    held: Vec<f64>,
    clock: Option<Clock>,
    /// Whether something but gravity acted since the state was set.
    acted: bool,
    /// The state with which the last run ended.
    last: Option<(f64, Vec<f64>, Vec<f64>)>,
    warned: Vec<String>,
    happened: Vec<Py<PyAny>>,
    stopped_by: Option<String>,
}

impl Inner {
    /// Before the first run.
    fn new(model: &featherline::Model, limits: Option<JointLimits>) -> Self {
        Self {
            log: Log::new(model),
            conservation: Conservation::new(model),
            limits,
            held: vec![0.0; model.nv()],
            clock: None,
            acted: false,
            last: None,
            warned: Vec::new(),
            happened: Vec::new(),
            stopped_by: None,
        }
    }
}

impl Simulation {
    /// What is kept, unless a run goes on.
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let busy = "the simulation is running: use it after `run` has returned";
        lock(&self.inner, busy)
    }

    fn forces(&self) -> PyResult<MutexGuard<'_, Forces>> {
        let busy = "the simulation is running: change its forces after `run` has returned";
        lock(&self.forces, busy)
    }

    fn time(&self) -> f64 {
        *self.t.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_time(&self, t: f64) {
        *self.t.lock().unwrap_or_else(PoisonError::into_inner) = t;
    }
}

/// A number that must be positive.
fn positive(name: &str, value: f64) -> PyResult<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!(
        "{name} is {value}, where a positive number of seconds is expected"
    )))
}

properties! { Simulation:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The configuration (nq,): the simulation's own array, which may be written.
    q: Py<PyArray1<f64>> = |self, py: 'py| self.q.clone_ref(py);
    /// The velocity (nv,): the simulation's own array, which may be written.
    v: Py<PyArray1<f64>> = |self, py: 'py| self.v.clone_ref(py);
    /// The time in s.
    t: f64 = |self| self.time();
    /// The step in s.
    dt: f64 = |self| self.options.dt;
    /// The method of integration.
    method: &'static str = |self| self.options.method_name();
    /// The name of the event that ended the last run, if one has.
    stopped_by: PyResult<Option<String>> = |self| Ok(self.inner()?.stopped_by.clone());
    /// Why the motion may not be the robot's, as the warnings said.
    warnings: PyResult<Vec<String>> = |self| Ok(self.inner()?.warned.clone());
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (model, q=None, v=None, *, t=0.0, dt=None, method="runge-kutta-4", tolerance=None, controller=None, control_period=None, external_forces=None, events=None, passive=false, limits=None, loops="projection", assemble=None))]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        t: f64,
        dt: Option<f64>,
        method: &str,
        tolerance: Option<f64>,
        controller: Option<&Bound<'_, PyAny>>,
        control_period: Option<f64>,
        external_forces: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        passive: bool,
        limits: Option<&Bound<'_, PyAny>>,
        loops: &str,
        assemble: Option<bool>,
    ) -> PyResult<Self> {
        let robot = model.get();
        let options = Options::new(robot, dt, method, tolerance, passive, limits, loops)?;
        if let Some(period) = control_period
            && !(period.is_finite() && period >= 0.0)
        {
            return Err(PyValueError::new_err(format!(
                "control_period is {period}, where a number of seconds not below zero is expected (0: in continuous time)"
            )));
        }
        let control = Control::of(robot, controller)?;
        if control_period.is_some() && matches!(control, Control::Constant(_)) {
            return Err(PyValueError::new_err(
                "control_period belongs to a controller that is a function of the state; leave it out",
            ));
        }
        let external = external_forces.map(|forces| External::of(robot, forces));
        let forces = Forces {
            control,
            given_control: controller.map(|value| value.clone().unbind()),
            external: external.transpose()?,
            given_external: external_forces.map(|value| value.clone().unbind()),
        };
        let events = events.map_or(Ok(Vec::new()), Event::all);
        let inner = Inner::new(&robot.model, None);
        let simulation = Self {
            q: PyArray1::zeros(py, robot.model.nq(), false).unbind(),
            v: PyArray1::zeros(py, robot.model.nv(), false).unbind(),
            model,
            t: Mutex::new(0.0),
            options,
            control_period,
            forces: Mutex::new(forces),
            events: events?,
            inner: Box::new(Mutex::new(inner)),
        };
        simulation.reset(py, q, v, t, assemble)?;
        Ok(simulation)
    }

    /// Begins anew from a state: an empty recording, no occurrences of events.
    ///
    /// >>> simulation = fl.Simulation(fl.load("double_pendulum"), [1.0, 0.5])
    /// >>> recording = simulation.run(0.5)
    /// >>> simulation.reset([0.2, 0.1])
    /// >>> simulation.t, simulation.q, len(simulation.record)
    /// (0.0, array([0.2, 0.1]), 0)
    #[pyo3(signature = (q=None, v=None, t=0.0, *, assemble=None))]
    fn reset(
        &self,
        py: Python<'_>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        t: f64,
        assemble: Option<bool>,
    ) -> PyResult<()> {
        let model = &self.model.get().model;
        let has_loops = !model.loop_joints().is_empty();
        if assemble == Some(true) && !has_loops {
            return Err(PyValueError::new_err(format!(
                "assemble=True closes loops, and '{}' has none; leave it out",
                model.name()
            )));
        }
        let mut inner = self.inner()?;
        let is_given = q.is_some();
        let q = match q {
            Some(q) => one_state("q", q, model.nq())?,
            None => {
                let named = model.reference_configurations();
                let start = named.get("start").or_else(|| named.get("closed")).cloned();
                start.unwrap_or_else(|| model.neutral_configuration())
            }
        };
        let v = match v {
            Some(v) => one_state("v", v, model.nv())?,
            None => vec![0.0; model.nv()],
        };
        let (q, v) = match assemble.unwrap_or(has_loops && !is_given) {
            true => (self.options.assembled(model, t, &q, &v)).map_err(failure)?,
            false => (q, v),
        };
        let limits = self.options.joint_limits(model, &q);
        *inner = Inner::new(model, limits.map_err(|error| failure(error.into()))?);
        drop(inner);
        write(py, "q", &self.q, &q)?;
        write(py, "v", &self.v, &v)?;
        self.set_t(t)
    }

    /// Goes on for `duration` seconds; the recording of them.
    ///
    /// every: the time between samples in s, by default 0.01 or dt if it is longer. record=False
    /// keeps no samples. progress=True shows a bar: tqdm's if it is installed, else one line on a
    /// terminal. Ctrl-C ends the run.
    ///
    /// >>> simulation = fl.Simulation(fl.load("double_pendulum"), [1.0, 0.5])
    /// >>> simulation.run(2.0, every=0.5)
    /// <featherline.Recording of 'double_pendulum': 5 samples, t = 0.0 to 2.0 s>
    #[pyo3(signature = (duration, *, every=None, record=true, progress=false))]
    fn run(
        &self,
        py: Python<'_>,
        duration: f64,
        every: Option<f64>,
        record: bool,
        progress: bool,
    ) -> PyResult<Recording> {
        if !(duration.is_finite() && duration >= 0.0) {
            return Err(PyValueError::new_err(format!(
                "duration is {duration}, where a number of seconds not below zero is expected"
            )));
        }
        let usual = self.options.dt.max(0.01);
        let every = positive("every", every.unwrap_or(usual))?;
        let bar = match progress {
            false => None,
            true => {
                let bars = py.import("featherline.progress")?;
                let bar = bars.getattr("Progress")?.call1((self.time(), duration))?;
                Some(bar.unbind())
            }
        };
        let done = self.go(py, duration, every, record, None, bar.as_ref());
        if let Some(bar) = &bar {
            bar.call_method1(py, "close", (self.time(),))?;
        }
        let log = self.inner()?.log.clone();
        Ok(Recording::new(self.model.clone_ref(py), log, done?))
    }

    /// Goes on for one step of dt, with the joint forces tau (nv,) instead of the controller's if
    /// they are given. The state is recorded.
    ///
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> simulation = fl.Simulation(pendulum, [1.0, 0.5], dt=0.01)
    /// >>> for _ in range(50):
    /// ...     simulation.step(pendulum.gravity_torque(simulation.q) - 0.5 * simulation.v)
    /// >>> len(simulation.record)
    /// 51
    #[pyo3(signature = (tau=None, *, record=true))]
    fn step(&self, py: Python<'_>, tau: Option<&Bound<'_, PyAny>>, record: bool) -> PyResult<()> {
        let nv = self.model.get().model.nv();
        let tau = tau.map(|tau| one_state("tau", tau, nv)).transpose()?;
        let dt = self.options.dt;
        self.go(py, dt, dt, record, tau, None).map(drop)
    }

    #[setter(q)]
    fn assign_q(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        write(
            py,
            "q",
            &self.q,
            &one_state("q", value, self.model.get().model.nq())?,
        )
    }

    #[setter(v)]
    fn assign_v(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        write(
            py,
            "v",
            &self.v,
            &one_state("v", value, self.model.get().model.nv())?,
        )
    }

    #[setter]
    fn set_t(&self, t: f64) -> PyResult<()> {
        if !t.is_finite() {
            let text = format!("t is {t}, where a finite number of seconds is expected");
            return Err(PyValueError::new_err(text));
        }
        self.set_time(t);
        Ok(())
    }

    /// The period in s at which the controller is asked; None in continuous time, and without one.
    #[getter]
    fn control_period(&self) -> PyResult<Option<f64>> {
        let period = self.control_period;
        Ok(self.forces()?.control.period(period, self.options.dt))
    }

    /// What drives the joints; it may be replaced between runs.
    #[getter]
    fn controller(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let forces = self.forces()?;
        Ok(forces.given_control.as_ref().map(|own| own.clone_ref(py)))
    }

    #[setter]
    fn set_controller(&self, value: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let control = Control::of(self.model.get(), value.as_ref())?;
        self.inner()?.clock = None;
        let mut forces = self.forces()?;
        forces.control = control;
        forces.given_control = value.map(Bound::unbind);
        Ok(())
    }

    /// External forces; they may be replaced between runs.
    #[getter]
    fn external_forces(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let forces = self.forces()?;
        Ok(forces.given_external.as_ref().map(|own| own.clone_ref(py)))
    }

    #[setter]
    fn set_external_forces(&self, value: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let external = value.as_ref().map(|f| External::of(self.model.get(), f));
        let external = external.transpose()?;
        let mut forces = self.forces()?;
        forces.external = external;
        forces.given_external = value.map(Bound::unbind);
        Ok(())
    }

    /// The recording of all samples since the start or the last `reset`.
    #[getter]
    fn record(&self, py: Python<'_>) -> PyResult<Recording> {
        let log = self.inner()?.log.clone();
        let rows = 0..log.rows();
        Ok(Recording::new(self.model.clone_ref(py), log, rows))
    }

    /// How well energy and momentum were kept since the state was set last.
    #[getter]
    fn conservation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = self.inner()?.conservation.clone();
        let drift = kept.energy_drift();
        let class = py.import("featherline.results")?.getattr("Conservation")?;
        class.call1((
            kept.peak_energy_error(),
            kept.energy_scale(),
            drift.slope,
            drift.error,
            kept.linear_momentum_error(),
            kept.angular_momentum_error(),
            kept.loop_error().0,
        ))
    }

    /// The events so far, each with its name, time and state.
    #[getter]
    fn occurrences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.inner()?;
        PyList::new(py, inner.happened.iter().map(|one| one.clone_ref(py)))
    }

    /// Draws the recording so far: see `Recording.plot`.
    #[pyo3(signature = (*names))]
    fn plot<'py>(
        &self,
        py: Python<'py>,
        names: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Bound::new(py, self.record(py)?)?
            .into_any()
            .call_method1("plot", names)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("featherline.pictures")?;
        let html = pictures.getattr("simulation_html")?.call1((slf,))?;
        html.extract()
    }

    /// What the garbage collector may find cycles through: controllers often know their simulation.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        for event in &self.events {
            visit.call(event)?;
        }
        let Ok(forces) = self.forces.try_lock() else {
            return Ok(());
        };
        visit.call(&forces.given_control)?;
        visit.call(&forces.given_external)?;
        if let Control::Python(function) = &forces.control {
            visit.call(&function.callable)?;
        }
        if let Some(External::Function(function)) = &forces.external {
            visit.call(function)?;
        }
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let what = match self.forces() {
            Ok(forces) => forces.control.describe(py),
            Err(_) => "running".to_owned(),
        };
        let name = self.model.get().model.name();
        let steps = match self.options.method {
            MethodName::DormandPrince => {
                format!("to a tolerance of {:e}", self.options.tolerance)
            }
            _ => format!("in steps of {} s", self.options.dt),
        };
        let method = self.options.method_name();
        format!(
            "<featherline.Simulation of '{name}': t = {:?} s, {method} {steps}, {what}>",
            self.time()
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "a Simulation",
            "its record, or its model and state",
        ))
    }
}
