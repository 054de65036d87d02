//! The bodies that touch, and their names.

use featherline::Model;
use featherline::model::{FrameKind, JointId};

/// The name of the world among bodies.
const WORLD: &str = "world";

/// The name of the body that a joint moves: that of its first link, or of the joint where it has
/// none; `world` for the universe. Cost: the number of frames.
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// assert_eq!(featherline_record::body_name(&model, JointId::UNIVERSE), "world");
/// ```
pub fn body_name(model: &Model, joint: JointId) -> &str {
    if joint == JointId::UNIVERSE {
        return WORLD;
    }
    let mut frames = model.frames().iter();
    let link = frames.find(|it| it.joint == joint && it.kind == FrameKind::Body);
    link.map_or(&model.joint(joint).name, |link| &link.name)
}

/// The names of all bodies, the world's first.
pub(crate) fn names(model: &Model) -> Vec<String> {
    let joints = std::iter::once(JointId::UNIVERSE).chain(model.joint_ids());
    joints.map(|id| body_name(model, id).to_owned()).collect()
}

/// The bodies of pairs, each once, without the world.
pub(crate) fn of_pairs(pairs: &[[JointId; 2]]) -> Vec<JointId> {
    let bodies = pairs.iter().flatten().copied();
    let mut bodies: Vec<JointId> = bodies.filter(|it| *it != JointId::UNIVERSE).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}
