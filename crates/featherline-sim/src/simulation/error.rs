//! Errors of simulation.

use super::RecorderError;
use crate::integrator::IntegratorError;
use crate::integrator::error::{joint_of_coordinate, largest};
use crate::seconds::seconds;
use featherline::Error;
use featherline::model::Model;
use featherline_constraint::LoopError;
use featherline_constraint::Regularity;

/// A result that is a [`SimulationError`] where there is none.
pub type Result<T, E = SimulationError> = std::result::Result<T, E>;

/// Why a simulation could not begin, or not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// Contacts, drives, tendons or moved bodies with a method that has none.
    #[error(
        "contacts, drives, tendons and moved bodies belong to time stepping, and the method is another one. Take `Method::time_stepping`, \
         or leave them out"
    )]
    ContactsLeftOut,
    /// The motion was lost, or an argument does not fit.
    #[error(transparent)]
    Integrator(#[from] IntegratorError),
    /// Speeds grew by orders of magnitude, until the robot had no accelerations.
    #[error(
        "the motion diverged before t = {t} s: joint `{joint}` goes at {speed:.1e} rad/s (m/s) there, and nothing went faster than {first:.1e} \
         when the simulation began. The step is too large for these forces, or they grow without bound. Take a smaller step, a method that \
         follows a tolerance, or one for stiff joints (what ended it: {source})",
        t = seconds(*.t)
    )]
    BlownUp {
        /// The time at which there were no accelerations, in s.
        t: f64,
        /// The joint that was fastest before.
        joint: String,
        /// How fast, in rad/s or m/s.
        speed: f64,
        /// The fastest speed where the simulation began, in rad/s or m/s.
        first: f64,
        /// Why there were none.
        source: Error,
    },
    /// The state to begin with does not agree with the robot's loops.
    #[error(
        "the loops are not closed at the start: the frames of loop joint `{joint}` are {position:.3e} (m, rad) apart, and the \
         loops open at up to {velocity:.3e} (m/s, rad/s). Close them by Gauss-Newton with `start_assembled`, or give a state \
         in which they are closed to {tolerance:e}. Where that leaves a velocity, a constraint is nearly redundant and counts as \
         redundant: give axes that should be parallel, or meet, all digits"
    )]
    InconsistentStart {
        /// The loop joint that is furthest from closed.
        joint: String,
        /// How far, in m and rad.
        position: f64,
        /// The largest velocity that a loop joint should not allow, in m/s and rad/s.
        velocity: f64,
        /// The largest gap, and velocity of a gap, of a closed loop.
        tolerance: f64,
    },
    /// More steps or samples than anyone waits for.
    #[error(
        "{what} is {length:e} s, so that {seconds:e} s need more than {most:e} of them, which is the most that are made. Take a longer \
         one, or a shorter simulation"
    )]
    TooManySteps {
        /// The duration that is too short: the step, or the time between samples.
        what: &'static str,
        /// How long it is, in s.
        length: f64,
        /// The length of the simulation, in s.
        seconds: f64,
        /// How many there may be.
        most: f64,
    },
    /// A step or interval that does not change the time.
    #[error(
        "{what} is {length:e} s, which makes no difference to a time of {t} s in double precision. Take a longer one, or count the \
         time from nearer"
    )]
    TimeStandsStill {
        /// The duration that is too short: the step, or the time between samples.
        what: &'static str,
        /// How long it is, in s.
        length: f64,
        /// The time that it does not change, in s.
        t: f64,
    },
    /// A coordinate so large that double precision does not show how it moves.
    #[error(
        "joint `{joint}` stands at {value:e} rad (m) at t = {t} s, where numbers are {spacing:.1e} apart: too coarse for its motion \
         of {way:.1e} in a step. Begin nearer to zero (an angle may be given without its whole turns), or take longer steps, or a coarser tolerance",
        t = seconds(*.t)
    )]
    Unresolved {
        /// The time, in s.
        t: f64,
        /// The joint.
        joint: String,
        /// The coordinate, in rad or m.
        value: f64,
        /// From there to the next number, in rad or m.
        spacing: f64,
        /// How far the coordinate moves in a step (of a method that follows a tolerance: in one of
        /// its steps on average), at its speed or at 1 rad/s (m/s) if that is more.
        way: f64,
    },
    /// The variational integrator was asked for on a robot with loops.
    #[error(
        "the variational integrator in joint coordinates moves trees only, and `{robot}` has closed loops. Take the one in \
         maximal coordinates, or another method, such as Runge-Kutta 4 with projection"
    )]
    VariationalLoops {
        /// The robot's name.
        robot: String,
    },
    /// No accelerations keep the loops closed: the configuration is singular, or as good as.
    #[error(
        "the loops are singular at t = {t} s ({loops}): no accelerations keep them closed, the best miss by {residual:.3e} (m/s², rad/s²). \
         Begin elsewhere, drive the robot around the place, or take smaller steps",
        t = seconds(*.t)
    )]
    Singular {
        /// The time, in s.
        t: f64,
        /// How regular the loops are there.
        loops: Regularity,
        /// By how much the best accelerations miss, in m/s² and rad/s².
        residual: f64,
    },
    /// Redundant constraints contradict others where a step has left the loops.
    #[error(
        "no accelerations keep the loops closed at t = {t} s, the best miss by {residual:.3e} (m/s², rad/s²). They are not singular there \
         (condition {condition:.1e}): within its step the robot has left them so far that redundant constraints contradict \
         each other. Take a smaller step",
        t = seconds(*.t)
    )]
    Contradiction {
        /// The time, in s.
        t: f64,
        /// The [condition](featherline_constraint::LoopDynamics) of the loops, redundant
        /// constraints apart.
        condition: f64,
        /// By how much the best accelerations miss, in m/s² and rad/s².
        residual: f64,
    },
    /// A step opened the loops by more than projection closes again.
    #[error(
        "loop joint `{joint}` is open by {gap:.3e} (m, rad) at t = {t} s, and projection does not close it: the last step had \
         opened it by {before:.3e}. {}",
        what_to_do(*.loops),
        t = seconds(*.t)
    )]
    LoopsOpened {
        /// The time, in s.
        t: f64,
        /// The loop joint that is furthest from closed.
        joint: String,
        /// How far, in m and rad, when no more was gained.
        gap: f64,
        /// The largest gap after the last step.
        before: f64,
        /// How regular the loops are there.
        loops: Regularity,
    },
    /// A tolerance asks for ever shorter steps where the loops are singular, or nearly.
    #[error(
        "the tolerance asks for a step below {least} s at t = {t} s. {}",
        what_to_do(*.loops),
        t = seconds(*.t)
    )]
    NearSingular {
        /// The time, in s.
        t: f64,
        /// The least step allowed, in s.
        least: f64,
        /// How regular the loops are there.
        loops: Regularity,
    },
    /// The loops have no dynamics, or can't be assembled.
    #[error("at t = {t} s: {source}", t = seconds(*.t))]
    Loops {
        /// The time, in s.
        t: f64,
        /// Why not.
        source: LoopError,
    },
    /// The function of an event has no value.
    #[error(
        "the function of event `{event}` is {value} at t = {t} s. Return a finite number wherever the robot may come",
        t = seconds(*.t)
    )]
    EventNotFinite {
        /// The event.
        event: String,
        /// The time, in s.
        t: f64,
        /// The value of the function: NaN or infinite.
        value: f64,
    },
    /// The action of an event leaves a velocity that is no number.
    #[error(
        "the action of event `{event}` has made v[{index}] infinite or NaN at t = {t} s. Change velocities to finite numbers only"
    )]
    ActionNotFinite {
        /// The event.
        event: String,
        /// The time, in s.
        t: f64,
        /// Which velocity.
        index: usize,
    },
    /// The action of an event leaves the robot where the event happens again at once.
    #[error(
        "event `{event}` leaves the robot at rest where it happens, at t = {t} s, or in bounces that have become too short to follow: \
         an event is an instant, and holds nothing. End the run there, or hold the robot by a force model",
        t = seconds(*.t)
    )]
    EventRests {
        /// The event.
        event: String,
        /// The time, in s.
        t: f64,
    },
    /// The recorder failed.
    #[error("the sample at t = {t} s was not recorded: {source}", t = seconds(*.t))]
    Recorder {
        /// The time, in s.
        t: f64,
        /// The recorder's error.
        source: RecorderError,
    },
}

/// The remedy where loops could not be kept closed.
fn what_to_do(loops: Regularity) -> String {
    if loops.is_singular() {
        format!(
            "The loops are singular there, or nearly (bars or arms in line; {loops}): closing them does not \
             determine their motion. A step of given length may pass over the singularity; joint limits or a controller keep the robot away \
             from it; or begin elsewhere"
        )
    } else {
        format!(
            "The loops are not singular there ({loops}): the step is too large for so fast a motion. Take a smaller \
             one, or a method of higher order. Where shorter steps end at the same configuration, redundant constraints contradict \
             others because joint axes are rounded: give all digits"
        )
    }
}

impl From<Error> for SimulationError {
    fn from(error: Error) -> Self {
        Self::Integrator(error.into())
    }
}

/// Why loops could not be kept closed, as an integrator passes it on.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the loops can't be kept closed: {loops}")]
pub(super) struct LostLoops {
    pub loops: Regularity,
    pub residual: f64,
}

/// Speeds that have grown so many times since the beginning, or from 1 rad/s (m/s), are a motion
/// that diverges: a pivot that vanishes in them is the end of it, and not the robot's.
const BLOWN_UP: f64 = 1e3;

impl SimulationError {
    /// The same, but for a robot without inertia in a motion that had long diverged: `first` is the
    /// fastest speed where it began, and `v` the velocity after the last good step.
    #[cold]
    pub(super) fn or_blown_up(self, model: &Model, first: f64, v: &[f64]) -> Self {
        let fastest = largest(v);
        let speed = v.get(fastest).map_or(0.0, |v| v.abs());
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others stay")]
        match self {
            Self::Integrator(IntegratorError::Dynamics {
                t,
                source: source @ Error::SingularInertia { .. },
            }) if speed > BLOWN_UP * first.max(1.0) => Self::BlownUp {
                t,
                joint: joint_of_coordinate(model, fastest),
                speed,
                first,
                source,
            },
            error => error,
        }
    }

    /// An integrator's error, seen through to its cause.
    #[cold]
    pub(super) fn of(error: IntegratorError) -> Self {
        if let IntegratorError::Field { t, source } = &error
            && let Some(lost) = source.downcast_ref::<LostLoops>()
        {
            let (t, LostLoops { loops, residual }) = (*t, *lost);
            return match loops.is_singular() {
                true => Self::Singular { t, loops, residual },
                false => Self::Contradiction {
                    t,
                    condition: loops.condition,
                    residual,
                },
            };
        }
        Self::Integrator(error)
    }

    /// An error of loops at a time of the motion.
    #[cold]
    pub(super) fn of_loops(model: &Model, t: f64, v: &[f64], source: LoopError) -> Self {
        if let LoopError::Tree(source) = source {
            Self::Integrator(IntegratorError::at(model, t, v, source))
        } else {
            Self::Loops { t, source }
        }
    }
}
