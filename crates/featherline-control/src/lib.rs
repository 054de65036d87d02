//! Motion on purpose: what joints should do, so that links do what they should.
//!
//! [`InverseKinematics`] finds configurations; [`Linkage`] moves robots whose loops stay closed.

mod bounds;
mod closing;
mod error;
mod goal;
mod inverse_kinematics;
mod linkage;

pub use error::Error;
pub use goal::{Goal, GoalFault, Wanted};
pub use inverse_kinematics::{InverseKinematics, Solution};
pub use linkage::Linkage;
