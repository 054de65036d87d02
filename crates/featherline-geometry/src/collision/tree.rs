//! A tree of boxes around the triangles of a mesh.

use super::oriented_box::OrientedBox;
use crate::aabb::Aabb;
use crate::mesh::Mesh;
use featherline::spatial::Vec3;
use std::collections::HashMap;

/// Leaves hold at most this many triangles.
const LEAF: usize = 1;

/// A point is on an edge if its distance from it is below this part of the edge's length.
const ON_EDGE: f64 = 1e-6;
/// The sine of the angle by which a normal may lean over a neighbour: rounding.
const LEANING: f64 = 1e-4;

/// A node: boxes around triangles. An inner node's first child comes right after it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub around: Aabb,
    pub oriented: OrientedBox,
    /// Of a leaf, its first triangle; of an inner node, its second child.
    pub index: u32,
    /// Of a leaf, the number of triangles; of an inner node, none.
    pub count: u32,
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

/// The distance of two boxes: zero where they overlap.
#[inline(always)]
pub(crate) fn gap(a: &Aabb, b: &Aabb) -> f64 {
    let along = |low_a: f64, high_a: f64, low_b: f64, high_b: f64| {
        (low_a - high_b).max(low_b - high_a).max(0.0)
    };
    let x = along(a.min.x, a.max.x, b.min.x, b.max.x);
    let y = along(a.min.y, a.max.y, b.min.y, b.max.y);
    let z = along(a.min.z, a.max.z, b.min.z, b.max.z);
    (x * x + y * y + z * z).sqrt()
}

impl Tree {
    /// The tree of a mesh. Cost O(F log² F) for F triangles.
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

    /// Visits triangles whose box is nearer to another box than a limit, which each visit returns
    /// anew; the nearer child first. A limit of −∞ ends the search.
    pub fn visit_nearest(
        &self,
        around: &Aabb,
        mut limit: f64,
        stack: &mut Vec<u32>,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        stack.clear();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            let bound = gap(&node.around, around);
            if bound > limit.max(0.0) {
                continue;
            }
            if node.count > 0 {
                for triangle in node.index..node.index + node.count {
                    limit = visit(triangle, bound);
                    if limit == f64::NEG_INFINITY {
                        return;
                    }
                }
                continue;
            }
            let children = [at + 1, node.index];
            let [first, second] = children.map(|i| gap(&self.nodes[i as usize].around, around));
            let order = if first <= second { [1, 0] } else { [0, 1] };
            stack.extend(order.map(|i| children[i]));
        }
    }

    /// Visits triangles whose box is within a range of another box.
    pub fn visit_within(
        &self,
        around: &Aabb,
        range: f64,
        stack: &mut Vec<u32>,
        mut visit: impl FnMut(u32),
    ) {
        self.visit_nearest(around, range, stack, |triangle, bound| {
            if bound <= range.max(0.0) {
                visit(triangle);
            }
            range
        });
    }
}

/// Splits triangles at the median of their middles, along the longest side of the box around them.
fn split(
    all: &[[Vec3<f64>; 3]],
    order: &mut [u32],
    range: std::ops::Range<usize>,
    nodes: &mut Vec<Node>,
) {
    let here = &mut order[range.clone()];
    let corners = here.iter().flat_map(|&face| all[face as usize]);
    let around = Aabb::of_points(corners).unwrap_or(Aabb::centered(Vec3::zero()));
    let at = nodes.len();
    nodes.push(Node {
        around,
        oriented: OrientedBox::around(here.iter().map(|&face| all[face as usize])),
        index: range.start as u32,
        count: here.len() as u32,
    });
    if here.len() <= LEAF {
        return;
    }
    let sides = around.sides();
    let axis = match (sides.x >= sides.y && sides.x >= sides.z, sides.y >= sides.z) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let middle = |face: u32| {
        let [a, b, c] = all[face as usize];
        (a + b + c).to_array()[axis]
    };
    here.sort_by(|&one, &other| middle(one).total_cmp(&middle(other)).then(one.cmp(&other)));
    let half = range.start + here.len() / 2;
    split(all, order, range.start..half, nodes);
    nodes[at].index = nodes.len() as u32;
    nodes[at].count = 0;
    split(all, order, half..range.end, nodes);
}
