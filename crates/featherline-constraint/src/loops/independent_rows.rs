//! Finds the independent constraints of loops.

use super::workspace::Loop;
use crate::delassus::Independence;
use featherline::kernel::Kernel;

/// Finds the independent constraints, and writes their columns of Kᵀ, in their order.
pub(crate) struct IndependentRows<'a> {
    pub loops: &'a [Loop],
    /// Kᵀ by rows, one for each coordinate.
    pub jacobian: &'a [f64],
    pub independence: &'a mut Independence,
    /// Constraints of no larger pivots are redundant.
    pub least: f64,
    /// As many rows, with as many numbers as constraints hold.
    pub held: &'a mut [f64],
}

impl Kernel for IndependentRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            loops,
            jacobian,
            independence,
            least,
            held,
        } = self;
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
}
