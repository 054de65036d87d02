//! Convex polytopes.

use crate::aabb::Aabb;
use crate::hull::HullError;
use crate::mass::{Distribution, MassError, MassProperties};
use crate::mesh::{Mesh, MeshInertia, convex_hull};
use featherline::spatial::Vec3;

/// The convex hull of points: a closed mesh of outward triangles that no point lies outside of.
///
/// ```
/// use featherline::spatial::Vec3;
/// use featherline_geometry::{Distribution, Polytope};
///
/// let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let inside = Vec3::new(0.5, 0.5, 0.5);
/// let cube = Polytope::from_points((0..8).map(corner).chain([inside]))?;
/// assert_eq!(cube.mesh().vertices().len(), 8);
/// let volume = cube.mass_properties(Distribution::Solid)?.measure();
/// assert!((volume - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    mesh: Mesh,
}

impl Polytope {
    /// The convex hull of points; see [`convex_hull`].
    ///
    /// # Errors
    ///
    /// Points that all lie in a plane, on a line or in one place, or are not finite.
    pub fn from_points(points: impl IntoIterator<Item = Vec3<f64>>) -> Result<Self, HullError> {
        let points: Vec<_> = points.into_iter().collect();
        convex_hull(&points).map(|mesh| Self { mesh })
    }

    /// The surface: vertices, and outward triangles.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Volume or surface, centre and inertia.
    ///
    /// # Errors
    ///
    /// A volume or surface that is zero or overflows.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        self.mesh.mass_properties(match distribution {
            Distribution::Solid => MeshInertia::Exact,
            Distribution::Shell => MeshInertia::Shell,
        })
    }

    /// The smallest box along the axes around the polytope.
    pub fn aabb(&self) -> Aabb {
        let origin = Aabb::centered(Vec3::zero());
        self.mesh.aabb().unwrap_or(origin)
    }

    /// A vertex that is farthest in a direction. Cost O(vertices).
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let farther = |best: Vec3<f64>, v: &Vec3<f64>| match v.dot(direction) > best.dot(direction)
        {
            true => *v,
            false => best,
        };
        let vertices = self.mesh.vertices();
        let first = vertices.first().copied().unwrap_or_default();
        vertices.iter().fold(first, farther)
    }
}
