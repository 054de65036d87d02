//! Motion on purpose: what joints should do, so that links do what they should.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-control = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! featherline-control = { path = "../featherline/crates/featherline-control" }
//! ```
//!
//! ```
//! use featherline::{Workspace, samples};
//! use featherline_control::{Goal, InverseKinematics};
//!
//! let model = samples::double_pendulum();
//! let goal = Goal::position(model.frame_id("lower_rod")?, [0.4, 0.0, -0.6].into());
//! let mut q = model.neutral_configuration();
//! let solution = InverseKinematics::new(&model)?.solve(&[goal], &mut q)?;
//! println!("{} iterations, {:.1e} m off", solution.iterations, solution.position_error);
//! # Ok::<(), featherline_control::Error>(())
//! ```
//!
//! [`InverseKinematics`] finds configurations; [`Linkage`] moves robots whose loops stay closed.

mod bounds;
mod closing;
mod error;
mod goal;
mod inverse_kinematics;
mod linkage;

pub use error::Error;
pub use goal::{Goal, GoalFault, GoalPose};
pub use inverse_kinematics::{InverseKinematics, Solution};
pub use linkage::Linkage;
