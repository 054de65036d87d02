//! Inputs and outputs of a program as lines of JSON.

use crate::numbers::Numbers;
use crate::states::{BadState, bad_json, unwrapped};
use featherline_compile::Port;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The entries of an object that are inputs of a program, in the order of the inputs.
struct Inputs<'a>(&'a [Port]);

impl<'de> DeserializeSeed<'de> for Inputs<'_> {
    type Value = Vec<Option<Vec<f64>>>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Inputs<'_> {
    type Value = Vec<Option<Vec<f64>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object {…} with the inputs of the program")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut inputs = vec![None; self.0.len()];
        while let Some(key) = map.next_key::<String>()? {
            let Some(k) = self.0.iter().position(|port| port.name == key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if inputs[k].is_some() {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            let Numbers(Some(numbers)) = map.next_value()? else {
                return Err(A::Error::custom(format!(
                    "`{key}` is null; a program needs every value"
                )));
            };
            inputs[k] = Some(numbers);
        }
        Ok(inputs)
    }
}

/// The inputs of a program, one after the other, from a line of JSON, or from the field `state` of
/// an output of `eval`. Other fields are ignored.
pub fn read(line: &str, ports: &[Port]) -> Result<Vec<f64>, BadState> {
    let (offset, text) = unwrapped(line);
    let mut json = serde_json::Deserializer::from_str(text);
    let inputs = Inputs(ports).deserialize(&mut json).and_then(|inputs| {
        json.end()?;
        Ok(inputs)
    });
    let inputs = inputs.map_err(|error| bad_json(&error, text).after(offset))?;
    let mut numbers = Vec::new();
    for (port, values) in ports.iter().zip(inputs) {
        let bad = |reason: String| BadState {
            column: None,
            reason,
        };
        let values = values.ok_or_else(|| {
            let names = ports.iter().map(|port| format!("`{}`", port.name));
            let names: Vec<String> = names.collect();
            let name = &port.name;
            bad(format!(
                "`{name}` is missing; the program takes {}",
                names.join(", ")
            ))
        })?;
        let needed = port.rows * port.columns;
        if values.len() != needed {
            return Err(bad(format!(
                "`{}` has {} entries where the program needs {needed}",
                port.name,
                values.len()
            )));
        }
        numbers.extend(values);
    }
    Ok(numbers)
}

/// The outputs of a program for one state: one line of output.
pub struct Outputs<'a> {
    pub ports: &'a [Port],
    pub numbers: &'a [f64],
}

impl Serialize for Outputs<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        let mut rest = self.numbers;
        let mut errors = BTreeMap::new();
        for port in self.ports {
            let (own, others) = rest.split_at((port.rows * port.columns).min(rest.len()));
            rest = others;
            if !own.iter().all(|x| x.is_finite()) {
                errors.insert(
                    &port.name,
                    "it is not finite: the robot has no result in this state",
                );
                map.serialize_entry(&port.name, &None::<()>)?;
            } else if port.is_matrix {
                let rows: Vec<&[f64]> = own.chunks_exact(port.columns.max(1)).collect();
                map.serialize_entry(&port.name, &rows)?;
            } else {
                map.serialize_entry(&port.name, own)?;
            }
        }
        if !errors.is_empty() {
            map.serialize_entry("errors", &errors)?;
        }
        map.end()
    }
}
