//! MCAP: samples as messages of JSON on the topic `/robot`, their times in nanoseconds. What
//! viewers of robots draw is on `/tf`, where joints are, and on `/scene`, once, the shapes of
//! links.

use crate::columns::{Column, contact_columns, entries, others};
use crate::foxglove::{self, Shapes, Transforms};
use crate::layout::Layout;
use crate::sample_object::SampleObject;
use crate::writer::Writer as SampleWriter;
use featherline_sim::simulation::{RecorderError, Sample};
use mcap::records::MessageHeader;
use mcap::{WriteOptions, Writer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

/// The topic of samples.
pub(crate) const TOPIC: &str = "/robot";

pub(crate) struct Mcap {
    writer: Writer<BufWriter<File>>,
    samples: Channel,
    frames: Channel,
    scene: Channel,
    /// The message with the shapes, until it is written.
    shapes: Option<Vec<u8>>,
    transforms: Transforms,
    layout: Layout,
    message: Vec<u8>,
}

/// The JSON Schema of a message: how many entries q, v and tau have, and the name, the joint and
/// the unit of each.
fn schema(layout: &Layout) -> Value {
    let model = &layout.model;
    let number = |column: &Column| {
        let mut number = json!({"type": "number", "title": column.name, "unit": column.unit});
        if let Some(joint) = &column.joint {
            number["joint"] = json!(joint);
        }
        number
    };
    let mut properties = Map::new();
    properties.insert("t".to_owned(), json!({"type": "number", "unit": "s"}));
    for (what, entries) in entries(model) {
        let count = entries.len();
        let list = json!({
            "type": "array", "minItems": count, "maxItems": count,
            "prefixItems": entries.iter().map(number).collect::<Vec<_>>(),
            "items": {"type": "number"},
        });
        properties.insert(what.to_owned(), list);
    }
    let of_contact = layout.touching.iter().flat_map(|_| contact_columns([]));
    for column in others().into_iter().chain(of_contact) {
        // Components of vectors stand in objects.
        match column.name.split_once('.') {
            Some((vector, axis)) => {
                let vector = properties
                    .entry(vector)
                    .or_insert_with(|| json!({"type": "object"}));
                vector["properties"][axis] = number(&column);
            }
            None => {
                let number = number(&column);
                properties.insert(column.name, number);
            }
        }
    }
    if layout.touching.is_some() {
        properties.insert("contact_forces".to_owned(), of_pairs());
        properties.insert("contacts".to_owned(), of_points());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Sample",
        "properties": properties,
    })
}

/// The schema of forces between two bodies, on the second, in the world.
fn of_pairs() -> Value {
    json!({"type": "array", "items": {"type": "object", "properties": {
        "bodies": {"type": "array", "items": {"type": "string"}},
        "force": vector("N"),
        "point": vector("m"),
        "normal_force": {"type": "number", "unit": "N"},
    }}})
}

/// The schema of contacts, in the world, with the force on the second body.
fn of_points() -> Value {
    json!({"type": "array", "items": {"type": "object", "properties": {
        "bodies": {"type": "array", "items": {"type": "string"}},
        "point": vector("m"),
        "normal": vector("1"),
        "force": vector("N"),
        "gap": {"type": "number", "unit": "m"},
        "slip": {"type": "number", "unit": "m/s"},
    }}})
}

fn vector(unit: &str) -> Value {
    let number = json!({"type": "number", "unit": unit});
    json!({"type": "object", "properties": {"x": number, "y": number, "z": number}})
}

/// A channel of messages of JSON.
struct Channel {
    id: u16,
    sequence: u32,
}

/// Writes a message to a channel.
fn write(
    writer: &mut Writer<BufWriter<File>>,
    channel: &mut Channel,
    time: u64,
    message: &[u8],
) -> Result<(), RecorderError> {
    let header = MessageHeader {
        channel_id: channel.id,
        sequence: channel.sequence,
        log_time: time,
        publish_time: time,
    };
    // Sequence numbers wrap around.
    channel.sequence = channel.sequence.wrapping_add(1);
    Ok(writer.write_to_known_channel(&header, message)?)
}

impl Mcap {
    pub(crate) fn new(file: File, layout: Layout) -> Result<Self, RecorderError> {
        let options = WriteOptions::new()
            .compression(None)
            .library(concat!("featherline ", env!("CARGO_PKG_VERSION")));
        let mut writer = options.create(BufWriter::new(file))?;
        let robot = BTreeMap::from([("robot".to_owned(), layout.model.name().to_owned())]);
        let mut channel = |topic, name, schema: Value| -> Result<Channel, RecorderError> {
            let text = serde_json::to_vec(&schema)?;
            let schema = writer.add_schema(name, "jsonschema", &text)?;
            let id = writer.add_channel(schema, topic, "json", &robot)?;
            Ok(Channel { id, sequence: 0 })
        };
        let samples = channel(TOPIC, "featherline.Sample", schema(&layout))?;
        let frames = channel(
            "/tf",
            "foxglove.FrameTransforms",
            foxglove::frame_transforms(),
        )?;
        let scene = channel("/scene", "foxglove.SceneUpdate", foxglove::scene_update())?;
        Ok(Self {
            writer,
            samples,
            frames,
            scene,
            shapes: None,
            transforms: Transforms::new(&layout.model),
            layout,
            message: Vec::new(),
        })
    }
}

impl SampleWriter for Mcap {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        let time = (sample.t * 1e9).round() as u64;
        self.message.clear();
        serde_json::to_writer(
            &mut self.message,
            &SampleObject::new(sample, self.layout.body_names()),
        )?;
        write(&mut self.writer, &mut self.samples, time, &self.message)?;
        self.message.clear();
        self.transforms.write(sample.q, time, &mut self.message)?;
        write(&mut self.writer, &mut self.frames, time, &self.message)?;
        // Once, at the time of the first sample.
        match self.shapes.take() {
            Some(shapes) => write(&mut self.writer, &mut self.scene, time, &shapes),
            None => Ok(()),
        }
    }

    fn add_shapes(&mut self, shapes: &Shapes) -> Result<(), RecorderError> {
        self.shapes = Some(shapes.to_json()?);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        self.writer.finish()?;
        Ok(())
    }
}
