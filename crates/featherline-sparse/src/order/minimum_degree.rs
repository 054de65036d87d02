//! Minimum degree: the unknown with the fewest neighbours comes next.

use super::peel::peel;
use super::pivoting::along_columns;
use super::symmetrised::symmetrise;
use super::{EliminationOrder, OrderError};
use crate::template::Template;
use std::collections::BTreeSet;

/// The order of exact minimum degree, on the graph in which two unknowns are neighbours if one
/// stands in the other's equation. Cost O(n · fill-in).
///
/// Source: Tinney and Walker 1967, scheme 2; George and Liu 1989.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left.
pub fn minimum_degree(template: &Template) -> Result<EliminationOrder, OrderError> {
    let symmetrised = symmetrise(template, &peel(template))?;
    let graph = &symmetrised.graph;
    let mut neighbours: Vec<BTreeSet<usize>> = (0..graph.rows())
        .map(|node| graph.row(node).iter().copied().collect())
        .collect();
    let mut waiting: BTreeSet<(usize, usize)> = neighbours
        .iter()
        .enumerate()
        .map(|(node, neighbours)| (neighbours.len(), node))
        .collect();
    let mut columns = Vec::with_capacity(neighbours.len());
    while let Some((_, node)) = waiting.pop_first() {
        columns.push(symmetrised.columns[node]);
        // Eliminating a node joins all of its neighbours.
        let clique = std::mem::take(&mut neighbours[node]);
        for &member in &clique {
            let own = &mut neighbours[member];
            waiting.remove(&(own.len(), member));
            own.remove(&node);
            own.extend(clique.iter().filter(|&&other| other != member));
            waiting.insert((own.len(), member));
        }
    }
    along_columns(template, columns)
}
