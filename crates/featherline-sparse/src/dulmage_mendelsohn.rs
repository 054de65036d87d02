//! The Dulmage-Mendelsohn decomposition: what a pattern determines, and in which order.
//!
//! Dulmage and Mendelsohn 1958; Pothen and Fan, *Computing the block triangular form of a sparse
//! matrix*, 1990. From a maximum matching, alternating paths divide rows and columns into three
//! parts; strongly connected components divide the part that is exactly determined into blocks
//! (Tarjan 1972).

use crate::matching::Matching;
use crate::sparsity::Sparsity;
use crate::strong_components::strong_components;
use std::ops::Range;

/// A pattern divided into what is overdetermined, exactly determined and underdetermined.
///
/// With rows and columns in the orders given here the matrix is block lower triangular: what is
/// overdetermined stands first and depends on nothing else, then the blocks of the exactly
/// determined part, each depending only on those before it, and last what is underdetermined. If
/// the whole matrix is exactly determined with blocks of size one, it is triangular, and a
/// substitution in this order solves it without fill-in.
///
/// ```
/// use featherline_sparse::{DulmageMendelsohn, Sparsity};
///
/// // The second equation gives the first unknown; with it the first gives the second.
/// let pattern = Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 0)])?;
/// let parts = DulmageMendelsohn::new(&pattern);
/// assert!(parts.is_triangular());
/// assert_eq!((parts.row_order(), parts.column_order()), (vec![1, 0], vec![0, 1]));
/// # Ok::<(), featherline_sparse::SparsityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DulmageMendelsohn {
    overdetermined: Part,
    determined: Part,
    underdetermined: Part,
    /// Where each block of the determined part begins, and where the last one ends.
    blocks: Vec<usize>,
    rank: usize,
}

/// Some of the rows and columns of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Rows.
    pub rows: Vec<usize>,
    /// Columns.
    pub columns: Vec<usize>,
}

impl DulmageMendelsohn {
    /// The decomposition of a pattern.
    pub fn new(pattern: &Sparsity) -> Self {
        Self::of_rows(pattern, |_| true)
    }

    /// The decomposition of the matrix that has only the rows for which `counts` holds; the others
    /// appear in no part. Cost that of the [matching](Matching::of_rows), the rest O(entries).
    pub fn of_rows(pattern: &Sparsity, counts: impl Fn(usize) -> bool) -> Self {
        let matching = Matching::of_rows(pattern, &counts);
        let (over_row, over_column) = reached(
            pattern,
            |row| counts(row) && matching.column_of(row).is_none(),
            |_| true,
            |column| matching.row_of(column),
        );
        let (under_column, under_row) = reached(
            &pattern.transpose(),
            |column| matching.row_of(column).is_none(),
            &counts,
            |row| matching.column_of(row),
        );
        let part = |row: &[bool], column: &[bool]| Part {
            rows: (0..row.len()).filter(|&i| row[i]).collect(),
            columns: (0..column.len()).filter(|&i| column[i]).collect(),
        };
        let inner: Vec<bool> = (0..pattern.rows())
            .map(|row| counts(row) && !over_row[row] && !under_row[row])
            .collect();
        // A row points to the rows that are paired with its other columns.
        let components = strong_components(
            pattern.rows(),
            (0..pattern.rows()).filter(|&row| inner[row]),
            |row| pattern.row(row),
            |column| matching.row_of(column).filter(|&row| inner[row]),
        );
        let (mut rows, mut blocks) = (Vec::new(), vec![0]);
        for component in components {
            rows.extend(component);
            blocks.push(rows.len());
        }
        // Every row of the exactly determined part is paired: an unpaired one is overdetermined.
        let columns = rows
            .iter()
            .filter_map(|&row| matching.column_of(row))
            .collect();
        Self {
            overdetermined: part(&over_row, &over_column),
            underdetermined: part(&under_row, &under_column),
            determined: Part { rows, columns },
            blocks,
            rank: matching.rank(),
        }
    }

    /// More equations than unknowns: these columns are determined more than once, and as many of
    /// these rows are redundant as there are more rows than columns.
    pub fn overdetermined(&self) -> &Part {
        &self.overdetermined
    }

    /// As many equations as unknowns, in the order in which they can be solved.
    pub fn determined(&self) -> &Part {
        &self.determined
    }

    /// More unknowns than equations: none of these columns is determined.
    pub fn underdetermined(&self) -> &Part {
        &self.underdetermined
    }

    /// The structural rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The blocks of the exactly determined part: positions in [`determined`](Self::determined), in
    /// the order in which they can be solved.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        self.blocks.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// The size of the largest block; 0 if there is none.
    pub fn largest_block(&self) -> usize {
        self.blocks().map(|block| block.len()).max().unwrap_or(0)
    }

    /// Whether every column is exactly determined, by blocks of one row and column.
    pub fn is_triangular(&self) -> bool {
        self.overdetermined.rows.is_empty()
            && self.underdetermined.columns.is_empty()
            && self.largest_block() <= 1
    }

    /// All rows that count, in the order that makes the matrix block lower triangular.
    pub fn row_order(&self) -> Vec<usize> {
        self.parts().flat_map(|part| &part.rows).copied().collect()
    }

    /// All columns, in the order that makes the matrix block lower triangular.
    pub fn column_order(&self) -> Vec<usize> {
        let columns = self.parts().flat_map(|part| &part.columns);
        columns.copied().collect()
    }

    /// The over-, the exactly and the underdetermined part.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        [
            &self.overdetermined,
            &self.determined,
            &self.underdetermined,
        ]
        .into_iter()
    }
}

/// The rows and columns that alternating paths reach from `begins`, across admitted columns.
fn reached(
    pattern: &Sparsity,
    begins: impl Fn(usize) -> bool,
    counts: impl Fn(usize) -> bool,
    partner: impl Fn(usize) -> Option<usize>,
) -> (Vec<bool>, Vec<bool>) {
    let mut row_in: Vec<bool> = (0..pattern.rows()).map(begins).collect();
    let mut column_in = vec![false; pattern.columns()];
    let mut stack: Vec<usize> = (0..pattern.rows()).filter(|&row| row_in[row]).collect();
    while let Some(row) = stack.pop() {
        for &column in pattern.row(row).iter().filter(|&&column| counts(column)) {
            if std::mem::replace(&mut column_in[column], true) {
                continue;
            }
            if let Some(partner) = partner(column)
                && !std::mem::replace(&mut row_in[partner], true)
            {
                stack.push(partner);
            }
        }
    }
    (row_in, column_in)
}
