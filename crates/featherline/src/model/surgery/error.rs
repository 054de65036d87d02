//! Why a model can't be changed in the way that is asked for.

use crate::Error;
use crate::model::ModelError;
use thiserror::Error as Failure;

/// Why a model can't be changed in the way that is asked for.
#[derive(Clone, Debug, PartialEq, Failure)]
#[non_exhaustive]
pub enum SurgeryError {
    /// The new model would be none: two things would have one name, say.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An argument has the wrong length or is not finite, or an id belongs to another model.
    #[error(transparent)]
    Input(#[from] Error),
    /// The universe is no joint that can be changed.
    #[error("the universe can't be {what}: it is the world, which no joint moves")]
    Universe {
        /// The requested change: `locked`, `removed` or `the base`, for instance.
        what: &'static str,
    },
    /// A loop joint holds on to what is to be removed.
    #[error(
        "loop joint `{loop_joint}` joins what joint `{joint}` carries to the rest, so that it can't be removed; take the \
         loop joints out first"
    )]
    HeldByLoop {
        /// The loop joint.
        loop_joint: String,
        /// The joint that should be removed.
        joint: String,
    },
    /// A mimic joint would lose the joint that it mimics.
    #[error("joint `{mimic}` mimics `{mimicked}`, which is to be removed; free it, or remove both")]
    StillMimicked {
        /// The mimic joint.
        mimic: String,
        /// The mimicked joint.
        mimicked: String,
    },
    /// The frame of a joint goes with the joint.
    #[error("frame `{name}` is that of a joint, and can't be taken out alone")]
    JointFrame {
        /// The frame.
        name: String,
    },
    /// A mimic joint is to be locked, and the joint that it mimics is not.
    #[error(
        "joint `{mimic}` moves with `{mimicked}` and can't be locked alone; lock `{mimicked}`, or free `{mimic}` first"
    )]
    LockedMimic {
        /// The mimic joint.
        mimic: String,
        /// The mimicked joint.
        mimicked: String,
    },
    /// A joint is to be freed that mimics no other one.
    #[error("joint `{joint}` mimics no other joint")]
    NotMimic {
        /// The joint.
        joint: String,
    },
    /// Models that are put together fall in different directions.
    #[error(
        "model `{other}` has gravity {found:?} m/s² where `{model}` has {expected:?}; they are put into one world: give \
         one of them the other's with `with_gravity`"
    )]
    DifferentGravity {
        /// The first model.
        model: String,
        /// Its gravity.
        expected: [f64; 3],
        /// The second one.
        other: String,
        /// Its gravity.
        found: [f64; 3],
    },
    /// The base of a robot is held by something else than a free-flyer.
    #[error(
        "joint `{root}` ({kind}) holds the robot in the world, so that no other body can be its base; put it on a \
         free-flyer first, and lock that one afterwards"
    )]
    NotFloating {
        /// The joint between the world and the robot.
        root: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A joint on the way to the new base moves in a way that is no kind of joint when read from
    /// its child to its parent.
    #[error(
        "joint `{joint}` ({kind}) lies between the old base and the new one, and has no reverse: read from its child, its \
         motion is no kind of joint"
    )]
    NoReverse {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A parameter that a joint has for each of its own axes can't be stated by the axes of its
    /// reverse.
    #[error(
        "{what} of joint `{joint}` belongs to axes that turn against those of its reverse, which can't have the same; \
         take it out first"
    )]
    NotReversible {
        /// The joint.
        joint: String,
        /// Which of its parameters.
        what: &'static str,
    },
}
