//! The text of a scene.

use super::buffer::Range;
use featherline_sim::setup::Decision;
use serde::Serialize;
use serde_json::value::RawValue;

/// The version of the text.
const VERSION: u32 = 1;

#[derive(Debug, Default, Serialize)]
pub(super) struct Document {
    pub(super) version: u32,
    pub(super) name: String,
    /// A model file.
    pub(super) model: Option<Box<RawValue>>,
    pub(super) configurations: Vec<Configuration>,
    pub(super) shapes: Vec<Shape>,
    pub(super) meshes: Vec<Mesh>,
    /// How a motion begins.
    pub(super) decision: Option<Decision>,
    pub(super) contacts: Option<Contacts>,
    pub(super) links: Vec<LinkPlace>,
    pub(super) loops: Vec<LoopEnds>,
    pub(super) warnings: Vec<Warning>,
    pub(super) recording: Option<Recording>,
    pub(super) error: Option<Refusal>,
}

impl Document {
    /// The text of nothing that has a name.
    pub(super) fn new(name: &str) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        // Keys are strings and values have derived writers: nothing that JSON can't hold.
        serde_json::to_vec(self).expect("a scene is representable in JSON")
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) name: String,
    pub(super) q: Vec<f64>,
}

/// A frame in the output frame of a joint of the model.
#[derive(Debug, Serialize)]
pub(super) struct FramePlace {
    pub(super) joint: usize,
    pub(super) placement: [f64; 16],
}

#[derive(Debug, Serialize)]
pub(super) struct LinkPlace {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) end: FramePlace,
}

#[derive(Debug, Serialize)]
pub(super) struct LoopEnds {
    pub(super) name: String,
    pub(super) predecessor: FramePlace,
    pub(super) successor: FramePlace,
}

#[derive(Debug, Serialize)]
pub(super) struct Shape {
    #[serde(flatten)]
    pub(super) end: FramePlace,
    pub(super) link: String,
    pub(super) name: String,
    pub(super) visual: bool,
    pub(super) collision: bool,
    pub(super) colour: Option<[f64; 4]>,
    pub(super) form: Form,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Form {
    Box { sides: [f64; 3] },
    Sphere { radius: f64 },
    Cylinder { radius: f64, length: f64 },
    Capsule { radius: f64, length: f64 },
    Cone { radius: f64, length: f64 },
    Ellipsoid { semi_axes: [f64; 3] },
    Plane,
    Mesh { mesh: usize },
}

#[derive(Debug, Serialize)]
pub(super) struct Mesh {
    pub(super) file: String,
    pub(super) vertices: Range,
    pub(super) faces: Range,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Warning {
    pub(super) severity: &'static str,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<usize>,
    pub(super) link: Option<String>,
}

/// Which shapes may touch.
#[derive(Debug, Serialize)]
pub(super) struct Contacts {
    /// The indices of two shapes for each pair, u32.
    pub(super) pairs: Range,
    /// Friction and restitution of each pair, f64.
    pub(super) surfaces: Range,
    /// The shapes that touch a ground that was added below the robot, u32.
    pub(super) on_ground: Range,
    /// Friction and restitution of each of them, f64.
    pub(super) on_ground_surfaces: Range,
}

/// The contacts of a recording.
#[derive(Debug, Serialize)]
pub(super) struct RecordedContacts {
    /// How many contacts each row has, u32.
    pub(super) counts: Range,
    /// Nine f64 for each contact: point, normal (zero if it is not known) and force.
    pub(super) numbers: Range,
}

#[derive(Debug, Serialize)]
pub(super) struct Recording {
    pub(super) file: String,
    pub(super) times: Range,
    pub(super) q: Range,
    pub(super) v: Range,
    pub(super) tau: Option<Range>,
    pub(super) contacts: Option<RecordedContacts>,
}

/// Why there is no robot.
#[derive(Debug, Default, Serialize)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<usize>,
    pub(super) snippet: Option<String>,
}
