//! A problem of estimation as the reference describes it.

use crate::record::Record;
use anyhow::{Result, ensure};
use serde::Deserialize;

/// A problem, by names.
#[derive(Clone, Debug, Deserialize)]
pub struct Description {
    /// The name of the question.
    pub name: String,
    /// The robot's URDF.
    pub file: String,
    /// Whether the robot floats.
    pub floating: bool,
    /// The variance that unknowns have about.
    pub prior: f64,
    /// Fixed joints that stay joints.
    pub kept: Vec<String>,
    /// Links that have unknowns.
    pub links: Vec<String>,
    /// All joints.
    pub joints: Vec<String>,
    /// The joint of each coordinate.
    pub dofs: Vec<String>,
    /// The sensors.
    pub sensors: Vec<Measured>,
    /// How many unknowns the reference has.
    pub unknowns: usize,
    /// How many equations.
    pub equations: usize,
    /// How many readings.
    pub measurements: usize,
    /// How many states follow.
    pub states: usize,
}

/// A sensor.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured {
    /// The quantity that it measures.
    pub kind: Kind,
    /// Its frame, joint or link.
    pub place: String,
    /// Where its readings begin.
    pub offset: usize,
    /// Whether a force sensor reads the force on the parent.
    pub reaction: bool,
    /// The covariance of its readings, row by row.
    pub covariance: Vec<f64>,
}

/// The quantity that a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The wrench in a joint.
    ForceTorque,
    /// Proper acceleration.
    Accelerometer,
    /// Angular velocity.
    Gyroscope,
    /// The acceleration of a coordinate.
    JointAcceleration,
    /// The force along a coordinate.
    JointTorque,
    /// The wrench on a link from outside.
    ExternalWrench,
}

/// A state, its readings, and what the reference estimates.
#[derive(Clone, Debug)]
pub struct State {
    /// Coordinates of the joints.
    pub q: Vec<f64>,
    /// Their velocities.
    pub v: Vec<f64>,
    /// The angular velocity of a floating base, in its own axes.
    pub omega: [f64; 3],
    /// The readings.
    pub readings: Vec<f64>,
    /// The record, with the estimate.
    pub estimate: Record,
}

impl State {
    /// From a record.
    ///
    /// # Errors
    /// If an array is missing or has another length than the problem's.
    pub fn new(record: Record, problem: &Description) -> Result<Self> {
        let (q, v) = (record.values("q")?.to_vec(), record.values("v")?.to_vec());
        let readings = record.values("readings")?.to_vec();
        ensure!(
            q.len() == problem.dofs.len()
                && v.len() == q.len()
                && readings.len() == problem.measurements,
            "a state has other lengths than its problem"
        );
        let mut omega = [0.0; 3];
        omega.copy_from_slice(record.values("omega")?);
        Ok(Self {
            q,
            v,
            omega,
            readings,
            estimate: record,
        })
    }
}
