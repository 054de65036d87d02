//! Rigid-body dynamics of articulated robots: fast, exact, allocation-free.

pub mod joint;
pub mod scalar;
pub mod spatial;
