//! Shapes, triangle meshes, their files, mass properties, convex hulls, distances and contacts.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-geometry = "0.2"
//! featherline-geometry = { path = "../featherline/crates/featherline-geometry" }
//! ```
//!
//! * Shapes: [`Sphere`], [`Capsule`], [`Cuboid`], [`Cylinder`], [`Cone`], [`Ellipsoid`], [`Plane`],
//!   [`Polytope`], [`Mesh`], and [`Shape`], which is any of them. Each has `aabb`, and `support` if
//!   it is convex.
//! * [`MassProperties`]: volume or surface, centre and inertia, of a [`Distribution`] of mass, or
//!   by one of the [`MeshInertia`] ways of a mesh. With a density or a mass they give the core's
//!   [`Inertia`](featherline::spatial::Inertia).
//! * [`Mesh::read`], [`MeshOptions`]: STL, OBJ, COLLADA, glTF, GLB and MSH files, with limits.
//! * [`Mesh::topology`]: whether a mesh encloses a volume, and if not, why.
//! * [`convex_hull`]: exact, by quickhull.
//! * [`separation`], [`contact_points`], [`Collider`]: the distance and the points of contact of
//!   any two shapes. [`CollisionModel`], [`CollisionWorkspace`], [`distance_jacobian`]: those of
//!   robots.
//!
//! Units are SI. An axis is z, as in URDF, SDF and MJCF, and sizes are whole, not half. Faces run
//! counterclockwise, seen from outside. No file makes this crate panic or allocate beyond
//! [`MeshLimits`]; every error has its place and its remedy.
//!
//! ```
//! use featherline_geometry::{Mesh, MeshFormat, MeshInertia};
//!
//! let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
//! let mesh = Mesh::from_bytes(MeshFormat::Obj, text)?;
//! let inertia = mesh.mass_properties(MeshInertia::Exact)?.with_density(600.0);
//! assert!((inertia.mass - 100.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aabb;
mod collision;
mod hull;
mod mass;
mod mesh;
mod read;
mod shape;
mod topology;
mod triangle;

pub use aabb::Aabb;
pub use collision::{
    Collider, CollisionError, CollisionModel, CollisionShape, CollisionWorkspace, ContactPoint,
    PairContact, PairSurvey, Placed, Separation, contact_points, distance_jacobian,
    distance_jacobian_into, separation,
};
pub use hull::HullError;
pub use mass::{Distribution, MassError, MassProperties};
pub use mesh::{InvalidMesh, Mesh, MeshInertia, convex_hull};
pub use read::{MeshError, MeshErrorKind, MeshFormat, MeshLimits, MeshOptions, Place, UpAxis};
pub use shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Plane, Polytope, Shape, Sphere};
pub use topology::Topology;
