//! Spatial algebra: placements, motions, forces and inertias.
//!
//! Conventions: a placement `aMb` maps coordinates in b to coordinates in a; six-vectors are
//! \[linear; angular\]; quaternions are x, y, z, w. The formulas are those of Pinocchio's SE(3)
//! cheat sheet and of R. Featherstone, *Rigid Body Dynamics Algorithms* (Springer, 2008),
//! chapter 2.

mod angle_functions;
mod articulated_inertia;
pub(crate) mod axial_rotation;
mod exponential;
mod exponential_jacobian;
mod force;
#[cfg(feature = "glam")]
mod glam_conversions;
pub(crate) mod hinged_inertia;
mod inertia;
pub(crate) mod inertia_bound;
mod inertia_shapes;
mod log_cholesky;
mod matrix;
mod matrix_form;
mod motion;
mod nalgebra_conversions;
mod operators;
mod physical_consistency;
mod placement;
mod placement_fault;
mod quaternion;
mod rotation;
mod six_vector;
mod vector;

pub use articulated_inertia::ArticulatedInertia;
pub(crate) use axial_rotation::AxialRotation;
pub use exponential::{exp3, exp6, log3, log6};
pub use exponential_jacobian::{
    left_jacobian3, left_jacobian3_inverse, left_jacobian6, left_jacobian6_inverse,
    right_jacobian3, right_jacobian3_inverse, right_jacobian6, right_jacobian6_inverse,
};
pub use force::Force;
pub(crate) use hinged_inertia::HingedInertia;
pub use inertia::{DynamicParameters, Inertia};
pub(crate) use inertia_bound::InertiaBound;
pub use log_cholesky::{InertiaFault, LogCholesky};
pub use matrix::{Mat3, Sym3};
pub use matrix_form::swap_linear_angular;
pub use motion::Motion;
pub use placement::Se3;
pub use placement_fault::PlacementFault;
pub use quaternion::Quaternion;
pub use vector::Vec3;
