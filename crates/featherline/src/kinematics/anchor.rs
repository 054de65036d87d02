//! What the kinematics of a moving robot are asked for: a joint's output frame, or a named frame.

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
    /// The index of the link, and the placement of the anchor in the link frame.
    #[inline(always)]
    pub(crate) fn in_link<S: Scalar>(self, model: &Model) -> (usize, Se3<S>) {
        match self {
            Self::Joint(id) => {
                let link = &model.links[id.index()];
                (id.index(), Se3::constant(&link.frame).inverse())
            }
            Self::Frame(id) => (
                model.frame(id).joint.index(),
                Se3::constant(&model.frame_in_link[id.index()]),
            ),
        }
    }
}
