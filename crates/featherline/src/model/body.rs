//! The links of a tree as the recursion over bodies reads them.

use super::{Class, Coordinates, Link};
use crate::spatial::{DynamicParameters, Mat3};

/// What is read of a link, of its front and of its place among the others, close together: the time of a robot that no cache holds
/// is that of the bytes that are moved. Numbers of 32 bits, since models with more links are beyond all memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// The axes of the link frame in the joint's output frame.
    pub turn: Mat3<f64>,
    pub parent: u32,
    pub idx_v: u32,
    /// Where a simple front's force and right-hand side are stored, and its pivot.
    pub front: u32,
    pub square: u32,
    /// The link's place in memory that a last child takes over from its parent, and the parent's.
    pub place: u32,
    pub place_above: u32,
    pub class: Class,
    /// Whether the front is one coordinate of an axial joint, eliminated here.
    pub is_simple: bool,
    pub has_children: bool,
    /// Whether the pass to the root meets it before all other children of its parent.
    pub is_last_child: bool,
}

/// All bodies, the universe first.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    pub links: Vec<Body>,
    /// The links' own, which are read in one of two passes.
    pub parameters: Vec<DynamicParameters<f64>>,
}

impl Bodies {
    pub fn new(
        links: &[Link],
        coordinates: &Coordinates,
        place_in_path: &[usize],
        subtree_end: &[usize],
    ) -> Self {
        let body = |(i, link): (usize, &Link)| {
            let front = &coordinates.fronts[i];
            Body {
                turn: link.frame.rotation,
                parent: link.parent as u32,
                idx_v: link.idx_v as u32,
                front: front.offset as u32,
                square: front.square as u32,
                place: place_in_path[i] as u32,
                place_above: place_in_path[link.parent] as u32,
                class: link.class,
                is_simple: front.simple,
                has_children: subtree_end[i] > i + 1,
                is_last_child: subtree_end[i] == subtree_end[link.parent],
            }
        };
        Self {
            links: links.iter().enumerate().map(body).collect(),
            parameters: links.iter().map(|link| link.parameters).collect(),
        }
    }
}
