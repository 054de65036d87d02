//! Sizes that shapes may have.

use super::error::CollisionError;
use crate::shape::Shape;

/// Fails if a size is none of a shape.
#[inline(always)]
pub(crate) fn check(shape: &Shape, index: usize) -> Result<(), CollisionError> {
    let bad = |sizes: &[(&'static str, f64)]| {
        let found = sizes.iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0));
        found.map_or(Ok(()), |&(name, value)| {
            Err(CollisionError::BadSize {
                shape: index,
                name,
                value,
            })
        })
    };
    match shape {
        Shape::Sphere(s) => bad(&[("the radius", s.radius)]),
        Shape::Capsule(s) => bad(&[("the radius", s.radius), ("the length", s.length)]),
        Shape::Cylinder(s) => bad(&[("the radius", s.radius), ("the length", s.length)]),
        Shape::Cone(s) => bad(&[("the radius", s.radius), ("the length", s.length)]),
        Shape::Cuboid(s) => bad(&[
            ("side x", s.sides.x),
            ("side y", s.sides.y),
            ("side z", s.sides.z),
        ]),
        Shape::Ellipsoid(s) => bad(&[
            ("semi-axis x", s.semi_axes.x),
            ("semi-axis y", s.semi_axes.y),
            ("semi-axis z", s.semi_axes.z),
        ]),
        Shape::Plane(_) | Shape::Polytope(_) => Ok(()),
        Shape::Mesh(mesh) if mesh.faces().is_empty() => {
            Err(CollisionError::EmptyMesh { shape: index })
        }
        Shape::Mesh(_) => Ok(()),
    }
}
