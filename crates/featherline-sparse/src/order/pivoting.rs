//! Which entries may be pivots, and the rows that go with an order of columns.

use super::peel::{Peeled, peel};
use super::{EliminationOrder, OrderError};
use crate::active::ActiveMatrix;
use crate::template::Template;

/// A pivot is at least this share of its column's largest entry, in every sampled state. Pivots are
/// not exchanged at run time, so that this bounds the growth in the sampled states: each step can
/// multiply an entry by 1 + 1/share at worst, and in practice hardly does (Duff, Erisman and Reid
/// 2017, section 5.2).
pub const THRESHOLD: f64 = 1e-2;

/// The core of a template under elimination.
pub fn core(template: &Template) -> (Peeled, ActiveMatrix) {
    let peeled = peel(template);
    let matrix = ActiveMatrix::new(template, peeled.rows(), |column| {
        peeled.is_core_column[column]
    });
    (peeled, matrix)
}

/// The order that eliminates the unknowns in a given order of columns. The equation of each is the
/// one with the fewest entries among those whose pivot is large enough in all sampled states; the
/// triangular part is taken off first.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left.
pub fn along_columns(
    template: &Template,
    columns: impl IntoIterator<Item = usize>,
) -> Result<EliminationOrder, OrderError> {
    let (peeled, mut matrix) = core(template);
    let mut pivots = Vec::new();
    for column in columns {
        if !peeled.is_core_column[column] {
            continue;
        }
        let row = best_row(&matrix, column).ok_or(OrderError::Singular {
            position: pivots.len(),
            column,
        })?;
        matrix.eliminate(row, column, &mut ());
        pivots.push((row, column));
    }
    EliminationOrder::new(peeled.around(pivots))
}

fn best_row(matrix: &ActiveMatrix, column: usize) -> Option<usize> {
    let largest = matrix.column_maximum(column);
    let candidates = matrix.column(column).iter().filter_map(|&row| {
        let entry = matrix.get(row as usize, column)?;
        let is_large = entry
            .samples
            .iter()
            .zip(largest)
            .all(|(value, largest)| value.abs() >= THRESHOLD * largest && *value != 0.0);
        let entries = matrix.row(row as usize).len();
        is_large.then_some((entries, !entry.is_unit(), row as usize))
    });
    candidates.min().map(|(_, _, row)| row)
}
