//! Configurations of a whole robot: moving along them, the way from one to another, samples, and
//! tangent maps.
//!
//! A configuration is the product of the joints' own (see [`JointKind`](crate::joint::JointKind)).
//! A follower has no coordinates of its own, so that nothing here depends on it. Everything costs
//! O(n), a matrix its nv² entries.

mod group;
pub(crate) mod sampling;
pub(crate) mod tangent;

pub use group::{difference_into, integrate_into, interpolate_into};
pub use sampling::random_into;
pub use tangent::{d_difference_dq0, d_difference_dq1, d_integrate_dq, d_integrate_dv};

use crate::model::Joint;
use std::ops::Range;

/// Where a joint's own coordinates are in q and in v; empty for a follower.
#[inline(always)]
fn own_ranges(joint: &Joint) -> (Range<usize>, Range<usize>) {
    (
        joint.idx_q..joint.idx_q + joint.nq,
        joint.idx_v..joint.idx_v + joint.nv,
    )
}

/// Whether a joint has coordinates of its own.
#[inline(always)]
fn moves_itself(joint: &Joint) -> bool {
    joint.nq > 0
}
