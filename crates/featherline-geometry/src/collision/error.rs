//! Errors of distances and contacts.

use featherline::Error as ModelError;
use thiserror::Error;

/// Why shapes have no distance.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CollisionError {
    /// A size that no shape has.
    #[error("{name} of shape {shape} is {value}; it must be finite and not negative")]
    BadSize {
        /// Which of the shapes that were passed.
        shape: usize,
        /// Which size.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A mesh without triangles.
    #[error("the mesh of shape {shape} has no triangles; leave the shape out")]
    EmptyMesh {
        /// Which of the shapes that were passed.
        shape: usize,
    },
    /// A placement that is infinite or not a number.
    #[error("placement {placement} is not finite; check the configuration that it comes from")]
    BadPlacement {
        /// Which of the placements that were passed.
        placement: usize,
    },
    /// Two half-spaces whose planes do not face each other: they overlap without bound.
    #[error("two half-spaces overlap without bound unless they face each other; exclude the pair")]
    Unbounded,
    /// A distance that is not finite although sizes and placements are.
    #[error("a distance overflows: sizes or placements are too large for double precision")]
    Overflow,
    /// A number of placements that is not that of the joints, or shapes.
    #[error("there are {found} placements where the collision model needs {expected}, one a {of}")]
    PlacementCount {
        /// `joint` or `shape`.
        of: &'static str,
        /// The number of joints, the universe included, or of shapes.
        expected: usize,
        /// The number of placements.
        found: usize,
    },
    /// The index of a shape or the id of a body that does not exist.
    #[error("there is no {kind} {index}; there are {count}")]
    Missing {
        /// `shape` or `joint`.
        kind: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A pair of a shape with itself.
    #[error("shape {shape} cannot collide with itself; name two shapes")]
    SameShape {
        /// The index of the shape.
        shape: usize,
    },
    /// A workspace that was made for another collision model.
    #[error(
        "the workspace was made for another collision model; make one with `CollisionWorkspace::new(&model)`"
    )]
    WorkspaceMismatch,
    /// An error of the robot's kinematics.
    #[error(transparent)]
    Kinematics(#[from] ModelError),
}
