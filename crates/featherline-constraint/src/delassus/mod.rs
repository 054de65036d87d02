//! K M⁻¹ Kᵀ, the Delassus matrix: its independent rows, its factors, and the forces that correct
//! what constraints miss.

mod correction;
mod factors;
mod independence;

pub(crate) use correction::{Comply, Correct, Missing};
pub(crate) use factors::{Compliance, dot};
pub(crate) use independence::{Independence, LARGEST_CONDITION, REPEATED};
