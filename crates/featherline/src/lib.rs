//! Rigid-body dynamics of articulated robots: fast, exact, allocation-free.
//!
//! A [`Model`] is a robot, and does not change. A [`Workspace`] is the memory that algorithms write
//! to, made once from the model. An algorithm is a method of the model: it takes the workspace and
//! slices, and returns a borrow of the workspace, so that a result cannot be read after a later
//! call has overwritten it. Nothing that takes a workspace allocates.
//!
//! ```
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let mut ws = Workspace::new(&model);
//! let (q, v, a) = ([0.3, -0.2], [0.1, 0.4], [1.0, 2.0_f64]);
//!
//! let tau = model.rnea(&mut ws, &q, &v, &a)?.to_vec(); // τ = M(q) a + C(q, v)
//! let back = model.aba(&mut ws, &q, &v, &tau)?; // and back
//! assert!((back[0] - a[0]).abs() < 1e-12);
//! # Ok::<(), featherline::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`scalar`] | the number types that every kernel is generic over |
//! | [`spatial`] | placements, motions, forces, inertias; exponentials and their Jacobians |
//! | [`joint`] | the kinds of joints |
//! | [`model`] | the robot: builder, frames, names, validation |
//! | [`kinematics`] | where joints and frames are, how they move, Jacobians |
//! | `batch` | many states at once: vector lanes and threads (feature `batch`) |
//! | [`dynamics`] | inverse, forward and hybrid dynamics, the mass matrix and its factorisation |
//!
//! Placements `aMb` map coordinates in b to coordinates in a; six-vectors are \[linear; angular\];
//! quaternions are x, y, z, w; units are SI and radians.

#[cfg(feature = "batch")]
pub mod batch;
pub mod configuration;
mod culprit;
pub mod dynamics;
mod error;
pub mod joint;
pub mod kernel;
pub mod kinematics;
pub mod model;
pub mod random;
#[cfg(feature = "samples")]
pub mod samples;
pub mod scalar;
pub mod spatial;
mod workspace;

pub use culprit::culprit;
pub use error::Error;
pub use model::Model;
pub use nalgebra;
#[cfg(feature = "rand")]
pub use rand;
pub use workspace::Workspace;
