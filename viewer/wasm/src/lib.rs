//! Rigid-body kinematics and dynamics in the browser: the Rust side of the npm package.
//!
//! Vectors are `Float64Array`s: configurations of nq entries, velocities, accelerations and joint
//! forces of nv. Placements are matrices of 4 × 4 by columns, as WebGL has them. Errors are thrown
//! as `Error`s with the library's message.

mod robot;

pub use robot::Robot;
