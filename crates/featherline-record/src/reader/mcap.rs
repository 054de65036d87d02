//! MCAP: messages of JSON on the topic `/robot`, whose schema names the entries.
//!
//! The library that parses records takes the lengths in them as they are, and allocates as much.
//! Here they are compared with the file first, and records that are not needed are not parsed.

use super::{Reading, jsonl};
use crate::error::ReadError;
use ::mcap::McapError;
use ::mcap::read::{ChannelAccumulator, ChunkReader, parse_record};
use ::mcap::records::{Record, op};
use serde_json::Value;
use std::fs::File;
use std::io::Read;

pub(super) fn read(mut file: File, reading: &mut Reading) -> Result<(), ReadError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|source| reading.unreadable(source))?;
    let mut log = Log {
        reading,
        channels: ChannelAccumulator::default(),
        place: 0,
    };
    let records = bytes.strip_prefix(::mcap::MAGIC);
    let records = records.ok_or_else(|| log.malformed("the file does not begin as MCAP does"))?;
    log.records(records)?;
    match log.place {
        0 => Err(log.malformed("there is no message on the topic `/robot`")),
        _ => Ok(()),
    }
}

/// A log that is being read.
struct Log<'r, 'b> {
    reading: &'r mut Reading,
    channels: ChannelAccumulator<'b>,
    /// How many messages of the robot there were.
    place: usize,
}

impl<'b> Log<'_, 'b> {
    fn malformed(&self, what: impl std::fmt::Display) -> ReadError {
        self.reading.malformed(self.place.max(1), what)
    }

    fn broken(&self, error: McapError) -> ReadError {
        self.reading.malformed(self.place + 1, error)
    }

    /// Reads the records behind the first bytes of the file.
    fn records(&mut self, records: &'b [u8]) -> Result<(), ReadError> {
        let mut rest = records;
        while rest != ::mcap::MAGIC {
            let (code, body, behind) = record(rest).ok_or_else(|| self.too_long())?;
            rest = behind;
            match code {
                // The rest repeats what was there.
                op::DATA_END => return Ok(()),
                op::CHUNK => {
                    let fields = Fields(body).skip(28).and_then(Fields::text);
                    let inner = fields.and_then(|it| it.0.get(8..));
                    let Record::Chunk { header, data } =
                        self.parsed(code, body, inner.is_some())?
                    else {
                        continue;
                    };
                    if !header.compression.is_empty() {
                        return Err(self.malformed(format!(
                            "a chunk is compressed ({}); write it without, by `mcap convert`",
                            header.compression
                        )));
                    }
                    let inner = inner.and_then(|it| it.get(..data.len()));
                    self.chunk(inner.unwrap_or_default())?;
                    // The library compares the sum of the chunk with its bytes.
                    for record in ChunkReader::new(header, &data).map_err(|it| self.broken(it))? {
                        record.map_err(|it| self.broken(it))?;
                    }
                }
                _ => self.record(code, body)?,
            }
        }
        Ok(())
    }

    fn too_long(&self) -> ReadError {
        let what = "a length leads beyond the end of the file; the recording may have ended early";
        self.reading.malformed(self.place + 1, what)
    }

    /// Reads the records of a chunk.
    fn chunk(&mut self, records: &'b [u8]) -> Result<(), ReadError> {
        let mut rest = records;
        while !rest.is_empty() {
            let (code, body, behind) = record(rest).ok_or_else(|| self.too_long())?;
            if !matches!(code, op::SCHEMA | op::CHANNEL | op::MESSAGE) {
                return Err(
                    self.malformed("a chunk holds more than schemas, channels and messages")
                );
            }
            self.record(code, body)?;
            rest = behind;
        }
        Ok(())
    }

    /// Parses a record whose lengths are within it.
    fn parsed(&self, code: u8, body: &'b [u8], fits: bool) -> Result<Record<'b>, ReadError> {
        match fits {
            true => parse_record(code, body).map_err(|error| self.broken(error)),
            false => Err(self.too_long()),
        }
    }

    fn record(&mut self, code: u8, body: &'b [u8]) -> Result<(), ReadError> {
        let fits = match code {
            op::SCHEMA => Fields(body)
                .skip(2)
                .and_then(Fields::text)
                .and_then(Fields::text),
            op::CHANNEL => {
                let fields = Fields(body).skip(4).and_then(Fields::text);
                fields.and_then(Fields::text).and_then(Fields::texts)
            }
            op::MESSAGE => Some(Fields(body)),
            _ => return Ok(()),
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have other codes")]
        match self.parsed(code, body, fits.is_some())? {
            Record::Schema { header, data } => {
                let added = self.channels.add_schema(header, data);
                added.map_err(|error| self.broken(error))
            }
            Record::Channel(channel) => {
                let added = self.channels.add_channel(channel);
                added.map_err(|error| self.broken(error))
            }
            Record::Message { header, data } => self.message(header.channel_id, &data),
            _ => Ok(()),
        }
    }

    fn message(&mut self, channel: u16, data: &[u8]) -> Result<(), ReadError> {
        let Some(channel) = self.channels.get(channel) else {
            return Err(self.malformed(format!(
                "a message is of the channel {channel}, which is not declared"
            )));
        };
        if channel.topic != crate::mcap::TOPIC {
            return Ok(());
        }
        if self.place == 0 {
            let schema = channel.schema.as_ref();
            let schema = schema.and_then(|it| serde_json::from_slice::<Value>(&it.data).ok());
            let no_names = || self.malformed("the schema does not name the entries");
            self.reading
                .check_names(names(&schema.ok_or_else(no_names)?))?;
        }
        self.place += 1;
        jsonl::push(data, self.place, self.reading)
    }
}

/// The code and the bytes of a record, and what is behind it.
fn record(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (code, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (body, behind) = rest.split_at_checked(length)?;
    Some((*code, body, behind))
}

/// The rest of a record's bytes.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn skip(self, count: usize) -> Option<Self> {
        self.0.get(count..).map(Self)
    }

    /// The bytes that a length stands before, and the rest.
    fn sized(self) -> Option<(&'b [u8], Self)> {
        let (length, rest) = self.0.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (sized, rest) = rest.split_at_checked(length)?;
        Some((sized, Self(rest)))
    }

    /// The rest behind a text.
    fn text(self) -> Option<Self> {
        Some(self.sized()?.1)
    }

    /// The rest behind a list of names and their texts.
    fn texts(self) -> Option<Self> {
        let (list, rest) = self.sized()?;
        let mut list = Self(list);
        while !list.0.is_empty() {
            list = list.text()?.text()?;
        }
        Some(rest)
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
