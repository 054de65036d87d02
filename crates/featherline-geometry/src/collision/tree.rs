//! A tree of boxes around the triangles of a mesh.

use super::oriented_box::OrientedBox;
use crate::mesh::Mesh;
use featherline::kernel;
use featherline::spatial::Vec3;
use std::collections::HashMap;

/// A point is on an edge if its distance from it is below this part of the edge's length.
const ON_EDGE: f64 = 1e-6;
/// The sine of the angle by which a normal may lean over a neighbour: rounding.
const LEANING: f64 = 1e-4;

/// A node: the box around its triangles, of which a leaf has one. An inner node's first child comes
/// right after it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub around: OrientedBox,
    /// Of a leaf, its triangle; of an inner node, its second child.
    pub index: u32,
    pub is_leaf: bool,
}

/// A node, and a lower bound of the distance of its triangles from a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    node: u32,
    bound: f64,
}

/// Triangles in the order of the leaves, with the boxes around them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The vertices of faces.
    pub vertices: Vec<Vec3<f64>>,
    pub triangles: Vec<[Vec3<f64>; 3]>,
    /// The number of each triangle in its mesh.
    pub faces: Vec<u32>,
    /// Of each edge of each triangle, the corner of the neighbour that is not on the edge.
    beyond: Vec<[Option<Vec3<f64>>; 3]>,
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The tree of a mesh. Cost O(F log F) for F triangles.
    pub fn of(mesh: &Mesh) -> Self {
        let all: Vec<_> = mesh.triangles().collect();
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        let mut nodes = Vec::new();
        if !order.is_empty() {
            let last = order.len();
            split(&all, &mut order, 0..last, &mut nodes);
        }
        let mut opposite = HashMap::new();
        for corners in mesh.faces() {
            for k in 0..3 {
                let edge = (corners[k], corners[(k + 1) % 3]);
                opposite.insert(edge, mesh.vertices()[corners[(k + 2) % 3] as usize]);
            }
        }
        let beyond = |face: &u32| {
            let c = mesh.faces()[*face as usize];
            [0, 1, 2].map(|k| opposite.get(&(c[(k + 1) % 3], c[k])).copied())
        };
        // Vertices of no face touch nothing.
        let mut used = vec![false; mesh.vertices().len()];
        for &i in mesh.faces().iter().flatten() {
            used[i as usize] = true;
        }
        let vertices = mesh.vertices().iter().zip(used);
        Self {
            vertices: vertices
                .filter_map(|(v, used)| used.then_some(*v))
                .collect(),
            triangles: order.iter().map(|&face| all[face as usize]).collect(),
            beyond: order.iter().map(beyond).collect(),
            faces: order,
            nodes,
        }
    }

    /// Whether a normal at a point of a triangle is one of the surface: on an edge or corner, it
    /// leans over no neighbour. On an edge within a flat part only the normal of the faces is.
    pub fn is_normal(&self, triangle: u32, point: Vec3<f64>, normal: Vec3<f64>) -> bool {
        let corners = self.triangles[triangle as usize];
        let beyond = self.beyond[triangle as usize];
        (0..3).all(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let Some(other) = beyond[k] else {
                return true;
            };
            let edge = to - from;
            let length = edge.norm();
            let off = (point - from).cross(edge).norm();
            if off > ON_EDGE * length * length {
                return true;
            }
            // Away from the neighbour's third corner, across the edge and in its plane.
            let e = edge * (1.0 / length);
            let across = from - other;
            let across = (across - e * across.dot(e)).normalised();
            across.dot(normal) >= -LEANING
        })
    }

    /// Begins a search for the triangles that are nearest to a box, which [`next_leaf`] goes on
    /// with.
    pub fn begin(&self, stack: &mut Vec<Visit>) {
        stack.clear();
        if !self.nodes.is_empty() {
            let bound = f64::NEG_INFINITY;
            stack.push(Visit { node: 0, bound });
        }
    }
}

kernel!(
    /// The next leaf whose box is not farther from another box than a limit; the nearer of two
    /// children comes first.
    pub(crate) fn next_leaf(
        tree: &Tree,
        around: &OrientedBox,
        limit: f64,
        stack: &mut Vec<Visit>,
    ) -> Option<u32> {
        while let Some(Visit { node, bound }) = stack.pop() {
            if bound > limit {
                continue;
            }
            let at = &tree.nodes[node as usize];
            if at.is_leaf {
                return Some(node);
            }
            let first = visit(tree, node + 1, around);
            let second = visit(tree, at.index, around);
            let (near, far) = match first.bound <= second.bound {
                true => (first, second),
                false => (second, first),
            };
            stack.push(far);
            stack.push(near);
        }
        None
    }
);

#[inline(always)]
fn visit(tree: &Tree, node: u32, around: &OrientedBox) -> Visit {
    let bound = tree.nodes[node as usize].around.gap(around);
    Visit { node, bound }
}

/// Splits triangles at the median of their middles, along the longest side of the box around them.
fn split(
    all: &[[Vec3<f64>; 3]],
    order: &mut [u32],
    range: std::ops::Range<usize>,
    nodes: &mut Vec<Node>,
) {
    let here = &mut order[range.clone()];
    let around = OrientedBox::around(here.iter().map(|&face| all[face as usize]));
    let at = nodes.len();
    nodes.push(Node {
        around,
        index: range.start as u32,
        is_leaf: here.len() == 1,
    });
    if here.len() == 1 {
        return;
    }
    let axis = around.longest_axis();
    let middle = |face: u32| {
        let [a, b, c] = all[face as usize];
        (a + b + c).dot(axis)
    };
    let half = here.len() / 2;
    here.select_nth_unstable_by(half, |&one, &other| {
        middle(one).total_cmp(&middle(other)).then(one.cmp(&other))
    });
    let half = range.start + half;
    split(all, order, range.start..half, nodes);
    nodes[at].index = nodes.len() as u32;
    split(all, order, half..range.end, nodes);
}
