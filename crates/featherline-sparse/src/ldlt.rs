//! The pattern of a sparse LDLᵀ factor in an order that is fixed offline, which is that of an R
//! factor, too (Davis 2006, *Direct methods for sparse linear systems*, chapter 4).

use crate::order::{OrderError, amd_of_graph};
use crate::sparsity::Sparsity;

/// The pattern of an LDLᵀ factor: the entries of L below the diagonal, by columns.
#[derive(Clone, Debug)]
pub struct LdltPattern {
    /// The unknown of each pivot.
    pub order: Vec<usize>,
    /// The pivot of each unknown.
    pub position: Vec<usize>,
    starts: Vec<usize>,
    rows: Vec<u32>,
}

/// Where each entry of a permutation stands.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    for (pivot, &unknown) in order.iter().enumerate() {
        position[unknown] = pivot;
    }
    position
}

/// The rows of each column of the factor: the matrix's own and those of its children.
fn columns(graph: &Sparsity, order: &[usize]) -> Vec<Vec<usize>> {
    let position = inverse(order);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (pivot, &unknown) in order.iter().enumerate() {
        let own = graph.row(unknown).iter().map(|&other| position[other]);
        let mut column: Vec<usize> = own.filter(|&row| row > pivot).collect();
        column.append(&mut columns[pivot]);
        column.sort_unstable();
        column.dedup();
        if let Some((&parent, above)) = column.split_first() {
            columns[parent].extend(above);
        }
        columns[pivot] = column;
    }
    columns
}

/// The same elimination tree walked depth first: what belongs together stands together.
fn depth_first(order: Vec<usize>, columns: &[Vec<usize>]) -> Vec<usize> {
    let n = order.len();
    // Children of each pivot; those of the last one are the roots.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    for (pivot, column) in columns.iter().enumerate() {
        children[column.first().copied().unwrap_or(n)].push(pivot);
    }
    // Parents before children, and backwards.
    let (mut walked, mut open) = (Vec::with_capacity(n), std::mem::take(&mut children[n]));
    while let Some(pivot) = open.pop() {
        walked.push(order[pivot]);
        open.append(&mut children[pivot]);
    }
    walked.reverse();
    walked
}

impl LdltPattern {
    /// Orders a symmetric matrix without its diagonal, and finds the pattern of its factor.
    ///
    /// # Errors
    /// [`OrderError::Ordering`].
    pub fn new(graph: &Sparsity) -> Result<Self, OrderError> {
        Ok(Self::in_order(graph, amd_of_graph(graph)?))
    }

    /// The pattern of the factor in an order, or in one that walks the same elimination tree depth
    /// first.
    pub fn in_order(graph: &Sparsity, order: Vec<usize>) -> Self {
        let below = columns(graph, &order);
        let order = depth_first(order, &below);
        let columns = columns(graph, &order);
        let position = inverse(&order);
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for entries in columns {
            rows.extend(entries.iter().map(|&row| row as u32));
            starts.push(rows.len());
        }
        Self {
            order,
            position,
            starts,
            rows,
        }
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// How many entries L has below its diagonal.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a column of L below the diagonal.
    pub fn column(&self, pivot: usize) -> &[u32] {
        &self.rows[self.starts[pivot]..self.starts[pivot + 1]]
    }

    /// The number of multiplications of a factorisation.
    pub fn multiplications(&self) -> usize {
        let columns = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        columns.map(|count| count * (count + 3) / 2).sum()
    }
}
