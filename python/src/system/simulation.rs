//! Simulated states and readings.

use super::problem::{System, failure};
use super::solution::columns;
use crate::error::natural;
use featherline_system::{SensorSimulation, SensorSimulationError, SimulatedState};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// States of a robot that swings, with forces that satisfy all that is known and assumed, and
/// readings with the sensors' errors.
///
/// `time` (n,), `q` (n, nq), `v` (n, nv); `inputs`: what calls need, by name; `truth`: the
/// requested outputs, by name.
#[pyclass(
    frozen,
    module = "featherline.results",
    name = "SimulatedReadings",
    get_all
)]
pub struct SimulatedReadings {
    /// The times (n,) in s.
    time: Py<PyAny>,
    /// The configurations (n, nq).
    q: Py<PyAny>,
    /// The velocities (n, nv).
    v: Py<PyAny>,
    /// The inputs of calls, by name: arrays of n rows.
    inputs: Py<PyDict>,
    /// The requested outputs, by name: arrays of n rows.
    truth: Py<PyDict>,
}

#[pymethods]
impl SimulatedReadings {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names: Vec<String> = self.inputs.bind(py).keys().extract()?;
        Ok(format!(
            "SimulatedReadings({} states; {})",
            self.time.bind(py).len()?,
            names.join(", ")
        ))
    }
}

fn simulation_failure(error: SensorSimulationError) -> PyErr {
    if let SensorSimulationError::System(error) = error {
        failure(error)
    } else {
        PyValueError::new_err(format!("nothing can be simulated: {error}"))
    }
}

#[pymethods]
impl System {
    /// Simulates a robot that swings, in steps of 0.02 s, with readings that have the sensors'
    /// errors. The same seed gives the same. It begins near its reference configuration "standing",
    /// "stand", "half_sitting", "home", "ready" or "rest", or else with bent joints; a robot on a
    /// free base stands on the frames of load cells and contacts, which push; its base has no
    /// velocity, and accelerations are those that the forces cause.
    ///
    /// >>> readings = fl.System(panda, known=["qdd", "no-external-forces"]).simulate(10, seed=1)
    /// >>> expected = panda.rnea(readings.q, readings.v, readings.inputs["qdd"])
    /// >>> np.allclose(readings.truth["tau"], expected)
    /// True
    #[pyo3(signature = (states=100, *, seed=0))]
    fn simulate(&self, py: Python<'_>, states: i128, seed: i128) -> PyResult<SimulatedReadings> {
        let states: usize = natural("states", states)?;
        let seed = natural("seed", seed)?;
        let parts = Arc::clone(&self.parts);
        let system = &parts.system;
        let mut made: Vec<SimulatedState> = Vec::with_capacity(states.min(1 << 20));
        let mut simulation = py
            .detach(|| SensorSimulation::new(system, seed))
            .map_err(simulation_failure)?;
        while made.len() < states {
            let count = (states - made.len()).min(64);
            for _ in 0..count {
                made.push(simulation.advance().map_err(simulation_failure)?);
            }
            py.check_signals()?;
        }
        let rows = |width: usize, of: &dyn Fn(&SimulatedState) -> &[f64]| {
            columns(py, Some(made.len()), width, made.iter().map(of)).map(Bound::unbind)
        };
        let inputs = PyDict::new(py);
        for group in system.input_groups() {
            let range = group.inputs.clone();
            let own = rows(range.len(), &|one| &one.inputs[range.clone()])?;
            inputs.set_item(group.name, own)?;
        }
        let outputs = made.iter().map(|one| {
            let mut own = vec![0.0; parts.count()];
            parts.gather(&one.unknowns, &mut own).map(|()| own)
        });
        let outputs: Vec<Vec<f64>> = outputs.collect::<Result<_, _>>().map_err(failure)?;
        let truth = PyDict::new(py);
        for want in &parts.wants {
            let own = outputs
                .iter()
                .map(|row| &row[want.start..want.start + want.count]);
            let own = columns(py, Some(made.len()), want.count, own)?;
            truth.set_item(&want.name, own)?;
        }
        let times = made.iter().map(|one| one.time).collect();
        Ok(SimulatedReadings {
            time: PyArray1::from_vec(py, times).into_any().unbind(),
            q: rows(system.model().nq(), &|one| &one.q)?,
            v: rows(system.model().nv(), &|one| &one.v)?,
            inputs: inputs.unbind(),
            truth: truth.unbind(),
        })
    }
}
