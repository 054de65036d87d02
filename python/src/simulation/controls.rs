//! The controls of a file's actuators, which callers write.

use super::advance::write;
use super::event::numbers;
use super::run::targets;
use crate::states::one_state;
use featherline_formats::Robot as Read;
use featherline_sim::contact::Drives;
use featherline_sim::setup;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// Controls as callers give them: numbers in the order of the file, or a dictionary from actuators
/// to numbers.
pub fn read(value: &Bound<'_, PyAny>) -> PyResult<setup::Controls> {
    let Ok(named) = value.cast::<PyDict>() else {
        return Ok(setup::Controls::All(numbers("controls", value)?));
    };
    let named = named.iter().map(|(name, control)| {
        let number = control
            .extract::<f64>()
            .map_err(|_| PyTypeError::new_err(format!("controls['{name}'] must be a number")))?;
        Ok((name.extract::<String>()?, number))
    });
    Ok(setup::Controls::Named(named.collect::<PyResult<_>>()?))
}

/// The actuators of a file, and the controls (nu,) that they begin with.
pub struct Actuators {
    read: Arc<Read>,
    pub first: Vec<f64>,
}

/// The controls that were read last, and their drives; none before they are others than the first.
pub type LastControls = Option<(Vec<f64>, Drives)>;

impl Actuators {
    /// Of a file.
    pub fn new(read: Arc<Read>, first: Vec<f64>) -> Self {
        Self { read, first }
    }

    /// Moves drives to controls, unless these are the first, and ever were.
    pub fn ask(
        &self,
        controls: &[f64],
        last: &mut LastControls,
        drives: &mut Drives,
    ) -> PyResult<()> {
        let is_known = match last {
            None => controls == self.first,
            Some((known, _)) => known == controls,
        };
        if !is_known {
            if let Some(k) = controls.iter().position(|it| !it.is_finite()) {
                let text = format!("controls[{k}] is {}", controls[k]);
                return Err(PyValueError::new_err(text));
            }
            let asked = self.read.actuation_by(controls);
            let asked = asked.map_err(|error| PyValueError::new_err(error.to_string()))?;
            let asked = Drives::of_actuators(&self.read.model, &asked);
            *last = Some((controls.to_vec(), asked));
        }
        match last {
            Some((_, asked)) if !drives.follow(asked) => Err(PyValueError::new_err(
                "controls: with these, the force of an actuator grows with its length or speed",
            )),
            Some(_) | None => Ok(()),
        }
    }
}

/// The inputs of drives that callers set: their targets, and the controls of those that are
/// actuators.
pub struct DriveInputs {
    pub targets: Py<PyArray1<f64>>,
    /// One for each actuator of the file; empty where the drives are others.
    pub controls: Py<PyArray1<f64>>,
    actuators: Option<Actuators>,
    last: Mutex<LastControls>,
}

impl DriveInputs {
    /// Of drives of `nv` coordinates, and of the actuators of a file if they are these.
    pub fn new(py: Python<'_>, nv: usize, actuators: Option<Actuators>) -> Self {
        let first = actuators.as_ref().map_or(&[][..], |it| &it.first);
        Self {
            targets: PyArray1::zeros(py, nv, false).unbind(),
            controls: PyArray1::from_slice(py, first).unbind(),
            actuators,
            last: Mutex::new(None),
        }
    }

    /// The controls that the actuators begin with.
    pub fn first(&self) -> &[f64] {
        self.actuators.as_ref().map_or(&[], |it| &it.first)
    }

    /// Takes the first controls again.
    pub fn reset(&self, py: Python<'_>, targets: &[f64]) -> PyResult<()> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        write(py, "controls", &self.controls, self.first())?;
        write(py, "targets", &self.targets, targets)
    }

    /// Writes other controls.
    pub fn assign_controls(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let controls = one_state("controls", value, self.first().len())?;
        write(py, "controls", &self.controls, &controls)
    }

    /// Moves drives to what is asked of them now.
    pub fn ask(&self, py: Python<'_>, drives: &mut Drives) -> PyResult<()> {
        let targets = targets(self.targets.bind(py))?;
        drives.move_targets(|coordinate| targets[coordinate]);
        let Some(actuators) = &self.actuators else {
            return Ok(());
        };
        let controls = self.controls.bind(py).readonly();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        actuators.ask(controls.as_slice()?, &mut last, drives)
    }
}
