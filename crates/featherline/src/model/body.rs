//! The links of a tree as the recursion over bodies reads them.

use super::{Class, Coordinates, Link};
use crate::scalar::{Scalar, Triple};
use crate::spatial::{DynamicParameters, Mat3, Sym3, Vec3};

/// The data of a link, of its front and of its position among the others that recursions read,
/// close together: the time of a robot that no cache holds is that of the bytes that are moved.
/// Numbers of 32 bits, since models with more links are beyond all memory.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The axes of the link frame in the joint's output frame, one after the other.
    turn: [f64; 9],
    /// The body that carries it.
    pub parent: u32,
    /// Its first coordinate.
    pub idx_v: u32,
    /// The link's place in memory that a last child takes over from its parent, and the parent's.
    pub place: u32,
    /// Its parent's place in memory.
    pub place_above: u32,
    /// How its joint is treated.
    pub class: Class,
    /// Whether the front is one coordinate of an axial joint, eliminated here.
    pub is_simple: bool,
    /// Whether other bodies hang on it.
    pub has_children: bool,
    /// Whether the pass to the root meets it before all other children of its parent.
    pub is_last_child: bool,
}

impl Body {
    /// The axes of the link frame in the joint's output frame.
    #[inline(always)]
    pub fn turn<S: Scalar>(&self) -> Mat3<S> {
        matrix(&self.turn, 0)
    }
}

/// All bodies, the universe first.
#[derive(Clone, Debug)]
pub struct Bodies {
    /// All bodies, the universe first.
    pub links: Vec<Body>,
    /// The links' own, which are read in one of two passes: mass, first moment, second moment's
    /// upper triangle.
    parameters: Vec<[f64; 10]>,
}

impl Bodies {
    /// The bodies of a tree.
    pub fn new(
        links: &[Link],
        coordinates: &Coordinates,
        place_in_path: &[usize],
        subtree_end: &[usize],
    ) -> Self {
        let body = |(i, link): (usize, &Link)| {
            let front = &coordinates.fronts[i];
            Body {
                turn: numbers(&link.frame.rotation),
                parent: link.parent as u32,
                idx_v: link.idx_v as u32,
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
            parameters: links.iter().map(parameters).collect(),
        }
    }

    /// The dynamic parameters of a link.
    #[inline(always)]
    pub fn parameters<S: Scalar>(&self, i: usize) -> DynamicParameters<S> {
        let [mass, hx, hy, hz, xx, xy, xz, yy, yz, zz] = self.parameters[i].map(S::constant);
        DynamicParameters {
            mass,
            first_moment: Vec3::new(hx, hy, hz),
            second_moment: Sym3::new(xx, xy, xz, yy, yz, zz),
        }
    }
}

fn numbers(matrix: &Mat3<f64>) -> [f64; 9] {
    let Mat3 { x, y, z } = *matrix;
    [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z]
}

fn parameters(link: &Link) -> [f64; 10] {
    let own = &link.parameters;
    let (h, [xx, xy, xz, yy, yz, zz]) = (own.first_moment, own.second_moment.to_elements());
    [own.mass, h.x, h.y, h.z, xx, xy, xz, yy, yz, zz]
}

/// The vector whose components begin at `k`.
#[inline(always)]
fn vector<S: Scalar>(numbers: &[f64], k: usize) -> Vec3<S> {
    // A fourth number is read with them where there is one: one instruction.
    let at = |k: usize| S::constant(numbers.get(k).copied().unwrap_or(0.0));
    Vec3(S::Triple::of_four([at(k), at(k + 1), at(k + 2), at(k + 3)]))
}

#[inline(always)]
fn matrix<S: Scalar>(numbers: &[f64], k: usize) -> Mat3<S> {
    Mat3::from_columns(
        vector(numbers, k),
        vector(numbers, k + 3),
        vector(numbers, k + 6),
    )
}
