//! The factors as matrices, to be looked at.

use super::analysis::{Elimination, Step, part};
use super::numeric::Factors;
use crate::active::PivotScaling;
use featherline::scalar::Scalar;

/// The factors of a matrix A with rows and columns in the order P A Q of the pivots:
/// P A Q = L U + R.
///
/// L is lower and U upper triangular. Both are block diagonal, for each diagonal block is
/// eliminated by itself. R holds the entries of A that join two blocks, all of them below the
/// diagonal. An order that makes A triangular has blocks of one pivot: then U is the identity, and
/// L + R is P A Q itself.
///
/// Entries are (row, column, value), counted from 0 in the order of the pivots; none is named
/// twice.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangularFactors<S> {
    /// The row and column of A of each pivot, in the order in which blocks are solved.
    pub pivots: Vec<(usize, usize)>,
    /// The diagonal block of each pivot.
    pub blocks: Vec<usize>,
    /// L, with its diagonal.
    pub lower: Vec<(usize, usize, S)>,
    /// U, with its diagonal; for each pivot, the diagonal of L or that of U is 1.
    pub upper: Vec<(usize, usize, S)>,
    /// R.
    pub coupling: Vec<(usize, usize, S)>,
}

impl<S: Scalar> Factors<S> {
    /// The factors of the matrix that was factorised last, as matrices: for files and for looking
    /// at what an order does. Cost O(entries and fill-in).
    ///
    /// ```
    /// use featherline_sparse::{Elimination, EliminationOrder, Sparsity, Symbol, Template};
    /// use std::sync::Arc;
    ///
    /// // [2 1; 1 3] = [1 0; ½ 1] [2 1; 0 2½]
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)])?);
    /// let values = vec![2.0, 1.0, 1.0, 3.0];
    /// let right = vec![Symbol::Variable; 2];
    /// let template = Template::new(pattern, vec![Symbol::Variable; 4], right, &[values.clone()])?;
    /// let order = EliminationOrder::new(vec![(0, 0), (1, 1)])?;
    /// let elimination = Elimination::new(&template, &order)?;
    /// let mut factors = elimination.factors::<f64>();
    /// factors.factorize(&elimination, &values)?;
    /// let matrices = factors.triangular(&elimination);
    /// assert_eq!(matrices.lower, [(0, 0, 1.0), (1, 0, 0.5), (1, 1, 2.5)]);
    /// assert_eq!(matrices.upper, [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 1.0)]);
    /// assert!(matrices.coupling.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn triangular(&self, elimination: &Elimination) -> TriangularFactors<S> {
        let n = elimination.order.len();
        let (mut row_at, mut column_at) = (vec![0; n], vec![0; n]);
        for (k, step) in elimination.steps.iter().enumerate() {
            (row_at[step.row as usize], column_at[step.column as usize]) = (k, k);
        }
        let value = |slot: u32| self.slots()[slot as usize];
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (k, step) in elimination.steps.iter().enumerate() {
            let [of_lower, of_upper] = diagonal(step, value(step.pivot));
            lower.push((k, k, of_lower));
            upper.push((k, k, of_upper));
            for &(row, slot) in part(&elimination.lower, &step.lower) {
                lower.push((row_at[row as usize], k, value(slot)));
            }
            for &(column, slot) in part(&elimination.upper, &step.upper) {
                upper.push((k, column_at[column as usize], value(slot)));
            }
        }
        let coupling = elimination.known.iter().map(|&(row, slot, column)| {
            (
                row_at[row as usize],
                column_at[column as usize],
                value(slot),
            )
        });
        let blocks = elimination.blocks().enumerate();
        TriangularFactors {
            pivots: elimination.blocks().flatten().collect(),
            blocks: blocks
                .flat_map(|(block, pivots)| pivots.map(move |_| block))
                .collect(),
            lower,
            upper,
            coupling: coupling.collect(),
        }
    }
}

/// The diagonal entries of L and U at a pivot, of what a factorisation keeps of it.
fn diagonal<S: Scalar>(step: &Step, kept: S) -> [S; 2] {
    match step.scaling {
        PivotScaling::One => [S::one(), S::one()],
        PivotScaling::MinusOne if step.lower.is_empty() && step.upper.is_empty() => {
            [-S::one(), S::one()]
        }
        PivotScaling::MinusOne => [S::one(), -S::one()],
        PivotScaling::Column => [S::one(), kept.recip()],
        PivotScaling::Row => [kept.recip(), S::one()],
        PivotScaling::Division if step.upper.is_empty() => [kept, S::one()],
        PivotScaling::Division => [S::one(), kept],
    }
}
