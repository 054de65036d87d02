//! The fields of a line of JSON that a command needs; it ignores the others.

use super::state::{BadState, bad_json, unwrapped};
use crate::numbers::Numbers;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The fields of a line that a command reads.
pub trait Fields {
    /// The result of all fields together.
    type Output;

    /// The expected content of a line, for the message of one that is no object.
    const EXPECTED: &'static str;

    /// Whether the field is needed; its value is read only then. Fails if it was given before.
    fn needs(&self, field: &str) -> Result<bool, String>;

    /// Takes the value of a needed field: numbers, or null. Fails with what is wrong with it.
    fn take(&mut self, field: String, values: Option<Vec<f64>>) -> Result<(), String>;

    /// Takes the name of another field, which may be null. Fails if it can't be ignored.
    fn ignore(&mut self, _field: String, _is_null: bool) -> Result<(), String> {
        Ok(())
    }

    /// The result of the fields. Fails if one is missing.
    fn finish(self) -> Result<Self::Output, String>;
}

/// Reads a line, or the field `state` of an output of `eval`.
pub fn read<F: Fields>(line: &str, fields: F) -> Result<F::Output, BadState> {
    let (offset, text) = unwrapped(line);
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Object(fields).deserialize(&mut json).and_then(|output| {
        json.end()?;
        Ok(output)
    });
    read.map_err(|error| bad_json(&error, text).after(offset))
}

struct Object<F>(F);

impl<'de, F: Fields> DeserializeSeed<'de> for Object<F> {
    type Value = F::Output;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<F::Output, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de, F: Fields> Visitor<'de> for Object<F> {
    type Value = F::Output;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::EXPECTED)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<F::Output, A::Error> {
        while let Some(field) = map.next_key::<String>()? {
            let done = if self.0.needs(&field).map_err(A::Error::custom)? {
                let Numbers(values) = map.next_value()?;
                self.0.take(field, values)
            } else {
                let other: Option<IgnoredAny> = map.next_value()?;
                self.0.ignore(field, other.is_none())
            };
            done.map_err(A::Error::custom)?;
        }
        self.0.finish().map_err(A::Error::custom)
    }
}
