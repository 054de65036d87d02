//! Putting a state back on its loops, and what stands in the way.

use super::SimulationError;
use super::singularity::Regularity;
use crate::integrator::IntegratorError;
use crate::loops::{LoopError, LoopWorkspace, Stabilisation};
use crate::model::Model;

/// A gap in m and rad that may be left where it can't be made smaller, next to singular configurations: some hundred times what
/// a good step opens there, and a thousandth of what shows.
const LEFT_OPEN: f64 = 1e-6;

/// From this condition on loops are as good as singular, see [`LoopDynamics`](crate::loops::LoopDynamics).
pub(super) const SINGULAR: f64 = 1e6;

/// Puts a state back on the loops.
pub(super) fn project(
    model: &Model,
    loops: Option<&mut LoopWorkspace>,
    t: f64,
    q: &mut [f64],
    v: &mut [f64],
) -> Result<(), SimulationError> {
    let Some(ws) = loops else { return Ok(()) };
    let closed = model
        .assemble_within(ws, q, LEFT_OPEN)
        .and_then(|_| model.project_velocity(ws, q, v));
    match closed {
        Ok(_) => Ok(()),
        Err(LoopError::Open { joint, gap, before }) => Err(SimulationError::LoopsOpened {
            t,
            joint,
            gap,
            before,
            condition: condition(model, ws, q),
        }),
        Err(source) => Err(SimulationError::of_loops(model, t, v, source)),
    }
}

/// What an integrator's error means at a configuration `q` whose loops may be all but singular.
#[cold]
pub(super) fn near_singular(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    error: IntegratorError,
) -> SimulationError {
    if let IntegratorError::StepTooSmall { t, least, .. } = error {
        let condition = condition(model, ws, q);
        if condition >= SINGULAR {
            return SimulationError::NearSingular {
                t,
                least,
                condition,
            };
        }
    }
    SimulationError::of(error)
}

/// The condition of the loops; infinite where not even the tree has one.
#[cold]
fn condition(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> f64 {
    let still = vec![0.0; model.nv()];
    regularity(model, ws, q, &still).map_or(f64::INFINITY, |loops| loops.condition)
}

/// How regular the loops are, from `still`, nv zeros; none where not even the tree has dynamics.
pub(super) fn regularity(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    still: &[f64],
) -> Option<Regularity> {
    let result = model.loop_dynamics(ws, q, still, still, &[], &Stabilisation::NONE);
    result.ok().map(|loops| Regularity::of(&loops))
}
