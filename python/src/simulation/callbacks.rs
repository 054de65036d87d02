//! Python functions as controllers, forces and events of a simulation.

use super::event::Event;
use crate::forces;
use crate::model::Model;
use crate::states::one_state;
use featherline::spatial::Force;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{ForceBounds, ForceModel, Loads, State};
use featherline_sim::simulation::{Controller, Occurrence};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How often a run looks for Ctrl-C and moves its progress bar on.
const PATIENCE: Duration = Duration::from_millis(50);

/// The first exception of a Python function within a run.
#[derive(Clone, Default)]
pub struct RaisedError(Rc<RefCell<Option<PyErr>>>);

impl RaisedError {
    /// Keeps an exception, with a note about where it came from.
    fn keep(&self, py: Python<'_>, error: PyErr, by: &str, t: f64) {
        let note = format!("raised by {by} at t = {t} s");
        // Python 3.10 has no notes.
        let _ = error.value(py).call_method1("add_note", (note,));
        self.0.borrow_mut().get_or_insert(error);
    }

    /// The exception, if there was one.
    pub fn take(&self) -> Option<PyErr> {
        self.0.borrow_mut().take()
    }

    /// Calls Python; an exception is kept, and an error of the integrator stands for it.
    fn calling<T>(
        &self,
        by: &str,
        t: f64,
        call: impl FnOnce(Python<'_>) -> PyResult<T>,
    ) -> Result<T, IntegratorError> {
        Python::attach(|py| {
            call(py).map_err(|error| {
                self.keep(py, error, by, t);
                IntegratorError::field(t, format!("{by} raised an exception"))
            })
        })
    }
}

/// A Python function of (t, q, v), or (t, q, v, tau).
pub struct Function {
    pub callable: Py<PyAny>,
    /// Whether it takes an array to write into.
    pub writes: bool,
}

impl Function {
    /// A function, and by its signature how it is called.
    pub fn of(callable: &Bound<'_, PyAny>) -> Self {
        let takes_four = || -> PyResult<bool> {
            let py = callable.py();
            let inspect = py.import("inspect")?;
            let signature = inspect.call_method1("signature", (callable,))?;
            Ok(signature.call_method1("bind", (0, 0, 0, 0)).is_ok()
                && signature.call_method1("bind", (0, 0, 0)).is_err())
        };
        Self {
            callable: callable.clone().unbind(),
            writes: takes_four().unwrap_or(false),
        }
    }

    /// Its name in messages.
    pub fn name(&self, py: Python<'_>) -> String {
        let callable = self.callable.bind(py);
        let name = callable.getattr("__qualname__");
        let name = name.or_else(|_| callable.get_type().getattr("__qualname__"));
        name.and_then(|name| name.extract())
            .unwrap_or_else(|_| "a function".to_owned())
    }

    /// Adds its forces to `tau`.
    fn add(&self, py: Python<'_>, state: &State<'_>, tau: &mut [f64]) -> PyResult<()> {
        let (q, v) = (
            PyArray1::from_slice(py, state.q),
            PyArray1::from_slice(py, state.v),
        );
        let callable = self.callable.bind(py);
        let result = if self.writes {
            let given = PyArray1::<f64>::zeros(py, tau.len(), false);
            let result = callable.call1((state.t, q, v, &given))?;
            if result.is_none() {
                given.into_any()
            } else {
                result
            }
        } else {
            callable.call1((state.t, q, v))?
        };
        if result.is_none() {
            return Err(PyTypeError::new_err(format!(
                "the controller returned None, where joint forces ({},) are expected; a controller (t, q, v, tau) writes into tau instead",
                tau.len()
            )));
        }
        let forces = one_state("the controller's result", &result, tau.len())?;
        for (sum, force) in tau.iter_mut().zip(forces) {
            *sum += force;
        }
        Ok(())
    }
}

/// A Python function as a controller.
pub struct PythonController<'a> {
    pub function: &'a Function,
    pub raised: RaisedError,
}

impl Controller for PythonController<'_> {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        let function = self.function;
        let call = |py: Python<'_>| function.add(py, state, tau);
        self.raised.calling("the controller", state.t, call)
    }
}

/// The forces that drive the robot, as the methods of integration ask for them: forces that are
/// held, and a controller in continuous time. Each of its evaluations may look for Ctrl-C.
pub struct Drive<'a> {
    pub held: Rc<RefCell<Vec<f64>>>,
    pub continuous: Option<Box<dyn Controller + 'a>>,
    pub watch: Watch<'a>,
}

impl Controller for Drive<'_> {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self.watch.look(state.t)?;
        for (sum, force) in tau.iter_mut().zip(&*self.held.borrow()) {
            *sum += force;
        }
        match &mut self.continuous {
            Some(controller) => controller.drive(state, tau),
            None => Ok(()),
        }
    }

    fn add_bounds(&self, bounds: &mut ForceBounds) {
        if let Some(controller) = &self.continuous {
            controller.add_bounds(bounds);
        }
    }
}

/// Looks for Ctrl-C now and then, and tells a progress bar the time.
pub struct Watch<'a> {
    pub progress: Option<&'a Py<PyAny>>,
    pub raised: RaisedError,
    last: Instant,
    calls: u32,
}

impl<'a> Watch<'a> {
    /// Begins to look.
    pub fn new(progress: Option<&'a Py<PyAny>>, raised: RaisedError) -> Self {
        Self {
            progress,
            raised,
            last: Instant::now(),
            calls: 0,
        }
    }

    fn look(&mut self, t: f64) -> Result<(), IntegratorError> {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(64) || self.last.elapsed() < PATIENCE {
            return Ok(());
        }
        self.last = Instant::now();
        let progress = self.progress;
        Python::attach(|py| {
            py.check_signals()?;
            match progress {
                Some(progress) => progress.call_method1(py, "update", (t,)).map(drop),
                None => Ok(()),
            }
        })
        .map_err(|error| {
            self.raised.0.borrow_mut().get_or_insert(error);
            IntegratorError::field(t, "the run was interrupted")
        })
    }
}

/// External forces: those of a dictionary or array, or a function of (t, q, v) that returns such.
pub enum External {
    Constant(Vec<Force<f64>>),
    Function(Py<PyAny>),
}

impl External {
    /// Reads what a caller gave.
    pub fn of(model: &Model, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_callable() {
            return Ok(Self::Function(value.clone().unbind()));
        }
        Ok(Self::Constant(read_forces(model, value)?))
    }
}

fn read_forces(model: &Model, value: &Bound<'_, PyAny>) -> PyResult<Vec<Force<f64>>> {
    let joints = model.model.joints().len() - 1;
    let flat = forces::read(model, value)?;
    let flat = one_state("external_forces", &flat, 6 * joints)?;
    let own = flat
        .as_chunks::<6>()
        .0
        .iter()
        .map(|six| Force::from_array(*six));
    Ok(std::iter::once(Force::zero()).chain(own).collect())
}

/// External forces as a force model.
pub struct ExternalForces<'a> {
    pub external: &'a External,
    pub model: &'a Model,
    pub raised: RaisedError,
}

impl ForceModel for ExternalForces<'_> {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        let add = |forces: &[Force<f64>], loads: &mut Loads<'_>| {
            for (body, force) in loads.bodies.iter_mut().zip(forces) {
                *body += *force;
            }
        };
        match self.external {
            External::Constant(forces) => add(forces, loads),
            External::Function(function) => {
                let model = self.model;
                let call = |py: Python<'_>| {
                    let (q, v) = (
                        PyArray1::from_slice(py, state.q),
                        PyArray1::from_slice(py, state.v),
                    );
                    let result = function.bind(py).call1((state.t, q, v))?;
                    read_forces(model, &result)
                };
                let forces = self.raised.calling("external_forces", state.t, call)?;
                add(&forces, loads);
            }
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        true
    }
}

/// An event's occurrence: its name, the time and the state before its action.
pub struct EventRecord {
    pub name: String,
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// A Python event as one of the library's, which notes its occurrences.
pub fn event<'a>(
    event: &'a Event,
    raised: &RaisedError,
    happened: &Rc<RefCell<Vec<EventRecord>>>,
) -> featherline_sim::simulation::Event<'a> {
    let by = format!("event '{}'", event.name);
    let value = {
        let (raised, by) = (raised.clone(), by.clone());
        move |t: f64, q: &[f64], v: &[f64]| {
            let call = |py: Python<'_>| {
                let (q, v) = (PyArray1::from_slice(py, q), PyArray1::from_slice(py, v));
                let value = event.function.bind(py).call1((t, q, v))?;
                value.extract::<f64>().map_err(|_| {
                    let found = match value.getattr("shape") {
                        Ok(shape) => format!("an array of shape {shape}"),
                        Err(_) => format!("{}", value.get_type()),
                    };
                    PyTypeError::new_err(format!(
                        "the function of event '{}' returned {found}, where one number is expected",
                        event.name
                    ))
                })
            };
            raised.calling(&by, t, call).unwrap_or(f64::NAN)
        }
    };
    let (raised, happened) = (raised.clone(), Rc::clone(happened));
    let act = move |at: &mut Occurrence<'_>| {
        happened.borrow_mut().push(EventRecord {
            name: event.name.clone(),
            t: at.t,
            q: at.q.to_vec(),
            v: at.v.to_vec(),
        });
        let ends = Cell::new(event.stop);
        if let Some(action) = &event.action {
            let call = |py: Python<'_>| {
                let (q, v) = (
                    PyArray1::from_slice(py, at.q),
                    PyArray1::from_slice(py, at.v),
                );
                let result = action.bind(py).call1((at.t, q, &v))?;
                if let Ok(flag) = result.cast::<PyBool>() {
                    ends.set(ends.get() || flag.is_true());
                } else if !result.is_none() {
                    let new = one_state("the action's result", &result, at.v.len())?;
                    at.v.copy_from_slice(&new);
                    return Ok(());
                }
                at.v.copy_from_slice(&one_state("v", v.as_any(), at.v.len())?);
                if let Some(k) = at.v.iter().position(|rate| !rate.is_finite()) {
                    return Err(PyValueError::new_err(format!("v[{k}] is {}", at.v[k])));
                }
                Ok(())
            };
            if raised.calling(&by, at.t, call).is_err() {
                return ControlFlow::Break(());
            }
        }
        if ends.get() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    featherline_sim::simulation::Event::new(event.name.clone(), value)
        .of(event.direction)
        .then(act)
}
