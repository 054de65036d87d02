//! The controls of a file's actuators, which callers write.

use super::advance::write;
use super::run::targets;
use crate::states::one_state;
use featherline::Model;
use featherline_formats::Robot as Read;
use featherline_sim::contact::Drives;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// What callers ask of drives: their targets, and the controls of those that are actuators.
pub struct Asked {
    pub targets: Py<PyArray1<f64>>,
    /// One for each actuator of the file; empty where the drives are others.
    pub controls: Py<PyArray1<f64>>,
    /// Those that it begins with.
    first: Vec<f64>,
    /// The file.
    read: Option<Arc<Read>>,
    /// The controls that were read last, where they are not the first, and their drives.
    last: Mutex<Option<(Vec<f64>, Arc<Drives>)>>,
}

impl Asked {
    /// Of drives of `nv` coordinates, and of the actuators of a file in a configuration.
    pub fn new(py: Python<'_>, nv: usize, read: Option<Arc<Read>>, name: Option<&str>) -> Self {
        let first = read.as_ref().map_or_else(Vec::new, |read| {
            let start = read.start().map(|it| it.name.as_str());
            read.controls(name.or(start))
        });
        Self {
            targets: PyArray1::zeros(py, nv, false).unbind(),
            controls: PyArray1::from_slice(py, &first).unbind(),
            first,
            read,
            last: Mutex::new(None),
        }
    }

    /// Takes the first controls again.
    pub fn reset(&self, py: Python<'_>, targets: &[f64]) -> PyResult<()> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        write(py, "controls", &self.controls, &self.first)?;
        write(py, "targets", &self.targets, targets)
    }

    /// Writes other controls.
    pub fn assign_controls(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let controls = one_state("controls", value, self.first.len())?;
        write(py, "controls", &self.controls, &controls)
    }

    /// Moves drives to what is asked of them now.
    pub fn ask(&self, py: Python<'_>, model: &Model, drives: &mut Drives) -> PyResult<()> {
        let targets = targets(self.targets.bind(py))?;
        drives.move_targets(|coordinate| targets[coordinate]);
        match self.by_controls(py, model)? {
            Some(asked) if !drives.follow(&asked) => Err(PyValueError::new_err(
                "controls: with these, the force of an actuator grows with its length or speed",
            )),
            _ => Ok(()),
        }
    }

    /// The drives of the controls, if these are others than the first.
    fn by_controls(&self, py: Python<'_>, model: &Model) -> PyResult<Option<Arc<Drives>>> {
        let Some(read) = &self.read else {
            return Ok(None);
        };
        let controls = self.controls.bind(py).readonly();
        let controls = controls.as_slice()?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            None if controls == self.first => return Ok(None),
            Some((last, drives)) if last == controls => return Ok(Some(drives.clone())),
            _ => {}
        }
        if let Some(k) = controls.iter().position(|it| !it.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "controls[{k}] is {}",
                controls[k]
            )));
        }
        let by = |controls: &[f64]| {
            let found = read.actuation_by(controls);
            found.map_err(|error| PyValueError::new_err(error.to_string()))
        };
        let asked = by(controls)?;
        if asked.bodies != by(&self.first)?.bodies {
            return Err(PyValueError::new_err(
                "controls: those of actuators at sites stay as they begin; use external_forces, or begin in a keyframe with others",
            ));
        }
        let drives = Arc::new(Drives::of_actuators(model, &asked));
        *last = Some((controls.to_vec(), drives.clone()));
        Ok(Some(drives))
    }
}
