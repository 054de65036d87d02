//! Orders of elimination: which unknown is found from which equation, and when.
//!
//! | order | idea | source |
//! |---|---|---|
//! | [`markowitz`] | the pivot that changes the fewest entries, with a threshold on its size | Markowitz 1957 |
//! | [`minimum_degree`] | the unknown with the fewest neighbours | Rose 1972 |
//! | [`amd`] | approximate minimum degree | Amestoy, Davis and Duff 1996 |
//! | [`colamd`] | approximate minimum degree of the columns | Davis, Gilbert, Larimore and Ng 2004 |
//! | [`nested_dissection`] | separators last | George 1973 |
//! | [`reverse_cuthill_mckee`] | breadth first, backwards: a narrow band | Cuthill and McKee 1969 |
//! | [`along_columns`] | a given order of columns, the sparsest sound row for each | |
//!
//! All of them remove the triangular part first ([`peel`]): rows with one unknown left, and
//! unknowns left in one row.

mod amd;
mod colamd;
mod markowitz;
mod minimum_degree;
mod nested_dissection;
mod peel;
mod pivoting;
mod reverse_cuthill_mckee;
mod symmetrised;

pub use amd::{amd, amd_of_graph};
pub use colamd::colamd;
pub use markowitz::{Weights, markowitz, markowitz_with};
pub use minimum_degree::minimum_degree;
pub use nested_dissection::nested_dissection;
pub use peel::{Peeled, peel};
pub use pivoting::{THRESHOLD, along_columns};
pub use reverse_cuthill_mckee::reverse_cuthill_mckee;

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
    /// The order of a special algorithm was requested for a problem that it does not fit.
    #[error("this order does not apply: {reason}")]
    NotApplicable {
        /// The first row that does not fit; none if the whole problem does not.
        row: Option<usize>,
        /// Why it does not apply, and what to do instead.
        reason: &'static str,
    },
    /// The ordering ran out of memory.
    #[error("{name} could not order the columns: there is not enough memory")]
    Ordering {
        /// The method.
        name: &'static str,
    },
}

/// A sequence of pivots: equation (row) r₁ is solved for unknown (column) c₁ and put into the
/// others, and so on.
///
/// The rows and the columns are permutations; row and column exchanges of the matrix are the same
/// as an order.
///
/// ```
/// use featherline_sparse::EliminationOrder;
///
/// let order = EliminationOrder::new(vec![(1, 0), (0, 1)])?;
/// assert_eq!(order.pivots(), [(1, 0), (0, 1)]);
/// assert!(EliminationOrder::new(vec![(1, 0), (1, 1)]).is_err());
/// # Ok::<(), featherline_sparse::OrderError>(())
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
