//! How a simulation goes on: from its arrays to a run, and back.

use super::controller::Control;
use super::recording::Steps;
use super::run::{Contact, Progress, Run};
use super::{Simulation, SimulationError};
use crate::error;
use crate::states::{named, one_state};
use featherline_sim::integrator::IntegratorError;
use featherline_sim::simulation::{Books, Conservation, SimulationError as Failed};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

impl Simulation {
    /// Goes on for some seconds; the rows that were recorded.
    pub(super) fn go(
        &self,
        py: Python<'_>,
        seconds: f64,
        every: f64,
        keeps_rows: bool,
        tau: Option<Vec<f64>>,
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<std::ops::Range<usize>> {
        let mut guard = self.inner()?;
        let inner = &mut *guard;
        let forces = self.forces()?;
        let t = self.time();
        let q = one_state("q", self.q.bind(py).as_any(), self.model.get().model.nq())?;
        let v = one_state("v", self.v.bind(py).as_any(), self.model.get().model.nv())?;
        let model = self.model.get();
        let goes_on = inner.ended_at(t, &q, &v);
        if !goes_on {
            inner.conservation = Conservation::new(&model.model);
            inner.clock = None;
            inner.acted = false;
            inner.books = Books::default();
        } else if let Some(stepping) = &mut inner.stepping {
            inner.books = stepping.books();
        }
        let given = tau.map(Control::Constant);
        let control = given.as_ref().unwrap_or(&forces.control);
        let period = self.period(control);
        inner.set_period(period, t);
        let log = inner.log.clone();
        let first_row = log.rows();
        let own = inner;
        let core = &self.model.get().model;
        let driven = own.drive_forces(core, &q, &v)?;
        if given.is_some() {
            self.yield_drives(py, own)?;
        }
        if self.is_time_stepping() {
            self.asked.ask(py, &mut own.drives)?;
        }
        let mut drives_after = vec![0.0; v.len()];
        let placed = own.drives.place(core, &q);
        placed.map_err(|error| PyValueError::new_err(error.to_string()))?;
        own.drives.add_forces(&q, &v, &mut drives_after);
        let mut state = Progress {
            t,
            q,
            v,
            held: &mut own.held,
            moved: &mut own.moved,
            clock: own.clock.as_mut().filter(|_| period.is_some()),
            conservation: &mut own.conservation,
            monitor: &mut own.monitor,
            rows: Vec::new(),
            steps: Steps::default(),
            books: own.books,
            last_step: None,
            activations: Vec::new(),
            first_tau: None,
            happened: Vec::new(),
            stopped_by: None,
            warnings: Vec::new(),
        };
        let run = Run {
            model,
            options: &self.options,
            control,
            external: forces.external.as_ref(),
            events: &self.events,
            limits: own.limits.as_ref(),
            contact: self.is_time_stepping().then_some(Contact {
                touching: &self.touching,
                drives: &own.drives,
                asked: &self.asked,
            }),
            progress,
            seconds,
            every,
            keeps_rows,
            goes_on: goes_on && keeps_rows && log.ends_at(t),
            // Forces that close loops leave them a little.
            assemble: goes_on && !model.model.loop_joints().is_empty(),
        };
        let goes_on = run.goes_on;
        let outcome = py.detach(|| run.go(&mut state));
        let Progress {
            t,
            q,
            v,
            rows,
            steps,
            books,
            last_step,
            activations,
            first_tau,
            happened,
            stopped_by,
            mut warnings,
            ..
        } = state;
        write(py, "q", &self.q, &q)?;
        write(py, "v", &self.v, &v)?;
        self.set_time(t);
        own.drives.set_activations(&activations);
        own.last = Some((t, q, v));
        own.stopped_by = stopped_by;
        own.ticks = None;
        own.books = books;
        {
            let mut numbers = log.write();
            if let Some(mut tau) = first_tau.filter(|_| goes_on) {
                // From the end of the last run on, these forces of the controller act. Those of
                // drives are of the step that led there, before their targets were moved.
                for (k, tau) in tau.iter_mut().enumerate() {
                    *tau += driven[k] - drives_after[k];
                }
                let nv = tau.len();
                let begin = (first_row - 1) * log.width() + 1 + model.model.nq() + nv;
                numbers[begin..begin + nv].copy_from_slice(&tau);
            }
            numbers.extend_from_slice(&rows);
        }
        log.steps().append(steps);
        if self.is_time_stepping() {
            // A controller may have moved them.
            self.asked.ask(py, &mut own.drives)?;
        }
        if last_step.is_some() {
            own.last_step = last_step;
            own.stepping = None;
        }
        let only_gravity = control.is_nothing()
            && forces.external.is_none()
            && self.options.is_free
            && self.events.iter().all(|event| event.get().action.is_none());
        own.acted |= !only_gravity;
        if outcome.is_ok() && !own.acted {
            warnings.extend(own.conservation.warning());
        }
        for one in happened {
            let [q, v] = [one.q, one.v].map(|it| PyArray1::from_vec(py, it));
            let made = named(py, "Occurrence", (one.name, one.t, q, v))?;
            own.happened.push(made.unbind());
        }
        let known = own.warnings.len();
        for warning in warnings {
            warning.add_to(&mut own.warnings);
        }
        // Each once; `warnings` has how it goes on.
        let new = own.warnings[known..].iter();
        let new: Vec<String> = new.map(|it| self.options.explain(it)).collect();
        drop(forces);
        drop(guard);
        for warning in new {
            error::warning(py, &warning, 1)?;
        }
        outcome.map_err(|error| error.0)?;
        let first = if goes_on { first_row - 1 } else { first_row };
        Ok(first..log.rows())
    }
}

/// Writes a state to an array that the caller has, too.
pub(super) fn write(
    py: Python<'_>,
    name: &str,
    array: &Py<PyArray1<f64>>,
    values: &[f64],
) -> PyResult<()> {
    let refused = |reason: &dyn std::fmt::Display| {
        PyRuntimeError::new_err(format!("the array {name} of the simulation: {reason}"))
    };
    let mut own = (array.bind(py).try_readwrite()).map_err(|reason| refused(&reason))?;
    let own = own.as_slice_mut()?;
    if own.len() != values.len() {
        return Err(refused(&"it was resized"));
    }
    own.copy_from_slice(values);
    Ok(())
}

/// An error of the library as Python's.
pub(super) fn failure(failed: Failed) -> PyErr {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have this class")]
    match failed {
        Failed::Integrator(IntegratorError::Argument(_) | IntegratorError::BadParameter { .. })
        | Failed::TooManySteps { .. }
        | Failed::TimeStandsStill { .. } => PyValueError::new_err(failed.to_string()),
        Failed::VariationalLoops { robot } => PyValueError::new_err(format!(
            "method='variational' moves trees only, and '{robot}' has closed loops: take 'maximal-variational' or 'runge-kutta-4'"
        )),
        Failed::InconsistentStart {
            joint,
            position,
            velocity,
            ..
        } => PyValueError::new_err(format!(
            "the loops are not closed at the start: the frames of loop joint '{joint}' are {position:.3e} (m, rad) apart, and the \
             loops open at up to {velocity:.3e} (m/s, rad/s). assemble=True, here or in `reset`, begins at a state nearby in which they are closed"
        )),
        other => SimulationError::new_err(other.to_string()),
    }
}
