//! Inverse, forward and hybrid dynamics, the mass matrix and its factorisation, energy and
//! momentum.
//!
//! ```
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let (q, v) = ([0.3, -0.2], [0.1, 0.4_f64]);
//! let mass = model.crba(&mut ws, &q)?.clone(); // M(q)
//! let bias = model.bias(&mut ws, &q, &v)?.to_vec(); // C(q, v)
//! let tau = model.rnea(&mut ws, &q, &v, &[1.0, 2.0])?; // M(q) a + C(q, v)
//! assert!((mass[(0, 0)] + 2.0 * mass[(0, 1)] + bias[0] - tau[0]).abs() < 1e-12);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! | algorithm | call | computes | cost | source |
//! |---|---|---|---|---|
//! | recursive Newton-Euler (RNEA) | [`rnea`](Model::rnea) | τ = M a + C | O(n) | Featherstone 2008, table 5.1 |
//! | bias force | [`bias`](Model::bias) | C(q, v) | O(n) | table 5.1 |
//! | gravity torque | [`gravity_torque`](Model::gravity_torque), [`static_torque`](Model::static_torque) | g(q), less external forces | O(n) | table 5.1 |
//! | inverse dynamics | [`inverse_dynamics`](Model::inverse_dynamics) | τ, with passive and external forces | O(n) | table 5.1 |
//! | articulated-body (ABA) | [`aba`](Model::aba) | q̈ = M⁻¹ (τ − C) | O(n) | table 7.1 |
//! | terms of ABA | [`aba_terms`](Model::aba_terms) | Iᴬ, pᴬ, c, U, D, u | O(n) | table 7.1 |
//! | forward dynamics | [`forward_dynamics`](Model::forward_dynamics) | q̈, with passive and external forces | O(n) | table 7.1 |
//! | forward dynamics by LTDL | [`forward_dynamics_crba`](Model::forward_dynamics_crba) | q̈ | O(nd²) | chapter 6 |
//! | hybrid dynamics | [`hybrid_dynamics`](Model::hybrid_dynamics) | the unknown ones of q̈ and τ | O(n) | chapter 9 |
//! | composite rigid body (CRBA) | [`crba`](Model::crba) | M(q) | O(nd) | table 6.2 |
//! | LTDL factorisation | [`ltdl`](Model::ltdl), [`mass_matrix_solve`](Model::mass_matrix_solve) | M = Lᵀ D L, M⁻¹ b | O(nd²) | section 6.5, table 6.3 |
//! | inverse of the mass matrix | [`mass_matrix_inverse`](Model::mass_matrix_inverse) | M⁻¹ | O(n²d) | Featherstone 2008, section 6.5; Carpentier 2018 |
//! | Coriolis matrix | [`coriolis_matrix`](Model::coriolis_matrix) | C(q, v) as a matrix | O(nd) | Echeandia and Wensing 2021 |
//! | all terms | [`all_terms`](Model::all_terms) | M, C, g, energies, momentum and kinematics in one pass | O(nd) | tables 5.1, 6.2 |
//! | energy | [`kinetic_energy`](Model::kinetic_energy), [`potential_energy`](Model::potential_energy), [`mechanical_energy`](Model::mechanical_energy) | T, V, T + V | O(n) | |
//! | centroidal dynamics | [`centroidal_momentum`](Model::centroidal_momentum), [`centroidal_map`](Model::centroidal_map) and their rates | momentum about the centre of mass, A(q), Ȧ v | O(n) | Orin, Goswami and Lee 2013 |
//! | passive forces | [`passive_forces`](Model::passive_forces) | dampers, dry friction, springs | O(n) | |
//!
//! n is the number of joints, d the depth of the tree. A chapter, section or table without a
//! name is one of Featherstone 2008, *Rigid Body Dynamics Algorithms*.
//!
//! Where a model has [loops](crate::model::LoopJoint), these algorithms see its spanning tree, as
//! if the loop joints were not there.
//!
//! # External forces
//!
//! Every algorithm that takes external forces takes them in one way: a slice with one force for
//! each joint, the universe's first and unused, or an empty slice for none. Each acts *on* the body
//! that the joint moves, and is given in the joint's output frame: \[force; moment\] about that
//! frame's origin, in its axes. Methods with [`DynamicsOptions`] take them by
//! [`with_forces`](DynamicsOptions::with_forces).
//!
//! Forces on frames, and forces that are constant in the world, are [`ExternalForce`]s. The same
//! methods take them by [`with_frame_forces`](DynamicsOptions::with_frame_forces); for all others
//! [`external_forces_into`](Model::external_forces_into) makes the slice of them:
//!
//! ```
//! use featherline::dynamics::{DynamicsOptions, ExternalForce};
//! use featherline::kinematics::ReferenceFrame;
//! use featherline::spatial::{Force, Vec3};
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let (q, still) = ([0.0, 0.0], [0.0, 0.0_f64]);
//! // 3 N along x at the end of the lower rod, 2 m below the first hinge: a force f at a point p of
//! // the world has the moment p × f about the world's origin.
//! let (f, p) = (Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, 0.0, -2.0));
//! let push = ExternalForce {
//!     target: model.joint_id("elbow")?.into(),
//!     reference: ReferenceFrame::World,
//!     force: Force::new(f, p.cross(f)),
//! };
//! let pushes = [push];
//! let options = DynamicsOptions::default().with_frame_forces(&pushes);
//! let tau = model.inverse_dynamics(&mut ws, &q, &still, &still, options)?;
//! assert!((tau[0] - 6.0).abs() < 1e-12 && (tau[1] - 3.0).abs() < 1e-12);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! Derivatives by q hold forces of the slice in the joints' frames, and an [`ExternalForce`] in its
//! reference. With J the Jacobian of its target, the joint forces Jᵀ f that it stands for change by
//! Jᵀ ∂f/∂q, and ∂f/∂qₖ = −νₖ ×* f for the motion νₖ = J eₖ of the target relative to the
//! reference (Featherstone 2008, section 2.9):
//! [`external_forces_derivative_into`](Model::external_forces_derivative_into).

mod aba;
mod aba_terms;
pub(crate) mod aligned;
mod all_terms;
pub(crate) mod articulated;
mod bodies;
pub(crate) mod centroidal;
mod chain_inverse;
mod coriolis;
pub(crate) mod crba;
mod energy;
mod external_forces;
mod gravity;
mod hybrid;
mod inverse_diagonal;
#[cfg(feature = "batch")]
mod lane_terms;
pub mod ltdl;
pub(crate) mod mass_matrix_inverse;
mod momentum_columns;
pub(crate) mod passive;
mod rnea;
pub(crate) mod singular;

pub use aba_terms::AbaTerms;
pub use all_terms::AllTerms;
pub use centroidal::CentroidalMap;
pub use external_forces::ExternalForce;
pub use hybrid::Hybrid;
pub use passive::DynamicsOptions;

#[cfg(doc)]
use crate::Model;
use crate::scalar::Scalar;
use crate::spatial::Force;

/// External forces, if there are any: an empty slice says that there are none.
#[inline(always)]
pub(crate) fn external<S: Scalar>(forces: &[Force<S>]) -> Option<&[Force<S>]> {
    (!forces.is_empty()).then_some(forces)
}
