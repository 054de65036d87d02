//! The machinery of closed loops, for crates that build on it. It may change in any release.

pub use crate::loops::assembly::{assemble_with_rounded_axes, assemble_within};
pub use crate::loops::dynamics::loop_dynamics_within_step;
pub use crate::loops::nearly_redundant::nearly_redundant_constraints;
pub use crate::loops::passage::PassageTest;
pub use crate::loops::redundancy::{
    Regularity, generic_redundancy, regularity, remove_opening_velocity,
};
pub use crate::loops::rounded_axes::{ROUNDED_AXES, is_closed_but_for_rounded_axes};
pub use crate::loops::rows::{loop_bias, read_loop, transmitted};
pub use crate::loops::workspace::{Loop, prepare};
