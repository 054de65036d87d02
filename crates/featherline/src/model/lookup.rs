//! Names to typed indices.

use super::{FrameId, FrameKind, JointId, LoopId, Model, UnknownName};
use crate::words::closest;

impl Model {
    /// The joint with the given name. Cost O(number of joints); look names up once, not in a
    /// control loop.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name, if there is no such joint.
    pub fn joint_id(&self, name: &str) -> Result<JointId, UnknownName> {
        let names = || self.joints().iter().map(|j| j.name.as_str());
        names()
            .position(|n| n == name)
            .map(JointId)
            .ok_or_else(|| unknown("joint", name, names()))
    }

    /// The loop joint with the given name.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name, if there is no such loop joint.
    pub fn loop_id(&self, name: &str) -> Result<LoopId, UnknownName> {
        let names = || self.loop_joints().iter().map(|l| l.name.as_str());
        names()
            .position(|n| n == name)
            .map(LoopId)
            .ok_or_else(|| unknown("loop joint", name, names()))
    }

    /// The frame of the body with the given name, lumped bodies included.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name, if there is no such body.
    pub fn body_id(&self, name: &str) -> Result<FrameId, UnknownName> {
        self.frame_id_where("body", name, |kind| kind == FrameKind::Body)
    }

    /// The frame with the given name. A body goes before a joint, and both before other frames,
    /// where several frames of different kinds share a name; use
    /// [`frame_id_of_kind`](Self::frame_id_of_kind) to tell them apart.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name, if there is no such frame.
    pub fn frame_id(&self, name: &str) -> Result<FrameId, UnknownName> {
        let rank = |kind| match kind {
            FrameKind::Body => 0,
            FrameKind::Joint | FrameKind::FixedJoint => 1,
            FrameKind::Operational | FrameKind::Sensor => 2,
        };
        let named = self
            .frames()
            .iter()
            .enumerate()
            .filter(|(_, f)| f.name == name);
        match named.min_by_key(|(_, f)| rank(f.kind)) {
            Some((index, _)) => Ok(FrameId(index)),
            None => Err(unknown(
                "frame",
                name,
                self.frames().iter().map(|f| f.name.as_str()),
            )),
        }
    }

    /// The frame with the given name and kind.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name of that kind, if there is no such frame.
    pub fn frame_id_of_kind(&self, name: &str, kind: FrameKind) -> Result<FrameId, UnknownName> {
        self.frame_id_where("frame of that kind", name, |k| k == kind)
    }

    fn frame_id_where(
        &self,
        what: &'static str,
        name: &str,
        accept: impl Fn(FrameKind) -> bool,
    ) -> Result<FrameId, UnknownName> {
        let frames = self.frames();
        let found = frames.iter().position(|f| accept(f.kind) && f.name == name);
        found.map(FrameId).ok_or_else(|| {
            unknown(
                what,
                name,
                frames
                    .iter()
                    .filter(|f| accept(f.kind))
                    .map(|f| f.name.as_str()),
            )
        })
    }
}

fn unknown<'a>(
    kind: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> UnknownName {
    UnknownName {
        kind,
        name: name.to_owned(),
        closest: closest(name, names).map(str::to_owned),
    }
}
