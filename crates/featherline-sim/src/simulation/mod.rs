//! Simulation: a robot, a method of integration, a controller, events, recorders and monitors.
//!
//! A [`Simulator`] is put together from a model and a [`Method`], with a [`Controller`] and force
//! models if there are any. Started, it is a [`Simulation`], which goes on for a while and hands a
//! [`Sample`] to a [`Recorder`] at regular times. Robots with closed loops move by
//! [`ConstrainedDynamics`], in the coordinates of their tree; [`LoopKeeping`] says how their loops
//! are kept closed.
//!
//! An [`Event`] is a passage of a function of the state through zero: it is found within its step,
//! recorded, and may end the run or change the velocity.
//!
//! The same arguments give the same motion to the last bit. Between samples nothing is allocated.
//! Files, terminals and clocks belong to recorders.
//!
//! ```
//! use featherline_sim::integrator::RungeKutta4;
//! use featherline_sim::simulation::{Conservation, Method, Simulator};
//! use featherline::samples;
//!
//! // Ten seconds of a double pendulum, seen a hundred times a second. How well is its energy kept?
//! let model = samples::double_pendulum();
//! let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
//! let mut simulation = Simulator::new(&model, method).start(0.0, &[2.0, 1.0], &[0.0, 0.0])?;
//! let mut conservation = Conservation::new(&model);
//! simulation.run(10.0, 0.01, &mut conservation)?;
//! assert!(conservation.peak_energy_error() < 1e-6);
//! # Ok::<(), featherline_sim::simulation::SimulationError>(())
//! ```

mod bookkeeper;
mod constrained_dynamics;
mod controller;
mod effort_limits;
mod energy_balance;
mod engine;
mod error;
mod event;
mod gravity_compensation;
mod loop_keeping;
mod loop_projection;
mod method;
mod method_name;
mod monitor;
mod motion;
mod proportional_derivative;
mod recorder;
mod simulator;
mod step_count;
mod total_force;

pub use bookkeeper::{Bookkeeper, Books};
pub use constrained_dynamics::ConstrainedDynamics;
pub use controller::{Controller, ControllerName, Uncontrolled, driven_coordinates};
pub use effort_limits::EffortLimits;
pub use error::{Result, SimulationError};
pub use event::{Direction, Event, Occurrence};
pub use gravity_compensation::GravityCompensation;
pub use loop_keeping::{LoopKeeping, LoopKeepingName};
pub use method::Method;
pub use method_name::MethodName;
pub use monitor::{
    Change, Conservation, Drift, FastForce, LimitMonitor, LoopMonitor, Sampler, SimulationWarning,
    WorstGap,
};
pub use motion::Simulation;
pub use proportional_derivative::ProportionalDerivative;
pub use recorder::{InnerEnergy, Recorder, RecorderError, Sample};
pub use simulator::Simulator;
