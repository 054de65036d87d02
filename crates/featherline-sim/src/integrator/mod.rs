//! Time integration: from a state and the forces to the motion.
//!
//! The integrand is a [`VectorField`] on the robot's configurations: accelerations as a function of
//! (t, q, v), by [`ForwardDynamics`] with force models ([`forces`]), or by a closure. A [`Stepper`]
//! goes from one state to the next. Configurations move on their Lie groups, by
//! [`Model::integrate`](featherline::Model::integrate): quaternions and (cos, sin) pairs keep
//! length one by themselves, angles of charts (ZYX, ellipsoid, universal) are a vector space, a
//! mimic joint goes where the mimicked joint takes it.
//!
//! | method | order | evaluations a step | for |
//! |---|---|---|---|
//! | [`SymplecticEuler`] | 1 | 1 | quick looks, contacts, large systems |
//! | [`RungeKutta4`] | 4 | 4 | smooth forces over moderate times |
//! | [`DormandPrince`] | 5 | 6 | a tolerance instead of a step; sampling and events |
//! | [`ImplicitMidpoint`] | 2 | nv and a few | stiff joints: springs, dampers and limits that explicit methods can't follow |
//! | [`VariationalIntegrator`] | 2 | 1, and a few iterations | long runs: energy without drift, momentum to rounding |
//! | [`MaximalVariationalIntegrator`] | 2 | 1, and a few iterations | the same for robots with loops, which stay closed |
//!
//! Steps allocate nothing; the same beginning gives the same motion to the last bit. A step that
//! fails leaves the state as it was and says where and when the motion was lost. A [`Stepper`] has
//! no memory of earlier steps; the variational integrators do not discretise accelerations but the
//! action, and hold their own state.
//!
//! ```
//! use featherline_sim::integrator::{DormandPrince, ForwardDynamics, Tolerance};
//! use featherline::samples;
//! use std::ops::ControlFlow;
//!
//! // Half a minute of a double pendulum, seen ten times a second.
//! let model = samples::double_pendulum();
//! let mut field = ForwardDynamics::new(&model);
//! let mut method = DormandPrince::new(&model, Tolerance::default())?;
//! let (mut t, mut q, mut v) = (0.0, [2.0, 1.0], [0.0, 0.0]);
//! let mut samples = featherline_sim::integrator::Sampling::every(0.1, t)?;
//! let mut seen = Vec::new();
//! method.integrate(&mut field, &mut t, &mut q, &mut v, 30.0, |step| {
//!     samples.take(step, |t, q, _v| seen.push((t, q[0])))?;
//!     Ok(ControlFlow::Continue(()))
//! })?;
//! assert_eq!(seen.len(), 301);
//! # Ok::<(), featherline_sim::integrator::IntegratorError>(())
//! ```

mod dense_output;
mod dormand_prince;
pub(crate) mod error;
pub mod forces;
pub(crate) mod gauss;
mod implicit_midpoint;
mod munthe_kaas;
pub(crate) mod root;
mod runge_kutta;
mod sampling;
pub(crate) mod stepper;
mod symplectic_euler;
mod variational;
mod vector_field;

pub use dense_output::DenseOutput;
pub use dormand_prince::{DormandPrince, Statistics, Tolerance};
pub use error::{IntegratorError, Result};
pub use implicit_midpoint::ImplicitMidpoint;
pub use runge_kutta::RungeKutta4;
pub use sampling::Sampling;
pub use stepper::{Stability, Stepper};
pub use symplectic_euler::SymplecticEuler;
pub use variational::{Convergence, MaximalVariationalIntegrator, VariationalIntegrator};
pub use vector_field::{ForwardDynamics, VectorField};
