//! Many simulations of one robot at once, on threads.

use super::batch_rows::{copied, fill, spread};
use super::batch_scene::{Scene, in_threads};
use super::contact_setup::{ContactSetup, DecidedSetup, Ground, robot_of};
use super::controls::Actuators;
use super::drives::{self, DrivesChoice};
use super::stepping::Stepping;
use crate::error::{self, natural};
use crate::methods::MethodName;
use crate::model::{Model, chosen};
use crate::pool::lock;
use crate::properties::properties;
use featherline_formats::{WarningCause, plausibility};
use featherline_sim::contact::Drives;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::EffortLimits;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::num::NonZero;
use std::sync::{Mutex, MutexGuard};

/// Steps between which a call looks for Ctrl-C.
const PORTION: u32 = 64;

/// Many simulations of one robot or scene at once, by time stepping, on threads.
///
/// `q` (n, nq), `v` (n, nv), `targets` (n, nv) and `controls` (n, nu) are the states, the targets
/// of the drives and the controls of a file's actuators, a row for each simulation: arrays of the
/// batch's own, which may be written between steps. They begin at q and v, (nq,) and (nv,) or a row
/// for each. Options have the meaning that they have in `Simulation`; threads is how many work at
/// once, by default one a processor. Bodies of the world that `Simulation` moves go as a state that
/// `set_state` was given has them. The same steps give the same bits for any number of threads, and
/// the interpreter is free meanwhile.
///
/// >>> batch = fl.SimulationBatch("quadruped", 8, threads=2)
/// >>> batch.q[:, 2] += np.linspace(0.0, 0.1, 8)
/// >>> batch.step(steps=200)
/// >>> batch.q.shape, bool(batch.converged.all()), bool(batch.failed.any())
/// ((8, 19), True, False)
#[pyclass(frozen, module = "featherline", name = "SimulationBatch", weakref)]
pub struct SimulationBatch {
    pub(super) model: Py<Model>,
    pub(super) q: Py<PyArray2<f64>>,
    pub(super) v: Py<PyArray2<f64>>,
    pub(super) targets: Py<PyArray2<f64>>,
    pub(super) controls: Py<PyArray2<f64>>,
    actuators: Option<Actuators>,
    pub(super) dt: f64,
    pub(super) touching: ContactSetup,
    begin: BatchStart,
    /// Those of each simulation from the start.
    drives: Drives,
    /// Whether they make way for joint forces, as nobody asked for them.
    yields: bool,
    threads: usize,
    /// Not in place, as in `Simulation`.
    inner: Box<Mutex<Inner>>,
}

/// How each simulation begins.
struct BatchStart {
    q: Vec<f64>,
    v: Vec<f64>,
    /// The targets (nv,) of a file's actuators; other drives hold the joints where they begin.
    targets: Option<Vec<f64>>,
}

pub(super) struct Inner {
    pub scenes: Vec<Scene>,
}

impl SimulationBatch {
    pub(super) fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        lock(
            &self.inner,
            "the batch is at work in another thread: use it after `step` has returned",
        )
    }

    pub(super) fn core(&self) -> &featherline::Model {
        &self.model.get().model
    }

    /// The rows that a caller gave: all of them, one for all, or none.
    fn rows(&self, name: &str, value: &Bound<'_, PyAny>, width: usize) -> PyResult<Vec<f64>> {
        let n = self.inner()?.scenes.len();
        spread(name, value, width, n)
    }

    /// Fails where targets would move nothing, because joint forces took the drives' place.
    fn has_drives_to_move(&self) -> PyResult<()> {
        let inner = self.inner()?;
        let mut scenes = inner.scenes.iter();
        match self.yields && scenes.any(|it| it.first_targets.is_none()) {
            true => Err(PyValueError::new_err(drives::GONE)),
            false => Ok(()),
        }
    }

    /// How many actuators have controls.
    pub(super) fn controls_width(&self) -> usize {
        self.actuators.as_ref().map_or(0, |it| it.first.len())
    }

    fn of_reports<T: numpy::Element>(
        &self,
        py: Python<'_>,
        of: impl Fn(&Scene) -> T,
    ) -> PyResult<Py<PyArray1<T>>> {
        let inner = self.inner()?;
        Ok(PyArray1::from_iter(py, inner.scenes.iter().map(of)).unbind())
    }
}

/// Warns of the first row with angles that seem to be in degrees.
fn doubt_rows(
    py: Python<'_>,
    name: &str,
    rows: &[f64],
    width: usize,
    doubts: impl Fn(&[f64]) -> Vec<WarningCause>,
) -> PyResult<()> {
    for (k, row) in rows.chunks_exact(width.max(1)).enumerate() {
        let found = doubts(row);
        if !found.is_empty() {
            return error::doubt_degrees(py, &format!("row {k} of {name}"), &found);
        }
    }
    Ok(())
}

/// The targets (nv,) of drives that hold the joints in a configuration.
fn targets_at(drives: &Drives, q: &[f64], nv: usize) -> Vec<f64> {
    let mut drives = drives.clone();
    drives.set_target(q);
    targets_of(&drives, nv)
}

/// The targets (nv,) of drives.
fn targets_of(drives: &Drives, nv: usize) -> Vec<f64> {
    let mut all = vec![0.0; nv];
    for (coordinate, target) in drives.targets() {
        all[coordinate] = target;
    }
    all
}

properties! { SimulationBatch:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The configurations (n, nq): the batch's own array, which may be written.
    q: Py<PyArray2<f64>> = |self, py: 'py| self.q.clone_ref(py);
    /// The velocities (n, nv): the batch's own array, which may be written.
    v: Py<PyArray2<f64>> = |self, py: 'py| self.v.clone_ref(py);
    /// The targets (n, nv) of the drives, in rad and m, of which those of `driven` count: the
    /// batch's own array, which may be written.
    targets: Py<PyArray2<f64>> = |self, py: 'py| self.targets.clone_ref(py);
    /// The controls (n, nu) of the file's actuators, in its order, where these are the drives: the
    /// batch's own array, which may be written. They begin as those of the configuration, and once
    /// written they count in place of `targets`.
    controls: Py<PyArray2<f64>> = |self, py: 'py| self.controls.clone_ref(py);
    /// The coordinates that have drives.
    driven: PyResult<Bound<'py, PyArray1<i64>>> = |self, py: 'py| {
        let mut inner = self.inner()?;
        let mut scenes = inner.scenes.iter_mut();
        let driven = scenes.find_map(|scene| {
            let targets = scene.stepping.drives().targets();
            Some(targets.map(|(k, _)| k as i64).collect()).filter(|it: &Vec<i64>| !it.is_empty())
        });
        Ok(PyArray1::from_vec(py, driven.unwrap_or_default()))
    };
    /// The step in s.
    dt: f64 = |self| self.dt;
    /// How many threads work at once.
    threads: usize = |self| self.threads;
    /// Pairs of shapes that overlap wherever their joints are, and do not touch each other.
    left_out: Vec<[String; 2]> = |self| self.touching.left_out.clone();
    /// The times (n,) in s.
    t: PyResult<Py<PyArray1<f64>>> = |self, py: 'py| self.of_reports(py, |scene| scene.t);
    /// The largest residuals (n,) of the laws of contact in the steps of the last call, in m/s and
    /// rad/s; nan before.
    residual: PyResult<Py<PyArray1<f64>>> = |self, py: 'py| {
        self.of_reports(py, |scene| scene.report.map_or(f64::NAN, |it| it.outcome.residual))
    };
    /// The residuals (n,) that were asked for in these steps: what `tolerance` says, or in motion a
    /// part of the speed; nan before.
    residual_asked: PyResult<Py<PyArray1<f64>>> = |self, py: 'py| {
        self.of_reports(py, |scene| scene.report.map_or(f64::NAN, |it| it.outcome.asked))
    };
    /// The largest overlaps (n,) of two shapes in the steps of the last call, in m; nan before.
    penetration: PyResult<Py<PyArray1<f64>>> = |self, py: 'py| {
        self.of_reports(py, |scene| scene.report.map_or(f64::NAN, |it| it.penetration.max(0.0)))
    };
    /// Whether (n,) all steps of the last call converged.
    converged: PyResult<Py<PyArray1<bool>>> = |self, py: 'py| {
        self.of_reports(py, |scene| scene.report.is_none_or(|it| it.outcome.has_converged))
    };
    /// The energies (n,) in J that the steps since the start or `reset` made from nothing, as
    /// `energy_gain` of a recording.
    energy_gain: PyResult<Py<PyArray1<f64>>> =
        |self, py: 'py| self.of_reports(py, |scene| scene.stepping.account().energy_gain);
    /// Which (n,) have stopped because their motion was lost, or because their steps made more than
    /// a twentieth of their energy from nothing; they stay in the state after the last good step
    /// until `reset`.
    failed: PyResult<Py<PyArray1<bool>>> =
        |self, py: 'py| self.of_reports(py, |scene| scene.failure.is_some());
    /// Why each has stopped; None of those that go on.
    failures: PyResult<Vec<Option<String>>> = |self| {
        Ok(self.inner()?.scenes.iter().map(|scene| scene.failure.clone()).collect())
    };
}

#[pymethods]
impl SimulationBatch {
    #[new]
    #[pyo3(signature = (robot, n, q=None, v=None, *, dt=None, tolerance=None, ground=Ground::AUTO, friction=None, friction_law=None, impact_law=None, drives=DrivesChoice::Auto, effort_limits=true, threads=None, **unknown), text_signature = "(robot, n, q=None, v=None, *, dt=None, tolerance=None, ground='auto', friction=None, friction_law=None, impact_law=None, drives='auto', effort_limits=True, threads=None)")]
    fn new(
        py: Python<'_>,
        robot: &Bound<'_, PyAny>,
        n: i128,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        dt: Option<f64>,
        tolerance: Option<f64>,
        ground: Ground,
        friction: Option<f64>,
        friction_law: Option<&str>,
        impact_law: Option<&str>,
        drives: DrivesChoice,
        effort_limits: bool,
        threads: Option<i128>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        error::only_known(&py.get_type::<Self>(), unknown)?;
        let n: usize = natural("n", n)?;
        let threads: usize = match threads {
            Some(0) => {
                return Err(PyValueError::new_err(
                    "threads is 0, where 1 or more is expected",
                ));
            }
            Some(threads) => natural("threads", threads)?,
            None => std::thread::available_parallelism().map_or(1, NonZero::get),
        };
        let model = robot_of(robot)?;
        let robot = model.get();
        let core = robot.model.clone();
        if !core.loop_joints().is_empty() {
            return Err(PyValueError::new_err(format!(
                "'{}' has closed loops, which a Simulation closes after each step: take simulations",
                core.name()
            )));
        }
        let (nq, nv) = (core.nq(), core.nv());
        let rows = |name: &str, value: Option<&Bound<'_, PyAny>>, width: usize| {
            value.map(|value| spread(name, value, width, n)).transpose()
        };
        let (given_q, given_v) = (rows("q", q, nq)?, rows("v", v, nv)?);
        let first = |rows: &Option<Vec<f64>>, width: usize| {
            let rows = rows.as_ref();
            rows.and_then(|rows| Some(rows.get(..width)?.to_vec()))
        };
        let setup = Setup {
            method: Some(MethodName::TimeStepping),
            step: dt,
            tolerance,
            q: first(&given_q, nq),
            v: first(&given_v, nv),
            ground: ground.0,
            friction,
            friction_law: friction_law
                .map(|it| chosen("friction_law", it))
                .transpose()?,
            impact_law: impact_law.map(|it| chosen("impact_law", it)).transpose()?,
            drives: drives.name(),
            effort_limits: Some(effort_limits),
            ..Setup::default()
        };
        let begin = DecidedSetup::decide(py, robot, &setup)?;
        let all_q = given_q.unwrap_or_else(|| begin.q.repeat(n));
        let all_v = given_v.unwrap_or_else(|| begin.v.repeat(n));
        doubt_rows(py, "q", &all_q, nq, |q| {
            plausibility::doubtful_angles(&core, q)
        })?;
        let is_open = matches!(drives, DrivesChoice::Auto);
        let drives = drives.decided(begin.drives);
        let yields = is_open && matches!(drives, DrivesChoice::Hold);
        let is_of_file = matches!(drives, DrivesChoice::Actuators);
        let actuators = drives.actuators(robot, &begin.controls);
        let drives = drives.drives(robot, &begin.q, (None, &begin.controls), effort_limits)?;
        let own = is_of_file.then(|| targets_of(&drives, nv));
        let targets: Vec<f64> = match &own {
            Some(own) => own.repeat(n),
            None => {
                let rows = all_q.chunks_exact(nq.max(1));
                rows.flat_map(|q| targets_at(&drives, q, nv)).collect()
            }
        };
        let (touching, dt, stated) = (begin.touching, begin.dt, begin.stated);
        let effort = match effort_limits {
            true => EffortLimits::of(&core),
            false => EffortLimits::none(),
        };
        let acting = || (effort.clone(), &stated);
        let scenes = (0..n).map(|row| {
            let stepping = Stepping::new(core.clone(), &touching, drives.clone(), acting());
            Ok(Scene {
                stepping: stepping.map_err(|error| super::failure(error.into()))?,
                t: 0.0,
                ticks: (0.0, 0),
                first_targets: yields.then(|| targets[row * nv..][..nv].to_vec()),
                controls: None,
                last: None,
                report: None,
                failure: None,
            })
        });
        let scenes: Vec<Scene> = scenes.collect::<PyResult<_>>()?;
        let array = |numbers: Vec<f64>, width: usize| -> PyResult<Py<PyArray2<f64>>> {
            Ok(PyArray1::from_vec(py, numbers)
                .reshape([n, width])?
                .unbind())
        };
        Ok(Self {
            q: array(all_q, nq)?,
            v: array(all_v, nv)?,
            targets: array(targets, nv)?,
            controls: array(begin.controls.repeat(n), begin.controls.len())?,
            actuators,
            dt,
            touching,
            begin: BatchStart {
                q: begin.home.0,
                v: begin.home.1,
                targets: own,
            },
            drives,
            yields,
            threads,
            inner: Box::new(Mutex::new(Inner { scenes })),
            model,
        })
    }

    /// Goes on for `steps` steps of dt.
    ///
    /// targets (n, nv) or (nv,) are written to `targets` before, controls (n, nu) or (nu,) to
    /// `controls`. tau: joint forces (n, nv) or (nv,)
    /// besides the drives, which act in these steps; the first takes the place of drives that hold
    /// by `drives="auto"`, as in `Simulation.step`. A motion that is lost is a warning, and
    /// `failed` says which; steps that did not converge are one, too.
    ///
    /// >>> batch = fl.SimulationBatch("quadruped", 4)
    /// >>> batch.step(batch.targets + 0.01 * np.arange(4)[:, None], steps=50)
    /// >>> batch.t
    /// array([0.05, 0.05, 0.05, 0.05])
    #[pyo3(signature = (targets=None, tau=None, *, controls=None, steps=1))]
    fn step(
        &self,
        py: Python<'_>,
        targets: Option<&Bound<'_, PyAny>>,
        tau: Option<&Bound<'_, PyAny>>,
        controls: Option<&Bound<'_, PyAny>>,
        steps: i128,
    ) -> PyResult<()> {
        let steps: u32 = natural("steps", steps)?;
        let (nq, nv) = (self.core().nq(), self.core().nv());
        let gives_tau_alone = tau.is_some() && targets.is_none();
        if let Some(targets) = targets {
            let rows = self.rows("targets", targets, nv)?;
            self.has_drives_to_move()?;
            let doubts = |row: &[f64]| plausibility::doubtful_targets(self.core(), row);
            doubt_rows(py, "targets", &rows, nv, doubts)?;
            fill(self.targets.bind(py), &rows)?;
        }
        if let Some(controls) = controls {
            self.assign_controls(py, controls)?;
        }
        let tau = tau.map(|tau| self.rows("tau", tau, nv)).transpose()?;
        let nu = self.controls_width();
        let controls = copied("controls", self.controls.bind(py))?;
        let targets = copied("targets", self.targets.bind(py))?;
        let mut q = copied("q", self.q.bind(py))?;
        let mut v = copied("v", self.v.bind(py))?;
        for (name, values, width) in [
            ("q", &q, nq),
            ("v", &v, nv),
            ("targets", &targets, nv),
            ("controls", &controls, nu),
        ] {
            if let Some(k) = values.iter().position(|it| !it.is_finite()) {
                return Err(PyValueError::new_err(format!(
                    "{name}[{}, {}] is {:?}, where a finite number is expected",
                    k / width,
                    k % width,
                    values[k]
                )));
            }
        }
        let mut inner = self.inner()?;
        let scenes = &mut inner.scenes;
        let failed_before = scenes.iter().filter(|it| it.failure.is_some()).count();
        for (row, scene) in scenes.iter_mut().enumerate() {
            let own = &targets[row * nv..][..nv];
            scene.report = None;
            if gives_tau_alone && scene.first_targets.as_deref() == Some(own) {
                scene.first_targets = None;
                *scene.stepping.drives() = Drives::none();
            }
            scene
                .stepping
                .drives()
                .move_targets(|coordinate| own[coordinate]);
            if let Some(actuators) = &self.actuators {
                let own = &controls[row * nu..][..nu];
                actuators.ask(own, &mut scene.controls, scene.stepping.drives())?;
            }
            let tau = tau.as_ref().map_or(&[][..], |tau| &tau[row * nv..][..nv]);
            scene.stepping.applied().ask(tau);
        }
        let mut done = 0;
        let mut interrupted = Ok(());
        while done < steps && interrupted.is_ok() {
            let portion = PORTION.min(steps - done);
            let (dt, threads) = (self.dt, self.threads);
            py.detach(|| in_threads(scenes, (&mut q, nq), (&mut v, nv), portion, dt, threads));
            done += portion;
            interrupted = py.check_signals();
        }
        fill(self.q.bind(py), &q)?;
        fill(self.v.bind(py), &v)?;
        interrupted?;
        let lost = scenes.iter().enumerate().filter_map(|(row, scene)| {
            let why = scene.failure.as_ref()?;
            Some((row, why.clone()))
        });
        let lost: Vec<(usize, String)> = lost.collect();
        let inexact = scenes.iter().enumerate().filter_map(|(row, scene)| {
            let outcome = scene.report?.outcome;
            (!outcome.has_converged).then_some((row, outcome.residual))
        });
        let inexact: Vec<(usize, f64)> = inexact.collect();
        let n = scenes.len();
        drop(inner);
        if lost.len() > failed_before
            && let Some((row, why)) = lost.first()
        {
            let text = format!(
                "{} of {n} simulations have stopped, and stay in the state after their last good step; the first is row {row}: {why}",
                lost.len()
            );
            error::warning(py, &text, 1)?;
        }
        if let Some(&(row, _)) = inexact.first() {
            let residual = inexact.iter().fold(0.0_f64, |most, (_, it)| most.max(*it));
            let text = format!(
                "in {} of {n} simulations impulses were not found exactly, first in row {row}: contacts or limits may move by up to {residual:.1e} m/s (rad/s) against their laws. Shorter steps, or masses that are less different, make it easier",
                inexact.len()
            );
            error::warning(py, &text, 1)?;
        }
        Ok(())
    }

    /// Begins anew: all of them, or those of `rows`, from the states q (nq,) or a row for each, v
    /// alike; by default as `SimulationBatch` without them. The drives' targets are there.
    ///
    /// >>> batch = fl.SimulationBatch("quadruped", 4)
    /// >>> batch.step(steps=10)
    /// >>> batch.reset([1, 3])
    /// >>> batch.t
    /// array([0.01, 0.  , 0.01, 0.  ])
    #[pyo3(signature = (rows=None, q=None, v=None))]
    fn reset(
        &self,
        py: Python<'_>,
        rows: Option<Vec<i64>>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (nq, nv) = (self.core().nq(), self.core().nv());
        let n = self.inner()?.scenes.len();
        let rows: Vec<usize> = match rows {
            None => (0..n).collect(),
            Some(rows) => {
                let own = rows.iter().map(|&row| {
                    let found = usize::try_from(row).ok().filter(|&row| row < n);
                    found.ok_or_else(|| {
                        PyIndexError::new_err(format!("there is no row {row}: there are {n}"))
                    })
                });
                own.collect::<PyResult<_>>()?
            }
        };
        let count = rows.len();
        let read = |name: &str, value: Option<&Bound<'_, PyAny>>, width: usize, usual: &[f64]| {
            let Some(value) = value else {
                return Ok(usual.repeat(count));
            };
            spread(name, value, width, count)
        };
        let zeros = vec![0.0; nv];
        let usual_v = if q.is_some() { &zeros } else { &self.begin.v };
        let new_q = read("q", q, nq, &self.begin.q)?;
        let new_v = read("v", v, nv, usual_v)?;
        let mut all_q = copied("q", self.q.bind(py))?;
        let mut all_v = copied("v", self.v.bind(py))?;
        let mut targets = copied("targets", self.targets.bind(py))?;
        let mut controls = copied("controls", self.controls.bind(py))?;
        let mut inner = self.inner()?;
        for (k, &row) in rows.iter().enumerate() {
            all_q[row * nq..][..nq].copy_from_slice(&new_q[k * nq..][..nq]);
            all_v[row * nv..][..nv].copy_from_slice(&new_v[k * nv..][..nv]);
            let scene = &mut inner.scenes[row];
            let own = match &self.begin.targets {
                Some(own) => own.clone(),
                None => targets_at(&self.drives, &new_q[k * nq..][..nq], nv),
            };
            *scene.stepping.drives() = self.drives.clone();
            scene.controls = None;
            if let Some(actuators) = &self.actuators {
                let nu = actuators.first.len();
                controls[row * nu..][..nu].copy_from_slice(&actuators.first);
            }
            if self.yields {
                scene.first_targets = Some(own.clone());
            }
            targets[row * nv..][..nv].copy_from_slice(&own);
            scene.stepping.forget();
            (scene.t, scene.ticks) = (0.0, (0.0, 0));
            (scene.last, scene.report, scene.failure) = (None, None, None);
        }
        drop(inner);
        fill(self.q.bind(py), &all_q)?;
        fill(self.v.bind(py), &all_v)?;
        fill(self.controls.bind(py), &controls)?;
        fill(self.targets.bind(py), &targets)
    }

    #[setter(q)]
    fn assign_q(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        fill(self.q.bind(py), &self.rows("q", value, self.core().nq())?)
    }

    #[setter(v)]
    fn assign_v(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        fill(self.v.bind(py), &self.rows("v", value, self.core().nv())?)
    }

    #[setter(targets)]
    fn assign_targets(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = self.rows("targets", value, self.core().nv())?;
        self.has_drives_to_move()?;
        fill(self.targets.bind(py), &rows)
    }

    #[setter(controls)]
    fn assign_controls(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = self.rows("controls", value, self.controls_width())?;
        fill(self.controls.bind(py), &rows)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.inner()?.scenes.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rows = self
            .q
            .bind(py)
            .call_method0("__len__")?
            .extract::<usize>()?;
        Ok(format!(
            "<featherline.SimulationBatch of {rows} '{}': steps of {} s, {} threads>",
            self.core().name(),
            self.dt,
            self.threads
        ))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "a SimulationBatch",
            "its model, states and targets",
        ))
    }
}
