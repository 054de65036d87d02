//! Reverse Cuthill-McKee: neighbours stay close, so that fill-in stays within a band.

use super::nested_dissection::LevelSearch;
use super::peel::peel;
use super::pivoting::along_columns;
use super::symmetrised::symmetrise;
use super::{EliminationOrder, OrderError};
use crate::template::Template;

/// The reverse of a breadth-first numbering from a far node, neighbours by ascending degree.
///
/// Source: Cuthill and McKee 1969; reversed by George 1971.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left.
pub fn reverse_cuthill_mckee(template: &Template) -> Result<EliminationOrder, OrderError> {
    let symmetrised = symmetrise(template, &peel(template))?;
    let graph = &symmetrised.graph;
    let mut search = LevelSearch::new(graph);
    let mut part: Vec<usize> = (0..graph.rows()).collect();
    let (mut numbered, mut is_numbered) = (Vec::new(), vec![false; graph.rows()]);
    while !part.is_empty() {
        let levels = search.levels_from_far_node(&part);
        let start = levels[0][0];
        part.retain(|&node| !levels.iter().any(|level| level.contains(&node)));
        let mut next = numbered.len();
        numbered.push(start);
        is_numbered[start] = true;
        while next < numbered.len() {
            let mut neighbours: Vec<usize> = graph.row(numbered[next]).to_vec();
            neighbours.retain(|&node| !is_numbered[node]);
            neighbours.sort_by_key(|&node| graph.row(node).len());
            for &node in &neighbours {
                is_numbered[node] = true;
            }
            numbered.extend(neighbours);
            next += 1;
        }
    }
    let columns = numbered.into_iter().rev();
    along_columns(template, columns.map(|node| symmetrised.columns[node]))
}
