//! Distance and points of contact of two shapes, without preparation.

use super::collider::Collider;
use super::contact::ContactPoint;
use super::error::CollisionError;
use super::separation::Separation;
use crate::shape::Shape;
use featherline::spatial::Se3;

/// The distance of two placed shapes, with a point on each and the normal between them.
///
/// Negative where they overlap: the length of the shortest translation that parts them. A mesh is
/// its triangles, and a body inside of it is apart from it; a [`Plane`](crate::Plane) is the
/// half-space below it. Two half-spaces have a distance if they face each other, and overlap
/// without bound else. For shapes that are used again, a [`Collider`] spares the preparation of
/// polytopes and meshes.
///
/// Sphere, capsule, half-space and overlapping boxes: closed forms. Other convex shapes: GJK, and
/// EPA where they overlap (E. G. Gilbert, D. W. Johnson and S. S. Keerthi, *A fast procedure for
/// computing the distance between complex objects in three-dimensional space*, 1988; G. van den
/// Bergen, *Proximity queries and penetration depth computation on 3D game objects*, 2001). Meshes:
/// the same for each triangle within reach.
///
/// # Errors
///
/// [`CollisionError::BadSize`], [`CollisionError::EmptyMesh`], [`CollisionError::BadPlacement`],
/// [`CollisionError::Unbounded`], [`CollisionError::Overflow`].
///
/// ```
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{Plane, Sphere, separation};
///
/// let ground = Plane.into();
/// let ball = Sphere::new(0.1).into();
/// let above = Se3::from_translation(Vec3::new(1.0, 2.0, 0.35));
/// let s = separation(&ground, &Se3::identity(), &ball, &above)?;
/// assert!((s.distance - 0.25).abs() < 1e-15);
/// assert_eq!(s.normal, Vec3::unit(2));
/// # Ok::<(), featherline_geometry::CollisionError>(())
/// ```
pub fn separation(
    a: &Shape,
    placement_a: &Se3<f64>,
    b: &Shape,
    placement_b: &Se3<f64>,
) -> Result<Separation, CollisionError> {
    let a = Collider::numbered(a.clone(), 0)?;
    let b = Collider::numbered(b.clone(), 1)?;
    a.separation(placement_a, &b, placement_b)
}

/// Adds the points of contact of two placed shapes to `out`: all with a distance of at most
/// `range`, in m, of which a positive one gives points before shapes touch.
///
/// Two convex shapes have at most eight points: those that touch, or the corners of their outline,
/// and then those of larger gaps that widen it. A box flat on a half-space has its corners, a
/// capsule two points, a ball one. Points of a mesh come by patches of one normal, at most eight
/// each. What is flush with the face of a box within 1 µm, and beyond its edge, does not touch it.
///
/// # Errors
///
/// As of [`separation`]; `out` is then as before.
///
/// ```
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_geometry::{Cuboid, Plane, contact_points};
///
/// let (ground, plank) = (Plane.into(), Cuboid::new(Vec3::new(1.0, 0.2, 0.1)).into());
/// let lying = Se3::from_translation(Vec3::new(0.0, 0.0, 0.05));
/// let mut points = Vec::new();
/// contact_points(&ground, &Se3::identity(), &plank, &lying, 0.001, &mut points)?;
/// assert_eq!(points.len(), 4);
/// assert!(points.iter().all(|point| point.distance.abs() < 1e-15));
/// # Ok::<(), featherline_geometry::CollisionError>(())
/// ```
pub fn contact_points(
    a: &Shape,
    placement_a: &Se3<f64>,
    b: &Shape,
    placement_b: &Se3<f64>,
    range: f64,
    out: &mut Vec<ContactPoint>,
) -> Result<(), CollisionError> {
    let a = Collider::numbered(a.clone(), 0)?;
    let b = Collider::numbered(b.clone(), 1)?;
    a.contact_points(placement_a, &b, placement_b, range, out)
}
