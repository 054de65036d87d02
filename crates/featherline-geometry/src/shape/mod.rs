//! Shapes, each in a frame of its own: a file a family.
//!
//! A shape that has an axis has it along z, as in URDF, SDF and MJCF; a shape that has a centre has
//! it at the origin. Lengths are in m. Where a size is a half in MJCF and a whole in URDF, it is
//! the whole here, and `from_half_…` takes the half.

mod capsule;
mod cone;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod ellipsoid_surface;
mod plane;
mod polytope;
mod sphere;

pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use plane::Plane;
pub use polytope::Polytope;
pub use sphere::Sphere;

use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use crate::mesh::{Mesh, MeshInertia};
use featherline::spatial::{Inertia, Sym3, Vec3};
use std::sync::Arc;

/// A shape of any kind.
///
/// ```
/// use featherline_geometry::{Cuboid, Distribution, Shape};
/// use featherline::spatial::Vec3;
///
/// let shape = Shape::from(Cuboid::new(Vec3::new(0.3, 0.2, 0.1)));
/// let inertia = shape.mass_properties(Distribution::Solid)?.with_density(1000.0);
/// assert!((inertia.mass - 6.0).abs() < 1e-12);
/// assert_eq!(shape.aabb().unwrap().max.x, 0.15);
/// # Ok::<(), featherline_geometry::MassError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A cylinder with half balls at its ends.
    Capsule(Capsule),
    /// A box.
    Cuboid(Cuboid),
    /// A circular cylinder.
    Cylinder(Cylinder),
    /// A circular cone.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A plane, and the half-space below it.
    Plane(Plane),
    /// The convex hull of points; shared, because it may be large.
    Polytope(Arc<Polytope>),
    /// A triangle mesh; shared, because it may be large.
    Mesh(Arc<Mesh>),
}

impl Shape {
    /// Volume or surface, centre, and inertia at unit density.
    ///
    /// A mesh as a solid is integrated exactly; [`Mesh::mass_properties`] has the other ways.
    ///
    /// # Errors
    ///
    /// A size that is negative or not finite, a body of no volume or no surface, a plane, a mesh
    /// that is not closed or is inside out.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        match self {
            Self::Sphere(shape) => shape.mass_properties(distribution),
            Self::Capsule(shape) => shape.mass_properties(distribution),
            Self::Cuboid(shape) => shape.mass_properties(distribution),
            Self::Cylinder(shape) => shape.mass_properties(distribution),
            Self::Cone(shape) => shape.mass_properties(distribution),
            Self::Ellipsoid(shape) => shape.mass_properties(distribution),
            Self::Plane(_) => Err(MassError::Unbounded),
            Self::Polytope(shape) => shape.mass_properties(distribution),
            Self::Mesh(mesh) => mesh.mass_properties(match distribution {
                Distribution::Solid => MeshInertia::Exact,
                Distribution::Shell => MeshInertia::Shell,
            }),
        }
    }

    /// The smallest box along the axes around the shape; none around a plane, which has no end, and
    /// around a mesh without vertices.
    pub fn aabb(&self) -> Option<Aabb> {
        match self {
            Self::Sphere(shape) => Some(shape.aabb()),
            Self::Capsule(shape) => Some(shape.aabb()),
            Self::Cuboid(shape) => Some(shape.aabb()),
            Self::Cylinder(shape) => Some(shape.aabb()),
            Self::Cone(shape) => Some(shape.aabb()),
            Self::Ellipsoid(shape) => Some(shape.aabb()),
            Self::Plane(_) => None,
            Self::Polytope(shape) => Some(shape.aabb()),
            Self::Mesh(mesh) => mesh.aabb(),
        }
    }

    /// A point of the shape that is farthest in a direction, of any length; none for a plane and
    /// for a mesh, which need not be convex.
    pub fn support(&self, direction: Vec3<f64>) -> Option<Vec3<f64>> {
        match self {
            Self::Sphere(shape) => Some(shape.support(direction)),
            Self::Capsule(shape) => Some(shape.support(direction)),
            Self::Cuboid(shape) => Some(shape.support(direction)),
            Self::Cylinder(shape) => Some(shape.support(direction)),
            Self::Cone(shape) => Some(shape.support(direction)),
            Self::Ellipsoid(shape) => Some(shape.support(direction)),
            Self::Polytope(shape) => Some(shape.support(direction)),
            Self::Plane(_) | Self::Mesh(_) => None,
        }
    }
}

macro_rules! shape_from {
    ($($kind:ident),*) => {
        $(
            impl From<$kind> for Shape {
                fn from(shape: $kind) -> Self {
                    Self::$kind(shape)
                }
            }
        )*
    };
}

shape_from!(Sphere, Capsule, Cuboid, Cylinder, Cone, Ellipsoid, Plane);

impl From<Polytope> for Shape {
    fn from(shape: Polytope) -> Self {
        Self::Polytope(Arc::new(shape))
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

/// Whether sizes are those of a shape: finite and not negative.
fn check(sizes: &[(&'static str, f64)]) -> Result<(), MassError> {
    let bad = sizes.iter().find(|(_, v)| !(v.is_finite() && *v >= 0.0));
    bad.map_or(Ok(()), |&(name, value)| {
        Err(MassError::BadSize { name, value })
    })
}

/// The inertia of a body that is round about z, from its moments across and along z about its
/// centre, which is at a height.
fn round_about_z(mass: f64, height: f64, across: f64, along: f64) -> Inertia<f64> {
    let moments = Sym3::diagonal(Vec3::new(across, across, along));
    Inertia::new(mass, Vec3::new(0.0, 0.0, height), moments)
}

/// The point of a circle about z that is farthest in a direction.
fn support_of_circle(radius: f64, direction: Vec3<f64>) -> Vec3<f64> {
    let length = direction.x.hypot(direction.y);
    match length > 0.0 {
        true => Vec3::new(direction.x / length, direction.y / length, 0.0) * radius,
        false => Vec3::zero(),
    }
}
