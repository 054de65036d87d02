//! Messages that Foxglove's 3D panel shows: where joints are, and the visual shapes of links.
//!
//! Source: Foxglove's message schemas FrameTransforms and SceneUpdate, <https://docs.foxglove.dev>.
//! Names of fields are theirs.

mod schema;
mod shapes;
mod transforms;

pub use shapes::Shapes;

pub(crate) use schema::{frame_transforms, scene_update};
pub(crate) use transforms::Transforms;

use crate::xyz::Xyz;
use featherline::Model;
use featherline::model::JointId;
use featherline::spatial::{Quaternion, Se3};
use serde::Serialize;

/// A time, or a duration.
#[derive(Clone, Copy, Debug, Serialize)]
struct Time {
    sec: u64,
    nsec: u64,
}

impl Time {
    const ZERO: Self = Self { sec: 0, nsec: 0 };

    fn from_nanoseconds(time: u64) -> Self {
        const SECOND: u64 = 1_000_000_000;
        Self {
            sec: time / SECOND,
            nsec: time % SECOND,
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Rotation {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

impl From<&Se3<f64>> for Rotation {
    fn from(placement: &Se3<f64>) -> Self {
        let [x, y, z, w] = Quaternion::from_rotation(&placement.rotation).to_array();
        Self { x, y, z, w }
    }
}

/// The name of a joint's frame; of the universe, `world`, unless a joint has this name.
fn frame_name(model: &Model, joint: JointId) -> &str {
    let joints = model.joints();
    match joint == JointId::UNIVERSE && joints.iter().all(|it| it.name != "world") {
        true => "world",
        false => &joints[joint.index()].name,
    }
}
