//! Closed loops, held frames and contact of rigid-body robots, in the coordinates of a spanning
//! tree: forward dynamics, assembly, velocity projection, stabilisation, and the laws of friction.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-constraint = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! featherline-constraint = { path = "../featherline/crates/featherline-constraint" }
//! ```
//!
//! ```
//! use featherline::samples;
//! use featherline_constraint::{
//!     LoopWorkspace, Stabilisation, assemble, loop_dynamics, project_velocity,
//! };
//!
//! // A four-bar linkage: rotate the crank, close the loop, start at 1 rad/s.
//! let model = samples::four_bar();
//! let mut ws = LoopWorkspace::new(&model)?;
//! let mut q = [0.4, 0.0, 0.0];
//! assemble(&model, &mut ws, &mut q)?;
//! let mut v = [1.0, 0.0, 0.0];
//! project_velocity(&model, &mut ws, &q, &mut v)?;
//!
//! let (tau, none) = ([0.0; 3], Stabilisation::NONE);
//! let result = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &none)?;
//! assert!(result.residual < 1e-9 && result.accelerations.len() == model.nv());
//! # Ok::<(), featherline_constraint::LoopError>(())
//! ```
//!
//! | function | result | cost for m constraints, n coordinates, depth d |
//! |---|---|---|
//! | [`loop_dynamics`] | accelerations and loop forces | O(n d + m n d + m² n + m³) |
//! | [`loop_dynamics_derivatives`] | their derivatives by q, v and τ | O(n² (d + m) + n m²) more |
//! | [`assemble`] | a nearby configuration with closed loops | O(n d + m² n + m³) a step |
//! | [`assemble_holding`] | the same, where some coordinates stay | the same |
//! | [`project_velocity`] | the velocity without what opens loops | as `loop_dynamics` |
//! | [`project_velocities`] | the same for the columns of a matrix | O(m n) a column more |
//! | [`loop_gap`] | the largest gap, and its rate | O(n + lengths of the loops) |
//! | [`loop_gaps`] | the gap of each loop | the same |
//! | [`constrained_dynamics`] | accelerations and forces of held frames | O(n d² + m n d + m³) |
//! | [`constrained_dynamics_derivatives`] | their derivatives by q, v and τ | O(n² (d + m)) |
//! | [`impulse_dynamics`], [`impulse_dynamics_derivatives`] | the same of impacts | the same |
//! | [`kkt_inverse`], [`constraint_jacobian`] | blocks of the KKT inverse; K | O(n² (d + m)) |
//! | [`with_contacts`] | the model with frames held to the world | O(n) a contact |
//! | [`nonsmooth::Solver`] | velocity and impulses of contacts, limits, drives and loops | O(n d²) a Newton step |
//!
//! # Equations
//!
//! A model's [loop joints](featherline::model::LoopJoint) constrain the coordinates of its spanning
//! tree: velocities by K v = 0, accelerations by K q̈ = k. With λ the constraint forces, the
//! equations of motion are
//!
//! ```text
//! ⎡ M  Kᵀ ⎤ ⎡  q̈ ⎤   ⎡ τ − C ⎤
//! ⎣ K  0  ⎦ ⎣ −λ ⎦ = ⎣   k   ⎦
//! ```
//!
//! [`loop_dynamics`] computes the accelerations q̈₀ of the tree by the articulated-body algorithm,
//! and the correction (K M⁻¹ Kᵀ) λ = k − K q̈₀ that closes the loops. Mimic joints need no special
//! treatment. `featherline_sim::maximal` solves the same equations with bodies in place of
//! coordinates, at a cost that grows with the lengths of the loops only.
//!
//! # Redundant constraints
//!
//! Three of the five constraints of the hinge that closes a planar linkage are redundant, and the
//! Delassus matrix K M⁻¹ Kᵀ is singular. Redundancy is a question of geometry. A factorisation of
//! K Kᵀ with pivoting, its rows in units of their loop, finds the independent constraints; the
//! redundant ones get no force. During a simulation the count is kept: off the loops, within a
//! step, redundant constraints seem independent, and would lock the robot. The independent ones are
//! solved by proximal steps, which converge for any masses and return the residual (J. Carpentier,
//! R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained dynamic equations", RSS
//! 2021).
//!
//! # Held frames
//!
//! A controller states frames that are held to the world or to another link, in a
//! [`ConstraintWorkspace`]; the loop joints join. There the redundant constraints share the forces
//! by their least length.
//!
//! # Contact
//!
//! [`nonsmooth`] has constraints whose impulses are in a set: cones of friction, contacts and
//! limits that only push, drives of limited effort. One solver finds a velocity and impulses that
//! obey all of these laws. `featherline_sim::contact` steps through time with it.
//!
//! # Drift
//!
//! Integration lets loops drift apart. A [`Stabilisation`] closes them gradually (J. Baumgarte,
//! 1972); [`assemble`] and [`project_velocity`] close them at once.

mod delassus;
mod frames;
mod loops;

pub mod kernel;
pub mod nonsmooth;

pub use frames::{
    ConstrainedDynamics, ConstrainedDynamicsDerivatives, ConstraintWorkspace, FrameConstraint,
    FrameConstraintKind, ImpulseDynamics, ImpulseDynamicsDerivatives, constrained_dynamics,
    constrained_dynamics_derivatives, constraint_jacobian, impulse_dynamics,
    impulse_dynamics_derivatives, kkt_inverse,
};
pub use loops::redundancy::Regularity;
pub use loops::{
    LoopDynamics, LoopDynamicsDerivatives, LoopError, LoopGap, LoopWorkspace, Result,
    Stabilisation, assemble, assemble_holding, loop_dynamics, loop_dynamics_derivatives, loop_gap,
    loop_gaps, project_velocities, project_velocity, push_loops, with_contacts,
};
