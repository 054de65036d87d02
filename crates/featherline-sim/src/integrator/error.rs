//! Errors of time integration.

use crate::maximal::MaximalError;
use crate::seconds::seconds;
use featherline::Error;
use featherline::model::{Joint, Model};
use featherline_constraint::Regularity;

/// A result that is an [`IntegratorError`] where there is none.
pub type Result<T, E = IntegratorError> = std::result::Result<T, E>;

/// Why a motion could not be integrated further.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntegratorError {
    /// An argument does not fit the model, or is not finite.
    #[error(transparent)]
    Argument(#[from] Error),
    /// A time, a step or a tolerance that no integration can have.
    #[error("{what} is {value}: {need}")]
    BadParameter {
        /// Which.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The condition that the value must meet.
        need: &'static str,
    },
    /// Samples so close to each other that their times are the same.
    #[error(
        "samples every {interval:e} s are not told apart at t = {t} s in double precision. Take a longer interval, or count the time \
         from nearer",
        t = seconds(*.t)
    )]
    TimeStandsStill {
        /// The interval of samples, in s.
        interval: f64,
        /// The time to which it makes no difference, in s.
        t: f64,
    },
    /// The accelerations have no value where the motion went.
    #[error("no accelerations at t = {t} s: {source}", t = seconds(*.t))]
    Dynamics {
        /// The time, in s.
        t: f64,
        /// Why not.
        source: Error,
    },
    /// A vector field of the caller's has no value where the motion went.
    #[error("no accelerations at t = {t} s: {source}", t = seconds(*.t))]
    Field {
        /// The time, in s.
        t: f64,
        /// The field's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A force model or a controller asks for a force that is no number, in a state that is sound.
    #[error(
        "{by} acts on {on} `{joint}` with {force} at t = {t} s, in a state of finite numbers. Where it divides, \
         or takes a root or a power, it may have left its range",
        t = seconds(*.t)
    )]
    NoForce {
        /// The time, in s.
        t: f64,
        /// The source of the force: the controller, or a force model.
        by: &'static str,
        /// On what: a joint, or the body of one.
        on: &'static str,
        /// The joint.
        joint: String,
        /// The force: NaN or infinite.
        force: f64,
    },
    /// The state ceased to be finite.
    #[error(
        "the motion diverged at t = {t} s: the state of joint `{joint}` overflowed, from {speed:.1e} rad/s (m/s) before. The step is too large for \
         such speeds or these forces, or they grow without bound. Take a smaller step{}, a \
         method that follows a tolerance, or one for stiff joints",
        found(*.shorter),
        t = seconds(*.t)
    )]
    Diverged {
        /// The time that was not reached, in s.
        t: f64,
        /// Of the joints whose state is lost, the one that was fastest before.
        joint: String,
        /// How fast that was, in rad/s or m/s.
        speed: f64,
        /// A step, in s, that was tried and found from there, if one was.
        shorter: Option<f64>,
    },
    /// A body turned so far within one step that its velocity is ambiguous.
    #[error(
        "the body of joint `{joint}` rotates by half a turn or more in the step of {h} s from t = {t} s. Take a smaller step{}",
        found(*.shorter),
        t = seconds(*.t), h = seconds(*.h)
    )]
    HalfTurn {
        /// The time at which the step begins, in s.
        t: f64,
        /// The step, in s.
        h: f64,
        /// The joint that carries the body.
        joint: String,
        /// A step, in s, that was tried and found from there, if one was.
        shorter: Option<f64>,
    },
    /// A loop is open where a motion is to begin.
    #[error(
        "the frames of loop joint `{joint}` are {gap:.3e} (m, rad) apart at the start, and a loop counts as closed up to \
         {tolerance:e}. `featherline_constraint::assemble` finds a configuration nearby in which all loops are closed"
    )]
    OpenLoop {
        /// The loop joint.
        joint: String,
        /// How far apart its frames are, in m and rad.
        gap: f64,
        /// The largest gap of a closed loop, in m and rad.
        tolerance: f64,
    },
    /// Loops that could not be closed where the step leads: it is too large, or they are singular
    /// there, or nearly.
    #[error(
        "the step of {h} s from t = {t} s was not found: loop joint `{closing}` stays open, and closing it does not determine the \
         motion of joint `{joint}` (the loops where the step begins: {loops}). {}",
        why_open(*.loops),
        t = seconds(*.t), h = seconds(*.h)
    )]
    NearSingular {
        /// The time at which the step begins, in s. The integrator's state is the configuration
        /// there.
        t: f64,
        /// The step, in s.
        h: f64,
        /// The loop joint that the iterations left open most.
        closing: String,
        /// The joint that carries the body that the iterations move most.
        joint: String,
        /// How regular the loops are where the step begins.
        loops: Regularity,
    },
    /// No velocity that could be told from others goes with the momenta: loops are nearly singular
    /// and neither constrain a motion nor leave it free.
    #[error(
        "the velocity at t = {t} s is not determined: whether loops constrain joint `{joint}` is a matter of rounding there (the loops: {loops}). {}",
        why_open(*.loops),
        t = seconds(*.t)
    )]
    UndeterminedVelocity {
        /// The time, in s.
        t: f64,
        /// The joint that carries the body whose velocity is known least.
        joint: String,
        /// How regular the loops are there.
        loops: Regularity,
    },
    /// Maximal coordinates cannot hold the robot where the motion went.
    #[error("at t = {t} s: {source}", t = seconds(*.t))]
    Maximal {
        /// The time, in s.
        t: f64,
        /// Why not.
        source: MaximalError,
    },
    /// An implicit step has no solution that the iteration could find.
    #[error(
        "the step of {h} s from t = {t} s did not converge in {iterations} iterations: joint `{joint}` still changes by \
         {change:e} in each. Take a smaller step{}",
        found(*.shorter),
        t = seconds(*.t), h = seconds(*.h)
    )]
    NotConverged {
        /// The time at which the step begins, in s.
        t: f64,
        /// The step, in s.
        h: f64,
        /// How often it was tried.
        iterations: usize,
        /// The joint that changes most.
        joint: String,
        /// The last change of its coordinates, in rad or m (per second where velocities are
        /// sought).
        change: f64,
        /// A step, in s, that was tried and found from there, if one was.
        shorter: Option<f64>,
    },
    /// The tolerance asks for steps below the least one allowed.
    #[error(
        "the tolerance asks for a step below {least} s at t = {t} s, because of joint `{joint}`: a force jumps or is stiff \
         there. Allow smaller steps, loosen the tolerance, or take a method for stiff joints",
        t = seconds(*.t)
    )]
    StepTooSmall {
        /// The time, in s.
        t: f64,
        /// The least step allowed, in s.
        least: f64,
        /// The joint whose error is largest.
        joint: String,
    },
    /// More steps than allowed.
    #[error(
        "{steps} steps led only to t = {t} s. Allow more steps, or loosen the tolerance",
        t = seconds(*.t)
    )]
    TooManySteps {
        /// The time reached, in s.
        t: f64,
        /// How many steps were made.
        steps: usize,
    },
}

/// From this condition on a step that is not found is one into a singularity; most have some tens.
const NEAR_SINGULAR: f64 = 1e3;

/// Why a step may not close loops that are so regular where it begins, and what helps.
fn why_open(loops: Regularity) -> &'static str {
    if loops.whole_condition() >= NEAR_SINGULAR {
        "It leads to a singularity of the loop, or near one (bars or arms in line). A longer step may pass over it, and so may a method \
         in the coordinates of the tree; joint limits or a controller keep the robot away; or begin elsewhere. Where no bars are in line, \
         rounded joint axes, which should be parallel or meet, lock the loop: give all digits (pi/2 as 1.5707963267948966)"
    } else {
        "Either the step is too large for so fast a motion: take a smaller one. Or it leads to a singularity of the loop (bars or arms \
         in line), and smaller steps end near the same configuration: a longer one may pass over it; joint limits or a controller keep the robot \
         away; or begin elsewhere. Rounded joint axes, which should be parallel or meet, may be the reason, too: give all digits \
         (pi/2 as 1.5707963267948966)"
    }
}

/// How often a step that was not found is halved to say which one is.
const HALVINGS: i32 = 10;

/// A step that was found, in words.
fn found(shorter: Option<f64>) -> String {
    shorter.map_or_else(String::new, |h| format!(" ({h} s is short enough there)"))
}

impl IntegratorError {
    /// The same with the longest halving of `h` that is found, if it says that `h` is too long.
    #[cold]
    pub(super) fn with_shorter(mut self, h: f64, mut is_found: impl FnMut(f64) -> bool) -> Self {
        if let Self::HalfTurn { shorter, .. }
        | Self::NotConverged { shorter, .. }
        | Self::Diverged { shorter, .. } = &mut self
        {
            let mut halves = (1..=HALVINGS).map(|k| h * 0.5_f64.powi(k));
            *shorter = halves.find(|&h| is_found(h));
        }
        self
    }

    /// An error of a vector field of the caller's.
    pub fn field(t: f64, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let source = source.into();
        Self::Field { t, source }
    }

    /// The integrator's error for an algorithm's error in the middle of a motion.
    #[cold]
    pub(crate) fn at(model: &Model, t: f64, v: &[f64], source: Error) -> Self {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are the model's")]
        match source {
            Error::NotFinite { what: "q", index } => diverged_configuration(model, t, index, v),
            // Sound numbers that are too large, too: the fastest coordinate is where it began.
            Error::NotFinite { .. } | Error::Overflow { .. } => Self::diverged(model, t, v, v),
            source => Self::Dynamics { t, source },
        }
    }

    /// Divergence of a velocity: of what is not finite `now`, or of all, the fastest one `before`.
    #[cold]
    pub(crate) fn diverged(model: &Model, t: f64, now: &[f64], before: &[f64]) -> Self {
        let all = now.iter().all(|x| x.is_finite());
        let lost = (0..now.len()).filter(|&k| all || !now[k].is_finite());
        let faster = |a: usize, b: usize| before[b].abs() > before[a].abs();
        let worst = lost.reduce(|a, b| if faster(a, b) { b } else { a });
        let coordinate = worst.unwrap_or_default();
        Self::Diverged {
            t,
            joint: joint_of_coordinate(model, coordinate),
            speed: before.get(coordinate).map_or(0.0, |v| v.abs()),
            shorter: None,
        }
    }
}

/// Divergence of an entry of the configuration, at a velocity `v`.
#[cold]
fn diverged_configuration(model: &Model, t: f64, entry: usize, v: &[f64]) -> IntegratorError {
    let own = |joint: &&Joint| (joint.idx_q..joint.idx_q + joint.nq).contains(&entry);
    let joint = model.joints().iter().find(own);
    let speeds = joint.map_or(&[][..], |joint| &v[joint.idx_v..joint.idx_v + joint.nv]);
    IntegratorError::Diverged {
        t,
        joint: name(joint),
        speed: speeds.iter().fold(0.0, |most, v| most.max(v.abs())),
        shorter: None,
    }
}

/// The name of the joint that a coordinate of the velocity belongs to.
#[cold]
pub(crate) fn joint_of_coordinate(model: &Model, coordinate: usize) -> String {
    let own = |joint: &&Joint| (joint.idx_v..joint.idx_v + joint.nv).contains(&coordinate);
    name(model.joints().iter().find(own))
}

fn name(joint: Option<&Joint>) -> String {
    joint.map_or_else(String::new, |joint| joint.name.clone())
}

/// The index of the entry of the greatest size, or of the first that is not finite.
pub(crate) fn largest(values: &[f64]) -> usize {
    let mut index = 0;
    for (k, value) in values.iter().enumerate() {
        if !value.is_finite() {
            return k;
        }
        if value.abs() > values[index].abs() {
            index = k;
        }
    }
    index
}
