//! Binary records: a line of JSON, then raw little-endian doubles.

use crate::reference::Array;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::BufRead;

/// A payload beyond this is damage, not data.
const MAX_PAYLOAD: usize = 1 << 32;

/// A record: its kind, what else its header says, and its arrays.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its kind.
    pub kind: String,
    /// The rest of its header.
    pub header: Value,
    /// Its arrays, by name.
    pub arrays: BTreeMap<String, Array>,
}

impl Record {
    /// An array that must be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn values(&self, name: &str) -> Result<&[f64]> {
        let array = self.arrays.get(name);
        let array = array.with_context(|| format!("a {} has no array `{name}`", self.kind))?;
        Ok(&array.values)
    }
}

/// The fields of every header.
#[derive(Deserialize)]
struct Header {
    kind: String,
    arrays: Vec<(String, Vec<usize>)>,
    payload_bytes: usize,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

/// Reads records one after the other.
#[derive(Debug)]
pub struct Records<R> {
    source: R,
    line: Vec<u8>,
    bytes: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// A reader that stands where a record begins.
    pub fn new(source: R) -> Self {
        Self {
            source,
            line: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// The next record.
    ///
    /// # Errors
    /// If the record is damaged, or there is none.
    pub fn read(&mut self) -> Result<Record> {
        self.line.clear();
        let read = self.source.read_until(b'\n', &mut self.line)?;
        ensure!(
            read > 0 && self.line.ends_with(b"\n"),
            "the stream of reference numbers is truncated: it has no `end` record"
        );
        let header: Header =
            serde_json::from_slice(&self.line).context("a header of the stream is damaged")?;
        Ok(Record {
            arrays: self.payload(&header)?,
            kind: header.kind,
            header: Value::Object(header.rest),
        })
    }

    /// The next line, which belongs to no record.
    ///
    /// # Errors
    /// If there is none.
    pub fn line(&mut self) -> Result<&str> {
        self.line.clear();
        let read = self.source.read_until(b'\n', &mut self.line)?;
        ensure!(read > 0, "the reference ended before it answered");
        std::str::from_utf8(&self.line).context("an answer of the reference is not text")
    }

    fn payload(&mut self, header: &Header) -> Result<BTreeMap<String, Array>> {
        let mut bytes: usize = 0;
        for (_, shape) in &header.arrays {
            let entries = shape.iter().try_fold(8usize, |n, &d| n.checked_mul(d));
            let sum = entries.and_then(|entries| bytes.checked_add(entries));
            bytes = sum.context("an array of the stream is too large")?;
        }
        ensure!(
            bytes == header.payload_bytes && bytes <= MAX_PAYLOAD,
            "the arrays of a record take {bytes} bytes, and its header says {}",
            header.payload_bytes
        );
        self.bytes.resize(bytes, 0);
        self.source
            .read_exact(&mut self.bytes)
            .context("the stream of reference numbers is truncated within a record")?;
        let mut numbers = self.bytes.as_chunks::<8>().0.iter();
        let arrays = header.arrays.iter().map(|(name, shape)| {
            let entries = shape.iter().product();
            let values = numbers.by_ref().take(entries);
            let array = Array {
                shape: shape.clone(),
                values: values.map(|&bytes| f64::from_le_bytes(bytes)).collect(),
            };
            (name.clone(), array)
        });
        Ok(arrays.collect())
    }
}
