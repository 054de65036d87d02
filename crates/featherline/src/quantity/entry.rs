//! The entry of a quantity in the catalogue.

use crate::model::Model;
use crate::regressor::BODY_PARAMETERS;

/// The name of a quantity, its inputs and its output.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name, of the algorithm or of the result as the literature has it: `bias`, `crba`.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The meaning, as the type's documentation has it.
    pub(super) meaning: &'static str,
    /// The inputs, in order.
    pub inputs: Inputs,
    /// The output.
    pub output: Output,
    /// How the time grows: n joints, d the depth of the tree, nv coordinates of the velocity.
    pub cost: &'static str,
    /// Where the algorithm is from; empty for what follows from definitions.
    pub source: &'static str,
}

impl Entry {
    /// The meaning, in a sentence or two.
    pub fn meaning(&self) -> &'static str {
        self.meaning.trim_start()
    }

    /// Whether a word is its name, or another one of it.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

/// The inputs of a quantity.
pub type Inputs = &'static [Input];

/// An input of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The name: `q`, `v`, `a`, `tau`.
    pub name: &'static str,
    /// The space of its numbers.
    pub space: Space,
}

impl Input {
    /// The input of a name.
    pub(super) const fn named(name: &'static str) -> Self {
        let space = match name.as_bytes() {
            b"q" | b"q0" | b"q1" => Space::Configuration,
            b"v" | b"a" | b"tau" | b"b" => Space::Tangent,
            b"f" => Space::Forces,
            b"t" => Space::Number,
            _ => panic!("an input without a space"),
        };
        Self { name, space }
    }

    /// How many numbers it has.
    pub fn len(&self, model: &Model) -> usize {
        match self.space {
            Space::Configuration => model.nq(),
            Space::Tangent => model.nv(),
            Space::Forces => 6 * bodies(model),
            Space::Number => 1,
        }
    }
}

/// The space that an input is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// A configuration: nq numbers.
    Configuration,
    /// A velocity, an acceleration or joint forces: nv numbers.
    Tangent,
    /// A force on each body, in its joint's frame: six numbers a joint.
    Forces,
    /// A number.
    Number,
}

/// The output of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The name: `tau`, `mass_matrix`.
    pub name: &'static str,
    /// Its dimensions, none for a number. Matrices are stored column by column, several of them one
    /// after the other.
    pub dimensions: &'static [Dimension],
    /// Its unit.
    pub unit: &'static str,
}

impl Output {
    /// How many rows and columns it has.
    pub fn shape(&self, model: &Model) -> Vec<usize> {
        self.dimensions.iter().map(|it| it.of(model)).collect()
    }

    /// How many numbers it has.
    pub fn len(&self, model: &Model) -> usize {
        self.dimensions.iter().map(|it| it.of(model)).product()
    }
}

/// A number of rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dimension {
    /// That number.
    Fixed(usize),
    /// One a number of the configuration.
    Nq,
    /// One a coordinate of the velocity.
    Nv,
    /// One a joint.
    Joints,
    /// Ten a joint: the dynamic parameters of its body.
    Parameters,
    /// Three a coordinate: armature, damping and dry friction.
    Drives,
}

impl Dimension {
    /// How many there are.
    pub fn of(self, model: &Model) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Nq => model.nq(),
            Self::Nv => model.nv(),
            Self::Joints => bodies(model),
            Self::Parameters => BODY_PARAMETERS * bodies(model),
            Self::Drives => 3 * model.nv(),
        }
    }
}

/// How many joints there are, each with a body: the universe is none.
fn bodies(model: &Model) -> usize {
    model.joints().len() - 1
}
