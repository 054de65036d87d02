//! What the kinematics of a moving robot are asked for: a joint's output frame, or a named frame.

use crate::Error;
use crate::model::{FrameId, JointId, Model};
use crate::scalar::Scalar;
use crate::spatial::Se3;

/// A frame fixed in a link.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Joint(JointId),
    Frame(FrameId),
}

impl Anchor {
    /// Fails if the model has no such joint or frame.
    #[inline(always)]
    pub(crate) fn check(self, model: &Model) -> Result<(), Error> {
        match self {
            Self::Joint(id) => model.check_joint(id),
            Self::Frame(id) => model.check_frame(id),
        }
    }

    /// The index of the link, and the placement of the anchor in the link frame.
    #[inline(always)]
    pub(crate) fn in_link<S: Scalar>(self, model: &Model) -> (usize, Se3<S>) {
        match self {
            Self::Joint(id) => {
                let link = &model.links[id.index()];
                (id.index(), Se3::constant(&link.frame).inverse())
            }
            Self::Frame(id) => (
                model.frames()[id.index()].joint.index(),
                Se3::constant(&model.frame_in_link[id.index()]),
            ),
        }
    }
}
