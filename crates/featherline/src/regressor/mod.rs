//! Joint forces, momenta and energies by the bodies' inertial parameters, in which all are linear.
//!
//! Identification fits these parameters to measured motion.
//!
//! ```
//! use featherline::{Workspace, samples};
//! use nalgebra::{DMatrix, DVector};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let (q, v, a) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
//! let mut regressor = DMatrix::zeros(2, 20);
//! model.joint_torque_regressor_into(&mut ws, &q, &v, &a, &mut regressor)?;
//! // Of 20 parameters the torques of all motions determine 6 combinations.
//! let base = model.base_parameters()?;
//! let tau = base.select(&regressor) * base.values(&model.dynamic_parameters());
//! assert!((tau[1] - model.rnea(&mut ws, &q, &v, &a)?[1]).abs() < 1e-10);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! | of | call | size | cost |
//! |---|---|---|---|
//! | joint forces | [`joint_torque_regressor_into`](Model::joint_torque_regressor_into) | nv × 10 n | O(nd) |
//! | gravity torque | [`gravity_torque_regressor_into`](Model::gravity_torque_regressor_into) | nv × 10 n | O(nd) |
//! | momentum of the joints | [`joint_momentum_regressor_into`](Model::joint_momentum_regressor_into) | nv × 10 n | O(nd) |
//! | what drives take | [`drive_regressor_into`] | nv × 3 nv | O(n²) |
//! | kinetic, potential energy | [`kinetic_energy_regressor_into`](Model::kinetic_energy_regressor_into), [`potential_energy_regressor_into`](Model::potential_energy_regressor_into) | 10 n | O(n) |
//! | force on a body | [`body_regressor`], [`joint_body_regressor`](Model::joint_body_regressor) | 6 × 10 | O(1), O(n) |
//! | base parameters | [`base_parameters`](Model::base_parameters) | | O(n³) |
//! | the same by the tree's structure | [`structural_base_parameters`](Model::structural_base_parameters) | | O(n²) |
//!
//! n is the number of bodies that joints move, d the depth of the tree. Matrices have zeros where a
//! joint does not move a body: O(n²) of them are written.

mod base_parameters;
mod body;
mod drive;
mod energy;
mod joint_torque;
mod structural;

pub use base_parameters::BaseParameters;
pub use body::{BODY_PARAMETERS, body_regressor};
pub use drive::drive_regressor_into;
#[cfg(any(feature = "batch", feature = "quantities"))]
pub(crate) use joint_torque::LinearQuantity;

#[cfg(doc)]
use crate::Model;
