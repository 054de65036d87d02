//! Placements, velocities, accelerations and Jacobians of joints and frames; centres of mass.
//!
//! ```
//! use featherline::kinematics::ReferenceFrame;
//! use featherline::nalgebra::DMatrix;
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let kinematics = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
//! let tool = model.frame_id("lower_rod")?;
//! assert_eq!(kinematics.placement(tool).translation.z, -1.0);
//! let mut jacobian = DMatrix::zeros(6, model.nv());
//! kinematics.jacobian_into(tool, ReferenceFrame::Local, &mut jacobian)?;
//! assert_eq!(kinematics.velocity(tool, ReferenceFrame::Local).linear.x, jacobian[(0, 0)]);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! A pass over the tree returns a view, from which the quantities of any [`Target`] are read.
//!
//! | algorithm | call | computes | cost | source |
//! |---|---|---|---|---|
//! | forward kinematics | [`forward_kinematics`](Model::forward_kinematics) | [`Positions`]: placements, Jacobians | O(n) | Featherstone 2008, table 5.1, first half |
//! | with velocities | [`forward_kinematics_velocities`](Model::forward_kinematics_velocities) | [`Velocities`]: also velocities, J̇, J̇ v | O(n) | the same |
//! | with accelerations | [`forward_kinematics_accelerations`](Model::forward_kinematics_accelerations) | [`Accelerations`]: also spatial and classical accelerations | O(n) | the same, and section 2.11 |
//! | a joint by itself | [`evaluate_joint`](Model::evaluate_joint) | [`JointMotion`]: M, S, c, S q̇ | O(1) | Featherstone 2008, section 4.4 |
//! | Jacobian of a target | [`jacobian_into`](Positions::jacobian_into), [`jacobian_rate_into`](Velocities::jacobian_rate_into) | J, J̇, 6 × nv | O(d), and zeros | Murray, Li and Sastry 1994, section 3.4 |
//! | columns of all Jacobians | [`joint_jacobians`](Model::joint_jacobians) | [`JointJacobians`] | O(n) | the same |
//! | kinematic Hessian | [`hessian_into`](Model::hessian_into) | ∂J/∂q, 6 × nv × nv | O(d²), and zeros | Haviland and Corke 2023 |
//! | centre of mass | [`center_of_mass`](Model::center_of_mass) | that of the robot | O(n) | Orin and Goswami 2008 |
//! | centres of mass | [`centers_of_mass`](Model::centers_of_mass) | [`CentersOfMass`]: subtrees, Jacobians | O(n) | Orin and Goswami 2008 |
//!
//! n is the number of joints, d the depth of the tree.

pub(crate) mod center_of_mass;
pub(crate) mod columns;
pub(crate) mod forward;
mod hessian;
pub(crate) mod hinge;
pub(crate) mod jacobian;
mod joint_jacobians;
mod joint_motion;
pub(crate) mod joint_pass;
pub(crate) mod links;
mod placements;
pub(crate) mod reference_frame;
pub(crate) mod target;
mod views;
mod whole_center_of_mass;

pub use center_of_mass::CentersOfMass;
pub use joint_jacobians::JointJacobians;
pub use joint_motion::JointMotion;
pub use reference_frame::ReferenceFrame;
pub use target::Target;
pub use views::{Accelerations, Positions, Velocities};

#[cfg(doc)]
use crate::Model;
