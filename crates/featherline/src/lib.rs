//! Rigid-body dynamics of articulated robots: fast, exact, allocation-free.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! ```
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
//! A [`Model`] is a robot, and does not change. A [`Workspace`] is the memory that algorithms write
//! to, made once from the model. An algorithm is a method of the model: it takes the workspace and
//! slices, and returns a borrow of the workspace, so that a result cannot be read after a later
//! call has overwritten it. Nothing that takes a workspace allocates.
//!
//! Matrices are those of nalgebra 0.35, re-exported as [`featherline::nalgebra`](nalgebra): use
//! them by that path, and no version can differ. Random configurations come from
//! [`SplitMix64`](random::SplitMix64), or with the feature `rand` from any generator of rand 0.10,
//! re-exported as `featherline::rand`.
//!
//! # From here
//!
//! | for | crate |
//! |---|---|
//! | robot files: `load("robot.urdf")?.model`; MJCF, SRDF, scenes; check, repair, convert | [`featherline-formats`](../featherline_formats/index.html) |
//! | robots to begin with: `featherline_robots::panda()`, a quadruped, a humanoid, linkages | [`featherline-robots`](../featherline_robots/index.html) |
//! | shapes, meshes, mass properties, distances | [`featherline-geometry`](../featherline_geometry/index.html) |
//! | closed loops, held frames, the laws of contact | [`featherline-constraint`](../featherline_constraint/index.html) |
//! | simulation with contact, integrators, maximal coordinates | [`featherline-sim`](../featherline_sim/index.html) |
//! | inverse kinematics | [`featherline-control`](../featherline_control/index.html) |
//! | programs compiled for one robot | [`featherline-compile`](../featherline_compile/index.html) |
//! | sensors and estimates: dynamics as one sparse system | [`featherline-system`](../featherline_system/index.html) |
//! | orders of elimination, sparse factorisations | [`featherline-sparse`](../featherline_sparse/index.html) |
//! | recordings and charts | [`featherline-record`](../featherline_record/index.html) |
//! | the robot in the browser | [`featherline-viewer`](../featherline_viewer/index.html) |
//! | the command `featherline` | [`featherline-cli`](../featherline_cli/index.html) |
//!
//! A link leads to a crate that your crate depends on, or to any in the repository (`cargo doc
//! --workspace --open`). The book explains how to install, conventions, costs and each task, with
//! examples: `book/src/SUMMARY.md` in the repository, or `mdbook serve --open book`.
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | the robot: builder, frames, names, validation |
//! | [`configuration`] | integrate, difference, interpolate and sample configurations; their Jacobians |
//! | [`kinematics`] | placements, velocities, accelerations and Jacobians of joints and frames |
//! | [`dynamics`] | inverse, forward and hybrid dynamics, the mass matrix and its factorisation |
//! | [`derivatives`] | first derivatives of all that, in the tangent space |
//! | [`regressor`] | joint forces, momenta and energies by the bodies' inertial parameters |
//! | `batch` | many states at once: vector lanes and threads (feature `batch`) |
//! | `quantity` | the catalogue: what can be computed for a state, by name (feature `quantities`) |
//! | [`joint`] | the kinds of joints |
//! | [`spatial`] | placements, motions, forces, inertias; exponentials and their Jacobians |
//! | [`scalar`] | the number types that every algorithm is generic over |
//! | `samples` | sample robots (feature `samples`) |
//! | [`contact_law`] | the laws of friction and of impacts, by their names |
//! | [`random`] | sources of random numbers |
//! | [`words`] | choices by the words that users write; the name that was probably meant |
//! | [`kernel`](mod@kernel) | the machinery, for crates that add algorithms; outside semantic versioning |
//!
//! # Features
//!
//! | feature | effect |
//! |---|---|
//! | `samples` (default) | sample models: fixed robots, trees and linkages |
//! | `suggestions` (default) | errors about unknown names suggest the most similar one |
//! | `serde` | models, placements and the like can be stored and read; nalgebra's types, too |
//! | `hash` | `Model::content_hash`, for caches |
//! | `rand` | generators of rand 0.10 as random sources |
//! | `random` | random trees and linkages with every kind of joint |
//! | `batch` | many states at once: vector lanes in each of several threads |
//! | `quantities` | the catalogue of what can be computed for a state, by name |
//! | `glam` | conversions to and from glam's double-precision types |
//!
//! # Conventions
//!
//! Placements `aMb` map coordinates in b to coordinates in a. Six-vectors are \[linear; angular\],
//! quaternions x, y, z, w. Units are SI and radians.
//!
//! A configuration q has `nq` entries, a velocity v has `nv`. They differ where a joint has a
//! quaternion or a (cos, sin) pair. The first entries of a floating-base robot are those of its
//! [free-flyer](joint::JointKind::FreeFlyer): q begins with the base's position and quaternion, v
//! with its linear and angular velocity in the base's own frame. [`Model::neutral_configuration`]
//! is a valid state of every robot, and [`Model::integrate`] moves one.
//!
//! A mimic joint has no coordinate of its own: its motion is a function of another joint's.

#[cfg(any(feature = "batch", feature = "quantities"))]
mod algorithm;
#[cfg(feature = "batch")]
pub mod batch;
pub mod configuration;
pub mod contact_law;
pub mod derivatives;
pub mod dynamics;
mod error;
pub mod joint;
pub mod kernel;
pub mod kinematics;
pub mod model;
mod overflow_source;
#[cfg(feature = "quantities")]
pub mod quantity;
pub mod random;
pub mod regressor;
#[cfg(feature = "samples")]
pub mod samples;
pub mod scalar;
pub mod spatial;
pub mod words;
mod workspace;

pub use error::Error;
pub use model::Model;
pub use nalgebra;
#[cfg(feature = "rand")]
pub use rand;
pub use workspace::Workspace;
