//! Approximate minimum degree for symmetric patterns.

use super::peel::peel;
use super::pivoting::along_columns;
use super::symmetrised::symmetrise;
use super::{EliminationOrder, OrderError};
use crate::elimination::Template;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// AMD's order of the unknowns, on the graph in which two are neighbours if one stands in the other's equation.
///
/// Source: Amestoy, Davis and Duff 1996; computed by faer.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left, [`OrderError::Ordering`] if faer fails.
pub fn amd(template: &Template) -> Result<EliminationOrder, OrderError> {
    let symmetrised = symmetrise(template, &peel(template))?;
    let graph = &symmetrised.graph;
    let n = graph.rows();
    let matrix = SymbolicSparseColMatRef::new_checked(n, n, graph.starts(), None, graph.indices());
    let (mut order, mut inverse) = (vec![0_usize; n], vec![0; n]);
    let need = amd::order_scratch::<usize>(n, graph.entries());
    let mut memory = MemBuffer::try_new(need).map_err(|_| OrderError::Ordering { name: "AMD" })?;
    let stack = MemStack::new(&mut memory);
    amd::order(
        &mut order,
        &mut inverse,
        matrix,
        amd::Control::default(),
        stack,
    )
    .map_err(|_| OrderError::Ordering { name: "AMD" })?;
    along_columns(
        template,
        order.iter().map(|&node| symmetrised.columns[node]),
    )
}
