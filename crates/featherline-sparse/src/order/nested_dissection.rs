//! Nested dissection: a few unknowns that part the rest in two come last, and so on in both parts.

use super::peel::peel;
use super::pivoting::along_columns;
use super::symmetrised::symmetrise;
use super::{EliminationOrder, OrderError};
use crate::sparsity::Sparsity;
use crate::template::Template;

/// Parts of this many unknowns or fewer are not parted again: about what one body contributes.
const SMALLEST_PART: usize = 16;

/// The order of nested dissection, with the middle level of a breadth-first search from a far node
/// as separator.
///
/// Elimination in this order is a tree of short branches, which serves parallel execution. Source:
/// George 1973; the separators are those of George and Liu 1981, section 8.2.
///
/// # Errors
/// [`OrderError::Singular`] if a column has no pivot left.
pub fn nested_dissection(template: &Template) -> Result<EliminationOrder, OrderError> {
    let symmetrised = symmetrise(template, &peel(template))?;
    let graph = &symmetrised.graph;
    let mut reversed = Vec::with_capacity(graph.rows());
    let mut search = LevelSearch::new(graph);
    let mut parts: Vec<Vec<usize>> = vec![(0..graph.rows()).collect()];
    // Separators are written from the last to the first, each before its parts.
    while let Some(part) = parts.pop() {
        if part.len() <= SMALLEST_PART {
            reversed.extend(part.into_iter().rev());
            continue;
        }
        let levels = search.levels_from_far_node(&part);
        let reached: usize = levels.iter().map(Vec::len).sum();
        if reached < part.len() {
            let rest = search.unreached(&part);
            parts.push(rest);
            parts.push(levels.concat());
            continue;
        }
        if levels.len() < 3 {
            reversed.extend(part.into_iter().rev());
            continue;
        }
        let mut below = 0;
        let middle = levels.iter().position(|level| {
            below += level.len();
            2 * below >= part.len()
        });
        let middle = middle.unwrap_or(1).clamp(1, levels.len() - 2);
        reversed.extend(&levels[middle]);
        parts.push(levels[..middle].concat());
        parts.push(levels[middle + 1..].concat());
    }
    let columns = reversed.into_iter().rev();
    along_columns(template, columns.map(|node| symmetrised.columns[node]))
}

/// Breadth-first searches in parts of a graph.
pub(crate) struct LevelSearch<'a> {
    graph: &'a Sparsity,
    part: Vec<usize>,
    seen: Vec<usize>,
    parts: usize,
    searches: usize,
}

impl<'a> LevelSearch<'a> {
    pub(crate) fn new(graph: &'a Sparsity) -> Self {
        Self {
            graph,
            part: vec![0; graph.rows()],
            seen: vec![0; graph.rows()],
            parts: 0,
            searches: 0,
        }
    }

    /// The levels from a node far from its farthest one (Gibbs, Poole and Stockmeyer 1976).
    pub(crate) fn levels_from_far_node(&mut self, part: &[usize]) -> Vec<Vec<usize>> {
        self.parts += 1;
        for &node in part {
            self.part[node] = self.parts;
        }
        let Some(&first) = part.first() else {
            return Vec::new();
        };
        let mut levels = self.levels(first);
        loop {
            let last = levels.last().into_iter().flatten();
            let far = last.min_by_key(|&&node| self.graph.row(node).len());
            let Some(&far) = far else {
                return levels;
            };
            let deeper = self.levels(far);
            if deeper.len() <= levels.len() {
                return levels;
            }
            levels = deeper;
        }
    }

    /// The nodes that the last search did not reach.
    pub(crate) fn unreached(&self, part: &[usize]) -> Vec<usize> {
        let nodes = part.iter().copied();
        nodes
            .filter(|&node| self.seen[node] != self.searches)
            .collect()
    }

    fn levels(&mut self, start: usize) -> Vec<Vec<usize>> {
        self.searches += 1;
        self.seen[start] = self.searches;
        let mut levels = vec![vec![start]];
        loop {
            let mut next = Vec::new();
            for &node in levels.last().into_iter().flatten() {
                for &other in self.graph.row(node) {
                    if self.part[other] == self.parts && self.seen[other] != self.searches {
                        self.seen[other] = self.searches;
                        next.push(other);
                    }
                }
            }
            if next.is_empty() {
                return levels;
            }
            levels.push(next);
        }
    }
}
