//! Rigid-body robots in motion: integrators on the Lie group of configurations, contact, dynamics
//! in maximal coordinates, simulation.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-sim = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! featherline-sim = { path = "../featherline/crates/featherline-sim" }
//! ```
//!
//! ```
//! use featherline::samples;
//! use featherline_sim::integrator::RungeKutta4;
//! use featherline_sim::simulation::{Conservation, Method, Simulator};
//!
//! // Ten seconds of a double pendulum in steps of 1 ms, sampled every 10 ms.
//! let model = samples::double_pendulum();
//! let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
//! let mut simulation = Simulator::new(&model, method).start(0.0, &[2.0, 1.0], &[0.0, 0.0])?;
//! let mut conservation = Conservation::new(&model);
//! simulation.run(10.0, 0.01, &mut conservation)?;
//! assert!(conservation.peak_energy_error() < 1e-6);
//! # Ok::<(), featherline_sim::simulation::SimulationError>(())
//! ```
//!
//! | module | what it holds | cost |
//! |---|---|---|
//! | [`integrator`] | methods, force models, dense output | some evaluations of forward dynamics a step |
//! | [`contact`] | time stepping with contact, friction, limits and drives; contact sensors | some factorisations of the mass matrix a step |
//! | [`maximal`] | accelerations and joint forces of bodies with free poses | O(n), and O(length) for each loop |
//! | [`simulation`] | methods with controllers, events, recorders, monitors | that of the method, and O(n) a sample |
//!
//! From a scene or a robot of a file to its simulation leads `setup::Setup`, of the feature
//! `formats`, which is not on by default:
//!
//! ```toml
//! [dependencies]
//! featherline-sim = { path = "../featherline/crates/featherline-sim", features = ["formats"] }
//! ```

pub mod contact;
pub mod integrator;
pub mod maximal;
mod seconds;
#[cfg(feature = "formats")]
pub mod setup;
pub mod simulation;
