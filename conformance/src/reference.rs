//! The reference's output: a robot's joints and coordinates, and the numbers of a state.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A robot as the reference numbers its joints and coordinates.
#[derive(Clone, Debug, Deserialize)]
pub struct Robot {
    /// The length of a configuration.
    pub nq: usize,
    /// The number of degrees of freedom.
    pub nv: usize,
    /// The mass of everything that can move, in kg.
    pub total_mass: f64,
    /// The acceleration of free fall, in m/s².
    pub gravity: [f64; 3],
    /// The joints, in the order of all arrays that have a row for each joint.
    pub joints: Vec<Joint>,
    /// Names of frames, in the order of the rows of `body_placements`.
    pub bodies: Vec<String>,
    /// Where Jacobians are taken.
    pub targets: Vec<Target>,
    /// The joint of the kinematic Hessians.
    pub hessian_joint: Option<String>,
}

/// A joint of the reference.
#[derive(Clone, Debug, Deserialize)]
pub struct Joint {
    /// The joint's name.
    pub name: String,
    /// The name of the joint that carries it; none for the universe.
    pub parent: Option<String>,
    /// Where its configuration begins; for a mimic joint, that of the joint that it mimics.
    pub idx_q: usize,
    /// How many entries of q are its own.
    pub nq: usize,
    /// Where its velocity begins; for a mimic joint, that of the joint that it mimics.
    pub idx_v: usize,
    /// How many entries of v are its own.
    pub nv: usize,
    /// Set for a mimic joint.
    pub mimic: Option<Mimic>,
}

/// The law of a mimic joint.
#[derive(Clone, Debug, Deserialize)]
pub struct Mimic {
    /// The mimicked joint, at the end of a chain.
    pub master: String,
    /// Displacement for each unit of the master's.
    pub ratio: f64,
    /// Displacement where the master's is zero.
    pub offset: f64,
}

/// A place where Jacobians are taken.
#[derive(Clone, Debug, Deserialize)]
pub struct Target {
    /// The kind of target.
    pub kind: TargetKind,
    /// Its name.
    pub name: String,
}

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// The moving frame of a joint.
    Joint,
    /// A link.
    Body,
    /// An operational frame.
    Frame,
}

/// Numbers, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
}

/// The numbers of one state.
#[derive(Clone, Debug)]
pub struct State {
    /// The state's number.
    pub index: usize,
    /// The quantities and groups that do not exist for this state: their names, and why.
    pub missing: BTreeMap<String, String>,
    /// Inputs and results by name.
    pub arrays: BTreeMap<String, Array>,
}

impl State {
    /// An array's entries, if it is there.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.arrays.get(name).map(|array| array.values.as_slice())
    }
}
