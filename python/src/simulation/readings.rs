//! Readings of the last step: contacts, their forces, and inertial sensors.

use super::contact_setup::structured;
use super::run::LastStep;
use super::stepping::{Stepping, WarmStart};
use super::{Simulation, failure, write};
use crate::argument::FrameName;
use crate::array::Answer;
use crate::error;
use crate::properties::properties;
use crate::states::{named, one_state};
use featherline::Workspace;
use featherline::kinematics::Target;
use featherline::spatial::{Force, Se3};
use featherline_sim::contact::{self, ImuReading, StepReport, wrench_of_points};
use featherline_sim::simulation::Books;
use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

impl Simulation {
    /// A link or frame by its name.
    fn target(&self, name: &str) -> PyResult<Target> {
        self.model.get().target(name)
    }

    fn last_report(&self) -> PyResult<Option<StepReport>> {
        let inner = self.inner()?;
        Ok(inner.last_step.as_ref().and_then(|it| it.report))
    }
}

/// The force [force; moment] in the frame `placement` of contacts with one of the shapes that are
/// asked for.
pub fn wrench(last: &LastStep, placement: &Se3<f64>, is_own: impl Fn(usize) -> bool) -> Force<f64> {
    let points = last.touches.iter().flat_map(|touch| {
        let sides = touch.shapes.into_iter().zip([-1.0, 1.0]);
        let own = sides.filter(|(shape, _)| is_own(*shape));
        own.map(|(_, sign)| (touch.point, touch.force * sign))
            .collect::<Vec<_>>()
    });
    wrench_of_points(placement, points)
}

properties! { Simulation:
    /// The largest residual of the laws of contact in m/s and rad/s, in the steps of the last
    /// `step`, or since the last sample but one of `run`; None before a step of method
    /// "time-stepping".
    residual: PyResult<Option<f64>> = |self| Ok(self.last_report()?.map(|it| it.outcome.residual));
    /// The residual that was asked for in the steps of `residual`: what `tolerance` says, or in
    /// motion a part of the speed.
    residual_asked: PyResult<Option<f64>> =
        |self| Ok(self.last_report()?.map(|it| it.outcome.asked));
    /// The largest overlap of two shapes in m, of the steps of `residual`.
    penetration: PyResult<Option<f64>> =
        |self| Ok(self.last_report()?.map(|it| it.penetration.max(0.0)));
}

#[pymethods]
impl Simulation {
    /// The contacts of the last step: a structured array with a row for each point within reach, of
    /// method "time-stepping".
    ///
    /// Its fields are `t`, the time at the end of the step; `shapes` and `links`, the names of two
    /// shapes and of the links that carry them, of which the world is always the first (also of a
    /// ground, whatever added it); `point` in the world; `normal`, from the first to the second;
    /// `gap` in m, negative where they overlap; `friction`, of two coefficients that along
    /// the first direction; `force` in N on the second shape, the impulse over dt; `velocity` in
    /// m/s of the second shape's point less that of the first, after the step.
    ///
    /// >>> simulation = fl.Simulation(fl.load("quadruped"))
    /// >>> simulation.step()
    /// >>> len(simulation.contacts), bool(np.isclose(simulation.contacts["force"][:, 2].sum(), 0))
    /// (4, False)
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let (touches, t) = {
            let inner = self.inner()?;
            let touches = inner.last_step.as_ref().map(|it| it.touches.clone());
            (touches.unwrap_or_default(), self.time())
        };
        structured(py, &self.touching.names, vec![t; touches.len()], &touches)
    }

    /// The joint forces (nv,) of the drives in the last step, in N·m and N.
    #[getter]
    fn drive_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut inner = self.inner()?;
        let after = inner.last_step.as_ref().map(|last| last.after.clone());
        let tau = match after {
            Some((q, v)) => inner.drive_forces(&self.model.get().model, &q, &v)?,
            None => vec![0.0; self.model.get().model.nv()],
        };
        Ok(PyArray1::from_vec(py, tau))
    }

    /// The force [force; moment] (6,) that contacts had on a link in the last step, in N and N·m:
    /// what a sensor of force and torque under the link's shapes reads. It is in the axes of the
    /// link or frame, about its origin, where it was at the beginning of the step.
    ///
    /// link: the name of a link, whose own shapes count; of a joint or another frame, of which all
    /// shapes of the body do. Zero before the first step.
    ///
    /// >>> quadruped = fl.load("quadruped")
    /// >>> simulation = fl.Simulation(quadruped)
    /// >>> recording = simulation.run(0.5)
    /// >>> feet = [name for name in quadruped.frames if name.endswith("foot")]
    /// >>> total = sum(np.linalg.norm(simulation.contact_force(foot)[:3]) for foot in feet)
    /// >>> bool(abs(total - 9.81 * quadruped.total_mass) < 0.05 * total)
    /// True
    fn contact_force<'py>(
        &self,
        py: Python<'py>,
        link: FrameName<'_>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let link = link.0;
        let target = self.target(link)?;
        let inner = self.inner()?;
        let Some(last) = &inner.last_step else {
            return Ok(PyArray1::zeros(py, 6, false));
        };
        let model = &*self.model.get().model;
        let mut ws = Workspace::<f64>::recursive(model);
        let placed = model.forward_kinematics(&mut ws, &last.before.0);
        let placement = placed.map_err(error::algorithm)?.placement(target);
        let is_own = self.touching.shapes_of(link, target, model);
        let force = wrench(last, &placement, is_own);
        Ok(PyArray1::from_slice(py, &force.to_array()))
    }

    /// The reading of an inertial measurement unit at a frame: its angular velocity (3,) in rad/s
    /// at the end of the last step, and its acceleration (3,) in m/s² without gravity, in its axes.
    ///
    /// The acceleration is a = Rᵀ ((ṗ₁ − ṗ₀)/h − g) with the velocity ṗ of the frame's origin in
    /// the world before and after the last step of h seconds, the orientation R after it, and
    /// gravity g: impacts count as their mean over the step. At rest it is minus gravity. Of method
    /// "time-stepping".
    ///
    /// >>> simulation = fl.Simulation(fl.load("quadruped"))
    /// >>> recording = simulation.run(1.0)
    /// >>> np.allclose(simulation.imu("trunk").acceleration, [0, 0, 9.81], atol=0.02)
    /// True
    fn imu<'py>(&self, py: Python<'py>, frame: FrameName<'_>) -> Answer<'py> {
        let target = self.target(frame.0)?;
        let inner = self.inner()?;
        let Some(last) = &inner.last_step else {
            return Err(PyRuntimeError::new_err(
                "there is no reading before the first step of method 'time-stepping'",
            ));
        };
        let model = &*self.model.get().model;
        let mut ws = Workspace::<f64>::recursive(model);
        let [before, after] = [&last.before, &last.after].map(|(q, v)| (&q[..], &v[..]));
        let reading = ImuReading::after_step(model, &mut ws, target, before, after, last.h);
        let reading = reading.map_err(error::algorithm)?;
        let both = [reading.angular_velocity, reading.acceleration].map(|it| it.to_array());
        let fields: (_, _) = both.map(|it| PyArray1::from_slice(py, &it)).into();
        named(py, "ImuReading", fields)
    }

    /// The time, the state and the targets, copied: assigned again, the simulation goes on from
    /// there. The recording stays as it is.
    ///
    /// >>> simulation = fl.Simulation(fl.load("quadruped"))
    /// >>> saved = simulation.state
    /// >>> simulation.step(steps=10)
    /// >>> simulation.state = saved
    /// >>> simulation.t, bool((simulation.q == saved.q).all())
    /// (0.0, True)
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let arrays =
            [&self.q, &self.v, &self.asked.targets].map(|it| it.bind(py).call_method0("copy"));
        let [q, v, targets] = arrays;
        let inner = self.inner()?;
        let moved = inner.moved.clone();
        let kept = match &inner.stepping {
            Some(stepping) => Some(WarmStart(stepping.warm_start(), moved)),
            None => {
                let kept = contact::WarmStart::of_drives(&inner.drives);
                let is_empty = kept.activations().is_empty() && moved.is_empty();
                (!is_empty).then_some(WarmStart(kept, moved))
            }
        };
        drop(inner);
        let controls = self.asked.controls.bind(py).call_method0("copy")?;
        let fields = (self.time(), q?, v?, targets?, kept, controls);
        named(py, "SimulationState", fields)
    }

    #[setter(state)]
    fn assign_state(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let model = &self.model.get().model;
        let SavedState {
            t,
            q,
            v,
            targets,
            kept,
            controls,
        } = SavedState::of(value)?;
        let q = one_state("q", &q, model.nq())?;
        let v = one_state("v", &v, model.nv())?;
        let targets = one_state("targets", &targets, model.nv())?;
        let mut inner = self.inner()?;
        // Later steps do not depend on earlier ones.
        inner.stepping = None;
        inner.last = None;
        inner.ticks = None;
        inner.books = Books::default();
        if let Some(kept) = &kept {
            inner.drives.set_activations(kept.get().0.activations());
            inner.moved.set_motion(&kept.get().1);
        }
        if let Some(kept) = kept
            && self.goes_step_by_step()
        {
            let drives = inner.drives.clone();
            let effort = self.options.effort(&self.model.get().model);
            let made = Stepping::new(
                self.model.get().model.clone(),
                &self.touching,
                drives,
                (effort, &self.options.stated),
            );
            let mut stepping = made.map_err(|error| failure(error.into()))?;
            stepping.set_warm_start(&kept.get().0);
            inner.stepping = Some(stepping);
            inner.last = Some((t, q.clone(), v.clone()));
        }
        inner.last_step = None;
        drop(inner);
        self.set_t(t)?;
        write(py, "q", &self.q, &q)?;
        write(py, "v", &self.v, &v)?;
        if let Some(controls) = &controls {
            self.asked.assign_controls(py, controls)?;
        }
        write(py, "targets", &self.asked.targets, &targets)
    }
}

/// A state that a caller saved.
pub(super) struct SavedState<'py> {
    pub t: f64,
    pub q: Bound<'py, PyAny>,
    pub v: Bound<'py, PyAny>,
    pub targets: Bound<'py, PyAny>,
    pub kept: Option<Bound<'py, WarmStart>>,
    pub controls: Option<Bound<'py, PyAny>>,
}

impl<'py> SavedState<'py> {
    /// Reads a `SimulationState`, or its first four parts.
    pub fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let expected =
            || PyTypeError::new_err("state must be a SimulationState, or (t, q, v, targets)");
        let parts: Vec<Bound<'py, PyAny>> = value.extract().map_err(|_| expected())?;
        let (t, q, v, targets, rest) = match &parts[..] {
            [t, q, v, targets, rest @ ..] if rest.len() <= 2 => (t, q, v, targets, rest),
            _ => return Err(expected()),
        };
        let [kept, controls] = [0, 1].map(|k| rest.get(k));
        let controls = controls.filter(|it| !it.is_none()).cloned();
        let kept = kept.filter(|kept| !kept.is_none());
        let kept = kept.map(|kept| kept.cast::<WarmStart>().cloned());
        Ok(Self {
            t: t.extract().map_err(|_| expected())?,
            q: q.clone(),
            v: v.clone(),
            targets: targets.clone(),
            kept: kept.transpose().map_err(|_| expected())?,
            controls,
        })
    }
}
