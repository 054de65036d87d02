//! Spatial algebra: placements, motions, forces and inertias.
//!
//! Conventions: a placement `aMb` maps coordinates in b to coordinates in a; six-vectors are \[linear; angular\];
//! quaternions are x, y, z, w. The formulas are those of Pinocchio's SE(3) cheat sheet and of R. Featherstone, *Rigid
//! Body Dynamics Algorithms* (Springer, 2008), chapter 2.

mod articulated_inertia;
mod force;
mod inertia;
mod matrix;
mod motion;
mod placement;
mod vector;

pub use articulated_inertia::ArticulatedInertia;
pub use force::Force;
pub use inertia::{DynamicParameters, Inertia};
pub use matrix::{Mat3, Sym3};
pub use motion::Motion;
pub use placement::Se3;
pub use vector::Vec3;
