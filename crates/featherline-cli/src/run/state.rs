//! Inputs and outputs of a program as lines of JSON.

use crate::eval::{BadState, bad_json};
use crate::numbers::Numbers;
use crate::warning::printable;
use featherline_compile::Port;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The entries of an object, in order.
struct Entries(Vec<(String, Vec<f64>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object {…} with the inputs of the program")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries: Vec<(String, Vec<f64>)> = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if entries.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom(format!("duplicate field `{key}`")));
                    }
                    let Numbers(Some(numbers)) = map.next_value()? else {
                        return Err(A::Error::custom(format!(
                            "`{key}` is null; a program needs every value"
                        )));
                    };
                    entries.push((key, numbers));
                }
                Ok(Entries(entries))
            }
        }
        reader.deserialize_map(Object)
    }
}

/// The inputs of a program, one after the other, from a line of JSON that has all of them.
pub fn read(line: &str, ports: &[Port]) -> Result<Vec<f64>, BadState> {
    let Entries(mut entries) = serde_json::from_str(line).map_err(|e| bad_json(&e, line))?;
    let bad = |reason: String| BadState {
        column: None,
        reason,
    };
    let names = || {
        let names: Vec<String> = ports
            .iter()
            .map(|port| format!("`{}`", port.name))
            .collect();
        names.join(", ")
    };
    let mut numbers = Vec::new();
    for port in ports {
        let Some(at) = entries.iter().position(|(key, _)| *key == port.name) else {
            return Err(bad(format!(
                "`{}` is missing; the program takes {}",
                port.name,
                names()
            )));
        };
        let (_, values) = entries.swap_remove(at);
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
    match entries.first() {
        None => Ok(numbers),
        Some((key, _)) => Err(bad(printable(&format!(
            "unknown field `{key}`, expected {}",
            names()
        )))),
    }
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
