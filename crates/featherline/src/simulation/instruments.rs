//! What is measured of a state.

use super::{Sample, SimulationError};
use crate::integrator::IntegratorError;
use crate::loops::{LoopGap, LoopWorkspace};
use crate::model::Model;
use crate::spatial::Force;
use crate::{Error, Workspace};

/// Measures states; a workspace of its own, so that nothing that the methods keep is touched.
pub(super) struct Instruments<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    pub tau: Box<[f64]>,
    /// No velocities and no forces, nv entries.
    pub still: Box<[f64]>,
}

impl<'m> Instruments<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self {
            model,
            ws: Workspace::recursive(model),
            tau: vec![0.0; model.nv()].into(),
            still: vec![0.0; model.nv()].into(),
        }
    }

    /// The sample at a state; `tau` has been filled.
    pub(super) fn sample<'a>(
        &'a mut self,
        loops: Option<&mut LoopWorkspace>,
        (t, q, v): (f64, &'a [f64], &'a [f64]),
    ) -> Result<Sample<'a>, SimulationError> {
        let (model, ws) = (self.model, &mut self.ws);
        let at = |source| SimulationError::Integrator(IntegratorError::at(model, t, v, source));
        let kinetic_energy = model.kinetic_energy(ws, q, v).map_err(at)?;
        let potential_energy = model.potential_energy(ws, q).map_err(at)?;
        let momentum = match model.centroidal_momentum(ws, q, v) {
            // Armature alone moves: there is inertia, and no momentum.
            Err(Error::NoMass { .. }) => Force::zero(),
            momentum => momentum.map_err(at)?,
        };
        let loop_gap = match loops {
            None => LoopGap::default(),
            Some(ws) => model
                .loop_gap(ws, q, v)
                .map_err(|source| SimulationError::of_loops(model, t, v, source))?,
        };
        Ok(Sample {
            t,
            q,
            v,
            tau: &self.tau,
            kinetic_energy,
            potential_energy,
            momentum,
            loop_gap,
        })
    }
}
