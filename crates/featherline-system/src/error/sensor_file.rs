//! Faults of a file of sensors, and their positions.

use super::SystemError;
use featherline::model::UnknownName;
use featherline::words::closest;
use thiserror::Error;

/// Why a file of sensors cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct SensorFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault.
    pub fault: SensorFileFault,
}

/// A fault of a file of sensors.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SensorFileFault {
    /// Not TOML, or not of the expected shape.
    #[error("{0}")]
    Syntax(String),
    /// A word that means nothing here.
    #[error("there is no {what} `{found}`{}", remedy(.hint.as_deref(), .known))]
    UnknownWord {
        /// The kind of word.
        what: &'static str,
        /// The word that was found.
        found: String,
        /// A suggestion of the word that is meant.
        hint: Option<String>,
        /// Those that exist.
        known: Vec<String>,
    },
    /// A key that a type of sensor needs.
    #[error("a sensor of type `{kind}` needs `{key}`")]
    Missing {
        /// The key.
        key: &'static str,
        /// The type.
        kind: String,
    },
    /// A list of joints without a joint.
    #[error("sensor `{name}` has no joints: {why}. Name at least one")]
    NoJoints {
        /// The sensor's name.
        name: String,
        /// Why there are none.
        why: &'static str,
    },
    /// Two keys that say the same.
    #[error("both `joint` and `joints` are given. Keep one")]
    JointTwice,
    /// A list of standard deviations that does not fit the joints.
    #[error("`sigma` has {found} entries, and the joints have {expected} readings together")]
    SigmaCount {
        /// How many readings there are.
        expected: usize,
        /// How many deviations were given.
        found: usize,
    },
    /// A covariance of sensors that have independent errors.
    #[error(
        "`joints` makes one sensor for each joint, whose errors are independent, so that it has no `covariance`. Give \
         `sigma`, or one sensor for each joint"
    )]
    CovarianceOfJoints,
    /// A load cell that is not two numbers.
    #[error("a position has two numbers, x and y in the frame's plane, and this one has {count}")]
    NoPosition {
        /// How many numbers there are.
        count: usize,
    },
    /// A key that a type of sensor has no use for.
    #[error("a sensor of type `{kind}` has no `{key}`")]
    Unused {
        /// The key.
        key: &'static str,
        /// The type.
        kind: String,
    },
    /// A prior that assumes nothing.
    #[error("the prior of `{of}` needs `sigma` or `covariance`")]
    NoPrior {
        /// The quantity of the prior.
        of: String,
    },
    /// Both forms of the error.
    #[error("both `sigma` and `covariance` are given; keep one")]
    TwoErrors,
    /// Rows that make no matrix.
    #[error(
        "row {row} of `covariance` has {found} entries, and there are {rows} rows; a covariance is square"
    )]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// How long it is.
        found: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A word that stands there already.
    #[error("`{word}` stands there twice")]
    Repeated {
        /// The word.
        word: String,
    },
    /// A sensor has no name, or one that means something else in a sample.
    #[error("a sensor can't be named `{name}`: {meaning}; give it another name")]
    Reserved {
        /// The name.
        name: String,
        /// The meaning of that name.
        meaning: &'static str,
    },
    /// Something is said of a floating base, and the base is fixed.
    #[error(
        "nothing floats freely, so that `{word}` says nothing; read the robot with a floating base, or leave the word out"
    )]
    NoFreeBase {
        /// The word.
        word: String,
    },
    /// A name that the robot does not have.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A sensor or a prior that the robot cannot have.
    #[error(transparent)]
    Sensor(#[from] SystemError),
}

impl SensorFileFault {
    /// The error of a word, with the most similar one: of `tau:JOINT` by the part before the colon.
    pub(crate) fn unknown_word(what: &'static str, found: &str, known: &[&str]) -> Self {
        fn kind(word: &str) -> &str {
            word.split(':').next().unwrap_or_default()
        }
        let near = closest(kind(found), known.iter().map(|word| kind(word)));
        let near = known.iter().filter(|word| Some(kind(word)) == near);
        let meant = near.max_by_key(|word| word.contains(':') == found.contains(':'));
        Self::UnknownWord {
            what,
            found: found.to_owned(),
            hint: meant.map(|word| format!("did you mean `{word}`?")),
            known: known.iter().map(|word| (*word).to_owned()).collect(),
        }
    }
}

/// The remedy behind an unknown word: a suggestion of the word that is meant, and all words.
fn remedy(hint: Option<&str>, known: &[String]) -> String {
    let known = known.join(", ");
    match hint {
        Some(hint) if hint.ends_with('?') => format!("; {hint} There are {known}"),
        Some(hint) => format!("; {hint}. There are {known}"),
        None => format!("; there are {known}"),
    }
}
