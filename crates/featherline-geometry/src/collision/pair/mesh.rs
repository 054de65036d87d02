//! Mesh × anything: each triangle within reach, by the tree of the mesh.

use crate::aabb::Aabb;
use crate::collision::contact::ContactPoint;
use crate::collision::convex::{Convex, Core};
use crate::collision::reduction::reduce;
use crate::collision::tree::Tree;
use featherline::spatial::Se3;

/// Half the sides of the box in the mesh's frame around what another box holds.
#[inline(always)]
pub(crate) fn box_in(frame: &Se3<f64>, around: &Aabb) -> Aabb {
    let half = around.sides() * 0.5;
    let center = frame.act_point(around.center());
    let rows = frame.rotation.to_rows();
    let reach =
        rows.map(|row| row[0].abs() * half.x + row[1].abs() * half.y + row[2].abs() * half.z);
    let reach = featherline::spatial::Vec3::from(reach);
    Aabb::new(center - reach, center + reach)
}

/// The triangle of a leaf of a mesh's tree as a convex shape.
pub(crate) fn triangle(tree: &Tree, leaf: u32) -> Convex<'_> {
    let face = tree.nodes[leaf as usize].index;
    Convex {
        core: Core::Triangle(tree.triangles[face as usize]),
        radius: 0.0,
    }
}

/// Points closer than this part of their size are one.
const SAME: f64 = 1e-7;
/// The cosine of the angle within which normals are those of one patch.
const ONE_PATCH: f64 = 0.99;

/// Leaves out points that two triangles share, and keeps at most eight of those of one normal.
pub(crate) fn patches(points: &mut Vec<ContactPoint>, begin: usize) {
    let mut first = begin;
    while first < points.len() {
        // Points of this normal come next to each other.
        let normal = points[first].normal;
        let mut end = first;
        for i in first..points.len() {
            if points[i].normal.dot(normal) >= ONE_PATCH {
                points.swap(end, i);
                end += 1;
            }
        }
        let rest = points.len() - end;
        points[first..].rotate_left(end - first);
        let begin_patch = first + rest;
        let mut kept = begin_patch;
        for i in begin_patch..points.len() {
            let same = points[begin_patch..kept].iter().any(|other| {
                let size = other.points[0].max_norm().max(1.0);
                (other.points[0] - points[i].points[0]).max_norm() <= SAME * size
            });
            if !same {
                points.swap(kept, i);
                kept += 1;
            }
        }
        points.truncate(kept);
        reduce(points, begin_patch);
        let patch = points.len() - begin_patch;
        points[first..].rotate_right(patch);
        first += patch;
    }
}
