//! The count that was published for this system.

use super::analysis::EliminationError;
use crate::active::{ActiveMatrix, PivotScaling, Recorder};
use crate::order::EliminationOrder;
use crate::template::Template;
use featherline::scalar::Operations;

impl Template {
    /// The operations of an order as the programs published with Nori 2017 count them: too few.
    ///
    /// The matrix is factorised as a whole, not by diagonal blocks. A pivot costs a multiplication
    /// for each entry of its column; putting its equation into the others, which multiplies each
    /// entry of the column with each of the row, is counted as the places at which the column and
    /// the row, laid over each other, both have an entry. The substitutions are counted in full. A
    /// dense 60 × 60 matrix comes to 1,770 additions and 3,540 multiplications for its factors, and
    /// truly takes 70,210 and 71,980. For comparison with the published figures only.
    ///
    /// # Errors
    /// [`EliminationError`] as for [`Elimination::new`](super::Elimination::new).
    pub fn operations_as_published(
        &self,
        order: &EliminationOrder,
    ) -> Result<Operations, EliminationError> {
        let n = self.size();
        if order.len() != n {
            let (expected, found) = (n, order.len());
            return Err(crate::order::OrderError::Size { expected, found }.into());
        }
        let mut overlaps = Overlaps {
            position_of_row: vec![0; n],
            position_of_column: vec![0; n],
            is_lower: vec![false; n],
            lower: Vec::new(),
            upper: Vec::new(),
        };
        for (position, &(row, column)) in order.pivots().iter().enumerate() {
            overlaps.position_of_row[row] = position;
            overlaps.position_of_column[column] = position;
        }
        let mut matrix = ActiveMatrix::new(self, 0..n, |_| true);
        let mut operations = Operations::default();
        for (position, &(row, column)) in order.pivots().iter().enumerate() {
            if !matrix.eliminate(row, column, &mut overlaps) {
                return Err(EliminationError::ZeroPivot {
                    position,
                    row,
                    column,
                });
            }
            let (lower, upper, overlap) = overlaps.take();
            operations.additions += overlap;
            operations.multiplications += lower + overlap;
            // One forward and one backward substitution.
            operations.additions += lower + upper;
            operations.multiplications += lower + upper;
        }
        Ok(operations)
    }
}

/// Where a pivot's row and column have entries, by the positions of the order.
struct Overlaps {
    position_of_row: Vec<usize>,
    position_of_column: Vec<usize>,
    is_lower: Vec<bool>,
    lower: Vec<usize>,
    upper: Vec<usize>,
}

impl Overlaps {
    /// The entries of the column, of the row, and where both have one; ready for the next pivot.
    fn take(&mut self) -> (u64, u64, u64) {
        for &position in &self.lower {
            self.is_lower[position] = true;
        }
        let both = self
            .upper
            .iter()
            .filter(|&&position| self.is_lower[position]);
        let counts = (
            self.lower.len() as u64,
            self.upper.len() as u64,
            both.count() as u64,
        );
        for position in self.lower.drain(..) {
            self.is_lower[position] = false;
        }
        self.upper.clear();
        counts
    }
}

impl Recorder for Overlaps {
    fn pivot(&mut self, _: usize, _: usize, _: u32, _: PivotScaling) {}

    fn upper(&mut self, column: usize, _: u32) {
        self.upper.push(self.position_of_column[column]);
    }

    fn lower(&mut self, row: usize, _: u32) {
        self.lower.push(self.position_of_row[row]);
    }

    fn target(&mut self, _: u32, _: u32, _: u32) {}
}
