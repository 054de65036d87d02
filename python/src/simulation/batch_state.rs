//! The states of simulations in a batch, to be copied.

use super::batch::SimulationBatch;
use super::batch_rows::{copied, fill, no_row};
use super::readings::SavedState;
use super::stepping::WarmStart;
use crate::array::Answer;
use crate::states::{named, one_state};
use numpy::PyArray2;
use pyo3::prelude::*;

#[pymethods]
impl SimulationBatch {
    /// The time, the state, the targets and the impulses of one simulation, copied: given to
    /// `set_state` of any batch or to `Simulation.state`, the same bits follow.
    ///
    /// >>> batch = fl.SimulationBatch("quadruped", 2)
    /// >>> batch.step(steps=50)
    /// >>> batch.set_state(1, batch.state(0))
    /// >>> batch.step(steps=50)
    /// >>> bool((batch.q[0] == batch.q[1]).all())
    /// True
    fn state<'py>(&self, py: Python<'py>, row: usize) -> Answer<'py> {
        let (t, kept) = {
            let mut inner = self.inner()?;
            let n = inner.scenes.len();
            let scene = inner.scenes.get_mut(row).ok_or_else(|| no_row(row, n))?;
            let moved = scene.stepping.moved().clone();
            (scene.t, WarmStart(scene.stepping.warm_start(), moved))
        };
        let own = |array: &Py<PyArray2<f64>>| array.bind(py).get_item(row)?.call_method0("copy");
        let controls = own(&self.controls)?;
        let (q, v, targets) = (own(&self.q)?, own(&self.v)?, own(&self.targets)?);
        let fields = (t, q, v, targets, kept, controls);
        named(py, "SimulationState", fields)
    }

    /// Goes on with one simulation from a state.
    fn set_state(&self, py: Python<'_>, row: usize, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let (nq, nv) = (self.core().nq(), self.core().nv());
        let saved = SavedState::of(state)?;
        let q = one_state("q", &saved.q, nq)?;
        let v = one_state("v", &saved.v, nv)?;
        let targets = one_state("targets", &saved.targets, nv)?;
        let nu = self.controls_width();
        let controls = match &saved.controls {
            Some(controls) => Some(one_state("controls", controls, nu)?),
            None => None,
        };
        let mut inner = self.inner()?;
        let n = inner.scenes.len();
        let scene = inner.scenes.get_mut(row).ok_or_else(|| no_row(row, n))?;
        match &saved.kept {
            Some(kept) => {
                scene.stepping.set_warm_start(&kept.get().0);
                scene.stepping.moved().set_motion(&kept.get().1);
            }
            None => scene.stepping.forget(),
        }
        (scene.t, scene.ticks) = (saved.t, (saved.t, 0));
        (scene.report, scene.failure) = (None, None);
        scene.last = Some((q.clone(), v.clone()));
        drop(inner);
        for (array, width, own) in [
            (&self.q, nq, q),
            (&self.v, nv, v),
            (&self.targets, nv, targets),
        ] {
            let array = array.bind(py);
            let mut all = copied("the state", array)?;
            all[row * width..][..width].copy_from_slice(&own);
            fill(array, &all)?;
        }
        if let Some(own) = controls {
            let array = self.controls.bind(py);
            let mut all = copied("controls", array)?;
            all[row * nu..][..nu].copy_from_slice(&own);
            fill(array, &all)?;
        }
        Ok(())
    }
}
