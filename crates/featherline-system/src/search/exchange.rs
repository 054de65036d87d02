//! Small changes to an order, and what they cost in the elimination.

use crate::elimination::Template;
use crate::elimination::active::ActiveMatrix;
use crate::order::pivoting::{THRESHOLD, core};
use crate::order::{self, EliminationOrder, OrderError};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Small changes to the order of the core, each with its cost.
pub(super) struct Exchange<'a> {
    template: &'a Template,
    /// The untouched core, to be copied for each trial.
    matrix: ActiveMatrix,
    pub pivots: Vec<(usize, usize)>,
    first: Vec<(usize, usize)>,
    last: Vec<(usize, usize)>,
}

impl<'a> Exchange<'a> {
    pub fn new(template: &'a Template, order: &EliminationOrder) -> Result<Self, OrderError> {
        let (peeled, matrix) = core(template);
        let is_core = |&&(row, column): &&(usize, usize)| {
            peeled.is_core_row[row] && peeled.is_core_column[column]
        };
        let within = |order: &EliminationOrder| -> Vec<(usize, usize)> {
            order.pivots().iter().filter(is_core).copied().collect()
        };
        let mut pivots = within(order);
        if pivots.len() < peeled.columns().count() {
            // The order finds unknowns of the core from other equations than those that are left to it.
            let columns = order.pivots().iter().map(|&(_, column)| column);
            pivots = within(&order::along_columns(template, columns)?);
        }
        Ok(Self {
            template,
            matrix,
            pivots,
            first: peeled.first,
            last: peeled.last,
        })
    }

    pub fn order(&self) -> Result<EliminationOrder, OrderError> {
        let parts = [&self.first, &self.pivots, &self.last];
        EliminationOrder::new(parts.into_iter().flatten().copied().collect())
    }

    pub fn change(&self, random: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
        let mut pivots = self.pivots.clone();
        let n = pivots.len();
        if n < 2 {
            return pivots;
        }
        let at = random.random_range(0..n);
        match random.random_range(0..4) {
            0 => {
                // A neighbour in the matrix more often shares a row or a column than just any pivot.
                let near = (at + 1 + random.random_range(0..20.min(n - 1))) % n;
                (pivots[at].0, pivots[near].0) = (pivots[near].0, pivots[at].0);
            }
            1 => {
                let length = random.random_range(2..8.min(n).max(3)).min(n - at);
                let run: Vec<_> = pivots.drain(at..at + length).collect();
                let to = random.random_range(0..=pivots.len());
                pivots.splice(to..to, run);
            }
            2 => {
                let pivot = pivots.remove(at);
                pivots.insert(random.random_range(0..n), pivot);
            }
            _ => {
                let pivot = pivots.remove(at);
                let reach = 12.min(n - 1);
                let low = at.saturating_sub(reach);
                let to = random.random_range(low..=(at + reach).min(n - 1));
                pivots.insert(to, pivot);
            }
        }
        pivots
    }

    /// The operations for the core in an order; none if a pivot is too small in a sampled state.
    pub fn cost(&self, pivots: &[(usize, usize)]) -> Option<u64> {
        let mut matrix = self.matrix.clone();
        let mut needed = self.template.wanted().to_vec();
        // What the triangular rest needs of the core.
        for &(row, column) in self.last.iter().rev() {
            if needed[column] {
                for &other in self.template.pattern().row(row) {
                    needed[other] = true;
                }
            }
        }
        let mut total = 0;
        for &(row, column) in pivots {
            let pivot = matrix.get(row, column)?.samples;
            let largest = matrix.column_maximum(column);
            if (0..pivot.len()).any(|k| pivot[k].abs() < THRESHOLD * largest[k]) {
                return None;
            }
            if !matrix.eliminate(row, column, &mut ()) {
                return None;
            }
            total += matrix.tally.forward.total();
            if needed[column] {
                total += matrix.tally.backward.total();
                for &other in &matrix.tally.upper {
                    needed[other as usize] = true;
                }
            }
        }
        Some(total)
    }
}
