//! Results, and how they are written as JSON.

use super::state::State;
use featherline::scalar::Operations;
use featherline::spatial::Se3;
use nalgebra::DMatrix;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// A result.
#[derive(Clone, Debug)]
pub enum Value {
    State(State),
    /// Joint forces, one for each coordinate of v.
    Forces(Vec<f64>),
    /// Accelerations, one for each coordinate of v.
    Accelerations(Vec<f64>),
    /// An energy in J.
    Energy(f64),
    /// A point of the world.
    Point([f64; 3]),
    /// A 6-vector of momentum.
    Momentum([f64; 6]),
    /// One row and one column for each coordinate of v.
    Square(DMatrix<f64>),
    /// Six rows, and one column for each coordinate of v.
    Jacobian(DMatrix<f64>),
    Placements(Vec<(String, Se3<f64>)>),
    Counts(Counts),
}

/// Arithmetic operations of each algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct Counts {
    pub rnea: Operations,
    pub crba: Operations,
    pub aba: Operations,
    pub ltdl: Operations,
}

impl Serialize for Value {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        match self {
            Self::State(state) => state.serialize(writer),
            Self::Forces(entries) | Self::Accelerations(entries) => entries.serialize(writer),
            Self::Energy(number) => number.serialize(writer),
            Self::Point(entries) => entries.serialize(writer),
            Self::Momentum(entries) => entries.serialize(writer),
            Self::Square(matrix) | Self::Jacobian(matrix) => {
                writer.collect_seq((0..matrix.nrows()).map(|i| Row { matrix, i }))
            }
            Self::Placements(placements) => writer.collect_map(
                placements
                    .iter()
                    .map(|(name, p)| (name, p.to_homogeneous())),
            ),
            Self::Counts(counts) => counts.serialize(writer),
        }
    }
}

/// A row of a matrix.
struct Row<'a> {
    matrix: &'a DMatrix<f64>,
    i: usize,
}

impl Serialize for Row<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        writer.collect_seq(self.matrix.row(self.i).iter())
    }
}

/// What came out under a key: a value, or the reason why there is none.
pub type Outcome = Result<Value, String>;

/// All results of one state: one line of output.
pub struct Record<'a>(pub &'a [(&'a str, Outcome)]);

impl Serialize for Record<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        for (key, outcome) in self.0 {
            map.serialize_entry(key, &outcome.as_ref().ok())?;
        }
        let missing = self
            .0
            .iter()
            .filter_map(|(key, o)| Some((*key, o.as_ref().err()?)));
        let errors: BTreeMap<_, _> = missing.collect();
        if !errors.is_empty() {
            map.serialize_entry("errors", &errors)?;
        }
        map.end()
    }
}
