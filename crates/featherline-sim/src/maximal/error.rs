//! Errors of maximal coordinates.

use thiserror::Error;

/// Why maximal coordinates could not give a result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MaximalError {
    /// An argument does not fit the model, or is not finite.
    #[error(transparent)]
    Argument(#[from] featherline::Error),
    /// A joint that follows another one ties four bodies together, which the graph of a robot with
    /// loops does not show.
    #[error(
        "joint `{joint}` follows another joint, and where there are loops, maximal coordinates know constraints between two \
         bodies only; make its coordinate free, or use `Model::loop_dynamics`"
    )]
    Follower {
        /// The follower.
        joint: String,
    },
    /// The motions of a joint depend on each other, so that its rates do not follow from its
    /// bodies' velocities.
    #[error(
        "the motions of joint `{joint}` depend on each other in this configuration, so that its rates do not follow from \
         the velocities of its bodies"
    )]
    DependentMotions {
        /// The joint.
        joint: String,
    },
    /// A body's acceleration does not follow from the forces.
    #[error(
        "the accelerations are not determined: joint `{joint}` moves no inertia of its own, or none that shows beside the \
         others' in this precision (give its link mass and rotational inertia, or the joint an armature)"
    )]
    SingularInertia {
        /// The joint that carries the body.
        joint: String,
    },
}
