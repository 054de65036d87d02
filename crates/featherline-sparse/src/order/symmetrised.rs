//! The graph of the unknowns that orders for symmetric matrices work on.

use super::OrderError;
use super::peel::Peeled;
use crate::sparsity::Sparsity;
use crate::template::{Symbol, Template};

/// The core as a graph: unknowns are neighbours if one stands in the other's equation.
pub(crate) struct Symmetrised {
    /// The column of the template that each node stands for.
    pub columns: Vec<usize>,
    /// The neighbours of each node, itself excluded.
    pub graph: Sparsity,
}

/// Assigns equations by augmenting paths (Kuhn 1955), never vanishing entries, ±1 preferred.
pub(crate) fn symmetrise(template: &Template, peeled: &Peeled) -> Result<Symmetrised, OrderError> {
    let pattern = template.pattern();
    let columns: Vec<usize> = peeled.columns().collect();
    let mut node_of = vec![usize::MAX; template.size()];
    for (node, &column) in columns.iter().enumerate() {
        node_of[column] = node;
    }
    let rows: Vec<usize> = peeled.rows().collect();
    // For each row its nodes, units first.
    let mut choices: Vec<Vec<usize>> = Vec::with_capacity(rows.len());
    for &row in &rows {
        let mut own: Vec<(bool, usize)> = Vec::new();
        for slot in pattern.row_range(row) {
            let column = pattern.indices()[slot];
            let is_sound = template.samples().iter().all(|values| values[slot] != 0.0);
            if peeled.is_core_column[column] && is_sound {
                let unit = [Symbol::Constant(1.0), Symbol::Constant(-1.0)];
                own.push((!unit.contains(&template.entries()[slot]), node_of[column]));
            }
        }
        own.sort_unstable();
        choices.push(own.into_iter().map(|(_, node)| node).collect());
    }
    let row_of = assign(&choices, columns.len()).map_err(|node| OrderError::Singular {
        position: peeled.first.len(),
        column: columns[node],
    })?;
    let mut edges = Vec::new();
    for (node, &row) in row_of.iter().enumerate() {
        for &column in pattern.row(rows[row]) {
            if peeled.is_core_column[column] && node_of[column] != node {
                edges.push((node, node_of[column]));
                edges.push((node_of[column], node));
            }
        }
    }
    let n = columns.len();
    let graph = Sparsity::new(n, n, edges).map_err(|_| OrderError::Size {
        expected: n,
        found: rows.len(),
    })?;
    Ok(Symmetrised { columns, graph })
}

/// A row for each node; the node without one if there is none.
fn assign(choices: &[Vec<usize>], nodes: usize) -> Result<Vec<usize>, usize> {
    const FREE: usize = usize::MAX;
    let mut row_of = vec![FREE; nodes];
    let mut reached_from = vec![FREE; nodes];
    let mut visited = vec![FREE; nodes];
    for start in 0..choices.len() {
        // Breadth first: the path found is the shortest, and no recursion is deep.
        let mut queue = std::collections::VecDeque::from([start]);
        'search: while let Some(row) = queue.pop_front() {
            for &node in &choices[row] {
                if visited[node] == start {
                    continue;
                }
                visited[node] = start;
                reached_from[node] = row;
                if row_of[node] != FREE {
                    queue.push_back(row_of[node]);
                    continue;
                }
                let mut node = node;
                loop {
                    let row = reached_from[node];
                    let previous = row_of.iter().position(|&other| other == row);
                    row_of[node] = row;
                    match previous {
                        Some(previous) if row != start => node = previous,
                        _ => break 'search,
                    }
                }
            }
        }
    }
    match row_of.iter().position(|&row| row == FREE) {
        Some(node) => Err(node),
        None => Ok(row_of),
    }
}
