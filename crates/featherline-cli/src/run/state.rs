//! Inputs and outputs of a program as lines of JSON.

use crate::states::{self, BadState, Fields};
use featherline_compile::Port;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The fields of a line that are inputs of a program, in the order of the inputs.
struct Inputs<'a> {
    ports: &'a [Port],
    values: Vec<Option<Vec<f64>>>,
}

impl Inputs<'_> {
    fn index(&self, field: &str) -> Option<usize> {
        self.ports.iter().position(|port| port.name == field)
    }
}

impl Fields for Inputs<'_> {
    type Output = Vec<f64>;

    const EXPECTED: &'static str = "an object {…} with the inputs of the program";

    fn needs(&self, field: &str) -> Result<bool, String> {
        match self.index(field) {
            Some(k) if self.values[k].is_some() => Err(format!("duplicate field `{field}`")),
            index => Ok(index.is_some()),
        }
    }

    fn take(&mut self, field: String, values: Option<Vec<f64>>) -> Result<(), String> {
        let Some(k) = self.index(&field) else {
            return Ok(());
        };
        if values.is_none() {
            return Err(format!("`{field}` is null; a program needs every value"));
        }
        self.values[k] = values;
        Ok(())
    }

    fn finish(self) -> Result<Vec<f64>, String> {
        let mut numbers = Vec::new();
        for (port, values) in self.ports.iter().zip(self.values) {
            let values = values.ok_or_else(|| {
                let names = self.ports.iter().map(|port| format!("`{}`", port.name));
                let names: Vec<String> = names.collect();
                let name = &port.name;
                format!(
                    "`{name}` is missing; the program takes {}",
                    names.join(", ")
                )
            })?;
            let needed = port.rows * port.columns;
            if values.len() != needed {
                return Err(format!(
                    "`{}` has {} entries where the program needs {needed}",
                    port.name,
                    values.len()
                ));
            }
            numbers.extend(values);
        }
        Ok(numbers)
    }
}

/// The inputs of a program, one after the other, from a line of JSON, or from the field `state` of
/// an output of `eval`. Other fields are ignored.
pub fn read(line: &str, ports: &[Port]) -> Result<Vec<f64>, BadState> {
    let values = vec![None; ports.len()];
    states::read(line, Inputs { ports, values })
}

/// Inputs or outputs of a program in one state.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    ports: &'a [Port],
    numbers: &'a [f64],
}

impl<'a> Values<'a> {
    /// The numbers of ports, one port after the other.
    pub fn of(ports: &'a [Port], numbers: &'a [f64]) -> Self {
        Self { ports, numbers }
    }

    /// Each port with its own numbers.
    pub fn iter(self) -> impl Iterator<Item = (&'a Port, &'a [f64])> {
        self.ports.iter().scan(self.numbers, |rest, port| {
            let (own, others) = rest.split_at((port.rows * port.columns).min(rest.len()));
            *rest = others;
            Some((port, own))
        })
    }
}

/// The message for numbers that are not finite.
pub const NO_RESULT: &str = "it is not finite: the robot has no result in this state";

/// Whether an output has a value.
pub fn exists(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}

/// The outputs of a program for one state: one line of output.
pub struct Answer<'a> {
    pub outputs: Values<'a>,
    pub state: Values<'a>,
    /// Whether the line holds the state.
    pub echoes: bool,
}

impl Serialize for Values<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        serialize_entries(*self, &mut map)?;
        map.end()
    }
}

fn serialize_entries<M: SerializeMap>(values: Values<'_>, map: &mut M) -> Result<(), M::Error> {
    for (port, own) in values.iter() {
        if !exists(own) {
            map.serialize_entry(&port.name, &None::<()>)?;
        } else if port.is_matrix {
            let rows: Vec<&[f64]> = own.chunks_exact(port.columns.max(1)).collect();
            map.serialize_entry(&port.name, &rows)?;
        } else {
            map.serialize_entry(&port.name, own)?;
        }
    }
    Ok(())
}

impl Serialize for Answer<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        serialize_entries(self.outputs, &mut map)?;
        if self.echoes {
            map.serialize_entry("state", &self.state)?;
        }
        let missing = self.outputs.iter().filter(|(_, own)| !exists(own));
        let errors: BTreeMap<_, _> = missing.map(|(port, _)| (&port.name, NO_RESULT)).collect();
        if !errors.is_empty() {
            map.serialize_entry("errors", &errors)?;
        }
        map.end()
    }
}
