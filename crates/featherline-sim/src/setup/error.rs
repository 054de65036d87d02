//! Why there is no simulation.

use crate::integrator::IntegratorError;
use crate::simulation::SimulationError;
use featherline::words::{DidYouMean, closest};
use featherline_formats::description::ContactModelError;
use featherline_geometry::CollisionError;
use std::fmt::{Display, Formatter};
use thiserror::Error;

/// A field of [`Setup`](super::Setup), in messages about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields have their docs")]
pub enum SetupField {
    Step,
    Tolerance,
    Ground,
    Friction,
    FrictionLaw,
    ImpactLaw,
    Drives,
    Controls,
    Controller,
    Goal,
    Frequency,
    Passive,
    Stops,
    Loops,
    Assemble,
}

impl SetupField {
    /// The name of the field.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Tolerance => "tolerance",
            Self::Ground => "ground",
            Self::Friction => "friction",
            Self::FrictionLaw => "friction_law",
            Self::ImpactLaw => "impact_law",
            Self::Drives => "drives",
            Self::Controls => "controls",
            Self::Controller => "controller",
            Self::Goal => "goal",
            Self::Frequency => "frequency",
            Self::Passive => "passive",
            Self::Stops => "stops",
            Self::Loops => "loops",
            Self::Assemble => "assemble",
        }
    }
}

impl Display for SetupField {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a [`Setup`](super::Setup) gives no simulation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Something that was said has no effect.
    #[error("`{what}` changes nothing here: {why}; {instead}")]
    Idle {
        /// The field.
        what: SetupField,
        /// Why it has none.
        why: String,
        /// The remedy.
        instead: &'static str,
    },
    /// A number that can't be.
    #[error("{what} is {value}, where {need}")]
    BadNumber {
        /// Which one.
        what: SetupField,
        /// The number.
        value: f64,
        /// The condition on it.
        need: &'static str,
    },
    /// A configuration that the robot does not have.
    #[error(
        "`{robot}` has no configuration `{name}`{}; it has {}",
        DidYouMean(closest(name, known.iter().map(String::as_str))),
        listed(known)
    )]
    UnknownConfiguration {
        /// The robot's name.
        robot: String,
        /// The name that was given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Another number of controls than there are actuators.
    #[error(
        "{found} controls are given, where the robot has {} actuators: {}",
        actuators.len(),
        listed(actuators)
    )]
    ControlCount {
        /// How many were given.
        found: usize,
        /// The names of the actuators.
        actuators: Vec<String>,
    },
    /// An actuator that the robot does not have.
    #[error(
        "`{robot}` has no actuator `{name}`{}; it has {}",
        DidYouMean(closest(name, known.iter().map(String::as_str))),
        listed(known)
    )]
    UnknownActuator {
        /// The robot's name.
        robot: String,
        /// The name that was given.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A joint that the robot does not have, or that has no limits.
    #[error("stops: {0}")]
    Stops(String),
    /// Shapes that can't be put together.
    #[error(transparent)]
    Contacts(#[from] ContactModelError),
    /// Numbers that do not fit the robot.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// A start that is none.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// Names in a message.
fn listed(names: &[String]) -> String {
    let shown = names.iter().map(|it| match it.is_empty() {
        true => "one without a name",
        false => it,
    });
    match names {
        [] => "none".to_owned(),
        _ => shown.collect::<Vec<&str>>().join(", "),
    }
}

impl From<CollisionError> for SetupError {
    fn from(error: CollisionError) -> Self {
        Self::Contacts(error.into())
    }
}
