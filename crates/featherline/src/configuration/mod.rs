//! Configurations of a whole robot: steps, differences, samples, and their Jacobians.
//!
//! ```
//! use featherline::{configuration, samples};
//!
//! let model = samples::double_pendulum();
//! let mut q = [0.0; 2];
//! configuration::integrate_into(&model, &[0.5, 1.0], &[0.25, -1.0], &mut q)?; // q ⊕ v
//! assert_eq!(model.difference(&[0.5, 1.0], &q)?, [0.25, -1.0]); // q1 ⊖ q0
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! | operation | call | computes | cost | source |
//! |---|---|---|---|---|
//! | step | [`integrate`](Model::integrate), [`integrate_into`] | q ⊕ v | O(n) | Solà, Deray and Atchuthan 2018, section II |
//! | difference | [`difference`](Model::difference), [`difference_into`] | q1 ⊖ q0 | O(n) | the same |
//! | interpolation | [`interpolate`](Model::interpolate), [`interpolate_into`] | q0 ⊕ t (q1 ⊖ q0) | O(n) | the same |
//! | distance | [`distance`](Model::distance) | the length of q1 ⊖ q0 | O(n) | the same |
//! | Jacobians of a step | [`d_integrate_dq`], [`d_integrate_dv`] | nv × nv | O(nv²) | the same, section III-C |
//! | Jacobians of a difference | [`d_difference_dq0`], [`d_difference_dq1`] | nv × nv | O(nv²) | the same, section III-C |
//! | products with these | [`d_integrate_dq_times`], [`times_d_integrate_dq`], … | J X, X J | O(nv) a column or row | the same |
//! | transport | [`transport_to_start`] | velocities at q ⊕ v as seen at q | O(nv) a column | the same |
//! | neutral configuration | [`neutral_configuration`](Model::neutral_configuration) | zeros and unit rotations | O(n) | |
//! | random configuration | [`random_configuration`](Model::random_configuration), [`random_into`] | within limits | O(n) | rotations: Shoemake 1992 |
//! | normalisation | [`normalise`](Model::normalise), [`is_normalised`](Model::is_normalised) | rotations of length one | O(n) | |
//!
//! The methods of [`Model`] that return a vector allocate it. Functions of this module write to the
//! caller's memory, and allocate nothing. A configuration is the product of the joints' own (see
//! [`JointKind`](crate::joint::JointKind)). A mimic joint has no coordinates of its own.

mod group;
pub(crate) mod sampling;
pub(crate) mod tangent;
mod tangent_products;

pub use group::{difference_into, integrate_into, interpolate_into};
pub use sampling::random_into;
pub use tangent::{d_difference_dq0, d_difference_dq1, d_integrate_dq, d_integrate_dv};
pub use tangent_products::{
    d_difference_dq0_times, d_difference_dq1_times, d_integrate_dq_times, d_integrate_dv_times,
    times_d_difference_dq0, times_d_difference_dq1, times_d_integrate_dq, times_d_integrate_dv,
    transport_to_start,
};

#[cfg(doc)]
use crate::Model;
use crate::model::Joint;
use std::ops::Range;

/// Where a joint's own coordinates are in q and in v; empty for a mimic joint.
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
