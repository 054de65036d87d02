//! Closed loops within limits.

use crate::Error;
use crate::bounds::Bounds;
use featherline::Model;
use featherline_constraint::{LoopWorkspace, assemble, assemble_holding, project_velocities};
use nalgebra::DMatrix;

/// How often coordinates that come to limits in an assembly are held, and the rest assembled again.
const MOST_HOLDS: usize = 4;

/// Keeps loops closed and coordinates within limits while a robot is moved.
pub(crate) struct Closing<'m> {
    model: &'m Model,
    /// None of a robot without loops.
    loops: Option<LoopWorkspace>,
    pub(crate) bounds: Bounds,
}

impl<'m> Closing<'m> {
    pub(crate) fn new(model: &'m Model) -> Result<Self, Error> {
        let has_loops = !model.loop_joints().is_empty();
        Ok(Self {
            model,
            loops: has_loops.then(|| LoopWorkspace::new(model)).transpose()?,
            bounds: Bounds::new(model),
        })
    }

    /// Closes the loops of a configuration.
    pub(crate) fn close(&mut self, q: &mut [f64]) -> Result<(), Error> {
        if let Some(ws) = &mut self.loops {
            assemble(self.model, ws, q)?;
        }
        Ok(())
    }

    /// Closes the loops of a configuration within limits, by coordinates that are not at one and
    /// not `held`; false where they do not close so. Coordinates that are beyond limits `here` go
    /// no further.
    pub(crate) fn close_within(&mut self, here: &[f64], q: &mut [f64], held: &[usize]) -> bool {
        let Some(ws) = &mut self.loops else {
            return true;
        };
        // Others may come to their limits while these close the loops, and are held then.
        for _ in 0..MOST_HOLDS {
            let mut all = self.bounds.reached(here, q);
            all.extend(held);
            if assemble_holding(self.model, ws, q, &all).is_err() {
                return false;
            }
            if self.bounds.contains(here, q) {
                return true;
            }
            self.bounds.clamp_from(here, q);
        }
        false
    }

    /// The matrix that takes velocities to those at which loops stay closed; none without loops.
    pub(crate) fn allowed(&mut self, q: &[f64]) -> Result<Option<DMatrix<f64>>, Error> {
        let Some(ws) = &mut self.loops else {
            return Ok(None);
        };
        let nv = self.model.nv();
        let mut allowed = DMatrix::identity(nv, nv);
        project_velocities(self.model, ws, q, &mut allowed)?;
        Ok(Some(allowed))
    }
}
