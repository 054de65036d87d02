//! JSON lines, and the objects of their lines.

use super::Reading;
use super::contacts::{Point, Triple, push_points};
use crate::error::ReadError;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// The fields that are read of an object.
#[derive(Deserialize)]
struct SampleFields {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    #[serde(default)]
    contacts: Option<Vec<Point>>,
    #[serde(flatten)]
    others: RobotFields,
    #[serde(flatten)]
    account: ContactFields,
}

/// The numbers of the robot as a whole.
#[derive(Deserialize)]
struct RobotFields {
    kinetic_energy: Option<f64>,
    potential_energy: Option<f64>,
    energy: Option<f64>,
    linear_momentum: Option<Triple>,
    angular_momentum: Option<Triple>,
    loop_gap: Option<f64>,
    loop_gap_rate: Option<f64>,
}

impl RobotFields {
    /// In the order of columns.
    fn numbers(&self) -> impl Iterator<Item = Option<f64>> {
        let energies = [self.kinetic_energy, self.potential_energy, self.energy];
        let momenta = [self.linear_momentum, self.angular_momentum];
        let momenta = momenta.map(|it| match it {
            Some(it) => <[f64; 3]>::from(it).map(Some),
            None => [None; 3],
        });
        let gaps = [self.loop_gap, self.loop_gap_rate];
        energies
            .into_iter()
            .chain(momenta.into_iter().flatten())
            .chain(gaps)
    }
}

/// The figures of contact in a row, beside the contacts.
#[derive(Deserialize)]
struct ContactFields {
    solver_residual: Option<f64>,
    penetration: Option<f64>,
    drive_work: Option<f64>,
    force_work: Option<f64>,
    friction_loss: Option<f64>,
    impact_loss: Option<f64>,
    other_loss: Option<f64>,
    /// Not in files of 0.1.
    energy_gain: Option<f64>,
}

impl ContactFields {
    /// In the order of columns.
    fn numbers(&self) -> [Option<f64>; 8] {
        [
            self.solver_residual,
            self.penetration,
            self.drive_work,
            self.force_work,
            self.friction_loss,
            self.impact_loss,
            self.other_loss,
            self.energy_gain,
        ]
    }
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
    let row: SampleFields =
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
        contacts.account.resize(rows - 1, [f64::NAN; 8]);
        push_points(row.contacts.unwrap_or_default(), contacts);
    }
    reading.push_others(row.others.numbers().chain(row.account.numbers()));
    Ok(())
}
