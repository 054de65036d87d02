//! Typed indices of joints, loop joints and frames.

use super::Model;
use crate::Error;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident in $list:literal)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct $id(pub(crate) usize);

        impl $id {
            #[doc = concat!("The position in [`Model::", $list, "`](super::Model::", $list, ").")]
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0
            }
        }
    )+};
}

ids! {
    /// The index of a joint, and of the body that it moves, in a [`Model`](super::Model). Joint 0
    /// is the universe.
    JointId in "joints"
    /// The index of a frame in a [`Model`](super::Model).
    FrameId in "frames"
    /// The index of a loop joint in a [`Model`](super::Model).
    LoopId in "loop_joints"
}

impl JointId {
    /// The universe: the world frame, which no joint moves.
    pub const UNIVERSE: Self = Self(0);
}

impl Model {
    /// Fails if there is no such joint, as happens with the id of a larger model.
    #[inline(always)]
    pub(crate) fn check_joint(&self, id: JointId) -> Result<(), Error> {
        check(self, "joint", id.0, self.joints().len())
    }

    /// Fails if there is no such loop joint, as happens with the id of a larger model.
    #[inline(always)]
    pub(crate) fn check_loop(&self, id: LoopId) -> Result<(), Error> {
        check(self, "loop joint", id.0, self.loop_joints().len())
    }

    /// Fails if there is no such frame, as happens with the id of a larger model.
    #[inline(always)]
    pub(crate) fn check_frame(&self, id: FrameId) -> Result<(), Error> {
        check(self, "frame", id.0, self.frames().len())
    }
}

#[inline(always)]
fn check(model: &Model, kind: &'static str, index: usize, count: usize) -> Result<(), Error> {
    if index < count {
        Ok(())
    } else {
        Err(foreign(model, kind, index, count))
    }
}

#[cold]
fn foreign(model: &Model, kind: &'static str, index: usize, count: usize) -> Error {
    Error::ForeignId {
        kind,
        index,
        model: model.name().to_owned(),
        count,
    }
}

/// Panics with the reason if a check of an id failed.
#[inline(always)]
#[track_caller]
pub(crate) fn require(checked: Result<(), Error>) {
    if let Err(error) = checked {
        panic!("{error}");
    }
}
