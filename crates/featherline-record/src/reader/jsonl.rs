//! JSON lines, and the objects of their lines.

use super::Reading;
use super::contacts::{Point, push_points};
use crate::error::ReadError;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// What is read of an object.
#[derive(Deserialize)]
struct Row {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    #[serde(default)]
    contacts: Option<Vec<Point>>,
}

pub(super) fn read(file: File, reading: &mut Reading) -> Result<(), ReadError> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = reader.read_until(b'\n', &mut line);
        if count.map_err(|source| reading.unreadable(source))? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            push(&line, number, reading)?;
        }
    }
    Ok(())
}

/// Adds the row of an object.
pub(super) fn push(object: &[u8], place: usize, reading: &mut Reading) -> Result<(), ReadError> {
    let row: Row =
        serde_json::from_slice(object).map_err(|error| reading.malformed(place, error))?;
    let (nq, nv) = reading.sizes;
    let mut first = 1;
    for (found, own) in [(&row.q, nq), (&row.v, nv), (&row.tau, nv)] {
        if found.len() < own {
            return Err(reading.other_robot(first + found.len(), None));
        }
        if found.len() > own {
            let (count, robot) = (found.len(), &reading.robot);
            let what = format!(
                "{count} entries where `{robot}` has {own}; this is a recording of another robot"
            );
            return Err(reading.malformed(place, what));
        }
        first += own;
    }
    let numbers = [&[row.t], &row.q[..], &row.v, &row.tau].concat();
    reading.push(place, &numbers)?;
    // A row without contacts between rows with them has none.
    if row.contacts.is_some() || reading.motion.contacts.is_some() {
        let rows = reading.motion.times.len();
        let contacts = reading.motion.contacts.get_or_insert_default();
        contacts.counts.resize(rows - 1, 0);
        push_points(row.contacts.as_deref().unwrap_or_default(), contacts);
    }
    Ok(())
}
