//! Readings of the last step of simulations in a batch.

use super::batch::SimulationBatch;
use super::batch_rows::no_row;
use super::batch_scene::Scene;
use super::contact_setup::structured;
use super::readings::wrench;
use super::run::LastStep;
use crate::argument::FrameName;
use crate::array::Answer;
use crate::error;
use featherline::Workspace;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

impl SimulationBatch {
    /// The last step of a simulation.
    fn last_step(&self, scene: &Scene) -> Option<LastStep> {
        Some(LastStep {
            h: self.dt,
            before: scene.stepping.before()?.clone(),
            after: scene.last.clone()?,
            touches: scene.stepping.touches(&self.touching, self.dt),
            report: scene.report,
        })
    }
}

#[pymethods]
impl SimulationBatch {
    /// The contacts of the last step of one simulation, as `Simulation.contacts`.
    ///
    /// >>> batch = fl.SimulationBatch("quadruped", 2)
    /// >>> batch.step()
    /// >>> len(batch.contacts(1))
    /// 4
    fn contacts<'py>(&self, py: Python<'py>, row: usize) -> Answer<'py> {
        let (touches, t) = {
            let inner = self.inner()?;
            let n = inner.scenes.len();
            let scene = inner.scenes.get(row).ok_or_else(|| no_row(row, n))?;
            (scene.stepping.touches(&self.touching, self.dt), scene.t)
        };
        structured(py, &self.touching.names, vec![t; touches.len()], &touches)
    }

    /// The forces [force; moment] (n, 6) that contacts had on a link in the last step, as
    /// `Simulation.contact_force`.
    ///
    /// >>> batch = fl.SimulationBatch("quadruped", 2)
    /// >>> batch.step(steps=100)
    /// >>> batch.contact_force("front_left_foot").shape
    /// (2, 6)
    fn contact_force<'py>(
        &self,
        py: Python<'py>,
        link: FrameName<'_>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let model = self.core();
        let link = link.0;
        let target = self.model.get().target(link)?;
        let inner = self.inner()?;
        let mut ws = Workspace::<f64>::recursive(model);
        let is_own = self.touching.shapes_of(link, target, model);
        let mut rows = Vec::with_capacity(6 * inner.scenes.len());
        for scene in &inner.scenes {
            let force = match self.last_step(scene) {
                None => [0.0; 6],
                Some(last) => {
                    let placed = model.forward_kinematics(&mut ws, &last.before.0);
                    let placement = placed.map_err(error::algorithm)?.placement(target);
                    wrench(&last, &placement, &is_own).to_array()
                }
            };
            rows.extend(force);
        }
        PyArray1::from_vec(py, rows).reshape([inner.scenes.len(), 6])
    }
}
