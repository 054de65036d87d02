//! The forms in which featherline offers a call.

use std::fmt;

/// One state after the other, or all states at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One state after the other, in double precision.
    Single,
    /// All states in one batch on one thread, in double precision.
    BatchDouble,
    /// All states in one batch on one thread, in single precision.
    BatchSingle,
}

impl Form {
    /// All forms.
    pub const ALL: &[Self] = &[Self::Single, Self::BatchDouble, Self::BatchSingle];

    /// The batches.
    pub const BATCHES: &[Self] = &[Self::BatchDouble, Self::BatchSingle];

    /// The name of a call in this form in the protocol.
    pub fn request(self, call: &str) -> String {
        match self {
            Self::Single => call.to_owned(),
            Self::BatchDouble => format!("{call}:batch_f64"),
            Self::BatchSingle => format!("{call}:batch_f32"),
        }
    }

    /// How far answers in this form may differ from those in double precision, relative to their greatest entry.
    pub fn tolerance(self) -> f64 {
        match self {
            Self::Single | Self::BatchDouble => 1e-9,
            // Some hundreds of roundings: forces of a whole robot add up in its base.
            Self::BatchSingle => 1e-4,
        }
    }

    /// The distance from 1 to the next larger number.
    pub fn epsilon(self) -> f64 {
        match self {
            Self::Single | Self::BatchDouble => f64::EPSILON,
            Self::BatchSingle => f64::from(f32::EPSILON),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "single state",
            Self::BatchDouble => "batch, f64",
            Self::BatchSingle => "batch, f32",
        })
    }
}
