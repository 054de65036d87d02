//! Errors of closed loops.

use featherline::kernel::all_finite;
use thiserror::Error;

/// A result that is a [`LoopError`] where there is none.
pub type Result<T, E = LoopError> = std::result::Result<T, E>;

/// Why a robot with loops gave no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LoopError {
    /// An argument does not fit the model, or the tree has no dynamics.
    #[error(transparent)]
    Tree(#[from] featherline::Error),
    /// A contact cannot be a loop joint of the model.
    #[error(transparent)]
    Model(#[from] featherline::model::ModelError),
    /// The motions of a loop joint depend on each other, so that its constraints are not
    /// determined.
    #[error(
        "the motions of loop joint `{joint}` depend on each other in this configuration. Give one a little away from it, or another kind \
         of joint"
    )]
    DependentMotions {
        /// The loop joint.
        joint: String,
    },
    /// A frame constraint holds a body to itself.
    #[error(
        "frame constraint {index} holds a body to itself, whatever moves. Hold a frame of a link to the world or to another link"
    )]
    HeldToItself {
        /// Which of the constraints.
        index: usize,
    },
    /// A frame constraint that the workspace does not have.
    #[error(
        "there is no frame constraint {index}: the workspace has {constraints}. They are numbered from 0, as they were given"
    )]
    NoConstraint {
        /// Which was asked for.
        index: usize,
        /// How many there are.
        constraints: usize,
    },
    /// A coefficient of restitution outside of 0 to 1.
    #[error("the coefficient of restitution is {restitution}. Give one from 0 to 1")]
    Restitution {
        /// The coefficient.
        restitution: f64,
    },
    /// The state given to [`loop_dynamics`](crate::loop_dynamics) has an open loop.
    #[error(
        "the frames of loop joint `{joint}` are {gap:.3e} (m, rad) apart: dynamics are defined where loops are closed. Close \
         them with `assemble`, or ask for a `Stabilisation`, which pulls them together"
    )]
    OpenLoop {
        /// The loop joint that is furthest from closed.
        joint: String,
        /// How far: the length of its six-vector, in m and rad.
        gap: f64,
    },
    /// The loops do not close near the configuration.
    #[error(
        "the loops do not close: the frames of loop joint `{joint}` stay {gap:.3e} (m, rad) apart, where {before:.3e} was \
         the most at the beginning. Give a configuration nearer to a closed one, or check the lengths of the links; a gap of \
         some 1e-4 or less is often that of rounded joint axes, which should be parallel or meet: give them all digits"
    )]
    AssemblyFailed {
        /// The loop joint that is furthest from closed.
        joint: String,
        /// How far: the length of its six-vector, in m and rad.
        gap: f64,
        /// The largest such gap at the configuration that was given.
        before: f64,
    },
}

/// Fails unless all numbers are finite; `what` names one of them.
pub(crate) fn check_finite(what: &'static str, numbers: &[f64]) -> Result<(), LoopError> {
    if all_finite(numbers) {
        Ok(())
    } else {
        Err(LoopError::Tree(featherline::Error::Overflow { what }))
    }
}

impl LoopError {
    /// That the motions of a loop joint depend on each other.
    #[cold]
    pub(crate) fn dependent(joint: &str) -> Self {
        let joint = joint.to_owned();
        Self::DependentMotions { joint }
    }
}
