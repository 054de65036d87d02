//! Small changes to an order, and what they cost in the elimination.

use crate::active::{ActiveMatrix, Pivoted};
use crate::elimination::{Elimination, EliminationError};
use crate::order::THRESHOLD;
use crate::order::{EliminationOrder, OrderError};
use crate::template::Template;
use rand::{Rng, RngExt};

/// Small changes to an order, each with its cost.
pub struct Exchange {
    /// The untouched diagonal blocks of more than one pivot, to be copied for each trial.
    blocks: Vec<ActiveMatrix>,
    /// The block of each column; `usize::MAX` for an unknown that one equation alone determines.
    block_of_column: Vec<usize>,
    /// The requested unknowns, and those that one block needs of another.
    needed: Vec<bool>,
    /// The pivots of the blocks, and what they cost.
    pivots: Vec<(usize, usize)>,
    cost: Option<u64>,
    /// All others.
    single: Vec<(usize, usize)>,
    /// How small a pivot may be in its column, in a sampled state.
    threshold: f64,
}

impl Exchange {
    /// The changes of an order.
    ///
    /// # Errors
    /// [`EliminationError`] if the order is of no use for the template.
    pub fn new(template: &Template, order: &EliminationOrder) -> Result<Self, EliminationError> {
        let elimination = Elimination::new(template, order)?;
        let mut blocks = Vec::new();
        let mut block_of_column = vec![usize::MAX; template.size()];
        for block in elimination.blocks().filter(|block| block.len() > 1) {
            let pivots: Vec<_> = block.collect();
            for &(_, column) in &pivots {
                block_of_column[column] = blocks.len();
            }
            let rows = pivots.iter().map(|&(row, _)| row);
            let is_inside = |column: usize| block_of_column[column] == blocks.len();
            blocks.push(ActiveMatrix::new(template, rows, is_inside));
        }
        let all = order.pivots().iter().copied();
        let (pivots, single) = all.partition(|&(_, column)| block_of_column[column] < blocks.len());
        let mut exchange = Self {
            blocks,
            block_of_column,
            needed: elimination.needed_by_blocks(template.requested()),
            pivots,
            cost: None,
            single,
            threshold: 0.0,
        };
        // The recursive algorithms have smaller pivots than a general order would take, and are
        // stable nevertheless.
        let smallest = exchange.smallest_pivot().unwrap_or(0.0);
        exchange.threshold = THRESHOLD.min(smallest);
        exchange.cost = exchange.cost_of(&exchange.pivots);
        Ok(exchange)
    }

    /// The present order.
    ///
    /// # Errors
    /// [`OrderError`] if pivots were taken that are no permutation of its first ones.
    pub fn order(&self) -> Result<EliminationOrder, OrderError> {
        EliminationOrder::new(self.single.iter().chain(&self.pivots).copied().collect())
    }

    /// The present pivots of the diagonal blocks that have more than one.
    pub fn pivots(&self) -> &[(usize, usize)] {
        &self.pivots
    }

    /// Takes other pivots.
    pub fn set(&mut self, pivots: Vec<(usize, usize)>) {
        self.cost = self.cost_of(&pivots);
        self.pivots = pivots;
    }

    /// Takes other pivots unless they cost more than the present ones, or are too small, and says
    /// whether it did.
    pub fn take(&mut self, pivots: Vec<(usize, usize)>) -> bool {
        let cost = self.cost_of(&pivots);
        let is_taken = cost.is_some_and(|new| self.cost.is_none_or(|old| new <= old));
        if is_taken {
            (self.pivots, self.cost) = (pivots, cost);
        }
        is_taken
    }

    /// The present pivots after one random change: two exchange their rows, or one or a run of them
    /// moves.
    pub fn change(&self, random: &mut impl Rng) -> Vec<(usize, usize)> {
        let mut pivots = self.pivots.clone();
        let n = pivots.len();
        if n < 2 {
            return pivots;
        }
        let at = random.random_range(0..n);
        match random.random_range(0..4) {
            0 => {
                // A neighbour in the matrix more often shares a row or a column than just any
                // pivot.
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

    /// The operations for the blocks in an order; none if a pivot is too small in a sampled state.
    fn cost_of(&self, pivots: &[(usize, usize)]) -> Option<u64> {
        let mut needed = self.needed.clone();
        let mut total = 0;
        self.eliminate(pivots, |ratio, column, tally| {
            total += tally.forward.total();
            if needed[column] {
                total += tally.backward.total();
                for &other in &tally.upper {
                    needed[other as usize] = true;
                }
            }
            ratio >= self.threshold
        })?;
        Some(total)
    }

    /// The smallest pivot by what stands below it, in any sampled state; none if one vanishes.
    fn smallest_pivot(&self) -> Option<f64> {
        let mut smallest = f64::INFINITY;
        self.eliminate(&self.pivots, |ratio, _, _| {
            smallest = smallest.min(ratio);
            true
        })?;
        Some(smallest)
    }

    /// Eliminates the blocks. `goes_on` gets of each pivot its magnitude by the largest one in
    /// its column, the column, and what it costs; none if it says no, or if a pivot vanishes.
    fn eliminate(
        &self,
        pivots: &[(usize, usize)],
        mut goes_on: impl FnMut(f64, usize, &Pivoted) -> bool,
    ) -> Option<()> {
        let mut blocks = self.blocks.clone();
        for &(row, column) in pivots {
            let block = &mut blocks[self.block_of_column[column]];
            let pivot = block.get(row, column)?.samples;
            let largest = block.column_maximum(column);
            let ratios = pivot
                .iter()
                .zip(largest)
                .map(|(pivot, largest)| pivot.abs() / largest);
            let ratio = ratios.fold(f64::INFINITY, f64::min);
            let is_done = block.eliminate(row, column, &mut ());
            if !is_done || !goes_on(ratio, column, &block.tally) {
                return None;
            }
        }
        Some(())
    }
}
