//! MCAP: messages of JSON on the topic `/robot`, whose schema names the entries.

use super::{Reading, jsonl};
use crate::error::ReadError;
use ::mcap::MessageStream;
use serde_json::Value;
use std::fs::File;
use std::io::Read;

pub(super) fn read(mut file: File, reading: &mut Reading) -> Result<(), ReadError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|source| reading.unreadable(source))?;
    let messages = MessageStream::new(&bytes).map_err(|error| reading.malformed(1, error))?;
    let mut place = 0;
    for message in messages {
        let message = message.map_err(|error| reading.malformed(place + 1, error))?;
        if message.channel.topic != crate::mcap::TOPIC {
            continue;
        }
        if place == 0 {
            let schema = message.channel.schema.as_ref();
            let schema = schema.and_then(|it| serde_json::from_slice::<Value>(&it.data).ok());
            let no_names = || reading.malformed(1, "the schema does not name the entries");
            reading.check_names(names(&schema.ok_or_else(no_names)?))?;
        }
        place += 1;
        jsonl::push(&message.data, place, reading)?;
    }
    match place {
        0 => Err(reading.malformed(1, "there is no message on the topic `/robot`")),
        _ => Ok(()),
    }
}

/// The names of t and the entries of q, v and tau, as a schema has them.
fn names(schema: &Value) -> Vec<&str> {
    let of = |what: &str| {
        let items = schema["properties"][what]["prefixItems"].as_array();
        let items = items.map(Vec::as_slice).unwrap_or_default().iter();
        items
            .map(|it| it["title"].as_str().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    [vec!["t"], of("q"), of("v"), of("tau")].concat()
}
