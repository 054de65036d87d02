//! The rows of closed loops for the solver of constraints with sets.

use super::dynamics::constrain;
use super::{LoopError, LoopWorkspace};
use crate::nonsmooth::{Law, Rows, Set};
use featherline::kernel::link_kinematics;
use featherline::model::Model;

/// Adds a row K v = 0 for each constraint of the loop joints, in the order of the joints.
///
/// The workspace must be the model's. Cost O(n) and that of the loops' paths.
///
/// # Errors
/// [`LoopError::Tree`] for a state that does not fit; [`LoopError::DependentMotions`].
pub fn push_loops(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    rows: &mut Rows,
) -> Result<(), LoopError> {
    ws.check(model)?;
    link_kinematics(model, &mut ws.tree, q, v)?;
    constrain(model, ws, Some(v), false)?;
    let constraints = ws.multipliers.len();
    for closing in &ws.loops {
        let own = closing.rows();
        let pair = rows.push_reading(own.len());
        for (coordinate, column) in ws.jacobian.chunks_exact(constraints.max(1)).enumerate() {
            let entries = &column[own.clone()];
            if entries.iter().any(|x| *x != 0.0) {
                let mut six = [0.0; 6];
                six[..entries.len()].copy_from_slice(entries);
                rows.push_column(coordinate, six);
            }
        }
        for k in 0..own.len() {
            rows.push_entry(pair, k, Law::rigid(Set::Equality));
        }
    }
    Ok(())
}
