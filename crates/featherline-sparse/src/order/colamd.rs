//! Approximate minimum degree for columns.

use super::pivoting::along_columns;
use super::{EliminationOrder, OrderError};
use crate::template::Template;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::colamd;

/// COLAMD's order of the columns; each takes the sparsest row that offers a pivot large enough in
/// all sampled states.
///
/// The order keeps fill-in low whichever rows are chosen. Source: Davis, Gilbert, Larimore and Ng
/// 2004; computed by faer.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left, [`OrderError::Ordering`] if faer fails.
pub fn colamd(template: &Template) -> Result<EliminationOrder, OrderError> {
    let n = template.size();
    // A matrix by columns is its transpose by rows.
    let transposed = template.pattern().transpose();
    let matrix =
        SymbolicSparseColMatRef::new_checked(n, n, transposed.starts(), None, transposed.indices());
    let (mut order, mut inverse) = (vec![0; n], vec![0; n]);
    let need = colamd::order_scratch::<usize>(n, n, transposed.entries());
    let mut memory =
        MemBuffer::try_new(need).map_err(|_| OrderError::Ordering { name: "COLAMD" })?;
    let stack = MemStack::new(&mut memory);
    colamd::order(
        &mut order,
        &mut inverse,
        matrix,
        colamd::Control::default(),
        stack,
    )
    .map_err(|_| OrderError::Ordering { name: "COLAMD" })?;
    along_columns(template, order)
}
