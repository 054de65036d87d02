//! The recursive Newton-Euler algorithm as an order.

use super::dynamics::{Layout, acceleration, coordinate, transmitted};
use super::{EliminationOrder, OrderError};
use crate::system::System;
use crate::unknown::Unknown;

/// The order of the recursive Newton-Euler algorithm: what is known, accelerations from the root to the leaves, forces from
/// the leaves to the root.
///
/// With all q̈ and fˣ known the matrix is lower triangular in it. Source: Nori 2017, equations 11 and 12; property 1.
///
/// # Errors
/// [`OrderError::ClosedLoops`]; [`OrderError::Unfit`] if a known row has several entries, or there are sensors; [`OrderError::UnknownAcceleration`] if
/// not every q̈ is known; [`OrderError::Size`] if not every fˣ is.
pub fn rnea(system: &System) -> Result<EliminationOrder, OrderError> {
    let layout = Layout::new(system)?;
    let mut pivots = layout.knowns(system);
    let model = system.model();
    for coordinate in 0..model.nv() {
        if !layout.accelerates_as_known(system, coordinate) {
            return Err(OrderError::UnknownAcceleration { coordinate });
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
