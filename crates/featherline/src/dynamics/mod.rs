//! Dynamics: one file an algorithm.

mod aba;
mod articulated;
mod crba;
mod energy;
mod gravity;
pub mod ltdl;
mod mass_matrix_inverse;
mod passive;
mod rnea;

pub use aba::Hybrid;
pub use passive::DynamicsOptions;
