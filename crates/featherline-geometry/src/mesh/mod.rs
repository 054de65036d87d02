//! Triangle meshes.

mod mass;
mod obj;

pub use mass::MeshInertia;

use crate::aabb::Aabb;
use crate::hull::{self, HullError};
use crate::topology::Topology;
use crate::triangle::area_vector;
use featherline::spatial::{Se3, Vec3};
use std::collections::HashMap;
use thiserror::Error;

/// Triangles between vertices.
///
/// The vertices of a face run counterclockwise, seen from outside. All vertices are finite and all
/// indices exist: [`Mesh::new`] checks both. A mesh need not be closed; [`Mesh::topology`] tells.
///
/// ```
/// use featherline::spatial::Vec3;
/// use featherline_geometry::{Mesh, MeshInertia};
///
/// let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
/// let corners = corners.map(|[x, y, z]| Vec3::new(x, y, z));
/// let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let tetrahedron = Mesh::new(corners.to_vec(), faces.to_vec())?;
/// assert!(tetrahedron.topology().is_watertight());
/// let solid = tetrahedron.mass_properties(MeshInertia::Exact)?;
/// assert!((solid.measure() - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vec3<f64>>,
    faces: Vec<[u32; 3]>,
}

/// Why vertices and faces are no mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidMesh {
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} is not finite; check where its coordinates come from")]
    NotFinite {
        /// The index of the vertex.
        vertex: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {index} of {count}; vertices are counted from zero")]
    BadIndex {
        /// The index of the face.
        face: usize,
        /// The index that it names.
        index: u32,
        /// The number of vertices.
        count: usize,
    },
}

impl Mesh {
    /// The mesh of vertices, in m, and faces between them. Cost O(vertices + faces).
    ///
    /// # Errors
    ///
    /// A coordinate that is not finite; a face with an index that does not exist.
    pub fn new(vertices: Vec<Vec3<f64>>, faces: Vec<[u32; 3]>) -> Result<Self, InvalidMesh> {
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(InvalidMesh::NotFinite { vertex });
        }
        let count = vertices.len();
        for (face, indices) in faces.iter().enumerate() {
            if let Some(&index) = indices.iter().find(|&&i| i as usize >= count) {
                return Err(InvalidMesh::BadIndex { face, index, count });
            }
        }
        Ok(Self { vertices, faces })
    }

    /// The vertices, in m.
    pub fn vertices(&self) -> &[Vec3<f64>] {
        &self.vertices
    }

    /// The faces: three indices of vertices each, counterclockwise seen from outside.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The corners of each face.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3<f64>; 3]> {
        let corner = |i: u32| self.vertices[i as usize];
        self.faces.iter().map(move |face| face.map(corner))
    }

    /// The smallest box along the axes around the vertices; none if there are no vertices.
    pub fn aabb(&self) -> Option<Aabb> {
        Aabb::of_points(self.vertices.iter().copied())
    }

    /// The surface of all faces, in m².
    pub fn surface(&self) -> f64 {
        self.triangles().map(|t| area_vector(&t).norm()).sum()
    }

    /// The mesh with each coordinate multiplied by a factor.
    ///
    /// Factors of negative product reflect the mesh. Its faces are then flipped, so that they still
    /// look outwards.
    ///
    /// # Errors
    ///
    /// A coordinate that overflows.
    pub fn scaled(self, factors: Vec3<f64>) -> Result<Self, InvalidMesh> {
        let scale = |v: Vec3<f64>| Vec3::new(v.x * factors.x, v.y * factors.y, v.z * factors.z);
        let reflected = factors.x * factors.y * factors.z < 0.0;
        let vertices = self.vertices.into_iter().map(scale).collect();
        let scaled = Self::new(vertices, self.faces)?;
        Ok(match reflected {
            true => scaled.flipped(),
            false => scaled,
        })
    }

    /// The same mesh in the frame in which `placement` places this one.
    ///
    /// # Errors
    ///
    /// A coordinate that overflows.
    pub fn transformed_by(self, placement: &Se3<f64>) -> Result<Self, InvalidMesh> {
        let place = |v| placement.act_point(v);
        Self::new(self.vertices.into_iter().map(place).collect(), self.faces)
    }

    /// The mesh with its faces looking the other way.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for [_, b, c] in &mut self.faces {
            std::mem::swap(b, c);
        }
        self
    }

    /// The mesh with vertices of equal coordinates made one, and vertices of no face left out.
    ///
    /// Files such as STL repeat the corners of each face; whether faces are neighbours can only be
    /// told once the corners are shared. The order of the faces stays, that of the vertices is of
    /// their first use. Cost O(faces).
    #[must_use]
    pub fn merged(self) -> Self {
        // One key for 0 and −0.
        let key = |v: Vec3<f64>| v.to_array().map(|x| (x + 0.0).to_bits());
        let mut index_of = HashMap::new();
        let mut vertices = Vec::new();
        let mut faces = self.faces;
        for index in faces.iter_mut().flatten() {
            let vertex = self.vertices[*index as usize];
            *index = *index_of.entry(key(vertex)).or_insert_with(|| {
                vertices.push(vertex);
                // There are no more of them than before.
                (vertices.len() - 1) as u32
            });
        }
        vertices.shrink_to_fit();
        Self { vertices, faces }
    }

    /// How the faces hang together: open, non-manifold and inconsistent edges, faces that are
    /// degenerate or repeated, and the number of pieces. Cost O(F log F) for F faces.
    ///
    /// Vertices must be shared ([`Mesh::merged`]); those of files are.
    pub fn topology(&self) -> Topology {
        Topology::of(&self.vertices, &self.faces)
    }

    /// The convex hull of the vertices; see [`convex_hull`].
    ///
    /// # Errors
    ///
    /// Vertices that all lie in a plane, on a line or in one place.
    pub fn convex_hull(&self) -> Result<Self, HullError> {
        convex_hull(&self.vertices)
    }
}

/// The convex hull of points: the closed mesh of outward triangles around them.
///
/// Exact: no point lies outside of a face, not even by rounding, and points count as coplanar only
/// if they are. Vertices are input points, in their order. A facet of more than three corners comes
/// as several triangles; a point in the middle of a facet or of an edge may be a vertex of them.
/// Cost O(n log n) as a rule.
///
/// # Errors
///
/// Fewer than four points, a point that is not finite, or points that all lie in one plane, on one
/// line or in one place.
///
/// ```
/// use featherline::spatial::Vec3;
/// use featherline_geometry::{HullError, convex_hull};
///
/// let point = |i: u32| Vec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9));
/// let grid: Vec<_> = (0..27).map(point).collect();
/// let cube = convex_hull(&grid)?;
/// assert_eq!(cube.aabb().unwrap().max.z, 2.0);
/// assert!(cube.topology().is_watertight());
/// assert_eq!(convex_hull(&grid[..9]), Err(HullError::Coplanar));
/// # Ok::<(), HullError>(())
/// ```
pub fn convex_hull(points: &[Vec3<f64>]) -> Result<Mesh, HullError> {
    // Vertices that are points, and faces between them, need no check.
    hull::convex_hull(points).map(|(vertices, faces)| Mesh { vertices, faces })
}
