//! Results, and how they are written as JSON.

use crate::states::State;
use featherline::quantity::Dimension;
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
    /// Six-vectors by joint: a motion, or a force.
    Motions(ByJoint<[f64; 6]>),
    Wrenches(ByJoint<[f64; 6]>),
    /// A 6 × 6 matrix for each joint.
    Matrices(ByJoint<DMatrix<f64>>),
    /// Numbers of any shape.
    Array(Array),
    /// A result of several parts.
    Parts(Vec<(&'static str, Value)>),
}

/// A result of the catalogue.
#[derive(Clone, Debug)]
pub struct Array {
    pub dimensions: &'static [Dimension],
    pub shape: Vec<usize>,
    pub unit: &'static str,
    /// Matrices column by column, one after the other.
    pub numbers: Vec<f64>,
    /// The names of the joints, of which there may be a matrix each.
    pub joints: Vec<String>,
}

impl Array {
    /// Its matrices, of one column where it is a vector; several have the names of joints.
    pub fn matrices(&self) -> Vec<(&str, DMatrix<f64>)> {
        let (rows, columns) = match self.shape[..] {
            [] => (1, 1),
            [rows] => (rows, 1),
            [.., rows, columns] => (rows, columns),
        };
        let all = self.numbers.chunks_exact((rows * columns).max(1));
        let names = self.joints.iter().map(String::as_str);
        let named = all.zip(names.chain(std::iter::repeat("")));
        named
            .map(|(own, name)| (name, DMatrix::from_column_slice(rows, columns, own)))
            .collect()
    }
}

impl Serialize for Array {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let matrices = self.matrices();
        match (self.shape.len(), &matrices[..]) {
            (0, _) => self.numbers.first().serialize(writer),
            (1, _) => self.numbers.serialize(writer),
            (2, [(_, matrix)]) => Rows(matrix).serialize(writer),
            _ => writer.collect_map(matrices.iter().map(|(name, own)| (name, Rows(own)))),
        }
    }
}

/// Something for each joint, by the joint's name.
pub type ByJoint<T> = Vec<(String, T)>;

/// Arithmetic operations of each algorithm by its name, or the reason why it can't be counted.
#[derive(Clone, Debug)]
pub struct Counts(pub [(&'static str, Result<Operations, String>); 4]);

impl Counts {
    /// The algorithms that can't be counted, with the reasons.
    pub fn missing(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let counts = self.0.iter();
        counts.filter_map(|(name, count)| Some((*name, count.as_ref().err()?.as_str())))
    }
}

impl Serialize for Counts {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let counts = self.0.iter();
        writer.collect_map(counts.map(|(name, count)| (name, count.as_ref().ok())))
    }
}

impl Serialize for Value {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        match self {
            Self::State(state) => state.serialize(writer),
            Self::Forces(entries) | Self::Accelerations(entries) => entries.serialize(writer),
            Self::Energy(number) => number.serialize(writer),
            Self::Point(entries) => entries.serialize(writer),
            Self::Momentum(entries) => entries.serialize(writer),
            Self::Square(matrix) | Self::Jacobian(matrix) => Rows(matrix).serialize(writer),
            Self::Placements(placements) => writer.collect_map(
                placements
                    .iter()
                    .map(|(name, p)| (name, p.to_homogeneous())),
            ),
            Self::Counts(counts) => counts.serialize(writer),
            Self::Array(array) => array.serialize(writer),
            Self::Motions(all) | Self::Wrenches(all) => {
                writer.collect_map(all.iter().map(|(name, entries)| (name, entries)))
            }
            Self::Matrices(all) => {
                writer.collect_map(all.iter().map(|(name, matrix)| (name, Rows(matrix))))
            }
            Self::Parts(parts) => writer.collect_map(parts.iter().map(|(name, part)| (name, part))),
        }
    }
}

/// A matrix as an array of rows.
struct Rows<'a>(&'a DMatrix<f64>);

impl Serialize for Rows<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let matrix = self.0;
        writer.collect_seq((0..matrix.nrows()).map(|i| Row { matrix, i }))
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
        let errors: BTreeMap<_, _> = missing(self.0).into_iter().collect();
        if !errors.is_empty() {
            map.serialize_entry("errors", &errors)?;
        }
        map.end()
    }
}

/// What has no value, and why: quantities, and algorithms among those that are counted.
pub fn missing<'a>(results: &'a [(&str, Outcome)]) -> Vec<(String, &'a str)> {
    let mut missing = Vec::new();
    for (key, outcome) in results {
        match outcome {
            Err(reason) => missing.push(((*key).to_owned(), reason.as_str())),
            Ok(Value::Counts(counts)) => {
                let algorithms = counts.missing();
                missing.extend(algorithms.map(|(name, why)| (format!("{key}.{name}"), why)));
            }
            Ok(_) => {}
        }
    }
    missing
}
