//! Results, and how they are written as JSON.

use crate::format::rows;
use crate::states::State;
use featherline::quantity::Dimension;
use featherline::scalar::Operations;
use nalgebra::DMatrix;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// A result.
#[derive(Clone, Debug)]
pub enum Value {
    State(State),
    Counts(Counts),
    /// Numbers of any shape.
    Array(Array),
    /// A result of several parts.
    Parts(Vec<(&'static str, Value)>),
}

/// Numbers, or a list of items of several numbers each.
#[derive(Clone, Debug)]
pub struct Array {
    /// Whether it is a list.
    pub is_list: bool,
    /// The names of a list's items, such as those of joints.
    pub names: Vec<String>,
    /// Of what an item has rows.
    pub rows: Option<Dimension>,
    /// The rows and columns of an item.
    pub shape: Vec<usize>,
    /// Of six-vectors, the linear and the angular one.
    pub unit: &'static str,
    /// Column by column, one item after the other.
    pub numbers: Vec<f64>,
}

impl Array {
    /// A list of six numbers each, not named yet.
    pub fn six_vectors(numbers: Vec<f64>, unit: &'static str) -> Self {
        Self {
            is_list: true,
            names: Vec::new(),
            rows: Some(Dimension::Fixed(6)),
            shape: vec![6],
            unit,
            numbers,
        }
    }

    /// Its items as matrices, of one column where they are vectors, with their names.
    pub fn matrices(&self) -> Vec<(&str, DMatrix<f64>)> {
        let (rows, columns) = match self.shape[..] {
            [] => (1, 1),
            [rows] => (rows, 1),
            [.., rows, columns] => (rows, columns),
        };
        let all = self.numbers.chunks_exact((rows * columns).max(1));
        let names = self.names.iter().map(String::as_str);
        let named = all.zip(names.chain(std::iter::repeat("")));
        let matrix = |own| DMatrix::from_column_slice(rows, columns, own);
        named.map(|(own, name)| (name, matrix(own))).collect()
    }

    /// Whether items are rotations with translations beside them.
    pub fn is_placement(&self) -> bool {
        self.shape == [3, 4]
    }
}

impl Serialize for Array {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let matrices = self.matrices();
        let items = || {
            matrices
                .iter()
                .map(|(name, matrix)| (name, Item { of: self, matrix }))
        };
        match (&matrices[..], self.rows, self.is_list) {
            ([(_, matrix)], _, false) => Item { of: self, matrix }.serialize(writer),
            // Nothing has no items: a robot of no joints.
            (_, _, false) => self.numbers.serialize(writer),
            (..) => writer.collect_map(items()),
        }
    }
}

/// An item of a list: a number, a vector, a matrix; a placement as a homogeneous matrix.
struct Item<'a> {
    of: &'a Array,
    matrix: &'a DMatrix<f64>,
}

impl Serialize for Item<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let Self { of, matrix } = self;
        match of.shape.len() {
            0 => matrix.as_slice().first().serialize(writer),
            1 => matrix.as_slice().serialize(writer),
            _ if of.is_placement() => {
                let mut whole = DMatrix::identity(4, 4);
                whole.rows_mut(0, 3).copy_from(matrix);
                rows(&whole).serialize(writer)
            }
            _ => rows(matrix).serialize(writer),
        }
    }
}

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
            Self::Counts(counts) => counts.serialize(writer),
            Self::Array(array) => array.serialize(writer),
            Self::Parts(parts) => writer.collect_map(parts.iter().map(|(name, part)| (name, part))),
        }
    }
}

/// The result under a key: a value, or the reason why there is none.
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

/// The quantities without a value, and why: also algorithms among those that are counted.
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
