//! Simulated samples.

use crate::failure::Failure;
use crate::format::write_line;
use crate::status::Status;
use featherline_system::{SensorSimulation, SimulatedState, System};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::io::{BufWriter, Write, stdout};

/// Writes samples of a robot that swings, with the sensors' errors.
pub fn run(system: &System, count: u64, seed: u64) -> Result<Status, Failure> {
    let failure = |error| Failure::Sensors(format!("nothing can be simulated: {error}"));
    let mut simulation = SensorSimulation::new(system, seed).map_err(failure)?;
    let mut out = BufWriter::new(stdout().lock());
    for _ in 0..count {
        let sample = simulation.advance().map_err(failure)?;
        write_line(&mut out, &Record { system, sample })?;
    }
    out.flush()?;
    Ok(Status::Done)
}

/// A simulated sample as a line of JSON.
pub struct Record<'a> {
    pub system: &'a System,
    pub sample: SimulatedState,
}

impl Serialize for Record<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        map.serialize_entry("t", &self.sample.time)?;
        map.serialize_entry("q", &self.sample.q)?;
        map.serialize_entry("v", &self.sample.v)?;
        for group in self.system.input_groups() {
            map.serialize_entry(&group.name, &self.sample.inputs[group.inputs])?;
        }
        map.end()
    }
}
