//! The offline search for an order with few operations.

use crate::elimination::active::ActiveMatrix;
use crate::elimination::{Elimination, Template};
use crate::order::markowitz_with;
use crate::order::pivoting::{THRESHOLD, core};
use crate::order::{self, EliminationOrder, OrderError, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

/// How long and where to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// For the random choices; the same seed gives the same orders, as long as the time suffices.
    pub seed: u64,
    /// How many randomly disturbed orders to begin with.
    pub restarts: usize,
    /// How many exchanges to try on the best one.
    pub exchanges: usize,
    /// When to stop in any case. The best order so far is the result.
    pub time: Duration,
    /// Orders to begin with besides the general ones, such as those of the recursive algorithms.
    pub candidates: Vec<EliminationOrder>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            restarts: 60,
            exchanges: 20_000,
            time: Duration::from_secs(50),
            candidates: Vec::new(),
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The share that is done, from 0 to 1.
    pub done: f64,
    /// The operations of the best order so far; [`u64::MAX`] before there is one.
    pub best: u64,
}

/// An order that a search found, and its cost.
#[derive(Clone, Debug)]
pub struct Found {
    /// The order.
    pub order: EliminationOrder,
    /// The operations of one factorisation and one solve in it, as [`Elimination::operations`] counts.
    pub operations: u64,
}

/// Searches for the order with the fewest operations.
///
/// It begins with all orders of [`order`], the given candidates, and Markowitz's under random weights. The best one is
/// then changed by moving a pivot, or a run of pivots, to another position, and by exchanging the rows of two pivots; what
/// costs no more is kept. The cost is exact: products by ±1, sums with zeros, constants and unknowns that
/// nobody asks for are not counted, as in the elimination itself. `progress` is told now and then how far it has come.
///
/// # Errors
/// [`OrderError`] if no candidate at all is an order of the system.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Problem, SearchOptions, System, Template, search};
///
/// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
/// let template = Template::of_system(&system)?;
/// let options = SearchOptions { restarts: 5, exchanges: 50, ..SearchOptions::default() };
/// let mut last = 0.0;
/// let found = search(&template, &options, |progress| last = progress.done)?;
/// assert_eq!(last, 1.0);
/// assert_eq!(found.order.len(), template.size());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search(
    template: &Template,
    options: &SearchOptions,
    mut progress: impl FnMut(Progress),
) -> Result<Found, OrderError> {
    let start = Instant::now();
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut best: Option<Found> = None;
    let mut failure = None;
    let general = [
        order::markowitz,
        order::minimum_degree,
        order::amd,
        order::colamd,
        order::nested_dissection,
        order::reverse_cuthill_mckee,
    ];
    let candidates = options.candidates.iter().map(|order| Ok(order.clone()));
    for candidate in candidates.chain(general.iter().map(|order| order(template))) {
        match candidate {
            Ok(order) => keep_better(template, order, &mut best),
            Err(error) => failure = Some(error),
        }
    }
    let spent = |share: f64| {
        let limit = share * options.time.as_secs_f64();
        (start.elapsed().as_secs_f64() / limit).min(1.0)
    };
    for restart in 0..options.restarts {
        if start.elapsed() > options.time / 2 {
            break;
        }
        let weights = Weights {
            addition: random.random_range(0.0..2.0),
            entry: random.random_range(0.0..4.0),
            noise: random.random_range(0.0..0.5),
        };
        if let Ok(order) = markowitz_with(template, weights, Some(&mut random)) {
            keep_better(template, order, &mut best);
        }
        let done = (restart + 1) as f64 / options.restarts as f64;
        progress(Progress {
            done: 0.5 * done.max(spent(0.5)),
            best: best.as_ref().map_or(u64::MAX, |found| found.operations),
        });
    }
    let Some(mut best) = best else {
        return Err(failure.unwrap_or(OrderError::Size {
            expected: template.size(),
            found: 0,
        }));
    };
    let mut exchange = Exchange::new(template, &best.order)?;
    let mut cost = exchange.cost(&exchange.pivots);
    let first = cost;
    for trial in 0..options.exchanges {
        if trial % 64 == 0 {
            if start.elapsed() > options.time {
                break;
            }
            let done = 0.5 + 0.5 * trial as f64 / options.exchanges as f64;
            let saved = first.zip(cost).map_or(0, |(first, cost)| first - cost);
            progress(Progress {
                done: done.max(spent(1.0)),
                best: best.operations - saved,
            });
        }
        let changed = exchange.change(&mut random);
        let new = exchange.cost(&changed);
        if new.is_some_and(|new| cost.is_none_or(|old| new <= old)) {
            exchange.pivots = changed;
            cost = new;
        }
    }
    let mut result = Some(best.clone());
    keep_better(template, exchange.order()?, &mut result);
    best = result.unwrap_or(best);
    progress(Progress {
        done: 1.0,
        best: best.operations,
    });
    Ok(best)
}

fn keep_better(template: &Template, order: EliminationOrder, best: &mut Option<Found>) {
    let operations = Elimination::new(template, &order).and_then(|e| e.operations(template));
    let Ok(operations) = operations else {
        return;
    };
    let operations = operations.total();
    if best
        .as_ref()
        .is_none_or(|best| operations < best.operations)
    {
        *best = Some(Found { order, operations });
    }
}

/// Small changes to the order of the core, each with its cost.
struct Exchange<'a> {
    template: &'a Template,
    /// The untouched core, to be copied for each trial.
    matrix: ActiveMatrix,
    pivots: Vec<(usize, usize)>,
    first: Vec<(usize, usize)>,
    last: Vec<(usize, usize)>,
}

impl<'a> Exchange<'a> {
    fn new(template: &'a Template, order: &EliminationOrder) -> Result<Self, OrderError> {
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

    fn order(&self) -> Result<EliminationOrder, OrderError> {
        let parts = [&self.first, &self.pivots, &self.last];
        EliminationOrder::new(parts.into_iter().flatten().copied().collect())
    }

    fn change(&self, random: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
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
    fn cost(&self, pivots: &[(usize, usize)]) -> Option<u64> {
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
