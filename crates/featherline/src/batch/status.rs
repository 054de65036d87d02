//! The status of each state.

use crate::error::Error;
use std::fmt::{Display, Formatter};

/// The status of one state of a batch: one byte, with stable codes.
///
/// | code | status |
/// |---|---|
/// | 0 | solved |
/// | 1 | there is no result, and an input is infinite or not a number |
/// | 2 | there is no result, and a quaternion, or a (cos, sin) pair, has length zero |
/// | 3 | the result, or the square of a quaternion's length, overflowed although all inputs are finite |
/// | 4 | the mass matrix is singular |
/// | 5 | there is no mass, hence no centre of mass |
///
/// A state is solved if all its results are finite. An input that they do not depend on may then be
/// anything: the mass matrix does not know where the base is. What is wrong with the inputs is only
/// asked of a state that has no result.
///
/// For the joint or the index at fault, evaluate that state alone: the [error](Error) tells.
///
/// ```
/// use featherline::batch::BatchStatus;
///
/// assert!(BatchStatus::default().is_solved());
/// assert_eq!(BatchStatus::ZeroRotation as u8, 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum BatchStatus {
    /// The state has its result.
    #[default]
    Solved = 0,
    /// There is no result, and an input is infinite or not a number.
    NotFinite = 1,
    /// There is no result, and a quaternion, or a (cos, sin) pair, has length zero and stands for
    /// no rotation.
    ZeroRotation = 2,
    /// The result, or the square of a quaternion's length, overflowed although all inputs are
    /// finite.
    Overflow = 3,
    /// The mass matrix is singular, so that accelerations do not follow from forces.
    SingularInertia = 4,
    /// There is no mass, hence no centre of mass.
    NoMass = 5,
}

impl BatchStatus {
    /// Whether the state has its result.
    pub fn is_solved(self) -> bool {
        self == Self::Solved
    }

    /// The status that stands for an error; none for misuse, which is the same for all states.
    ///
    /// ```
    /// use featherline::Error;
    /// use featherline::batch::BatchStatus;
    ///
    /// let singular = Error::SingularInertia { joint: "wrist".to_owned() };
    /// assert_eq!(BatchStatus::of(&singular), Some(BatchStatus::SingularInertia));
    /// assert_eq!(BatchStatus::of(&Error::WorkspaceMismatch), None);
    /// ```
    pub fn of(error: &Error) -> Option<Self> {
        match error {
            Error::NotFinite { .. } => Some(Self::NotFinite),
            Error::ZeroRotation { .. } => Some(Self::ZeroRotation),
            Error::SingularInertia { .. } => Some(Self::SingularInertia),
            Error::NoMass { .. } => Some(Self::NoMass),
            Error::Overflow { .. } | Error::LongRotation { .. } => Some(Self::Overflow),
            Error::Size { .. }
            | Error::WorkspaceMismatch
            | Error::NoMatrices
            | Error::TooLarge { .. }
            | Error::ParentAfterChild { .. }
            | Error::ForeignId { .. }
            | Error::Threads { .. }
            | Error::NoParameter { .. }
            | Error::UnknownName(_) => None,
        }
    }
}

impl Display for BatchStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Solved => "solved",
            Self::NotFinite => "an input is not a finite number",
            Self::ZeroRotation => "a quaternion or (cos, sin) pair has length zero",
            Self::Overflow => "the result overflowed",
            Self::SingularInertia => "the mass matrix is singular",
            Self::NoMass => "there is no mass",
        })
    }
}
