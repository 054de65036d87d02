//! General sparse LU factorisation, which exchanges rows for the state's numbers.

use crate::length::{LengthError, check_length};
use crate::sparsity::Sparsity;
use faer::MatMut;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use nalgebra::DMatrix;
use std::sync::Arc;
use thiserror::Error;

/// Why a general factorisation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GeneralError {
    /// There is not enough memory, or the matrix is too large.
    #[error("the sparse factorisation failed: there is not enough memory for it")]
    Memory,
    /// The matrix has no inverse, whatever its numbers.
    #[error("the matrix is structurally singular: no equation is left for pivot {position}")]
    Structure {
        /// How many pivots were found.
        position: usize,
    },
    /// The matrix has no inverse in this state.
    #[error("the matrix is singular in this state")]
    Singular,
    /// A list of numbers has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
}

/// A sparse LU factorisation with row exchanges, whose column order and bounds on fill-in are found
/// once for a pattern.
///
/// It serves every regular matrix, allocates at every state, and is several times slower than an
/// [`Elimination`](crate::Elimination). The work is done by faer.
pub struct GeneralLu {
    pattern: Arc<Sparsity>,
    transposed: Sparsity,
    /// For each entry by columns, its number by rows.
    from: Vec<usize>,
    symbolic: SymbolicLu<usize>,
    values: Vec<f64>,
}

impl GeneralLu {
    /// The analysis of a square pattern.
    ///
    /// # Errors
    /// [`GeneralError::Memory`], and [`GeneralError::Length`] for a pattern that is not square.
    ///
    /// ```
    /// use featherline_sparse::{GeneralLu, Sparsity};
    /// use std::sync::Arc;
    ///
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 1), (1, 0), (1, 1)])?);
    /// let mut x = [0.0; 2];
    /// GeneralLu::new(pattern)?.solve(&[2.0, 1.0, 1.0], &[6.0, 4.0], &mut x)?;
    /// assert_eq!(x, [1.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(pattern: Arc<Sparsity>) -> Result<Self, GeneralError> {
        check_length("the columns", pattern.rows(), pattern.columns())?;
        let transposed = pattern.transpose();
        let from: Option<Vec<usize>> = transposed
            .iter()
            .map(|(column, row)| pattern.position(row, column))
            .collect();
        let symbolic = SymbolicLu::try_new(by_columns(&transposed));
        Ok(Self {
            values: vec![0.0; pattern.entries()],
            from: from.ok_or(GeneralError::Memory)?,
            symbolic: symbolic.map_err(|_| GeneralError::Memory)?,
            transposed,
            pattern,
        })
    }

    /// Factorises the matrix with the given values, in the order of the pattern's entries, and
    /// solves.
    ///
    /// # Errors
    /// [`GeneralError`]. A solution that is not finite counts as singular.
    pub fn solve(
        &mut self,
        values: &[f64],
        known: &[f64],
        unknowns: &mut [f64],
    ) -> Result<(), GeneralError> {
        let n = self.pattern.rows();
        check_length("the right-hand side", n, known.len())?;
        check_length("the list of unknowns", n, unknowns.len())?;
        let factors = self.factorise(values)?;
        unknowns.copy_from_slice(known);
        let columns = MatMut::from_column_major_slice_mut(unknowns, n, 1);
        factors.0.solve_in_place(columns);
        if unknowns.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(GeneralError::Singular)
        }
    }

    /// The factors of the matrix with the given values, to solve with many right-hand sides.
    ///
    /// # Errors
    /// [`GeneralError`].
    pub fn factorise(&mut self, values: &[f64]) -> Result<LuFactors, GeneralError> {
        check_length("the list of values", self.from.len(), values.len())?;
        for (value, &from) in self.values.iter_mut().zip(&self.from) {
            *value = values[from];
        }
        let matrix = SparseColMatRef::new(by_columns(&self.transposed), &self.values);
        let factors = Lu::try_new_with_symbolic(self.symbolic.clone(), matrix);
        factors.map(LuFactors).map_err(|error| match error {
            faer::sparse::linalg::LuError::SymbolicSingular { index } => {
                GeneralError::Structure { position: index }
            }
            faer::sparse::linalg::LuError::Generic(_) => GeneralError::Memory,
        })
    }
}

/// The L and U factors of one matrix.
pub struct LuFactors(Lu<usize, f64>);

impl LuFactors {
    /// Overwrites each right-hand side, one a column, by its solution.
    ///
    /// # Panics
    /// If the columns are not as long as the matrix has rows.
    ///
    /// ```
    /// use featherline_sparse::{GeneralLu, Sparsity};
    /// use nalgebra::DMatrix;
    /// use std::sync::Arc;
    ///
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 1), (1, 0)])?);
    /// let factors = GeneralLu::new(pattern)?.factorise(&[2.0, 4.0])?;
    /// let mut columns = DMatrix::from_row_slice(2, 2, &[2.0, 4.0, 4.0, 4.0]);
    /// factors.solve_in_place(&mut columns);
    /// assert_eq!(columns, DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 2.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_in_place(&self, columns: &mut DMatrix<f64>) {
        let (rows, count) = columns.shape();
        let slice = columns.as_mut_slice();
        self.0
            .solve_in_place(MatMut::from_column_major_slice_mut(slice, rows, count));
    }
}

/// A matrix by columns is its transpose by rows.
fn by_columns(transposed: &Sparsity) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        transposed.columns(),
        transposed.rows(),
        transposed.starts(),
        None,
        transposed.indices(),
    )
}
