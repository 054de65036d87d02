//! Finds the independent constraints of loops.

use super::workspace::Loop;
use crate::delassus::Independence;
use featherline::kernel;

kernel!(
    /// Finds the independent constraints, and writes their columns of Kᵀ, in their order.
    pub(crate) fn find_independent_rows(
        loops: &[Loop],
        // Kᵀ by rows, one for each coordinate.
        jacobian: &[f64],
        independence: &mut Independence,
        // Constraints of no larger pivots are redundant.
        least: f64,
        // As many rows, with as many numbers as constraints hold.
        held: &mut [f64],
    ) {
        for closing in loops {
            for (square, row) in closing.squared_measures().into_iter().zip(closing.rows()) {
                independence.per_square[row] = square.recip();
            }
        }
        independence.factorise(jacobian, least);
        let independent = independence.independent();
        if independent.is_empty() {
            return;
        }
        let rows = jacobian.chunks_exact(independence.left.len());
        for (held, own) in held.chunks_exact_mut(independent.len()).zip(rows) {
            for (entry, &k) in held.iter_mut().zip(independent) {
                *entry = own[k];
            }
        }
    }
);
