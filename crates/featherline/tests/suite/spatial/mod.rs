//! Spatial algebra against its laws, against 6×6 matrices, against dual numbers and against high
//! precision.

mod algebra;
mod conversions;
mod exponential;
mod inertia;
mod log_cholesky;
mod matrices;
mod placements;
mod random;
mod rotation;
