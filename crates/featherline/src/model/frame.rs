//! Frames fixed in bodies.

use super::{Joint, JointId};
use crate::spatial::Se3;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The kind of object that a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FrameKind {
    /// A body (a link of the robot's description), movable or lumped into the body that carries it.
    Body,
    /// The output frame of a movable joint.
    Joint,
    /// The frame of a fixed joint.
    FixedJoint,
    /// A frame of the user's: a tool, a foot's sole.
    Operational,
    /// A sensor's frame.
    Sensor,
}

impl FrameKind {
    /// The kind's name in lower case, such as `fixed_joint`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::FixedJoint => "fixed_joint",
            Self::Operational => "operational",
            Self::Sensor => "sensor",
        }
    }
}

/// A frame fixed in the body that a joint moves.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Frame {
    /// The frame's name, unique among frames of its kind.
    pub name: String,
    /// The kind of object that the frame belongs to.
    pub kind: FrameKind,
    /// The joint whose body carries the frame.
    pub joint: JointId,
    /// The frame's placement in the joint's output frame.
    pub placement: Se3<f64>,
}

impl Frame {
    /// Whether it is the output frame of the joint that carries it.
    pub(super) fn is_of_joint(&self, carrier: &Joint) -> bool {
        self.kind == FrameKind::Joint && self.name == carrier.name
    }
}
