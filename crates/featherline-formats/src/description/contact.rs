//! Which shapes may touch.

use super::{Setting, Source, Surface};

/// Two shapes that may touch, whatever is said of all others.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContactPair {
    /// Its name; empty if it has none.
    pub name: String,
    /// The indices of the shapes.
    pub geometry: [usize; 2],
    /// Friction and restitution of the contact, where they are not those of the two surfaces.
    pub surface: Option<Surface>,
    /// Friction and compliance of the contact, in the file's words.
    pub settings: Vec<Setting>,
    /// Where its element is.
    pub source: Source,
}

/// Two links whose shapes do not touch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContactExclusion {
    /// Its name; empty if it has none.
    pub name: String,
    /// The indices of the links.
    pub links: [usize; 2],
    /// Why, in the words of the file, such as `Adjacent`; empty if it gives no reason.
    pub reason: String,
    /// Where its element is.
    pub source: Source,
}

/// A rule for the contacts between two sets of links. A later rule counts before an earlier one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContactRule {
    /// The indices of the links: one of the first set and one of the second.
    pub links: [Vec<usize>; 2],
    /// Whether they touch at all.
    pub collides: bool,
    /// Friction and restitution, where they are not those of the two surfaces.
    pub surface: Surface,
    /// Where its element is.
    pub source: Source,
}

impl ContactRule {
    /// Contacts between two sets of links, by their indices: they touch, and their surfaces count.
    pub fn new(links: [Vec<usize>; 2]) -> Self {
        Self {
            links,
            collides: true,
            surface: Surface::default(),
            source: Source::default(),
        }
    }
}

impl ContactPair {
    /// Two shapes that may touch, by their indices.
    pub fn new(name: impl Into<String>, geometry: [usize; 2]) -> Self {
        Self {
            name: name.into(),
            geometry,
            surface: None,
            settings: Vec::new(),
            source: Source::default(),
        }
    }
}

impl ContactExclusion {
    /// Two links whose shapes do not touch, by their indices.
    pub fn new(name: impl Into<String>, links: [usize; 2]) -> Self {
        Self {
            name: name.into(),
            links,
            reason: String::new(),
            source: Source::default(),
        }
    }
}
