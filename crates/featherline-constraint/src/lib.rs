//! Closed loops: dynamics in joint coordinates, and keeping loops closed.
//!
//! A model's [loop joints](featherline::model::LoopJoint) bind the coordinates of its spanning
//! tree: their constraints on velocities are K v = 0, on accelerations K q̈ = k. With λ the forces
//! of constraint the equations of motion are
//!
//! ```text
//! ⎡ M  Kᵀ ⎤ ⎡  q̈ ⎤   ⎡ τ − C ⎤
//! ⎣ K  0  ⎦ ⎣ −λ ⎦ = ⎣   k   ⎦
//! ```
//!
//! [`loop_dynamics`] solves them through the tree: what it does without loops (the articulated-body
//! algorithm), and the correction (K M⁻¹ Kᵀ) λ = k − K q̈₀ that closes the loops. Mimic joints are
//! no special case. `featherline_sim::maximal` solves the same with bodies in place of coordinates,
//! at a cost that grows with the loops' length only.
//!
//! Constraints are often redundant: three of the five of a hinge that closes a planar linkage hold
//! nothing that the other hinges do not. K M⁻¹ Kᵀ is then singular. Which constraints hold is a
//! question of geometry, and K Kᵀ answers it, in units of each loop: a factorisation that takes the
//! best-held constraint first leaves those that are redundant for last, and they get no force;
//! while a robot moves, as many of them as are redundant where the loops are closed, because off
//! the loops, within a step, they seem to hold, and would lock it. For the others proximal steps,
//! each with some rounding added to K M⁻¹ Kᵀ and each beginning where the last one ended, converge
//! however unlike the weights of bodies are, and say what residual is left (J. Carpentier, R.
//! Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained dynamic equations", RSS
//! 2021).
//!
//! Integration lets loops drift apart. [`Stabilisation`] pulls them together while time goes on;
//! [`assemble`] and [`project_velocity`] put them together at
//! once.

mod delassus;
mod loops;

pub mod kernel;

pub use loops::{
    LoopDynamics, LoopError, LoopGap, LoopWorkspace, Stabilisation, assemble, loop_dynamics,
    loop_gap, loop_gaps, project_velocity,
};
