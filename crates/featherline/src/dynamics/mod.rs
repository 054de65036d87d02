//! Dynamics of the tree: one file an algorithm.
//!
//! Where a model has [loops](crate::model::LoopJoint), these algorithms see its spanning tree, as
//! if the loop joints were not there.

mod aba;
mod aligned;
mod all_terms;
pub(crate) mod articulated;
mod centroidal;
mod chain_inverse;
mod coriolis;
pub(crate) mod crba;
mod energy;
mod gravity;
mod inverse_diagonal;
#[cfg(feature = "batch")]
mod lane_terms;
pub mod ltdl;
mod mass_matrix_inverse;
mod momentum_columns;
pub(crate) mod passive;
pub(crate) mod pivot_rounding;
pub(crate) mod pivot_share;
mod recursion;
mod rnea;

pub use aba::Hybrid;
pub use all_terms::AllTerms;
pub use centroidal::CentroidalMap;
pub use passive::DynamicsOptions;

use crate::scalar::Scalar;
use crate::spatial::Force;

/// External forces, if there are any: an empty slice says that there are none.
#[inline(always)]
fn external<S: Scalar>(forces: &[Force<S>]) -> Option<&[Force<S>]> {
    (!forces.is_empty()).then_some(forces)
}
