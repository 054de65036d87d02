//! Putting a state back on its loops, and what stands in the way.

use super::{Caution, SimulationError};
use crate::integrator::IntegratorError;
use featherline::model::Model;
use featherline_constraint::kernel::Regularity;
use featherline_constraint::kernel::{assemble_within, regularity};
use featherline_constraint::{LoopError, LoopGap, LoopWorkspace};

/// A gap in m and rad that may be left where it can't be made smaller, next to singular
/// configurations: some hundred times what a good step opens there, and a thousandth of what shows.
pub(super) const LEFT_OPEN: f64 = 1e-6;

/// Puts a state back on the loops, and says so if axes of few digits leave them open.
pub(super) fn project(
    model: &Model,
    loops: Option<&mut LoopWorkspace>,
    cautions: &mut Vec<Caution>,
    t: f64,
    q: &mut [f64],
    v: &mut [f64],
) -> Result<(), SimulationError> {
    let Some(ws) = loops else { return Ok(()) };
    let usually_repeated = ws.usually_repeated();
    let closed = assemble_within(model, ws, q, LEFT_OPEN, usually_repeated)
        .and_then(|gap| featherline_constraint::project_velocity(model, ws, q, v).map(|_| gap));
    match closed {
        Ok(gap) => {
            tell_of_digits(model, cautions, t, &gap);
            Ok(())
        }
        Err(LoopError::Open { joint, gap, before }) => {
            let loops = regularity(model, ws, q);
            let Regularity {
                condition,
                rank_lost,
            } = loops.unwrap_or(Regularity::none());
            Err(SimulationError::LoopsOpened {
                t,
                joint,
                gap,
                before,
                condition,
                rank_lost,
            })
        }
        Err(source) => Err(SimulationError::of_loops(model, t, v, source)),
    }
}

/// Says that axes of few digits leave loops open, or by more than so far.
pub(super) fn tell_of_digits(model: &Model, cautions: &mut Vec<Caution>, t: f64, left: &LoopGap) {
    let (Some(widest), true) = (left.widest, left.position > LEFT_OPEN) else {
        return;
    };
    for caution in &mut *cautions {
        if let Caution::FewDigits { gap, .. } = caution {
            *gap = gap.max(left.position);
            return;
        }
    }
    cautions.push(Caution::FewDigits {
        t,
        joint: model.loop_joint(widest).name.clone(),
        gap: left.position,
    });
}

/// Takes from a velocity what the loops don't allow.
pub(super) fn project_velocity(
    model: &Model,
    loops: Option<&mut LoopWorkspace>,
    t: f64,
    q: &[f64],
    v: &mut [f64],
) -> Result<(), SimulationError> {
    let Some(ws) = loops else { return Ok(()) };
    match featherline_constraint::project_velocity(model, ws, q, v) {
        Ok(_) => Ok(()),
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
        let loops = regularity(model, ws, q);
        let loops = loops.unwrap_or(Regularity::none());
        if loops.is_singular() {
            return SimulationError::NearSingular {
                t,
                least,
                condition: loops.condition,
                rank_lost: loops.rank_lost,
            };
        }
    }
    SimulationError::of(error)
}
