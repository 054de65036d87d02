//! The machinery of closed loops, for crates that build on it. It may change in any release.

pub use crate::loops::assembly::{assemble_to_digits, assemble_within};
pub use crate::loops::dynamics::loop_dynamics_within_step;
pub use crate::loops::held::HeldMotions;
pub use crate::loops::open_by_digits::{FEW_DIGITS, is_closed_but_for_digits};
pub use crate::loops::redundancy::{
    Regularity, regularity, take_closing_impulses, usually_repeated,
};
pub use crate::loops::repeated_by_digits::all_but_repeated;
pub use crate::loops::rows::{Follow, Stay, transmitted};
pub use crate::loops::workspace::{Loop, prepare};
