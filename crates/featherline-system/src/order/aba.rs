//! The articulated-body algorithm as an order.

use super::OrderError;
use super::dynamics::{Layout, acceleration, coordinate, transmitted};
use crate::system::System;
use crate::unknown::Unknown;
use featherline_sparse::EliminationOrder;

/// The order of the articulated-body algorithm: what is known; then from the leaves to the root the
/// force that each joint transmits, its body's acceleration, and its q̈.
///
/// When the turn comes to a body's force, what stands in its balance for its acceleration is the
/// articulated-body inertia Iᴬ; when it comes to q̈, the pivots are SᵀIᴬS. Where q̈ is known, it is
/// hybrid dynamics (Featherstone 2008, section 9.2), and those τ come last. Source: Featherstone
/// 2008, section 7.3; Nori 2017, appendix A.
///
/// # Errors
/// [`OrderError::NotApplicable`] if the robot has loops, a known row has several entries, or there
/// are sensors; [`OrderError::Size`] unless q̈ or τ is known for each coordinate, and all fˣ are.
pub fn aba(system: &System) -> Result<EliminationOrder, OrderError> {
    let layout = Layout::new(system)?;
    let mut pivots = layout.knowns(system);
    let mut last = Vec::new();
    for joint in system.model().joint_ids().rev() {
        pivots.extend(transmitted(system, joint));
        pivots.extend(acceleration(system, joint));
        for &k in &layout.ending[joint.index()] {
            if layout.accelerates_as_known(system, k) {
                last.extend(coordinate(system, Unknown::JointForce { coordinate: k }));
            } else {
                let unknown = Unknown::JointAcceleration { coordinate: k };
                pivots.extend(coordinate(system, unknown));
            }
        }
    }
    pivots.extend(last);
    super::complete(system, pivots)
}
