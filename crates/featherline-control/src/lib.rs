//! Motion on purpose: what joints should do, so that links do what they should.
//!
//! [`InverseKinematics`] finds configurations.

mod error;
mod goal;
mod inverse_kinematics;

pub use error::Error;
pub use goal::{Goal, Wanted};
pub use inverse_kinematics::{InverseKinematics, Solution};
