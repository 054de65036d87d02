//! K M⁻¹ Kᵀ, the Delassus matrix: its independent rows, its factors, and the multipliers.

mod factors;
mod independence;
mod multipliers;

pub(crate) use factors::{DelassusFactors, dot};
pub(crate) use independence::{Independence, LARGEST_CONDITION, REDUNDANT};
pub(crate) use multipliers::{Residual, factorise_delassus, find_multipliers};
