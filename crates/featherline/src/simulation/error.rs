//! Errors of simulation.

use super::RecorderError;
use crate::integrator::IntegratorError;
use crate::loops::LoopError;
use crate::model::Model;
use thiserror::Error;

/// Why a simulation could not begin, or not go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The motion was lost, or an argument does not fit.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// The state to begin with does not agree with the robot's loops.
    #[error(
        "the loops are not closed at the start: the frames of loop joint `{joint}` are {position:.3e} (m, rad) apart, and the \
         loops open at up to {velocity:.3e} (m/s, rad/s); close them by Gauss-Newton with `start_assembled`, or give a state \
         in which they are closed to {tolerance:e}"
    )]
    InconsistentStart {
        /// The loop joint that is furthest from closed.
        joint: String,
        /// How far, in m and rad.
        position: f64,
        /// The largest velocity that a loop joint should not allow, in m/s and rad/s.
        velocity: f64,
        /// What would have been taken for closed.
        tolerance: f64,
    },
    /// The variational integrator was asked for on a robot with loops.
    #[error(
        "the variational integrator in joint coordinates moves trees only, and `{robot}` has closed loops; take the one in \
         maximal coordinates, or another method, such as Runge-Kutta 4 with projection"
    )]
    VariationalLoops {
        /// The robot's name.
        robot: String,
    },
    /// No accelerations keep the loops closed: the configuration is singular, or as good as.
    #[error(
        "the loops are singular at t = {t} s: no accelerations keep them closed, the best miss by {residual:.3e} (m/s², rad/s²); \
         {repeated} constraints repeat others, the rest have condition {condition:.3e}; begin elsewhere, drive the robot around \
         the place, or take smaller steps"
    )]
    Singular {
        /// The time, in s.
        t: f64,
        /// The ratio of the largest to the least pivot of K M⁻¹ Kᵀ, repeated constraints apart.
        condition: f64,
        /// How many constraints repeat others.
        repeated: usize,
        /// By how much the best accelerations miss, in m/s² and rad/s².
        residual: f64,
    },
    /// The loops could not be closed again after a step, or have no dynamics.
    #[error("at t = {t} s: {source}")]
    Loops {
        /// The time, in s.
        t: f64,
        /// Why not.
        source: LoopError,
    },
    /// The recorder failed.
    #[error("the sample at t = {t} s was not recorded: {source}")]
    Recorder {
        /// The time, in s.
        t: f64,
        /// What it says.
        source: RecorderError,
    },
}

impl From<crate::Error> for SimulationError {
    fn from(error: crate::Error) -> Self {
        Self::Integrator(error.into())
    }
}

/// What of a loop's dynamics was lost, on its way through an integrator.
#[derive(Clone, Copy, Debug, Error)]
#[error("the loops are singular: condition {condition:.3e}")]
pub(super) struct SingularLoops {
    pub condition: f64,
    pub repeated: usize,
    pub residual: f64,
}

impl SimulationError {
    /// An integrator's error, seen through to its cause.
    #[cold]
    pub(super) fn of(error: IntegratorError) -> Self {
        if let IntegratorError::Field { t, source } = &error
            && let Some(lost) = source.downcast_ref::<SingularLoops>()
        {
            return Self::Singular {
                t: *t,
                condition: lost.condition,
                repeated: lost.repeated,
                residual: lost.residual,
            };
        }
        Self::Integrator(error)
    }

    /// An error of loops at a time of the motion.
    #[cold]
    pub(super) fn of_loops(model: &Model, t: f64, v: &[f64], source: LoopError) -> Self {
        match source {
            LoopError::Tree(source) => Self::Integrator(IntegratorError::at(model, t, v, source)),
            source => Self::Loops { t, source },
        }
    }
}
