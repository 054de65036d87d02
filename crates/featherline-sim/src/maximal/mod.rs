//! Dynamics in maximal coordinates: bodies with free poses, held together by the constraint forces
//! of their joints.
//!
//! The state is where every body is and how it moves, not what its joints read. Each body obeys
//! Newton and Euler alone, each joint adds constraints, and both together are one sparse linear
//! system (the KKT system) for the bodies' accelerations v̇ and the constraint forces λ:
//!
//! ```text
//! ⎡ M  Cᵀ ⎤ ⎡ v̇ ⎤   ⎡ f ⎤
//! ⎣ C  0  ⎦ ⎣ λ ⎦ = ⎣ d ⎦
//! ```
//!
//! On a tree the system is eliminated from the leaves to the root, a body and its joint at a time,
//! and nothing fills in: [`maximal_dynamics`] takes O(n). A joint's constraints say that the
//! relative velocity lies in its motion subspace S: Tᵀ (vᵢ − ᵢXλ vλ) = 0, with T a basis of the
//! forces that do no work on S. So every kind of joint is held in the same way, whatever its
//! coordinates.
//!
//! [`kkt_recursion`] shows the blocks of this elimination, M, C, d, W, w, S and s, one by one.
//!
//! [Loops](featherline_constraint) close in the same system: a loop joint is a joint like any
//! other. The bodies that loops tie together and their constraints are the nodes of a graph, and
//! are eliminated in an order of least fill, which was found when the workspace was made. The
//! result of their elimination is an articulated body, one link of the recursion, so that a loop
//! costs what it is long, whatever hangs on it and whatever it hangs on.
//!
//! A [mimic joint](featherline::model::Mimic) ties four bodies together. On a tree the mimicked
//! joint's coordinate is eliminated where all joints that it moves lie below, as the
//! articulated-body algorithm does; with loops, mimic joints are refused.
//!
//! [`MaximalVariationalIntegrator`](crate::integrator::MaximalVariationalIntegrator) follows
//! motions in these coordinates.
//!
//! Unlike the articulated-body algorithm this yields what the joints have to bear, it needs no
//! inertia where constraints provide it, and it does not depend on which of several trees a robot
//! with loops is seen as.
//!
//! Sources: D. Baraff, "Linear-time dynamics using Lagrange multipliers", SIGGRAPH 1996, for the
//! elimination; J. Brüdigam, Z. Manchester, "Linear-time variational integrators in maximal
//! coordinates", WAFR 2020, for the blocks; R. Featherstone, *Rigid Body Dynamics Algorithms*,
//! Springer 2008, section 3.5, for the joints' subspaces.

pub(crate) mod block;
mod clusters;
mod dynamics;
mod elimination;
mod equations;
mod error;
mod joint_bias;
mod kkt_recursion;
mod mimic;
mod recursion;
pub(crate) mod state;
pub(crate) mod system;

pub(crate) use equations::basis_at_neutral;

pub use dynamics::{BodyAccelerations, MaximalWorkspace, maximal_dynamics};
pub use elimination::pattern::BlockCount;
pub use error::MaximalError;
pub use kkt_recursion::{KktBlocks, KktSolution, kkt_recursion, substitute};
pub use state::{Gap, MaximalState, Pose};
