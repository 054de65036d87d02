//! Dynamics: one file an algorithm.

mod aba;
mod articulated;
mod crba;
pub mod ltdl;
mod mass_matrix_inverse;
mod rnea;

pub use aba::Hybrid;
