//! Distances of pairs of shapes: a file a pair, the more special shape first.
//!
//! `half_space` × all convex shapes, `ball` × `ball`, `ball` × `segment`, `ball` × `cuboid`,
//! `ball` × `cylinder`, `segment` × `segment`, `cuboid` × `cuboid` and `triangle` × `triangle` are
//! closed forms. All other pairs of convex shapes go to `convex`, and each triangle of a mesh
//! through `mesh`; `mesh_mesh` goes through two meshes.

pub(crate) mod ball_cuboid;
pub(crate) mod ball_cylinder;
pub(crate) mod ball_segment;
pub(crate) mod convex;
pub(crate) mod cuboid_cuboid;
pub(crate) mod half_space;
pub(crate) mod mesh;
pub(crate) mod mesh_mesh;
pub(crate) mod segment_segment;
pub(crate) mod triangle_triangle;

use super::separation::Separation;
use featherline::spatial::Vec3;

/// The separation of two points as cores: along the line between them, or along `otherwise` where
/// they coincide.
#[inline(always)]
pub(crate) fn between_points(p: Vec3<f64>, q: Vec3<f64>, otherwise: Vec3<f64>) -> Separation {
    let offset = q - p;
    let square = offset.norm_squared();
    // Below this the direction would be rounding alone.
    if square <= f64::MIN_POSITIVE {
        return Separation {
            distance: 0.0,
            points: [p, p],
            normal: otherwise,
        };
    }
    let distance = square.sqrt();
    let normal = offset * (1.0 / distance);
    Separation {
        distance,
        points: [p, q],
        normal,
    }
}
