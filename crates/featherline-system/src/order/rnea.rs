//! The recursive Newton-Euler algorithm as an order.

use super::OrderError;
use super::dynamics::{Layout, acceleration, coordinate, transmitted};
use crate::system::System;
use crate::unknown::Unknown;
use featherline_sparse::EliminationOrder;

/// The order of the recursive Newton-Euler algorithm: what is known, accelerations from the root to
/// the leaves, forces from the leaves to the root.
///
/// With all q̈ and fˣ known the matrix is lower triangular in it. Source: Nori 2017, equations 11
/// and 12; property 1.
///
/// # Errors
/// [`OrderError::NotApplicable`] if the robot has loops, a known row has several entries, there
/// are sensors, or not every q̈ is known; [`OrderError::Size`] if not every fˣ is.
pub fn rnea(system: &System) -> Result<EliminationOrder, OrderError> {
    let layout = Layout::new(system)?;
    let mut pivots = layout.knowns(system);
    let model = system.model();
    for coordinate in 0..model.nv() {
        if !layout.accelerates_as_known(system, coordinate) {
            return Err(OrderError::NotApplicable {
                row: Some(system.equations().joint_forces().start + coordinate),
                reason: "the recursive Newton-Euler algorithm needs every joint acceleration as a \
                         known",
            });
        }
    }
    for joint in model.joint_ids() {
        pivots.extend(acceleration(system, joint));
    }
    for joint in model.joint_ids().rev() {
        pivots.extend(transmitted(system, joint));
        let ending = layout.ending[joint.index()].iter();
        pivots.extend(
            ending.filter_map(|&k| coordinate(system, Unknown::JointForce { coordinate: k })),
        );
    }
    super::complete(system, pivots)
}
