//! Distances of shapes, points of contact, and collision models of robots.
//!
//! [`separation`] and [`contact_points`] take two shapes; a [`Collider`] is a shape prepared for
//! them. A [`CollisionModel`] holds the shapes of a robot and the pairs that are tested, a
//! [`CollisionWorkspace`] the memory of queries.
//!
//! From the bottom: `convex` reads shapes as cores with a radius. `pair` has the closed forms, a
//! file a pair. `nearest` (GJK), `expansion` (EPA) and `stationary` (Newton) find the nearest
//! points of any two cores, apart or overlapping. `flush` knows edges that pass, `manifold` clips
//! faces to points of contact, and `reduction` keeps a few of many. `collider` is the table of all
//! pairs. `sweep` finds the pairs that are near.

mod collider;
mod contact;
mod convex;
mod error;
mod expansion;
mod facets;
mod flush;
mod jacobian;
mod manifold;
mod model;
mod nearest;
mod oriented_box;
mod pair;
mod reduction;
mod separation;
mod sizes;
mod stationary;
mod survey;
mod sweep;
mod touch;
mod tree;
mod two_shapes;
mod workspace;

pub use collider::Collider;
pub use contact::ContactPoint;
pub use error::CollisionError;
pub use jacobian::{distance_jacobian, distance_jacobian_into};
pub use model::{CollisionModel, CollisionShape};
pub use separation::Separation;
pub use survey::PairSurvey;
pub use two_shapes::{contact_points, separation};
pub use workspace::{CollisionWorkspace, PairContact, Placed};
