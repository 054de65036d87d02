//! Where a matrix has entries, and matrices with such a pattern.
//!
//! Compressed sparse rows (Davis 2006, section 2.1): the columns of row i stand, ascending and each
//! once, in `indices[starts[i]..starts[i + 1]]`, and the values of a matrix in the same order.

use featherline::scalar::Scalar;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// A sum that is this share of its terms or less is rounding of zero.
const ROUNDING: f64 = 1e-10;

/// Why numbers do not describe a pattern or a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SparsityError {
    /// An entry lies outside of the matrix.
    #[error("the entry ({row}, {column}) lies outside of a {rows} × {columns} matrix")]
    OutOfBounds {
        /// The entry's row.
        row: usize,
        /// The entry's column.
        column: usize,
        /// How many rows the matrix has.
        rows: usize,
        /// How many columns the matrix has.
        columns: usize,
    },
    /// There are more or fewer values than entries.
    #[error("{found} values were given where the pattern has {expected} entries")]
    ValueCount {
        /// The entries of the pattern.
        expected: usize,
        /// The values that were given.
        found: usize,
    },
}

/// The pattern of a sparse matrix: its size, and which entries may differ from zero.
///
/// ```
/// use featherline_sparse::Sparsity;
///
/// let pattern = Sparsity::new(2, 3, [(1, 0), (0, 2), (0, 1)])?;
/// assert_eq!(pattern.row(0), [1, 2]);
/// assert_eq!(pattern.position(1, 0), Some(2));
/// assert_eq!(pattern.position(1, 1), None);
/// # Ok::<(), featherline_sparse::SparsityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sparsity {
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
}

impl Sparsity {
    /// The pattern of a matrix with `rows` rows and `columns` columns that has the given (row,
    /// column) entries, in any order; what is named twice is one entry. Cost O(n log n).
    ///
    /// # Errors
    /// [`SparsityError::OutOfBounds`].
    pub fn new(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, SparsityError> {
        let mut entries: Vec<(usize, usize)> = entries.into_iter().collect();
        let outside = |&&(row, column): &&(usize, usize)| row >= rows || column >= columns;
        if let Some(&(row, column)) = entries.iter().find(outside) {
            return Err(SparsityError::OutOfBounds {
                row,
                column,
                rows,
                columns,
            });
        }
        entries.sort_unstable();
        entries.dedup();
        let mut starts = vec![0; rows + 1];
        for &(row, _) in &entries {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Ok(Self {
            columns,
            starts,
            indices: entries.into_iter().map(|(_, column)| column).collect(),
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Where each row begins in [`indices`](Self::indices), and, last, where the last row ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all entries, row by row.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Which entries belong to a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns of a row's entries, ascending.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[usize] {
        &self.indices[self.row_range(row)]
    }

    /// The number of an entry, counted row by row; none if the matrix is zero there. Cost O(log n).
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        if row >= self.rows() {
            return None;
        }
        let within = self.row(row).binary_search(&column).ok()?;
        Some(self.starts[row] + within)
    }

    /// The (row, column) of all entries, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |&column| (row, column)))
    }

    /// The product of a matrix that has these values in the order of the entries, and a vector.
    ///
    /// ```
    /// use featherline_sparse::Sparsity;
    ///
    /// let pattern = Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 1)])?;
    /// assert_eq!(pattern.times(&[1.0, 2.0, 3.0], &[1.0, 10.0]), [21.0, 30.0]);
    /// # Ok::<(), featherline_sparse::SparsityError>(())
    /// ```
    ///
    /// # Panics
    /// If there are fewer values than entries, or the vector is shorter than the matrix is wide.
    pub fn times<S: Scalar>(&self, values: &[S], vector: &[S]) -> Vec<S> {
        let mut product = vec![S::zero(); self.rows()];
        for (entry, (row, column)) in self.iter().enumerate() {
            product[row] = values[entry].mul_add(vector[column], product[row]);
        }
        product
    }

    /// The pattern of the transposed matrix.
    pub fn transpose(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for &column in &self.indices {
            starts[column + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; self.entries()];
        for (row, column) in self.iter() {
            indices[next[column]] = row;
            next[column] += 1;
        }
        Self {
            columns: self.rows(),
            starts,
            indices,
        }
    }
}

/// A sparse matrix: a pattern, which may be shared, and one value for each of its entries.
///
/// ```
/// use featherline_sparse::{SparseMatrix, Sparsity};
/// use std::sync::Arc;
///
/// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 1)])?);
/// let matrix = SparseMatrix::new(pattern, vec![1.0, 2.0, 3.0])?;
/// assert_eq!(matrix.get(0, 1), 2.0);
/// assert_eq!(matrix.get(1, 0), 0.0);
/// assert_eq!(matrix.times(&[1.0, 10.0]), [21.0, 30.0]);
/// # Ok::<(), featherline_sparse::SparsityError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<S> {
    pattern: Arc<Sparsity>,
    values: Vec<S>,
}

impl<S: Scalar> SparseMatrix<S> {
    /// A matrix with the given values, in the order of the pattern's entries.
    ///
    /// # Errors
    /// [`SparsityError::ValueCount`].
    pub fn new(pattern: Arc<Sparsity>, values: Vec<S>) -> Result<Self, SparsityError> {
        if values.len() != pattern.entries() {
            return Err(SparsityError::ValueCount {
                expected: pattern.entries(),
                found: values.len(),
            });
        }
        Ok(Self { pattern, values })
    }

    /// A matrix of (row, column, value), in any order; values at the same place are added. Cost
    /// O(n log n).
    ///
    /// ```
    /// use featherline_sparse::SparseMatrix;
    ///
    /// let matrix = SparseMatrix::from_entries(2, 2, [(1, 0, 1.0), (0, 1, 3.0), (1, 0, 2.0)])?;
    /// assert_eq!(matrix.values(), [3.0, 3.0]);
    /// # Ok::<(), featherline_sparse::SparsityError>(())
    /// ```
    ///
    /// # Errors
    /// [`SparsityError::OutOfBounds`].
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, S)>,
    ) -> Result<Self, SparsityError> {
        let mut sums = BTreeMap::new();
        for (row, column, value) in entries {
            let sum = sums.entry((row, column)).or_insert(S::zero());
            *sum += value;
        }
        let pattern = Sparsity::new(rows, columns, sums.keys().copied())?;
        Self::new(Arc::new(pattern), sums.into_values().collect())
    }

    /// Where the matrix has entries.
    pub fn sparsity(&self) -> &Arc<Sparsity> {
        &self.pattern
    }

    /// The values, in the order of the pattern's entries.
    pub fn values(&self) -> &[S] {
        &self.values
    }

    /// The value at a row and a column, zero where the pattern has no entry. Cost O(log n).
    pub fn get(&self, row: usize, column: usize) -> S {
        match self.pattern.position(row, column) {
            Some(entry) => self.values[entry],
            None => S::zero(),
        }
    }

    /// The (row, column, value) of all entries, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, S)> + '_ {
        let entries = self.pattern.iter().zip(&self.values);
        entries.map(|((row, column), &value)| (row, column, value))
    }

    /// The product with a vector that has an entry for each column.
    ///
    /// # Panics
    /// If the vector is shorter than the matrix is wide.
    pub fn times(&self, vector: &[S]) -> Vec<S> {
        self.pattern.times(&self.values, vector)
    }
}

impl SparseMatrix<f64> {
    /// The product with a matrix on the right. Terms that cancel but for rounding (1e-10 of their
    /// sizes) leave no entry.
    ///
    /// ```
    /// use featherline_sparse::SparseMatrix;
    ///
    /// let left = SparseMatrix::from_entries(1, 2, [(0, 0, 0.1), (0, 1, -0.3)])?;
    /// let right = SparseMatrix::from_entries(2, 2, [(0, 0, 3.0), (1, 0, 1.0), (1, 1, 2.0)])?;
    /// let product = left.product(&right);
    /// assert_eq!(product.values(), [-0.6]);
    /// assert_eq!(product.sparsity().row(0), [1]);
    /// # Ok::<(), featherline_sparse::SparsityError>(())
    /// ```
    ///
    /// # Panics
    /// If the matrix on the right has fewer rows than this one has columns.
    pub fn product(&self, right: &Self) -> Self {
        let terms = self.iter().flat_map(|(row, k, value)| {
            let entries = right.pattern.row_range(k);
            entries.map(move |entry| {
                let column = right.pattern.indices[entry];
                (row, column, value * right.values[entry])
            })
        });
        let terms: Vec<_> = terms.collect();
        let sizes = terms
            .iter()
            .map(|&(row, column, term)| (row, column, term.abs()));
        let sum = |entries| {
            // The places are those of a row on the left and a column on the right.
            Self::from_entries(self.pattern.rows(), right.pattern.columns(), entries)
                .expect("inside")
        };
        let sizes: Self = sum(sizes.collect());
        let sums = sum(terms);
        let entries = sums.iter().zip(&sizes.values);
        let entries = entries.filter(|(sum, size)| sum.2.abs() > ROUNDING * **size);
        sum(entries.map(|(sum, _)| sum).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_merged() {
        let entries = [(2, 1), (0, 3), (2, 0), (0, 3), (2, 1)];
        let pattern = Sparsity::new(3, 4, entries).expect("all entries are inside");
        assert_eq!(pattern.starts(), [0, 1, 1, 3]);
        assert_eq!(pattern.indices(), [3, 0, 1]);
        let listed: Vec<_> = pattern.iter().collect();
        assert_eq!(listed, [(0, 3), (2, 0), (2, 1)]);
        for (position, &(row, column)) in listed.iter().enumerate() {
            assert_eq!(pattern.position(row, column), Some(position));
        }
        assert_eq!(pattern.position(1, 0), None);
        assert_eq!(pattern.position(7, 0), None);
    }

    #[test]
    fn entries_outside_are_refused() {
        for entry in [(3, 0), (0, 4)] {
            let refused = Sparsity::new(3, 4, [entry]);
            assert!(matches!(refused, Err(SparsityError::OutOfBounds { .. })));
        }
    }

    #[test]
    fn transposing_mirrors_every_entry() {
        let pattern = Sparsity::new(3, 4, [(0, 3), (1, 1), (2, 0), (2, 3)]).expect("inside");
        let mirrored: Vec<_> = pattern.iter().map(|(row, column)| (column, row)).collect();
        assert_eq!(
            pattern.transpose(),
            Sparsity::new(4, 3, mirrored).expect("inside")
        );
        assert_eq!(pattern.transpose().transpose(), pattern);
    }

    #[test]
    fn a_matrix_needs_a_value_for_each_entry() {
        let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (1, 1)]).expect("inside"));
        let refused = SparseMatrix::new(pattern, vec![1.0]);
        assert_eq!(
            refused,
            Err(SparsityError::ValueCount {
                expected: 2,
                found: 1
            })
        );
    }
}
