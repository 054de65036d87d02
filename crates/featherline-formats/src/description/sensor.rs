//! Sensors: what is measured.

use super::{Setting, Source};

/// A sensor of a robot.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sensor {
    /// Its name.
    pub name: String,
    /// The kind in the file's format, such as `gyro` or `jointpos`.
    pub kind: String,
    /// The part that it is attached to, then the part that it is measured against.
    pub targets: Vec<Target>,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// A part of a description, by its index in the list of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A link.
    Link(usize),
    /// A link and all that is on it.
    Subtree(usize),
    /// A joint.
    Joint(usize),
    /// A frame.
    Frame(usize),
    /// A shape.
    Geometry(usize),
    /// A tendon.
    Tendon(usize),
    /// An actuator.
    Actuator(usize),
}

impl Sensor {
    /// A sensor of a kind.
    pub fn new(name: impl Into<String>, kind: impl Into<String>, targets: Vec<Target>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            targets,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}
