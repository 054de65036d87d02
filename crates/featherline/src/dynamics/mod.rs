//! Dynamics: one file an algorithm.

mod aba;
mod articulated;
mod crba;
pub mod ltdl;
mod rnea;

pub use aba::Hybrid;
