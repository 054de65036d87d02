//! Half-space × anything: the point that is deepest below the plane.

use crate::aabb::Aabb;
use crate::collision::contact::{ContactPoint, push_contact};
use crate::collision::convex::{Convex, Corner};
use crate::collision::error::CollisionError;
use crate::collision::separation::Separation;
use crate::collision::tree::Tree;
use featherline::kernel;
use featherline::spatial::{Se3, Vec3};

/// Half-spaces face each other if their normals are opposite within this.
const OPPOSITE: f64 = 1e-12;

/// Half-space × point: φ = n · (p − o).
#[inline(always)]
fn above(plane: &Se3<f64>, point: Vec3<f64>) -> Separation {
    let n = plane.rotation.z;
    let distance = n.dot(point - plane.translation);
    Separation {
        distance,
        points: [point - n * distance, point],
        normal: n,
    }
}

/// Half-space × convex shape: φ = n · (s(−n) − o) − r, with the support s.
#[inline(always)]
pub(crate) fn separation(plane: &Se3<f64>, shape: &Convex<'_>, placement: &Se3<f64>) -> Separation {
    let down = placement.rotation.tr_mul_vec(-plane.rotation.z);
    let lowest = placement.act_point(shape.core.support(down));
    above(plane, lowest).thickened([0.0, shape.radius])
}

/// Half-space × mesh: the lowest vertex of a face.
pub(crate) fn separation_of_mesh(
    plane: &Se3<f64>,
    tree: &Tree,
    placement: &Se3<f64>,
) -> Separation {
    let up = placement.rotation.tr_mul_vec(plane.rotation.z);
    let mut lowest = (f64::INFINITY, Vec3::zero());
    for vertex in &tree.vertices {
        let height = vertex.dot(up);
        if height < lowest.0 {
            lowest = (height, *vertex);
        }
    }
    above(plane, placement.act_point(lowest.1))
}

/// Half-space × half-space: the gap of planes that face each other.
pub(crate) fn separation_of_planes(
    a: &Se3<f64>,
    b: &Se3<f64>,
) -> Result<Separation, CollisionError> {
    let facing = (a.rotation.z + b.rotation.z).max_norm() <= OPPOSITE;
    match facing {
        true => Ok(above(a, b.translation)),
        false => Err(CollisionError::Unbounded),
    }
}

/// Whether a box along the world's axes is farther than `range` above the plane.
#[inline(always)]
pub(crate) fn is_beyond(plane: &Se3<f64>, around: &Aabb, range: f64) -> bool {
    let (n, o) = (plane.rotation.z, plane.translation);
    let lowest = |n: f64, o: f64, min: f64, max: f64| {
        let corner = if n > 0.0 { min } else { max };
        n * (corner - o)
    };
    let (min, max) = (&around.min, &around.max);
    let height = lowest(n.x, o.x, min.x, max.x)
        + lowest(n.y, o.y, min.y, max.y)
        + lowest(n.z, o.z, min.z, max.z);
    height > range
}

kernel!(
    /// Half-space × convex shape: all corners within range.
    pub(crate) fn contacts(
        plane: &Se3<f64>,
        shape: &Convex<'_>,
        placement: &Se3<f64>,
        range: f64,
        corners: &mut Vec<Corner>,
        out: &mut Vec<ContactPoint>,
    ) {
        let down = placement.rotation.tr_mul_vec(-plane.rotation.z);
        corners.clear();
        shape.core.corners_towards(down, corners);
        for corner in &*corners {
            let s = above(plane, placement.act_point(corner.point)).thickened([0.0, shape.radius]);
            push_contact(s, corner.id, range, out);
        }
    }
);

/// Half-space × mesh: all vertices within range.
pub(crate) fn contacts_of_mesh(
    plane: &Se3<f64>,
    tree: &Tree,
    placement: &Se3<f64>,
    range: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (n, o) = (plane.rotation.z, plane.translation);
    let up = placement.rotation.tr_mul_vec(n);
    let level = n.dot(o - placement.translation) + range;
    for (id, vertex) in tree.vertices.iter().enumerate() {
        if vertex.dot(up) <= level {
            push_contact(
                above(plane, placement.act_point(*vertex)),
                id as u32,
                range,
                out,
            );
        }
    }
}
