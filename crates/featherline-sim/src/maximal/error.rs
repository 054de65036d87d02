//! Errors of maximal coordinates.

use thiserror::Error;

/// Why maximal coordinates could not give a result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MaximalError {
    /// An argument does not fit the model, or is not finite.
    #[error(transparent)]
    Argument(#[from] featherline::Error),
    /// A mimic joint ties four bodies together, which the graph of a robot with loops does not
    /// show.
    #[error(
        "joint `{joint}` is a mimic joint and ties four bodies together, while constraints tie two here. Make its coordinate \
         free, or use `featherline_constraint::loop_dynamics` for loops and joint coordinates for trees"
    )]
    MimicJoint {
        /// The mimic joint.
        joint: String,
    },
    /// The motions of a joint depend on each other, so that its rates do not follow from its
    /// bodies' velocities.
    #[error(
        "the motions of joint `{joint}` depend on each other in this configuration, so that the velocities of its bodies do \
         not determine its rates. Give a configuration a little away from it, or another kind of joint"
    )]
    DependentMotions {
        /// The joint.
        joint: String,
    },
    /// The recursion of a tree was asked for, and the robot has closed loops.
    #[error(
        "`{joint}` closes a loop, where the recursion of a tree breaks. Use `maximal_dynamics`, which eliminates loops in an \
         order of least fill"
    )]
    ClosedLoop {
        /// A loop joint.
        joint: String,
    },
    /// The state has an open loop.
    #[error(
        "the frames of loop joint `{joint}` are {gap:.3e} (m, rad) apart: dynamics are defined where loops are closed. Close \
         them with `featherline_constraint::assemble`, or let `MaximalWorkspace::stabilise` pull them together"
    )]
    OpenLoop {
        /// The loop joint.
        joint: String,
        /// How far: the length of its six-vector, in m and rad.
        gap: f64,
    },
    /// A body's acceleration does not follow from the forces.
    #[error(
        "the accelerations are not determined: joint `{joint}` moves no inertia of its own, or none that shows beside the \
         others' in this precision. Give its link mass and rotational inertia, or the joint an armature"
    )]
    SingularInertia {
        /// The joint that carries the body.
        joint: String,
    },
}

impl MaximalError {
    /// That the motions of a joint depend on each other.
    #[cold]
    pub(crate) fn dependent(joint: &str) -> Self {
        let joint = joint.to_owned();
        Self::DependentMotions { joint }
    }
}
