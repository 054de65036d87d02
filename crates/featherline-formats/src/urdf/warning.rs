//! Warnings about a URDF.

use crate::Location;
use featherline::model::ModelWarning;
use std::fmt;
use thiserror::Error;

/// A warning: something in the file is doubtful or not used.
#[derive(Clone, Debug, PartialEq)]
pub struct UrdfWarning {
    /// Where in the file.
    pub location: Location,
    /// What is doubtful there.
    pub cause: UrdfWarningCause,
}

impl fmt::Display for UrdfWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.cause)
    }
}

/// What a warning is about.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum UrdfWarningCause {
    /// An element, an attribute or text is not used. There is one warning for each kind, at its
    /// first position.
    #[error("{what} is not used{}", times(*.count))]
    Unused {
        /// What is not used, such as "`<visual>` in `<link>`".
        what: String,
        /// How often.
        count: usize,
    },
    /// The robot has no name.
    #[error("the robot has no name; it is called `robot`")]
    NoRobotName,
    /// A revolute or prismatic joint has no limits.
    #[error("the joint has no `<limit>`, which its type needs; it is taken as unbounded")]
    NoLimit,
    /// A limit lacks a bound on speed or effort.
    #[error("the limit has no `{attribute}`; it is taken as unbounded")]
    NoBound {
        /// The attribute.
        attribute: &'static str,
    },
    /// A limit has neither a lower nor an upper bound.
    #[error(
        "the limit has neither `lower` nor `upper`; both are 0 in URDF, and the joint has no range"
    )]
    NoRange,
    /// A warning of the model's builder.
    #[error("{0}")]
    Model(ModelWarning),
}

fn times(count: usize) -> String {
    match count {
        1 => String::new(),
        more => format!(" ({more} times, first here)"),
    }
}
