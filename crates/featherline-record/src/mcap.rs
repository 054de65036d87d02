//! MCAP: samples as messages of JSON on the topic `/robot`, their times in nanoseconds.

use crate::columns::{Column, entries, others};
use crate::row::Row;
use crate::writer::Writer as SampleWriter;
use featherline::Model;
use featherline_sim::simulation::{RecorderError, Sample};
use mcap::records::MessageHeader;
use mcap::{WriteOptions, Writer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

pub(crate) struct Mcap {
    writer: Writer<BufWriter<File>>,
    channel: u16,
    sequence: u32,
    message: Vec<u8>,
}

/// The JSON Schema of a message: how many entries q, v and tau have, and the name, the joint and
/// the unit of each.
fn schema(model: &Model) -> Value {
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
    for column in others() {
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
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Sample",
        "properties": properties,
    })
}

impl Mcap {
    pub(crate) fn new(file: File, model: &Model) -> Result<Self, RecorderError> {
        let options = WriteOptions::new()
            .compression(None)
            .library(concat!("featherline ", env!("CARGO_PKG_VERSION")));
        let mut writer = options.create(BufWriter::new(file))?;
        let text = serde_json::to_vec(&schema(model))?;
        let schema = writer.add_schema("featherline.Sample", "jsonschema", &text)?;
        let robot = BTreeMap::from([("robot".to_owned(), model.name().to_owned())]);
        let channel = writer.add_channel(schema, "/robot", "json", &robot)?;
        Ok(Self {
            writer,
            channel,
            sequence: 0,
            message: Vec::new(),
        })
    }
}

impl SampleWriter for Mcap {
    fn write(&mut self, sample: &Sample<'_>) -> Result<(), RecorderError> {
        self.message.clear();
        serde_json::to_writer(&mut self.message, &Row::from(sample))?;
        let time = (sample.t * 1e9).round() as u64;
        let header = MessageHeader {
            channel_id: self.channel,
            sequence: self.sequence,
            log_time: time,
            publish_time: time,
        };
        // Sequence numbers wrap around.
        self.sequence = self.sequence.wrapping_add(1);
        Ok(self.writer.write_to_known_channel(&header, &self.message)?)
    }

    fn finish(&mut self) -> Result<(), RecorderError> {
        self.writer.finish()?;
        Ok(())
    }
}
