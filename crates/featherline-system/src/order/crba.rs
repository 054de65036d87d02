//! The composite-rigid-body algorithm with a factorisation of the mass matrix, as an order.

use super::OrderError;
use super::dynamics::{Layout, acceleration, coordinate, transmitted};
use crate::system::System;
use crate::unknown::Unknown;
use featherline_sparse::EliminationOrder;

/// The order of the composite-rigid-body algorithm: as the [articulated-body](super::aba()) order,
/// but q̈ waits until all forces and accelerations of bodies are gone.
///
/// The mass matrix M is then left in the equations of τ, and the last pivots, from the leaves to
/// the root, factor it as LTDL does: they are the entries of D. Source: Featherstone 2008, sections
/// 6.2 and 6.5.
///
/// # Errors
/// As [`aba`](super::aba()).
pub fn crba(system: &System) -> Result<EliminationOrder, OrderError> {
    let layout = Layout::new(system)?;
    let mut pivots = layout.knowns(system);
    for joint in system.model().joint_ids().rev() {
        pivots.extend(transmitted(system, joint));
        pivots.extend(acceleration(system, joint));
    }
    for k in (0..system.model().nv()).rev() {
        let unknown = if layout.accelerates_as_known(system, k) {
            Unknown::JointForce { coordinate: k }
        } else {
            Unknown::JointAcceleration { coordinate: k }
        };
        pivots.extend(coordinate(system, unknown));
    }
    super::complete(system, pivots)
}
