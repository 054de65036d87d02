//! Tendons: lengths that depend on several joints.

use super::{Setting, Source};

/// A tendon: a length that depends on several joints, with a spring and a damper.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tendon {
    /// Its name.
    pub name: String,
    /// How its length depends on the configuration.
    pub path: TendonPath,
    /// The stiffness of its spring, in N/m.
    pub stiffness: f64,
    /// Its viscous damping, in N·s/m.
    pub damping: f64,
    /// Its dry friction, in N.
    pub friction: f64,
    /// The lengths between which its spring is at rest, in m; none for the length at the reference
    /// configuration.
    pub rest_length: Option<[f64; 2]>,
    /// The least and the greatest length, if it is bounded, in m.
    pub range: Option<[f64; 2]>,
    /// Inertia of changes of its length, in kg.
    pub armature: f64,
    /// Everything else that the file states of it, in its words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// How the length of a tendon depends on the configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum TendonPath {
    /// The sum of coordinates of joints, by their indices, times coefficients.
    Fixed(Vec<(usize, f64)>),
    /// The shortest path through points and around shapes.
    Spatial(Vec<TendonPoint>),
}

/// A point of the path of a tendon, by indices in the description.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TendonPoint {
    /// The origin of a frame.
    Frame(usize),
    /// The surface of a shape.
    Wrap {
        /// The shape.
        geometry: usize,
        /// The frame that says on which side the tendon goes.
        side: Option<usize>,
    },
    /// A pulley: what follows counts by the divisor.
    Pulley {
        /// The divisor.
        divisor: f64,
    },
}

impl Tendon {
    /// A tendon without spring, damper and bounds.
    pub fn new(name: impl Into<String>, path: TendonPath) -> Self {
        Self {
            name: name.into(),
            path,
            stiffness: 0.0,
            damping: 0.0,
            friction: 0.0,
            rest_length: None,
            range: None,
            armature: 0.0,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

/// An equality of two lengths: y − y₀ = Σ a_k (x − x₀)^k, with y₀ and x₀ those of the reference
/// configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LengthEquality {
    /// Its name.
    pub name: String,
    /// y
    pub length: TendonPath,
    /// x; none for a constant y.
    pub other: Option<TendonPath>,
    /// a₀ to a₄.
    pub polynomial: [f64; 5],
    /// Where its element is.
    pub source: Source,
}

impl LengthEquality {
    /// The equality y − y₀ = x − x₀.
    pub fn new(name: impl Into<String>, length: TendonPath, other: Option<TendonPath>) -> Self {
        Self {
            name: name.into(),
            length,
            other,
            polynomial: [0.0, 1.0, 0.0, 0.0, 0.0],
            source: Source::default(),
        }
    }
}
