//! Distances of shapes, points of contact, and collision models of robots.
//!
//! [`separation`] and [`contact_points`] take two shapes; a [`Collider`] is a shape prepared for
//! them.

mod collider;
mod contact;
mod convex;
mod error;
mod expansion;
mod facets;
mod jacobian;
mod manifold;
mod model;
mod nearest;
mod pair;
mod separation;
mod stationary;
mod survey;
mod sweep;
mod tree;
mod workspace;

pub use collider::{Collider, contact_points, separation};
pub use contact::ContactPoint;
pub use error::CollisionError;
pub use jacobian::{distance_jacobian, distance_jacobian_into};
pub use model::{CollisionModel, CollisionShape};
pub use separation::Separation;
pub use survey::PairSurvey;
pub use workspace::{CollisionWorkspace, PairContact, Placed};
