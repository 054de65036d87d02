//! Sparse LDLᵀ factorisation with a pattern and an order that are fixed offline.
//!
//! Row by row: each row of L is a sparse triangular solve with the rows above (Davis 2005,
//! *Algorithm 849: a concise sparse Cholesky factorization package*). Where the entries of each row
//! lie is noted beforehand, so that the numbers of the matrix are overwritten by those of its
//! factor.

use crate::order::{OrderError, amd_of_graph};
use crate::sparsity::Sparsity;
use featherline::scalar::Scalar;

/// The pattern of an LDLᵀ factor. Numbers are stored as the entries of L below the diagonal by
/// columns, then the diagonal.
#[derive(Clone, Debug)]
pub struct LdltPattern {
    /// The unknown of each pivot.
    pub order: Vec<usize>,
    /// The pivot of each unknown.
    pub position: Vec<usize>,
    starts: Vec<usize>,
    rows: Vec<u32>,
    /// For each row, the columns of its entries and where their numbers lie.
    row_starts: Vec<usize>,
    row_entries: Vec<(u32, u32)>,
}

/// A pivot that is rounding beside its diagonal entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VanishingPivot {
    /// The unknown of the pivot.
    pub unknown: usize,
    /// Whether the pivot is a number; if not, the matrix overflowed.
    pub is_finite: bool,
}

/// Where each entry of a permutation stands.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    for (pivot, &unknown) in order.iter().enumerate() {
        position[unknown] = pivot;
    }
    position
}

/// The rows below the diagonal of each column of the factor: a column is the matrix's own and those
/// of its children in the elimination tree.
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

/// The same elimination tree walked depth first, which changes no pattern: what belongs together
/// then stands together.
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
        let (n, columns) = (order.len(), columns(graph, &order));
        let position = inverse(&order);
        let mut starts = vec![0];
        let (mut rows, mut by_row) = (Vec::new(), vec![Vec::new(); n]);
        for (column, entries) in columns.iter().enumerate() {
            for &row in entries {
                by_row[row].push((column as u32, rows.len() as u32));
                rows.push(row as u32);
            }
            starts.push(rows.len());
        }
        let mut row_starts = vec![0];
        let mut row_entries = Vec::with_capacity(rows.len());
        for entries in by_row {
            row_entries.extend(entries);
            row_starts.push(row_entries.len());
        }
        Self {
            order,
            position,
            starts,
            rows,
            row_starts,
            row_entries,
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

    /// The number of stored numbers: entries of L below the diagonal, then D.
    pub fn len(&self) -> usize {
        self.entries() + self.size()
    }

    /// Whether the factor has no elements: a matrix of no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of multiplications of a factorisation.
    pub fn multiplications(&self) -> usize {
        let columns = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        columns.map(|count| count * (count + 3) / 2).sum()
    }

    /// Where the number of a pair of unknowns lies; none if it is zero in the factor's pattern.
    pub fn slot(&self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (self.position[a], self.position[b]);
        let (column, row) = (a.min(b), a.max(b));
        if column == row {
            return Some(self.entries() + row);
        }
        let (start, end) = (self.starts[column], self.starts[column + 1]);
        let within = self.rows[start..end].binary_search(&(row as u32)).ok()?;
        Some(start + within)
    }

    /// Overwrites the numbers of a matrix by those of L and D. `work` has an entry for each
    /// unknown, all zero, and is zero again afterwards.
    pub fn factorise(&self, values: &mut [f64], work: &mut [f64]) -> Result<(), VanishingPivot> {
        // What is left of a diagonal by rounding when all of it cancels.
        const REST: f64 = 64.0 * f64::EPSILON;
        let mut vanishing = None;
        self.eliminate(values, work, |k, before, pivot| {
            let is_sound = pivot > REST * before && pivot.is_finite();
            if !is_sound {
                vanishing = Some(VanishingPivot {
                    unknown: self.order[k],
                    is_finite: before.is_finite() && !pivot.is_nan(),
                });
            }
            is_sound
        });
        match vanishing {
            Some(pivot) => {
                work.fill(0.0);
                Err(pivot)
            }
            None => Ok(()),
        }
    }

    /// The arithmetic of a factorisation, until `goes_on` is false for a pivot, what its diagonal
    /// was, and what is left.
    pub fn eliminate<S: Scalar>(
        &self,
        values: &mut [S],
        work: &mut [S],
        mut goes_on: impl FnMut(usize, S, S) -> bool,
    ) {
        let (lower, diagonal) = values.split_at_mut(self.entries());
        for k in 0..self.size() {
            let entries = &self.row_entries[self.row_starts[k]..self.row_starts[k + 1]];
            for &(column, slot) in entries {
                work[column as usize] = lower[slot as usize];
            }
            let before = diagonal[k];
            let mut pivot = before;
            for &(column, slot) in entries {
                let (column, slot) = (column as usize, slot as usize);
                let y = std::mem::replace(&mut work[column], S::zero());
                let above = self.starts[column]..slot;
                for (&row, &l) in self.rows[above.clone()].iter().zip(&lower[above]) {
                    work[row as usize] -= l * y;
                }
                let l = y / diagonal[column];
                pivot -= l * y;
                lower[slot] = l;
            }
            if !goes_on(k, before, pivot) {
                return;
            }
            diagonal[k] = pivot;
        }
    }

    /// Solves in place, in the order of the pivots.
    pub fn solve<S: Scalar>(&self, factor: &[S], x: &mut [S]) {
        let (lower, diagonal) = factor.split_at(self.entries());
        let column = |k: usize| self.starts[k]..self.starts[k + 1];
        for k in 0..self.size() {
            let y = x[k];
            for (&row, &l) in self.rows[column(k)].iter().zip(&lower[column(k)]) {
                x[row as usize] -= l * y;
            }
        }
        for k in (0..self.size()).rev() {
            let mut sum = x[k] / diagonal[k];
            for (&row, &l) in self.rows[column(k)].iter().zip(&lower[column(k)]) {
                sum -= l * x[row as usize];
            }
            x[k] = sum;
        }
    }

    /// The entries of the inverse that lie in the factor's pattern, in the same places: selected
    /// inversion.
    ///
    /// With N = L D Lᵀ the inverse is Z = D⁻¹ L⁻¹ + (1 − Lᵀ) Z, so that the entries in the pattern
    /// follow from others in the pattern, the last column first (Takahashi, Fagan and Chin 1973;
    /// Erisman and Tinney 1975). `work` has two numbers for each unknown. About twice the cost of
    /// the factorisation.
    pub fn invert(&self, factor: &[f64], inverse: &mut [f64], work: &mut [f64]) {
        let (lower, diagonal) = factor.split_at(self.entries());
        let (inverse_lower, inverse_diagonal) = inverse.split_at_mut(self.entries());
        let (l, sum) = work.split_at_mut(self.size());
        l.fill(0.0);
        for j in (0..self.size()).rev() {
            let column = self.starts[j]..self.starts[j + 1];
            let rows = &self.rows[column.clone()];
            for (&row, &value) in rows.iter().zip(&lower[column.clone()]) {
                l[row as usize] = value;
                sum[row as usize] = 0.0;
            }
            for &k in rows {
                let k = k as usize;
                let (scale, below) = (l[k], self.starts[k]..self.starts[k + 1]);
                let mut own = inverse_diagonal[k] * scale;
                // Rows that column j does not have get sums that nobody reads; their l is zero.
                for (&i, &z) in self.rows[below.clone()].iter().zip(&inverse_lower[below]) {
                    sum[i as usize] += z * scale;
                    own += z * l[i as usize];
                }
                sum[k] += own;
            }
            let mut own = 1.0 / diagonal[j];
            for (&row, z) in rows.iter().zip(&mut inverse_lower[column]) {
                *z = -sum[row as usize];
                own -= *z * l[row as usize];
                l[row as usize] = 0.0;
            }
            inverse_diagonal[j] = own;
        }
    }
}
