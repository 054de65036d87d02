//! Parts that one robot has and the other lacks.

use super::Missing;
use crate::description::Description;
use featherline::Model;
use featherline::model::{Frame, FrameId, FrameKind, JointId};
use featherline::spatial::Se3;

/// Joints, loop joints and frames.
pub(super) fn missing(first: &Model, second: &Model) -> Vec<Missing> {
    let mut missing = Vec::new();
    for (model, other, is_in_first) in [(first, second, true), (second, first, false)] {
        let mut lacks = |what, name: &str| {
            let name = name.to_owned();
            missing.push(Missing {
                what,
                name,
                is_in_first,
            });
        };
        for joint in &model.joints()[1..] {
            if other.joint_id(&joint.name).is_err() {
                lacks("joint", &joint.name);
            }
        }
        for closing in model.loop_joints() {
            if !other.loop_joints().iter().any(|it| it.name == closing.name) {
                lacks("loop joint", &closing.name);
            }
        }
        for frame in model.frames() {
            let is_known = !is_in_first && is_own_link(frame, model, other);
            if is_compared(frame) && !is_known && counterpart(frame, model, other).is_none() {
                lacks("frame", &frame.name);
            }
        }
    }
    missing
}

/// Whether a frame counts. That of a joint, fixed or not, comes and goes with the joint; and a
/// format may have a link for the world.
fn is_compared(frame: &Frame) -> bool {
    let is_world = frame.kind == FrameKind::Body
        && frame.joint == JointId::UNIVERSE
        && frame.placement == Se3::identity()
        && matches!(frame.name.as_str(), "world" | "universe");
    !is_world && !matches!(frame.kind, FrameKind::Joint | FrameKind::FixedJoint)
}

/// Whether a frame is the link that a format has for a joint of another model whose body has no
/// name: it has the joint's.
fn is_own_link(frame: &Frame, own: &Model, other: &Model) -> bool {
    let joint = &own.joint(frame.joint).name;
    frame.kind == FrameKind::Body
        && frame.name == *joint
        && frame.placement == Se3::identity()
        && other.joint_id(joint).is_ok()
}

/// The frame of another model that a frame of a model is: that of its name and kind, or else of its
/// name alone, because a format may have links for all named frames.
pub(super) fn counterpart(frame: &Frame, own: &Model, other: &Model) -> Option<FrameId> {
    let same = |model: &Model, kind: FrameKind| {
        let mut ids = model.frame_ids();
        ids.find(|&it| (model.frame(it).kind, &model.frame(it).name) == (kind, &frame.name))
    };
    let is_of_joint = |kind| matches!(kind, FrameKind::Joint | FrameKind::FixedJoint);
    same(other, frame.kind).or_else(|| {
        let mut ids = other.frame_ids();
        ids.find(|&it| {
            let found = other.frame(it);
            found.name == frame.name
                && !is_of_joint(frame.kind)
                && !is_of_joint(found.kind)
                && same(own, found.kind).is_none()
        })
    })
}

/// Actuators, tendons, sensors and configurations that only one of two descriptions has, by name.
pub(super) fn parts(first: &Description, second: &Description) -> Vec<Missing> {
    let mut missing = Vec::new();
    for (one, other, is_in_first) in [(first, second, true), (second, first, false)] {
        for ((what, names), (_, others)) in names(one).into_iter().zip(names(other)) {
            let lost = names.into_iter().filter(|name| !others.contains(name));
            missing.extend(lost.filter(|it| !it.is_empty()).map(|name| Missing {
                what,
                name: name.to_owned(),
                is_in_first,
            }));
        }
    }
    missing
}

/// The names of parts of each kind; of configurations, all but the neutral one, which MJCF has in
/// every file.
fn names(of: &Description) -> [(&'static str, Vec<&str>); 4] {
    let actuators = of.actuators.iter().map(|it| &it.name[..]);
    let tendons = of.tendons.iter().map(|it| &it.name[..]);
    let sensors = of.sensors.iter().map(|it| &it.name[..]);
    let configurations = of.stated_configurations().map(|it| &it.name[..]);
    [
        ("actuator", actuators.collect()),
        ("tendon", tendons.collect()),
        ("sensor", sensors.collect()),
        ("configuration", configurations.collect()),
    ]
}
