//! The data that a page needs to show a robot.
//!
//! A scene is written as bytes: `FLSC`, the length n of a text as a u32 (little-endian), a text of
//! n bytes in JSON, and a buffer of numbers (little-endian). The text is padded with spaces, so
//! that the buffer begins at a multiple of eight bytes. A range `{"offset": bytes, "count":
//! numbers}` in the text names numbers of the buffer.

mod buffer;
mod contacts;
mod document;
mod error;
mod recording;
mod shapes;
mod upright;
mod warnings;

pub use recording::{RecordedContacts, RecordedMotion};

use buffer::Buffer;
use document::{Configuration, Document, FramePlace, LinkPlace, LoopEnds};
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline_formats::{Error, Robot, model_file};
use featherline_sim::setup::Setup;
use serde_json::value::RawValue;
use shapes::Shapes;

/// The first bytes of a scene.
pub const MAGIC: [u8; 4] = *b"FLSC";

/// The data that a page needs to show a robot: the model, shapes with their meshes, links, loops,
/// warnings, and a recording where there is one; or why the robot can't be read.
#[derive(Debug)]
pub struct Scene {
    document: Document,
    buffer: Buffer,
}

impl Scene {
    /// The scene of a robot.
    ///
    /// Mesh files are read, each file and scale once. One that can't be read is a warning of the
    /// scene, at its link. Cost: the size of the mesh files.
    ///
    /// ```
    /// use featherline_viewer::scene::Scene;
    ///
    /// let robot = featherline_formats::load_str("<robot name='r'><link name='a'/></robot>")?;
    /// assert_eq!(Scene::of_robot(&robot).name(), "r");
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn of_robot(robot: &Robot) -> Self {
        let (model, description) = (&robot.model, &robot.description);
        let mut buffer = Buffer::default();
        let places = robot.link_placements();
        let shapes = Shapes::of(robot, &places, &mut buffer);
        let mut warnings = warnings::of_robot(robot);
        warnings.extend(shapes.warnings);
        let (decision, contacts) = match Setup::default().decide(robot) {
            Ok(start) => {
                warnings.extend(warnings::of_start(&start, description));
                let contacts = contacts::of_start(robot, &start, &shapes.geometry, &mut buffer);
                (Some(start.decision()), contacts)
            }
            Err(error) => {
                warnings.push(warnings::of_motion(error.to_string()));
                (None, None)
            }
        };
        let links = description.links.iter().zip(&places);
        let links = links.map(|(link, (joint, placement))| LinkPlace {
            name: link.name.clone(),
            end: FramePlace::new(*joint, placement),
        });
        let closings = model.loop_joints().iter();
        let loops = closings.map(|closing| LoopEnds {
            name: closing.name.clone(),
            predecessor: FramePlace::new(closing.predecessor, &closing.predecessor_placement),
            successor: FramePlace::new(closing.successor, &closing.successor_placement),
        });
        // The page begins with the first one, unless there is one that is called `home`.
        let start = robot.start().map(|it| it.name.as_str());
        let mut configurations: Vec<_> = model.reference_configurations().iter().collect();
        configurations.sort_by_key(|(name, _)| Some(name.as_str()) != start);
        let configurations = configurations.into_iter().map(|(name, q)| Configuration {
            name: name.clone(),
            q: q.clone(),
        });
        let document = Document {
            // The text of the writer of model files is JSON.
            model: RawValue::from_string(model_file::to_string(model)).ok(),
            configurations: configurations.collect(),
            shapes: shapes.shapes,
            meshes: shapes.meshes,
            decision,
            contacts,
            links: links.collect(),
            loops: loops.collect(),
            warnings,
            ..Document::new(model.name())
        };
        Self { document, buffer }
    }

    /// The scene of a robot that can't be read: the message, the file, the line, and the text of
    /// the line with what is meant underlined.
    ///
    /// ```
    /// use featherline_viewer::scene::Scene;
    ///
    /// let error = featherline_formats::load_str("<robot name='r'/>").unwrap_err();
    /// let bytes = Scene::of_error(&error).to_bytes();
    /// assert!(String::from_utf8_lossy(&bytes).contains("the robot has no links"));
    /// ```
    pub fn of_error(error: &Error) -> Self {
        let file = error.location().file.as_deref();
        let name = file.and_then(|file| file.file_name());
        let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::of_refusal(&name, error::located(error))
    }

    /// The scene of something called `name` that can't be shown, for a reason without a place.
    pub fn of_message(name: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::of_refusal(
            name,
            document::Refusal {
                message,
                ..Default::default()
            },
        )
    }

    fn of_refusal(name: &str, refusal: document::Refusal) -> Self {
        let document = Document {
            error: Some(refusal),
            ..Document::new(name)
        };
        Self {
            document,
            buffer: Buffer::default(),
        }
    }

    /// The scene with a recording of the robot, which the page plays.
    #[must_use]
    pub fn with_recording(mut self, recorded: &RecordedMotion<'_>) -> Self {
        self.document.recording = Some(recorded.ranges(&mut self.buffer));
        self
    }

    /// Whether there is a recording to play.
    pub fn has_recording(&self) -> bool {
        self.document.recording.is_some()
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.document.name
    }

    /// The scene as bytes. Cost: their number.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = self.document.to_json();
        let head = MAGIC.len() + size_of::<u32>();
        while !(head + text.len()).is_multiple_of(size_of::<f64>()) {
            text.push(b' ');
        }
        let mut bytes = Vec::with_capacity(head + text.len() + self.buffer.bytes().len());
        bytes.extend(MAGIC);
        // A model's text is far below 4 GiB: the reader takes at most 64 MiB.
        bytes.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(text);
        bytes.extend(self.buffer.bytes());
        bytes
    }
}

/// A placement as sixteen numbers of a homogeneous matrix, by columns.
fn matrix(placement: &Se3<f64>) -> [f64; 16] {
    let [x, y, z] = placement.rotation.to_rows();
    let p = placement.translation;
    [
        x[0], y[0], z[0], 0.0, x[1], y[1], z[1], 0.0, x[2], y[2], z[2], 0.0, p.x, p.y, p.z, 1.0,
    ]
}

impl FramePlace {
    fn new(joint: JointId, placement: &Se3<f64>) -> Self {
        Self {
            joint: joint.index(),
            placement: matrix(placement),
        }
    }
}
