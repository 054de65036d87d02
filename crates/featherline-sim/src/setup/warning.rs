//! Warnings of parts of a robot that act otherwise than its file says, or not at all.

use crate::contact::InGround;
use featherline_formats::Warning;
use thiserror::Error;

/// Something that a caller should know before the simulation begins.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetupWarning {
    /// Something of the file that is left out or changed.
    #[error("{0}")]
    File(Warning),
    /// A robot that nothing holds.
    #[error(
        "`{0}` has no collision shapes that are read: no ground holds it, and it falls. Add such shapes to its file, or ask for no ground"
    )]
    Falls(String),
    /// A shape that begins in a ground.
    #[error(transparent)]
    InGround(InGround),
    /// Two shapes that overlap at the start, and are put apart.
    #[error(
        "`{}` and `{}` overlap by {depth:.2e} m at the start, and are put apart in the first step",
        .shapes[0],
        .shapes[1]
    )]
    Overlap {
        /// The names of the shapes.
        shapes: [String; 2],
        /// How deep they reach into each other, in m.
        depth: f64,
    },
    /// Pairs of shapes that overlap in every configuration, and do not touch each other.
    #[error(
        "shapes overlap wherever their joints are, and do not touch each other: `{}` and `{}`{}",
        .0[0][0],
        .0[0][1],
        more(.0.len() - 1)
    )]
    LeftOut(Vec<[String; 2]>),
    /// Bodies that the user moves stand, since the method does not have them.
    #[error(
        "{method} has no bodies that are moved (`mocap`): they stand, and pull nothing. `time-stepping` has them"
    )]
    NotMoved {
        /// The method, which follows from what was asked for.
        method: &'static str,
    },
    /// Pairs of shapes pass through each other, since the method has no contacts.
    #[error(
        "{method} has no contacts: {pairs} pairs of shapes may pass through each other. `time-stepping` has contacts"
    )]
    PassThrough {
        /// The method, which follows from what was asked for.
        method: &'static str,
        /// How many pairs may touch.
        pairs: usize,
    },
    /// A tendon that begins beyond its range, and is pulled back.
    #[error(
        "the tendon `{name}` begins {beyond:.2e} m (rad) beyond its range, and comes back at 0.1 m/s (rad/s)"
    )]
    TendonBeyond {
        /// Its name.
        name: String,
        /// By how much its length is beyond.
        beyond: f64,
    },
    /// Tendons and equalities of lengths exert no forces, since the method has none.
    #[error("{0} has no tendons, and the file's exert no forces. `time-stepping` has tendons")]
    Slack(&'static str),
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => ", and one pair more".to_owned(),
        more => format!(", and {more} pairs more"),
    }
}
