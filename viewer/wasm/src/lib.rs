//! Rigid-body kinematics and dynamics in the browser: the Rust side of the npm package.
//!
//! Vectors are `Float64Array`s: configurations of nq entries, velocities, accelerations and joint
//! forces of nv. Placements are matrices of 4 × 4 by columns, as WebGL has them. Errors are thrown
//! as `Error`s with the library's message; those of robot files have the line, too.
//!
//! The feature `simulation` adds motion under gravity, passive forces and springs that hold joints;
//! the feature `page` adds what the page of the viewer needs besides, such as contact.

#[cfg(feature = "page")]
mod contact;
mod failure;
mod inverse_kinematics;
mod matrix;
#[cfg(feature = "page")]
mod page;
mod parts;
mod robot;
#[cfg(feature = "page")]
mod scene;
mod shared;
#[cfg(feature = "simulation")]
mod simulation;
#[cfg(feature = "simulation")]
mod stops;

pub use parts::{Frame, Joint, Loop};
pub use robot::Robot;
#[cfg(feature = "page")]
pub use scene::scene_of;
