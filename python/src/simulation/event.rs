//! Events and the parameters of controllers, as callers make them.

use crate::error;
use crate::model::chosen;
use crate::properties::properties;
use featherline::words::Words;
use featherline_sim::simulation::Direction;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An instant at which a function of the state crosses zero.
///
/// function(t, q, v) is a number. `direction` is "either", "rising" (from below) or "falling".
/// `action(t, q, v)` is called there: it may write new velocities into v, or return them, as an
/// impact does, and end the run by returning True. `stop` says whether the event ends the run; by
/// default it does if it has no action.
///
/// >>> pendulum = fl.load("double_pendulum")
/// >>> def turn_back(t, q, v):
/// ...     v[0] = -v[0]
/// >>> def wall(t, q, v):
/// ...     return q[0] + 0.2
/// >>> hit = fl.Event(wall, direction="falling", action=turn_back)
/// >>> simulation = fl.Simulation(pendulum, [1.0, 0.5], events=hit)
/// >>> recording = simulation.run(1.0)
/// >>> [at.event for at in simulation.occurrences]
/// ['wall']
#[pyclass(frozen, module = "featherline", name = "Event")]
pub struct Event {
    /// Its name: by default that of the function.
    #[pyo3(get)]
    pub name: String,
    pub function: Py<PyAny>,
    pub direction: Direction,
    pub action: Option<Py<PyAny>>,
    /// Whether it ends the run.
    #[pyo3(get)]
    pub stop: bool,
}

impl Event {
    /// One event, or several.
    pub fn all(value: &Bound<'_, PyAny>) -> PyResult<Vec<Py<Self>>> {
        if value.cast::<Self>().is_ok() || value.is_callable() {
            return Ok(vec![Self::of(value)?]);
        }
        let events: Vec<Py<Self>> = value
            .try_iter()?
            .map(|one| Self::of(&one?))
            .collect::<PyResult<_>>()?;
        for (i, event) in events.iter().enumerate() {
            let name = &event.get().name;
            if events[..i].iter().any(|other| other.get().name == *name) {
                return Err(PyValueError::new_err(format!(
                    "two events are called '{name}': name them, as in Event(function, name='impact')"
                )));
            }
        }
        Ok(events)
    }

    /// An event, or a function whose zero ends the run.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        match value.cast::<Self>() {
            Ok(event) => Ok(event.clone().unbind()),
            Err(_) if value.is_callable() => {
                let event = Self::new(value, None, "either", None, None)?;
                Py::new(value.py(), event)
            }
            Err(_) => Err(PyTypeError::new_err(format!(
                "events holds a {}, where an Event or a function of (t, q, v) is expected",
                value.get_type().name()?
            ))),
        }
    }
}

properties! { Event:
    /// "either", "rising" or "falling".
    direction: &'static str = |self| self.direction.name();
}

#[pymethods]
impl Event {
    #[new]
    #[pyo3(signature = (function, *, name=None, direction="either", action=None, stop=None))]
    fn new(
        function: &Bound<'_, PyAny>,
        name: Option<String>,
        direction: &str,
        action: Option<Bound<'_, PyAny>>,
        stop: Option<bool>,
    ) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(PyTypeError::new_err("function is not callable"));
        }
        if action.as_ref().is_some_and(|action| !action.is_callable()) {
            return Err(PyTypeError::new_err("action is not callable"));
        }
        let own = || function.getattr("__name__").ok()?.extract::<String>().ok();
        Ok(Self {
            name: name
                .or_else(own)
                .filter(|name| name != "<lambda>")
                .unwrap_or_else(|| "event".to_owned()),
            function: function.clone().unbind(),
            direction: chosen("direction", direction)?,
            stop: stop.unwrap_or(action.is_none()),
            action: action.map(Bound::unbind),
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.action)
    }

    fn __repr__(&self) -> String {
        let (direction, name) = (self.direction(), &self.name);
        let action = match (&self.action, self.stop) {
            (None, true) => "ends the run",
            (None, false) => "is noted",
            (Some(_), true) => "acts and ends the run",
            (Some(_), false) => "acts",
        };
        format!("<featherline.Event '{name}', {direction}: {action}>")
    }
}

/// Springs and dampers towards a reference configuration, with compensation of gravity: τ = g(q) +
/// Kp (r ⊖ q) − Kd v.
///
/// Gains are numbers or arrays (nv,), in N·m/rad (N/m) and N·m·s/rad (N·s/m). With `frequency` (in
/// Hz) instead they are chosen from the mass matrix at the reference for critical damping. It acts
/// in continuous time unless the simulation has a `control_period`; a floating base is not driven.
///
/// >>> pendulum = fl.load("double_pendulum")
/// >>> control = fl.ProportionalDerivative([0.3, -0.2], frequency=2.0)
/// >>> simulation = fl.Simulation(pendulum, controller=control)
/// >>> recording = simulation.run(3.0)
/// >>> np.allclose(simulation.q, [0.3, -0.2], atol=1e-4)
/// True
#[pyclass(frozen, module = "featherline", name = "ProportionalDerivative")]
pub struct ProportionalDerivative {
    pub reference: Vec<f64>,
    pub gains: Gains,
}

/// Stiffness and damping, or what they follow from.
pub enum Gains {
    Given(Vec<f64>, Vec<f64>),
    Critical(f64),
}

#[pymethods]
impl ProportionalDerivative {
    #[new]
    #[pyo3(signature = (reference, stiffness=None, damping=None, *, frequency=None, **unknown), text_signature = "(reference, stiffness=None, damping=None, *, frequency=None)")]
    fn new(
        py: Python<'_>,
        reference: Vec<f64>,
        stiffness: Option<&Bound<'_, PyAny>>,
        damping: Option<&Bound<'_, PyAny>>,
        frequency: Option<f64>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        error::only_known(&py.get_type::<Self>(), unknown)?;
        let gains_of = |name: &str, value| {
            let gains = numbers(name, value)?;
            match gains
                .iter()
                .find(|gain| !(gain.is_finite() && **gain >= 0.0))
            {
                None => Ok(gains),
                Some(gain) => Err(PyValueError::new_err(format!(
                    "{name} has {gain}, where numbers of at least zero are expected"
                ))),
            }
        };
        let gains = match (stiffness, damping, frequency) {
            (Some(stiffness), Some(damping), None) => Gains::Given(
                gains_of("stiffness", stiffness)?,
                gains_of("damping", damping)?,
            ),
            (None, None, Some(frequency)) if frequency.is_finite() && frequency > 0.0 => {
                Gains::Critical(frequency)
            }
            (None, None, Some(frequency)) => {
                return Err(PyValueError::new_err(format!(
                    "frequency is {frequency}, where a positive number of Hz is expected"
                )));
            }
            _ => {
                return Err(PyValueError::new_err(
                    "gains are missing, or given twice: give stiffness and damping, or frequency alone",
                ));
            }
        };
        Ok(Self { reference, gains })
    }

    fn __repr__(&self) -> String {
        let gains = match &self.gains {
            Gains::Given(..) => "given gains".to_owned(),
            Gains::Critical(frequency) => format!("critically damped at {frequency} Hz"),
        };
        format!("<featherline.ProportionalDerivative: {gains}>")
    }
}

/// One number, or several.
pub fn numbers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(one) = value.extract::<f64>() {
        return Ok(vec![one]);
    }
    value
        .extract::<Vec<f64>>()
        .map_err(|_| PyTypeError::new_err(format!("{name} must be a number, or an array of them")))
}
