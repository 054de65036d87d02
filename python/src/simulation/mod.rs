//! Simulations: a robot in motion, with what drives it.

mod advance;
mod batch;
mod batch_readings;
mod batch_rows;
mod batch_scene;
mod batch_state;
mod callbacks;
mod contact_setup;
mod controller;
mod controls;
mod drives;
mod event;
mod inner;
mod loading;
mod moved;
mod options;
mod pictures;
mod readings;
mod recording;
mod run;
mod saving;
mod stepping;
mod steps;

pub use batch::SimulationBatch;
pub use contact_setup::{ContactPoint, ShapeNames, robot_of, structured};
pub use drives::Drives;
pub use event::{Event, ProportionalDerivative};
pub use loading::read_error;
pub use recording::Recording;
pub use stepping::WarmStart;

use crate::array::Answer;
use crate::error;
use crate::methods::{MethodName, of_simulation};
use crate::model::{Model, chosen};
use crate::pool::lock;
use crate::properties::properties;
use crate::states::{named, one_state};
use advance::{failure, write};
use callbacks::External;
use contact_setup::{ContactSetup, DecidedSetup, Ground};
use controller::Control;
use controls::DriveInputs;
use drives::DrivesChoice;
use featherline_formats::plausibility;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::LoopKeepingName;
use inner::Inner;
use numpy::PyArray1;
use options::{Options, read_limits};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pyo3::create_exception!(
    featherline,
    SimulationError,
    PyRuntimeError,
    "A motion that could not go on: the message says when, which joint, and what to do. The state of the simulation is that after the last good step."
);

/// A robot or a scene in motion under gravity, a controller, contacts and other forces.
///
/// robot: a `Model` of `load`, a `Robot`, or what `load_robot` takes. `q`, `v` and `t` are the
/// state; their arrays are the simulation's own and may be written between runs. Without q a scene
/// begins in its start state, MJCF in its reference configuration, and a robot that floats on its
/// ground. `run` goes on for some seconds, `step` for one step of `dt`.
///
/// configuration names another configuration of the file, such as a keyframe: with its velocity and
/// the controls of its actuators. controls are those to begin with instead: one for each actuator
/// in the order of the file, or a dictionary from actuators to numbers.
///
/// method: by default "time-stepping" where two bodies may touch, a joint has limits or dry
/// friction, or drives act; else "runge-kutta-4", or "dormand-prince" with a tolerance. Time
/// stepping has contact, friction, limits, dampers and springs of joints exactly. tolerance is that
/// of "dormand-prince" (1e-9), or by how much what moves may miss the laws of contact of
/// "time-stepping", relative to its speed (1e-6).
///
/// Of time stepping: ground is the height in m of a plane below the robot, "auto" at 0 below a
/// robot that floats, None without; friction that of all contacts, by default as the file says
/// (0.8); friction_law "exact" or "convex", by which what slides lifts off; impact_law "newton" or
/// "reflections", which gain no energy; drives are a `Drives`, "hold" where the joints begin,
/// "actuators" as an MJCF file has them, None, or "auto": without a controller the actuators of the
/// file if it has some, else "hold" for what stands on a ground or in a scene, until a controller
/// or the tau of `step` takes their place. Shapes that overlap wherever their joints are do not
/// touch each other: `left_out`. The default of dt is 1e-3, or what MJCF says.
///
/// controller: joint forces (nv,); a function of (t, q, v) that returns them, or of (t, q, v, tau)
/// that writes them into tau; a `ProportionalDerivative`; or a word of `featherline simulate`:
/// "none", "gravity", "pd" (springs and dampers of 1 Hz towards the start of the robot or scene),
/// "hold" or "actuators" (the drives of these names). A function is called every `control_period`
/// seconds (by default dt) and its forces are held in between; `control_period=0` calls it in
/// continuous time, at every evaluation of the method; of time stepping once a step.
///
/// external_forces: as for `Model.rnea`, or a function of (t, q, v) that returns such.
///
/// events: an `Event`, or a function of (t, q, v) whose zero ends the run, or several.
///
/// passive=False leaves out damping, dry friction and springs of the joints, which time stepping
/// always has. effort_limits=False lets controllers, tau and drives give more than the joints'
/// limits of effort, which otherwise bound their sum. limits adds stops to the other methods: True
/// for each joint's own, (stiffness, damping) for all, or a dictionary from joints to them. loops
/// says how closed loops stay closed: "projection", "stabilisation" or "both"; assemble begins at
/// a state nearby in which they are closed (by default where neither q nor v is given).
///
/// >>> simulation = fl.Simulation("quadruped")
/// >>> recording = simulation.run(1.0)
/// >>> len(recording), simulation.method, bool(simulation.q[2] > 0.3)
/// (101, 'time-stepping', True)
#[pyclass(frozen, module = "featherline", name = "Simulation", weakref)]
pub struct Simulation {
    model: Py<Model>,
    q: Py<PyArray1<f64>>,
    v: Py<PyArray1<f64>>,
    /// The inputs of the drives that callers set.
    asked: DriveInputs,
    t: Mutex<f64>,
    touching: ContactSetup,
    drives: DrivesChoice,
    /// The coordinates that have drives from the start.
    driven: Vec<i64>,
    /// Whether the drives make way for a controller, as nobody asked for them.
    yields: bool,
    /// Whether they have.
    has_yielded: AtomicBool,
    /// Where it begins without a state.
    begin: (Vec<f64>, Vec<f64>),
    options: Options,
    /// In JSON.
    decision: String,
    control_period: Option<f64>,
    forces: Mutex<Forces>,
    events: Vec<Py<Event>>,
    /// Not in place: Python aligns objects to 16 bytes, and vectors in it need 32.
    inner: Box<Mutex<Inner>>,
}

/// The forces that callers may change between runs.
struct Forces {
    control: Control,
    given_control: Option<Py<PyAny>>,
    external: Option<External>,
    given_external: Option<Py<PyAny>>,
}

impl Simulation {
    /// The kept state, unless a run goes on.
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let busy = "the simulation is running: use it after `run` has returned";
        lock(&self.inner, busy)
    }

    /// Whether it has contacts and drives.
    fn is_time_stepping(&self) -> bool {
        self.options.method == MethodName::TimeStepping
    }

    /// The period at which a controller is asked; time stepping asks a function once a step.
    fn period(&self, control: &Control) -> Option<f64> {
        let dt = self.options.dt;
        let own = control.period(self.control_period, dt);
        let is_function = matches!(control, Control::Python(_));
        own.or((is_function && self.is_time_stepping()).then_some(dt))
    }

    /// Takes the drives away for a controller or joint forces, if nobody asked for them or moved
    /// their targets.
    fn yield_drives(&self, py: Python<'_>, inner: &mut Inner) -> PyResult<()> {
        if self.yields && inner.are_targets_kept(&run::targets(self.asked.targets.bind(py))?) {
            inner.remove_drives();
            self.has_yielded.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Warns of targets that seem to be in degrees.
    fn doubt_targets(&self, py: Python<'_>) -> PyResult<()> {
        let targets = run::targets(self.asked.targets.bind(py))?;
        let doubts = plausibility::doubtful_targets(&self.model.get().model, &targets);
        error::doubt_degrees(py, "targets", &doubts)
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
        "{name} is {value}, where a positive number is expected"
    )))
}

properties! { Simulation:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The configuration (nq,): the simulation's own array, which may be written.
    q: Py<PyArray1<f64>> = |self, py: 'py| self.q.clone_ref(py);
    /// The velocity (nv,): the simulation's own array, which may be written.
    v: Py<PyArray1<f64>> = |self, py: 'py| self.v.clone_ref(py);
    /// The targets (nv,) of the drives, in rad and m, of which those of `driven` count: the
    /// simulation's own array, which may be written, also by a controller.
    targets: Py<PyArray1<f64>> = |self, py: 'py| self.asked.targets.clone_ref(py);
    /// The controls (nu,) of the file's actuators, in its order, where these are the drives: the
    /// simulation's own array, which may be written, also by a controller. They begin as those of
    /// the configuration, and once written they count in place of `targets`.
    controls: Py<PyArray1<f64>> = |self, py: 'py| self.asked.controls.clone_ref(py);
    /// The coordinates that have drives.
    driven: Bound<'py, PyArray1<i64>> = |self, py: 'py| {
        let has_yielded = self.has_yielded.load(Ordering::Relaxed);
        PyArray1::from_slice(py, if has_yielded { &[] } else { &self.driven })
    };
    /// Pairs of shapes that overlap wherever their joints are, and do not touch each other.
    left_out: Vec<[String; 2]> = |self| self.touching.left_out.clone();
    /// How it began where `q`, `v` and the options left it open: a dictionary of the method, step,
    /// q, v, pairs of shapes that may touch, drives, warnings and more, the same that `featherline
    /// simulate --format jsonl` writes as `decision`.
    decision: Answer<'py> = |self, py: 'py| {
        py.import("json")?.call_method1("loads", (&self.decision,))
    };
    /// The time in s.
    t: f64 = |self| self.time();
    /// The step in s.
    dt: f64 = |self| self.options.dt;
    /// The method of integration.
    method: &'static str = |self| self.options.method_name();
    /// The name of the event that ended the last run, if one has.
    stopped_by: PyResult<Option<String>> = |self| Ok(self.inner()?.stopped_by.clone());
    /// Why the motion may not be the robot's, as the warnings said, with the figures of now: of
    /// inexact steps their number and the largest residual, of energy from nothing all of it.
    warnings: PyResult<Vec<String>> = |self| {
        let inner = self.inner()?;
        Ok(inner.warnings.iter().map(|it| self.options.explain(it)).collect())
    };
    /// The period in s at which the controller is asked; None in continuous time, and without one.
    control_period: PyResult<Option<f64>> = |self| Ok(self.period(&self.forces()?.control));
    /// The controller of the joints; it may be replaced between runs. One takes the place of drives
    /// as the tau of `step` does.
    controller: PyResult<Option<Py<PyAny>>> = |self, py: 'py| {
        let forces = self.forces()?;
        Ok(forces.given_control.as_ref().map(|own| own.clone_ref(py)))
    };
    /// External forces; they may be replaced between runs.
    external_forces: PyResult<Option<Py<PyAny>>> = |self, py: 'py| {
        let forces = self.forces()?;
        Ok(forces.given_external.as_ref().map(|own| own.clone_ref(py)))
    };
    /// The recording of all samples since the start or the last `reset`.
    record: PyResult<Recording> = |self, py: 'py| {
        let log = self.inner()?.log.clone();
        let rows = 0..log.rows();
        Ok(Recording::new(self.model.clone_ref(py), log, rows))
    };
    /// The events so far, each with its name, time and state.
    occurrences: PyResult<Bound<'py, PyList>> = |self, py: 'py| {
        let inner = self.inner()?;
        PyList::new(py, inner.happened.iter().map(|one| one.clone_ref(py)))
    };
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (robot, q=None, v=None, *, t=0.0, configuration=None, dt=None, method=None, tolerance=None, controller=None, control_period=None, external_forces=None, events=None, passive=true, effort_limits=true, limits=None, loops="projection", assemble=None, ground=Ground::AUTO, friction=None, friction_law=None, impact_law=None, drives=DrivesChoice::Auto, controls=None, **unknown), text_signature = "(robot, q=None, v=None, *, t=0.0, configuration=None, dt=None, method=None, tolerance=None, controller=None, control_period=None, external_forces=None, events=None, passive=True, effort_limits=True, limits=None, loops='projection', assemble=None, ground='auto', friction=None, friction_law=None, impact_law=None, drives='auto', controls=None)")]
    fn new(
        py: Python<'_>,
        robot: &Bound<'_, PyAny>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        t: f64,
        configuration: Option<String>,
        dt: Option<f64>,
        method: Option<&str>,
        tolerance: Option<f64>,
        controller: Option<&Bound<'_, PyAny>>,
        control_period: Option<f64>,
        external_forces: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        passive: bool,
        effort_limits: bool,
        limits: Option<&Bound<'_, PyAny>>,
        loops: &str,
        assemble: Option<bool>,
        ground: Ground,
        friction: Option<f64>,
        friction_law: Option<&str>,
        impact_law: Option<&str>,
        drives: DrivesChoice,
        controls: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        error::only_known(&py.get_type::<Self>(), unknown)?;
        let (controller, drives) = drives.or_by_word(controller)?;
        let model = robot_of(robot)?;
        let robot = model.get();
        let of_state = |name, value: Option<&Bound<'_, PyAny>>, width| {
            value.map(|value| one_state(name, value, width)).transpose()
        };
        let setup = Setup {
            method: method.map(of_simulation).transpose()?,
            step: dt,
            tolerance,
            configuration,
            q: of_state("q", q, robot.model.nq())?,
            v: of_state("v", v, robot.model.nv())?,
            assemble,
            ground: ground.0,
            friction,
            friction_law: friction_law
                .map(|it| chosen("friction_law", it))
                .transpose()?,
            impact_law: impact_law.map(|it| chosen("impact_law", it)).transpose()?,
            drives: drives.name(),
            controls: controls.map(controls::read).transpose()?,
            is_driven: controller.is_some(),
            passive: (!passive).then_some(false),
            effort_limits: (!effort_limits).then_some(false),
            stops: read_limits(robot, limits)?,
            loops: Some(chosen("loops", loops)?).filter(|it| *it != LoopKeepingName::default()),
            ..Setup::default()
        };
        let begin = DecidedSetup::decide(py, robot, &setup)?;
        let options = Options::of(&begin, setup);
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
        let is_open = matches!(drives, DrivesChoice::Auto);
        let drives = drives.decided(begin.drives);
        let name = options.configuration.as_deref();
        let driven = drives.drives(robot, &begin.q, (name, &begin.controls), effort_limits)?;
        let driven = driven.targets().map(|it| it.0 as i64).collect();
        let actuators = drives.actuators(robot, &begin.controls);
        let asked = DriveInputs::new(py, robot.model.nv(), actuators);
        let no_drives = featherline_sim::contact::Drives::none();
        let inner = Inner::new(&robot.model, None, &begin.touching, no_drives, false);
        let simulation = Self {
            q: PyArray1::zeros(py, robot.model.nq(), false).unbind(),
            v: PyArray1::zeros(py, robot.model.nv(), false).unbind(),
            asked,
            model,
            t: Mutex::new(0.0),
            touching: begin.touching,
            yields: is_open && matches!(drives, DrivesChoice::Hold),
            has_yielded: AtomicBool::new(false),
            drives,
            driven,
            begin: begin.home,
            options,
            decision: begin.decision,
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
        let v = match v {
            Some(v) => one_state("v", v, model.nv())?,
            None if is_given => vec![0.0; model.nv()],
            None => self.begin.1.clone(),
        };
        let q = match q {
            Some(q) => one_state("q", q, model.nq())?,
            None => self.begin.0.clone(),
        };
        let place = if is_given { "q" } else { "the start" };
        error::doubt_degrees(py, place, &plausibility::doubtful_angles(model, &q))?;
        let (q, v) = match assemble.unwrap_or(has_loops && !is_given) {
            true => (self.options.assembled(model, t, &q, &v)).map_err(failure)?,
            false => (q, v),
        };
        let limits = self.options.joint_limits(model, &q)?;
        let has_controller = self.forces()?.given_control.is_some();
        let has_yielded = self.yields && has_controller;
        let drives = match has_yielded {
            true => featherline_sim::contact::Drives::none(),
            false => {
                let name = self.options.configuration.as_deref();
                let effort_limits = self.options.effort_limits;
                let actuators = (name, self.asked.first());
                self.drives
                    .drives(self.model.get(), &q, actuators, effort_limits)?
            }
        };
        let mut targets = vec![0.0; model.nv()];
        for (coordinate, target) in drives.targets() {
            targets[coordinate] = target;
        }
        let touches = self.is_time_stepping();
        *inner = Inner::new(model, limits, &self.touching, drives, touches);
        self.has_yielded.store(has_yielded, Ordering::Relaxed);
        drop(inner);
        self.asked.reset(py, &targets)?;
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
        self.doubt_targets(py)?;
        let done = self.go(py, duration, every, record, None, bar.as_ref());
        if let Some(bar) = &bar {
            bar.call_method1(py, "close", (self.time(),))?;
        }
        let log = self.inner()?.log.clone();
        Ok(Recording::new(self.model.clone_ref(py), log, done?))
    }

    /// Goes on for `steps` steps of dt, with the joint forces tau (nv,) instead of the
    /// controller's if they are given. The states are recorded.
    ///
    /// The first tau takes the place of drives that hold by `drives="auto"`, unless their targets
    /// were moved: they are gone until `reset`. Drives that were asked for, and actuators, stay.
    ///
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> simulation = fl.Simulation(pendulum, [1.0, 0.5], dt=0.01)
    /// >>> for _ in range(50):
    /// ...     simulation.step(pendulum.gravity_torque(simulation.q) - 0.5 * simulation.v)
    /// >>> len(simulation.record)
    /// 51
    #[pyo3(signature = (tau=None, *, steps=1, record=true))]
    fn step(
        &self,
        py: Python<'_>,
        tau: Option<&Bound<'_, PyAny>>,
        steps: i128,
        record: bool,
    ) -> PyResult<()> {
        let nv = self.model.get().model.nv();
        let tau = tau.map(|tau| one_state("tau", tau, nv)).transpose()?;
        let steps: u32 = error::natural("steps", steps)?;
        if self.goes_step_by_step() {
            return self.go_steps(py, steps, tau, record);
        }
        let dt = self.options.dt;
        self.go(py, dt * f64::from(steps), dt, record, tau, None)
            .map(drop)
    }

    #[setter(targets)]
    fn assign_targets(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let nv = self.model.get().model.nv();
        if self.has_yielded.load(Ordering::Relaxed) {
            return Err(PyValueError::new_err(drives::GONE));
        }
        write(
            py,
            "targets",
            &self.asked.targets,
            &one_state("targets", value, nv)?,
        )?;
        self.doubt_targets(py)
    }

    #[setter(controls)]
    fn assign_controls(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.asked.assign_controls(py, value)
    }

    #[setter(q)]
    fn assign_q(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let model = &self.model.get().model;
        let q = one_state("q", value, model.nq())?;
        error::doubt_degrees(py, "q", &plausibility::doubtful_angles(model, &q))?;
        write(py, "q", &self.q, &q)
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

    #[setter]
    fn set_controller(&self, py: Python<'_>, value: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let control = Control::of(self.model.get(), value.as_ref())?;
        let mut inner = self.inner()?;
        inner.clock = None;
        if value.is_some() {
            self.yield_drives(py, &mut inner)?;
        }
        drop(inner);
        let mut forces = self.forces()?;
        forces.control = control;
        forces.given_control = value.map(Bound::unbind);
        Ok(())
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

    /// How well energy and momentum were kept since the state was set last.
    #[getter]
    fn conservation<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let kept = self.inner()?.conservation.clone();
        let drift = kept.energy_drift();
        let fields = (
            kept.peak_energy_error(),
            kept.energy_scale(),
            drift.slope,
            drift.error,
            kept.linear_momentum_error(),
            kept.angular_momentum_error(),
            kept.loop_error().0,
        );
        named(py, "Conservation", fields)
    }

    /// The objects that the garbage collector may find cycles through: controllers often know their
    /// simulation.
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

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "a Simulation",
            "its record, or its model and state",
        ))
    }
}
