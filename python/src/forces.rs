//! External forces as callers give them.

use crate::array::{self, Argument, Value};
use crate::error;
use crate::model::Model;
use featherline::spatial::Force;
use numpy::{PyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Forces on the joints' bodies, in the joints' frames, as one row of six numbers a joint: from a
/// dictionary of names, or an array (joints, 6) or (states, joints, 6).
pub fn read<'py>(model: &Model, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let joints = model.model.joints().len() - 1;
    if let Ok(named) = value.cast::<PyDict>() {
        let mut forces = Vec::new();
        for (name, force) in named {
            let name: String = name.extract()?;
            let force = match force.cast::<crate::spatial::Force>() {
                Ok(force) => force.get().value(),
                Err(_) => {
                    let name = format!("external_forces['{name}']");
                    Force::from_array(array::fixed::<6>(&name, &force, &[6])?)
                }
            };
            forces.push((model.target(&name)?, force));
        }
        let forces = model.model.external_forces(forces);
        let rows: Vec<f64> = forces[1..].iter().flat_map(|f| f.to_array()).collect();
        return Ok(PyArray1::from_vec(py, rows).into_any());
    }
    let array = py.import("numpy")?.call_method1("asarray", (value,))?;
    let shape: Vec<usize> = array.cast::<numpy::PyUntypedArray>()?.shape().to_vec();
    match shape[..] {
        [n, 6] if n == joints => array.call_method1("reshape", (6 * joints,)),
        [states, n, 6] if n == joints => array.call_method1("reshape", (states, 6 * joints)),
        _ => Err(error::shape(
            "external_forces",
            &shape,
            &format!("({joints}, 6), (n, {joints}, 6) or a dictionary"),
        )),
    }
}

/// These forces as an argument.
pub fn argument<'a, 'py>(model: &Model, value: &'a Bound<'py, PyAny>) -> Argument<'a, 'py> {
    Argument {
        name: "external_forces",
        value,
        width: 6 * (model.model.joints().len() - 1),
    }
}

/// The external forces of a call, if it has any.
pub struct External<'py> {
    rows: Option<Bound<'py, PyAny>>,
}

impl<'py> External<'py> {
    /// Reads them.
    pub fn read(model: &Model, value: Option<Value<'_, 'py>>) -> PyResult<Self> {
        let rows = value.map(|value| read(model, value)).transpose()?;
        Ok(Self { rows })
    }

    /// The arguments of a call, these forces after all others.
    pub fn after<'a>(
        &'a self,
        model: &Model,
        others: impl IntoIterator<Item = Argument<'a, 'py>>,
    ) -> Vec<Argument<'a, 'py>> {
        let own = self.rows.iter().map(|rows| argument(model, rows));
        others.into_iter().chain(own).collect()
    }
}

/// Forces on the bodies of all joints, of which rows hold six numbers each but for the universe's;
/// none without rows.
pub fn on_bodies(rows: Option<&&[f64]>) -> Vec<Force<f64>> {
    let own = rows.iter().flat_map(|rows| rows.chunks_exact(6)).map(|f| {
        let mut row = [0.0; 6];
        row.copy_from_slice(f);
        Force::from_array(row)
    });
    let universe = rows.map(|_| Force::zero());
    universe.into_iter().chain(own).collect()
}
