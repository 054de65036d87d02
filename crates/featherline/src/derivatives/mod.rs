//! First derivatives of kinematics and dynamics.
//!
//! Derivatives by a configuration are those in its tangent space: column k is the derivative of the
//! result at q ⊕ ε eₖ by ε, with ⊕ of [`integrate`](Model::integrate). So all matrices have nv
//! columns, and a quaternion's four numbers count as the three rotations that they are.
//!
//! ```
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let (q, v, a) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
//! let derivatives = model.rnea_derivatives(&mut ws, &q, &v, &a)?;
//! let by_elbow = derivatives.dq[(0, 1)]; // ∂τ₀/∂q₁
//! let h = 1e-6;
//! let next = model.rnea(&mut ws, &[0.3, -0.2 + h], &v, &a)?[0];
//! let last = model.rnea(&mut ws, &[0.3, -0.2 - h], &v, &a)?[0];
//! assert!((by_elbow - (next - last) / (2.0 * h)).abs() < 1e-7);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! | of | call | by | cost |
//! |---|---|---|---|
//! | [`rnea`](Model::rnea) | [`rnea_derivatives`](Model::rnea_derivatives) | q, v, a, external forces | O(nd) |
//! | [`inverse_dynamics`](Model::inverse_dynamics) | [`inverse_dynamics_derivatives`](Model::inverse_dynamics_derivatives) | the same | O(nd) |
//! | [`aba`](Model::aba) | [`aba_derivatives`](Model::aba_derivatives) | q, v, τ, external forces | O(n²d) |
//! | [`forward_dynamics`](Model::forward_dynamics) | [`forward_dynamics_derivatives`](Model::forward_dynamics_derivatives) | the same | O(n²d) |
//! | [`hybrid_dynamics`](Model::hybrid_dynamics) | [`hybrid_dynamics_derivatives`](Model::hybrid_dynamics_derivatives) | q, v, the values given | O(n³) |
//! | [`gravity_torque`](Model::gravity_torque), [`static_torque`](Model::static_torque) | [`gravity_torque_derivative`](Model::gravity_torque_derivative), [`static_torque_derivative`](Model::static_torque_derivative) | q | O(nd) |
//! | Jᵀ f of [forces on frames](crate::dynamics#external-forces) | [`external_forces_derivative_into`](Model::external_forces_derivative_into) | q | O(n), O(d²) a force |
//! | [`passive_forces`](Model::passive_forces) | [`passive_forces_derivatives`](Model::passive_forces_derivatives) | q, v | O(n²) |
//! | velocities and accelerations of frames | [`kinematics_derivatives`](Model::kinematics_derivatives) | q, v, a | O(n), O(d) a frame |
//! | [`centroidal_momentum`](Model::centroidal_momentum), its rate, the centre of mass | [`centroidal_derivatives`](Model::centroidal_derivatives) | q, v, a | O(n) |
//! | [`kinetic_energy`](Model::kinetic_energy) | [`kinetic_energy_derivatives`](Model::kinetic_energy_derivatives) | q, v | O(n) |
//! | [`potential_energy`](Model::potential_energy) | [`gravity_torque`](Model::gravity_torque) is it | q | O(n) |
//! | [`integrate`](Model::integrate), [`difference`](Model::difference) | [`configuration`](crate::configuration) | q, v | O(n²) |
//!
//! n is the number of joints, d the depth of the tree. Every kind of joint, mimic joints, armature
//! and floating bases are treated alike. Of a model with loops these see the spanning tree.
//!
//! For derivatives of anything else, of costs of your own, and for second derivatives, every
//! algorithm runs in [dual numbers](crate::scalar::Dual), nested for the second order.

mod aba;
mod centroidal;
pub(crate) mod columns;
mod energy;
mod external_forces;
mod gravity;
mod hybrid;
mod kinematics;
mod passive;
mod products;
mod rnea;

pub use aba::ForwardDynamicsDerivatives;
pub use centroidal::CentroidalDerivatives;
pub use energy::KineticEnergyDerivatives;
pub use external_forces::add_by_joint_forces;
pub use hybrid::HybridDerivatives;
pub use kinematics::KinematicsDerivatives;
pub use passive::PassiveForcesDerivatives;
pub use rnea::InverseDynamicsDerivatives;

#[cfg(doc)]
use crate::Model;
