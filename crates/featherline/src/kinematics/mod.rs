//! Kinematics: where bodies and frames are, and how they move.
//!
//! [`Model::forward_kinematics`](crate::Model::forward_kinematics) and its two sisters pass over
//! the tree once and return a view from which placements, velocities, accelerations and Jacobians
//! of any joint or frame are read.

mod carried_moments;
pub(crate) mod center_of_mass;
mod columns;
pub(crate) mod forward;
mod hessian;
pub(crate) mod hinge;
pub(crate) mod jacobian;
mod joint_jacobians;
pub(crate) mod joint_pass;
pub(crate) mod links;
mod placements;
pub(crate) mod reference_frame;
pub(crate) mod target;
mod views;

pub use center_of_mass::CentersOfMass;
pub use joint_jacobians::JointJacobians;
pub use reference_frame::ReferenceFrame;
pub use target::Target;
pub use views::{Accelerations, Positions, Velocities};
