//! Orders of elimination: which unknown is found from which equation, and when.

mod aba;
mod amd;
mod colamd;
mod crba;
mod dynamics;
mod markowitz;
mod minimum_degree;
mod nested_dissection;
pub(crate) mod peel;
pub(crate) mod pivoting;
mod reverse_cuthill_mckee;
mod rnea;
mod symmetrised;

pub use aba::aba;
pub use amd::amd;
pub use colamd::colamd;
pub use crba::crba;
pub use markowitz::markowitz;
pub(crate) use markowitz::{Weights, markowitz_with};
pub use minimum_degree::minimum_degree;
pub use nested_dissection::nested_dissection;
pub use pivoting::along_columns;
pub use reverse_cuthill_mckee::reverse_cuthill_mckee;
pub use rnea::rnea;

use crate::component::describe_column;
use crate::system::System;
use crate::unknown::coordinate_name;
use thiserror::Error;

/// Why a sequence of pivots is no order, or an order could not be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OrderError {
    /// There are more or fewer pivots than unknowns.
    #[error("{found} pivots were given for {expected} unknowns")]
    Size {
        /// The number of unknowns.
        expected: usize,
        /// The number of pivots.
        found: usize,
    },
    /// A row is used twice or does not exist.
    #[error("row {row} is used by two pivots, or lies outside of the matrix")]
    Row {
        /// The row.
        row: usize,
    },
    /// A column is used twice or does not exist.
    #[error("column {column} is used by two pivots, or lies outside of the matrix")]
    Column {
        /// The column.
        column: usize,
    },
    /// No equation is left that determines an unknown.
    #[error(
        "after {position} pivots no equation is left that determines column {column}: the system is singular in the \
         sampled states"
    )]
    Singular {
        /// How many pivots came before.
        position: usize,
        /// A column without a pivot.
        column: usize,
    },
    /// Inverse dynamics was asked for where an acceleration is not known.
    #[error(
        "the acceleration of coordinate {coordinate} is not known: this is no inverse dynamics"
    )]
    UnknownAcceleration {
        /// The coordinate.
        coordinate: usize,
    },
    /// The order of a recursive algorithm was asked for a problem of another kind.
    #[error(
        "row {row} does not simply fix one unknown, so that this algorithm's order does not fit; use Markowitz's, or the \
         search"
    )]
    Unfit {
        /// The row.
        row: usize,
    },
    /// The order of a recursive algorithm was asked for a robot with closed loops.
    #[error(
        "the robot has closed loops ({loops} loop joints), and this algorithm's order is one of trees; use Markowitz's, or the search"
    )]
    ClosedLoops {
        /// How many joints close loops.
        loops: usize,
    },
    /// A method gave up for want of memory.
    #[error("{name} could not order the columns: there is not enough memory")]
    Ordering {
        /// The method.
        name: &'static str,
    },
}

impl OrderError {
    /// The error with the names of what it numbers, for an order of all unknowns of a system.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{OrderError, Problem, System};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
    /// let column = system.unknowns().joint_accelerations().start;
    /// let error = OrderError::Singular { position: 3, column };
    /// assert!(error.in_words(&system).contains("no equation is left that determines q̈ of upper"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn in_words(&self, system: &System) -> String {
        match *self {
            Self::Singular { column, .. } => format!(
                "no equation is left that determines {}: the system is singular in the sampled states",
                describe_column(system, column)
            ),
            Self::UnknownAcceleration { coordinate } => format!(
                "the acceleration of {} is not known: this is no inverse dynamics",
                coordinate_name(system.model(), coordinate)
            ),
            Self::Unfit { row } => match system.describe_row(row) {
                Some(words) => format!(
                    "{words} does not simply fix one unknown, so that this algorithm's order does not fit; use Markowitz's, \
                     or the search"
                ),
                None => self.to_string(),
            },
            _ => self.to_string(),
        }
    }
}

/// A sequence of pivots: equation (row) r₁ is solved for unknown (column) c₁ and put into the others, and so on.
///
/// The rows and the columns are permutations; row and column exchanges of the matrix are the same as an order.
///
/// ```
/// use featherline_system::EliminationOrder;
///
/// let order = EliminationOrder::new(vec![(1, 0), (0, 1)])?;
/// assert_eq!(order.pivots(), [(1, 0), (0, 1)]);
/// assert!(EliminationOrder::new(vec![(1, 0), (1, 1)]).is_err());
/// # Ok::<(), featherline_system::OrderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EliminationOrder {
    pivots: Vec<(usize, usize)>,
}

impl EliminationOrder {
    /// The order of the given (row, column) pivots.
    ///
    /// # Errors
    /// [`OrderError::Row`] or [`OrderError::Column`] unless each row and each column is named once.
    pub fn new(pivots: Vec<(usize, usize)>) -> Result<Self, OrderError> {
        let n = pivots.len();
        let (mut rows, mut columns) = (vec![false; n], vec![false; n]);
        for &(row, column) in &pivots {
            if row >= n || std::mem::replace(&mut rows[row], true) {
                return Err(OrderError::Row { row });
            }
            if column >= n || std::mem::replace(&mut columns[column], true) {
                return Err(OrderError::Column { column });
            }
        }
        Ok(Self { pivots })
    }

    /// The (row, column) pivots, the first to be eliminated first.
    pub fn pivots(&self) -> &[(usize, usize)] {
        &self.pivots
    }

    /// The number of pivots.
    pub fn len(&self) -> usize {
        self.pivots.len()
    }

    /// Whether there is nothing to eliminate.
    pub fn is_empty(&self) -> bool {
        self.pivots.is_empty()
    }
}

/// The order of the pivots if they eliminate a whole system.
fn complete(system: &System, pivots: Vec<(usize, usize)>) -> Result<EliminationOrder, OrderError> {
    let (expected, found) = (system.unknowns().count(), pivots.len());
    if expected == found {
        EliminationOrder::new(pivots)
    } else {
        Err(OrderError::Size { expected, found })
    }
}
