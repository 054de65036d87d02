//! Approximate minimum degree for symmetric patterns.

use super::peel::peel;
use super::pivoting::along_columns;
use super::symmetrised::symmetrise;
use super::{EliminationOrder, OrderError};
use crate::sparsity::Sparsity;
use crate::template::Template;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// AMD's order of the unknowns, on the graph in which two unknowns are neighbours if one has an
/// entry in the other's equation.
///
/// Source: Amestoy, Davis and Duff 1996; computed by faer.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left, [`OrderError::Ordering`] if faer fails.
pub fn amd(template: &Template) -> Result<EliminationOrder, OrderError> {
    let symmetrised = symmetrise(template, &peel(template))?;
    let order = amd_of_graph(&symmetrised.graph)?;
    along_columns(
        template,
        order.iter().map(|&node| symmetrised.columns[node]),
    )
}

/// AMD's order of the nodes of a symmetric pattern: the node of each pivot.
///
/// Cost about O(entries of the factor). Source: Amestoy, Davis and Duff 1996; computed by faer.
///
/// # Errors
/// [`OrderError::Ordering`] if faer runs out of memory.
///
/// ```
/// use featherline_sparse::{Sparsity, order};
///
/// // A star: its centre comes last.
/// let edges = (1..5).flat_map(|leaf| [(0, leaf), (leaf, 0)]);
/// let order = order::amd_of_graph(&Sparsity::new(5, 5, edges)?)?;
/// assert!(order[3..].contains(&0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn amd_of_graph(graph: &Sparsity) -> Result<Vec<usize>, OrderError> {
    let failed = || OrderError::Ordering { name: "AMD" };
    let n = graph.rows();
    let (mut order, mut inverse) = (vec![0_usize; n], vec![0; n]);
    if n == 0 {
        return Ok(order);
    }
    let matrix = SymbolicSparseColMatRef::new_checked(n, n, graph.starts(), None, graph.indices());
    let need = amd::order_scratch::<usize>(n, graph.entries());
    let mut memory = MemBuffer::try_new(need).map_err(|_| failed())?;
    let stack = MemStack::new(&mut memory);
    let control = amd::Control::default();
    amd::order(&mut order, &mut inverse, matrix, control, stack).map_err(|_| failed())?;
    Ok(order)
}
