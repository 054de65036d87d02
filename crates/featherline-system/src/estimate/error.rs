//! Errors of estimation.

use crate::error::SystemError;
use crate::names::shortest;
use thiserror::Error;

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The system can't be assembled.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A reading of a sensor that is on is infinite or not a number.
    #[error(
        "reading {reading} of sensor `{sensor}` is not a finite number; switch the sensor off as long as it fails"
    )]
    Measurement {
        /// The sensor's name.
        sensor: String,
        /// Which of its readings.
        reading: usize,
    },
    /// The equations, knowns, sensors and priors do not determine a direction of the unknowns.
    #[error(
        "the equations and the sensors that are on do not determine {unknown}, not even together with the unknowns \
         eliminated before it; add a sensor, or a prior"
    )]
    Unobservable {
        /// An unknown in the direction, in words.
        unknown: String,
        /// Its column.
        column: usize,
    },
    /// Exact knowns contradict each other or the equations of motion.
    #[error(
        "what is exactly known contradicts itself or the equations of motion: {row} can't be met together, by {} \
         of the terms; leave one of the knowns out, or give it a standard deviation",
        shortest(*by)
    )]
    Contradiction {
        /// The contradicting rows, in words: knowns and exact sensors, each with what it says.
        row: String,
        /// By how much of the largest numbers that it came from.
        by: f64,
    },
    /// A variance is not a positive number, or so small or large that its inverse is none.
    #[error(
        "the variance of {what} is {}; it must be positive, and so must be its inverse",
        shortest(*variance)
    )]
    Variance {
        /// Whose variance.
        what: String,
        /// The variance that was given.
        variance: f64,
    },
    /// Two priors of the same unknown.
    #[error("the prior of {unknown} is that of `{prior}`, and there can't be another one")]
    PriorTwice {
        /// The unknown, in words.
        unknown: String,
        /// The quantity of the prior that stays.
        prior: String,
    },
    /// A prior's mean is infinite or not a number.
    #[error("the prior mean of {unknown} is {}; it must be a finite number", shortest(*mean))]
    Mean {
        /// The unknown, in words.
        unknown: String,
        /// The mean that was given.
        mean: f64,
    },
    /// A variance came out of the estimate that is none.
    #[error(
        "the variance of {unknown} comes out as {}, of which too much is rounding: nothing determines it, or the \
         variances of sensors, equations and priors lie too far apart for double precision; add a sensor, or bring them \
         closer together",
        shortest(*variance)
    )]
    Digits {
        /// The unknown, in words.
        unknown: String,
        /// The computed variance.
        variance: f64,
    },
    /// The estimate is inaccurate.
    #[error(
        "the estimate of {unknown} still changes by {} of itself where it is corrected by what it leaves of the equations: masses \
         or lengths of the robot, or deviations, lie too far apart for double precision",
        shortest(*by)
    )]
    Inaccurate {
        /// The unknown, in words.
        unknown: String,
        /// The share that changes.
        by: f64,
    },
    /// Deviations lie too far apart, beside readings that are far off.
    #[error(
        "double precision is not enough for the most probable unknowns: the deviations of {finest} and of {coarsest} lie too far apart for \
         readings as far off as these; bring them closer together, or switch the sensor off that is wrong"
    )]
    FarApart {
        /// The row with the least deviation, in words.
        finest: String,
        /// The row with the largest.
        coarsest: String,
    },
    /// There is no such row or column.
    #[error("there is no {what} {index} in the system, which has {count}")]
    OutOfRange {
        /// The kind of the index: of a row, a column, a sensor or an input.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The order of elimination could not be found.
    #[error("the unknowns could not be ordered: there is not enough memory")]
    Ordering,
}
