//! The entry of a quantity in the catalogue.

use super::parameters::Parameter;
use crate::model::{FrameKind, Model};
use crate::regressor::BODY_PARAMETERS;
use std::fmt::{Display, Formatter};

/// The name of a quantity, what it takes and what it gives.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name, of the algorithm or of the result as the literature has it: `bias`, `crba`.
    pub name: &'static str,
    /// The key of its answer in JSON and tables, which is understood as a name, too: `tau` of
    /// `rnea`.
    pub key: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The meaning, as the type's documentation has it.
    pub(super) meaning: &'static str,
    /// The parameters beside its inputs, such as the frame of a Jacobian.
    pub parameters: &'static [Parameter],
    /// The inputs, in order. Those that are optional are last.
    pub inputs: Inputs,
    /// The outputs, in order.
    pub outputs: &'static [Output],
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

    /// Whether a word is its name, its key or another name of it.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.key == word || self.aliases.contains(&word)
    }

    /// All words that are understood: the name, then the others.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let key = (self.key != self.name).then_some(self.key);
        let others = self.aliases.iter().copied();
        std::iter::once(self.name).chain(key).chain(others)
    }

    /// The inputs that it cannot do without.
    #[inline]
    pub fn required(&self) -> Inputs {
        let count = self.inputs.iter().take_while(|it| !it.is_optional).count();
        &self.inputs[..count]
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
    /// Whether it may be left out.
    pub is_optional: bool,
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
        let is_optional = false;
        Self {
            name,
            space,
            is_optional,
        }
    }

    /// The same, which may be left out.
    pub(super) const fn or_none(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    /// How many numbers it has.
    #[inline]
    pub fn len(&self, model: &Model) -> usize {
        match self.space {
            Space::Configuration => model.nq(),
            Space::Tangent => model.nv(),
            Space::Forces => 6 * bodies(model),
            Space::Number => 1,
        }
    }
}

/// Its name, in brackets where it may be left out: `[f]`.
impl Display for Input {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self.is_optional {
            true => write!(f, "[{}]", self.name),
            false => f.write_str(self.name),
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

/// An output of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The name: `tau`, `mass_matrix`.
    pub name: &'static str,
    /// Its dimensions, none for a number. Matrices are stored column by column; of a list, one a
    /// joint or more, the items stand one after the other.
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
    #[inline]
    pub fn len(&self, model: &Model) -> usize {
        self.dimensions.iter().map(|it| it.of(model)).product()
    }

    /// The dimension of the list, if it is one, and those of an item.
    pub fn list(&self) -> (Option<Dimension>, &'static [Dimension]) {
        match self.dimensions {
            [first @ (Dimension::Joints | Dimension::Links), item @ ..] => (Some(*first), item),
            [first, item @ ..] if item.len() == 2 => (Some(*first), item),
            item => (None, item),
        }
    }
}

/// Its name and dimensions: `jacobian: 6 × nv`, and `kinetic_energy` for a number.
impl Display for Output {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        for (k, dimension) in self.dimensions.iter().enumerate() {
            let before = if k == 0 { ": " } else { " × " };
            write!(f, "{before}{dimension}")?;
        }
        Ok(())
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
    /// One a link: a frame of the kind [`Body`](FrameKind::Body).
    Links,
    /// One a coordinate of each joint, those of mimic joints among them.
    JointCoordinates,
    /// One an element of the mass matrix that the tree's branches leave, at or below the diagonal.
    Packed,
    /// Ten a joint: the dynamic parameters of its body.
    Parameters,
    /// Three a coordinate: armature, damping and dry friction.
    Drives,
}

impl Dimension {
    /// How many there are.
    #[inline]
    pub fn of(self, model: &Model) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Nq => model.nq(),
            Self::Nv => model.nv(),
            Self::Joints => bodies(model),
            Self::Links => links(model).count(),
            Self::JointCoordinates => model.joint_ids().map(|it| model.joint(it).kind.nv()).sum(),
            Self::Packed => model.elimination_tree().tight_len(),
            Self::Parameters => BODY_PARAMETERS * bodies(model),
            Self::Drives => 3 * model.nv(),
        }
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fixed(count) => write!(f, "{count}"),
            Self::Nq => f.write_str("nq"),
            Self::Nv => f.write_str("nv"),
            Self::Joints => f.write_str("joints"),
            Self::Links => f.write_str("links"),
            Self::JointCoordinates => f.write_str("nv of all joints"),
            Self::Packed => f.write_str("packed"),
            Self::Parameters => f.write_str("10 joints"),
            Self::Drives => f.write_str("3 nv"),
        }
    }
}

/// How many joints there are, each with a body: the universe is none.
fn bodies(model: &Model) -> usize {
    model.joints().len() - 1
}

/// The links: the frames of bodies.
pub(super) fn links(model: &Model) -> impl Iterator<Item = crate::model::FrameId> + '_ {
    let frames = model.frame_ids();
    frames.filter(|&id| model.frame(id).kind == FrameKind::Body)
}
