//! How a simulation begins: all that a caller may say of it, and the one place that decides the
//! rest.
//!
//! A [`Setup`] says nothing at first. [`Setup::decide`] reads the robot and gives a [`Start`]: the
//! method, the state, contacts, drives and warnings. The command line, Python and the viewer fill
//! in a `Setup` from their arguments, and decide nothing themselves.
//!
//! ```
//! use featherline_sim::setup::Setup;
//! use featherline_sim::simulation::MethodName;
//!
//! // A cube on a ground: time stepping.
//! let scene = featherline_formats::load_str(
//!     "
//!     [ground]
//!     friction = 0.5
//!     [[body]]
//!     name = 'cube'
//!     box = [0.1, 0.1, 0.1]
//!     position = [0, 0, 0.05]
//!     velocity = [2, 0, 0, 0, 0, 0]",
//! )?;
//! let start = Setup::default().decide(&scene)?;
//! assert_eq!(start.method, MethodName::TimeStepping);
//! let mut simulation = start.simulation()?;
//! simulation.run(1.0, 0.1, &mut ())?;
//! // The cube has stopped after v²/(2 μ g) with μ = √(0.8 · 0.5).
//! assert!((simulation.configuration()[0] - 0.322).abs() < 2e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod controls;
mod decide;
mod decision;
mod error;
mod idle;
mod start;
mod stated_forces;
mod warning;

pub use controls::Controls;
pub use decision::Decision;
pub use error::{SetupError, SetupField};
pub use start::Start;
pub use stated_forces::StatedForces;
pub use warning::SetupWarning;

use crate::simulation::{ControllerName, LoopKeepingName, MethodName};
use featherline::contact_law::{FrictionLaw, ImpactLaw};
use featherline::words::Words;

/// All that a caller may say of a simulation before it begins. Options that are left out follow
/// from the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The method. By default [time stepping](crate::contact::TimeStepping) where two bodies may
    /// touch, joints have limits or dry friction, drives act, or bodies are moved; else Runge-Kutta
    /// of order 4, or Dormand-Prince where a tolerance is given.
    pub method: Option<MethodName>,
    /// The longest step in s. By default the [usual](MethodName::usual_step) one, or the one of the
    /// file for time stepping.
    pub step: Option<f64>,
    /// The error of a step of Dormand-Prince, absolute and relative, by default 1e-9; or by how
    /// much what moves may miss the laws of contact of time stepping, relative to its speed, by
    /// default 1e-6.
    pub tolerance: Option<f64>,
    /// A configuration of the file, such as a keyframe: with its velocity and the controls of its
    /// actuators. By default the robot's [start](featherline_formats::Robot::start).
    pub configuration: Option<String>,
    /// The configuration, nq entries, in place of that of the file.
    pub q: Option<Vec<f64>>,
    /// The velocity, nv entries. By default that of the configuration that is named, else zero.
    pub v: Option<Vec<f64>>,
    /// Whether the robot begins at a state nearby in which its loops are closed. By default it does
    /// unless `q` or `v` is given.
    pub assemble: Option<bool>,
    /// The ground below the robot.
    pub ground: Ground,
    /// The coefficient of friction of all contacts. By default as the file says.
    pub friction: Option<f64>,
    /// The law of friction. By default the file's.
    pub friction_law: Option<FrictionLaw>,
    /// The law of impacts. By default the file's.
    pub impact_law: Option<ImpactLaw>,
    /// The drives. By default, without a controller, the actuators of the file if it has some, else
    /// drives that hold a robot that stands on a ground or in a scene.
    pub drives: Option<DrivesName>,
    /// The controls of the actuators, which begin with those of the configuration by default.
    pub controls: Option<Controls>,
    /// The controller. By default nobody. `hold` and `actuators` are drives, as in `drives`.
    pub controller: Option<ControllerName>,
    /// Whether a controller of the caller's own drives the robot.
    pub is_driven: bool,
    /// The configuration, nq entries, that `pd` goes to. By default the one that the robot begins
    /// in by itself.
    pub goal: Option<Vec<f64>>,
    /// The natural frequency of `pd` in Hz. By default 1.
    pub frequency: Option<f64>,
    /// Whether damping, dry friction and springs of the joints act, as they do by default. Time
    /// stepping always has them.
    pub passive: Option<bool>,
    /// Whether the joints' [limits of effort](crate::simulation::EffortLimits) bound controllers
    /// and drives, as they do by default. Force ranges of actuators stay.
    pub effort_limits: Option<bool>,
    /// Stops at joint limits, for methods other than time stepping, which keeps limits exactly.
    pub stops: Option<Stops>,
    /// How loops are kept closed.
    pub loops: Option<LoopKeepingName>,
}

/// A ground below a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ground {
    /// At height zero below a robot whose base floats and whose file can't have a world: URDF can't
    /// say what a robot stands on; MJCF, SDF worlds and scenes do.
    #[default]
    Auto,
    /// Only what the file has.
    None,
    /// A plane at a height in m.
    At(f64),
}

/// The drives of the joints, by their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivesName {
    /// Nothing.
    None,
    /// [`Drives::holding`](crate::contact::Drives::holding) the joints where they begin.
    Hold,
    /// [`Drives::of_actuators`](crate::contact::Drives::of_actuators) of the file.
    Actuators,
}

impl Words for DrivesName {
    const WHAT: &'static str = "kind of drives";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("hold", Self::Hold),
        ("actuators", Self::Actuators),
    ];
}

/// Stops at joint limits: stiffness in N·m/rad (N/m) and damping in N·m·s/rad (N·s/m).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stops {
    /// Those of all joints. By default each joint has its own, as stiff as the step allows.
    pub of_all: Option<(f64, f64)>,
    /// Those of single joints, by their names.
    pub of_joints: Vec<(String, (f64, f64))>,
}
