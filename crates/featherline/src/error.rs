//! Errors of the algorithms' entry points.

use crate::words::DidYouMean;
use thiserror::Error;

/// Why an algorithm could not give a result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// An input or output has the wrong length.
    #[error("{what} has {found} entries where the model needs {expected}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// The length that the model needs.
        expected: usize,
        /// The length that was passed.
        found: usize,
    },
    /// The workspace was made from a model of another structure.
    #[error("the workspace was made for another model; make one with `Workspace::new(&model)`")]
    WorkspaceMismatch,
    /// The workspace has no room for matrices.
    #[error(
        "this workspace serves recursions only; make one with `Workspace::new(&model)` to compute matrices"
    )]
    NoMatrices,
    /// There is no memory for the matrices of a model.
    #[error(
        "matrices of {nv} degrees of freedom take {:.1} GB, more than can be allocated; ask for quantities without \
         matrices, or divide the model",
        *bytes as f64 * 1e-9
    )]
    TooLarge {
        /// The degrees of freedom.
        nv: usize,
        /// [`Workspace::matrix_bytes`](crate::Workspace::matrix_bytes) of the model.
        bytes: u64,
    },
    /// An input is infinite or not a number.
    #[error("{what}[{index}] is not a finite number")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Which entry of it.
        index: usize,
    },
    /// A quaternion, or a (cos, sin) pair, has length zero and stands for no rotation.
    #[error(
        "the configuration of joint `{joint}` (q[{index}]…) has length zero, or a length whose square is zero in this \
         precision; a unit quaternion or (cos, sin) is needed"
    )]
    ZeroRotation {
        /// The joint's name.
        joint: String,
        /// Where its rotation begins in q.
        index: usize,
    },
    /// A quaternion, or a (cos, sin) pair, is so long that its squared length overflows.
    #[error(
        "the configuration of joint `{joint}` (q[{index}]…) is so long that its square is no number; a unit quaternion or \
         (cos, sin) is needed"
    )]
    LongRotation {
        /// The joint's name.
        joint: String,
        /// Where its rotation begins in q.
        index: usize,
    },
    /// The result overflowed although all inputs are finite.
    #[error("{what} is not finite: the inputs are too large for the number type")]
    Overflow {
        /// Which result.
        what: &'static str,
    },
    /// The mass matrix is singular, so that accelerations do not follow from forces.
    #[error(
        "the mass matrix is singular: joint `{joint}` moves no inertia of its own, or none that shows beside the others' in \
         this precision (give its link mass and rotational inertia, or the joint an armature)"
    )]
    SingularInertia {
        /// The joint at which the factorisation broke down.
        joint: String,
    },
    /// An elimination tree whose parents do not come before their children.
    #[error(
        "coordinate {child} has parent {parent} in the elimination tree; a parent must have a smaller number"
    )]
    ParentAfterChild {
        /// The coordinate.
        child: usize,
        /// Its parent.
        parent: usize,
    },
    /// A subtree without mass has no centre of mass.
    #[error(
        "nothing that joint `{joint}` carries has mass, so that there is no centre of mass; give its links their masses"
    )]
    NoMass {
        /// The joint at the root of the subtree; the universe for the whole robot.
        joint: String,
    },
    /// The id of a joint or frame that the model does not have. Functions that return no `Result`
    /// panic with this message.
    #[error(
        "there is no {kind} {index} in model `{model}`, which has {count}: the id belongs to another model"
    )]
    ForeignId {
        /// `joint`, `loop joint` or `frame`.
        kind: &'static str,
        /// The id's index.
        index: usize,
        /// The model's name.
        model: String,
        /// How many joints (the universe included), loop joints or frames it has.
        count: usize,
    },
    /// The system gives no more threads.
    #[error("cannot start {wanted} threads: {reason}; ask for fewer")]
    Threads {
        /// How many were asked for.
        wanted: usize,
        /// The operating system's message.
        reason: String,
    },
    /// A quantity was asked for without what it is about.
    #[error("`{quantity}` needs the {parameter} that is asked about; name it")]
    NoParameter {
        /// The quantity's name.
        quantity: &'static str,
        /// `frame` or `joint`.
        parameter: &'static str,
    },
    /// A name that the model does not have.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
}

/// A name that the model does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the model has no {kind} named `{name}`{}", DidYouMean(.closest.as_deref()))]
pub struct UnknownName {
    /// The kind of the name: `joint`, `loop joint`, `body` or `frame`.
    pub kind: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The most similar name of that kind, if one is similar.
    pub closest: Option<String>,
}

/// Fails unless a slice has the length that the model needs.
#[inline(always)]
pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::Size {
            what,
            expected,
            found,
        })
    }
}
