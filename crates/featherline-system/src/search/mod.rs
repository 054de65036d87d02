//! The offline search for an order whose program has few operations.

mod everywhere;

use crate::order;
use crate::program::CompiledSolve;
use crate::system::System;
use everywhere::Links;
use featherline_sparse::order::{Weights, markowitz_with, peel};
use featherline_sparse::{Elimination, EliminationOrder, Exchange, OrderError, Template};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many exchanges are judged by the operations of the elimination alone before their outcome is
/// compiled: compiling takes some hundred times as long.
const BETWEEN_PROGRAMS: usize = 200;

/// How many programs in a row may be no better before the search goes back to the best one.
const PATIENCE: usize = 5;

/// An elimination alone that takes more than this many times the operations of a whole program
/// won't become a better one by being simplified, which saves a tenth at best.
const HOPELESS: u64 = 2;

/// So many times fewer changes at every link come before the others as there are of these.
const BEFORE: usize = 4;

/// Of those, one in so many is made at every link, too.
const EVERYWHERE: usize = 8;

/// The parts of the whole that are done when candidates are judged, when the restarts are, and when
/// the changes of the articulated bodies' order are.
const JUDGED: f64 = 0.1;
const RESTARTED: f64 = 0.3;
const REPEATED: f64 = 0.4;

/// How long and where to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// For the random choices; the same seed gives the same orders, as long as the time suffices.
    pub seed: u64,
    /// How many randomly disturbed orders to begin with.
    pub restarts: usize,
    /// How many exchanges to try on the best one.
    pub exchanges: usize,
    /// When to stop. The orders to begin with are judged in any case; the best order so far is the
    /// result.
    pub time: Duration,
    /// Orders to begin with besides those of [`order`].
    pub candidates: Vec<EliminationOrder>,
    /// Ends the search as if its time were over, once it is true: somebody waits no longer. The
    /// best of the orders that were judged by then is the result.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            restarts: 60,
            exchanges: 20_000,
            time: Duration::from_secs(50),
            candidates: Vec::new(),
            stop: None,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The share that is done, from 0 to 1.
    pub done: f64,
    /// The operations of the best program so far; [`u64::MAX`] before there is one.
    pub best: u64,
}

/// An order that a search found, and its cost.
#[derive(Clone, Debug)]
pub struct FoundOrder {
    /// The order.
    pub order: EliminationOrder,
    /// The operations of its compiled program for one state, everything included: the
    /// [total](featherline::scalar::Operations::total) of
    /// [`Program::count`](featherline_compile::Program::count).
    pub operations: u64,
}

/// Searches for the order whose [program](CompiledSolve) has the fewest operations.
///
/// It begins with all orders of [`order`], the given candidates, Markowitz's under random weights,
/// and the articulated bodies' order with changes that are made at every link at once. The best one
/// is then changed by moving a pivot, or a run of pivots, to another position, and by exchanging
/// the rows of two pivots, most often at one place, sometimes at every link. The cost is exact: an
/// order is compiled and simplified, and the instructions of its program are counted, sines,
/// placements, velocities and the building of the matrix included. What is compiled is chosen by
/// the operations of the elimination alone, which take a hundredth of the time to count: every
/// order to begin with (unless its elimination alone takes twice as many as the best program so
/// far); those random ones that come within a fiftieth of the best one; and what every 200 changes
/// that cost no more lead to. Hence no order that it begins with has a program of fewer operations
/// than the one that is found. `progress` is called now and then with the state of the search.
///
/// # Errors
/// [`OrderError`] if no candidate at all is an order of the system.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{CompiledSolve, Problem, SearchOptions, System, Template, search};
///
/// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
/// let template = system.template()?;
/// let options = SearchOptions { restarts: 5, exchanges: 50, ..SearchOptions::default() };
/// let mut last = 0.0;
/// let found = search(&system, &template, &options, |progress| last = progress.done)?;
/// assert_eq!(last, 1.0);
/// let compiled = CompiledSolve::new(&system, &template, &found.order)?;
/// assert_eq!(compiled.program().count().total(), found.operations);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search(
    system: &System,
    template: &Template,
    options: &SearchOptions,
    progress: impl FnMut(Progress),
) -> Result<FoundOrder, OrderError> {
    let recursive = [order::rnea, order::aba, order::crba].map(|order| order(system));
    let general = [
        order::markowitz,
        order::minimum_degree,
        order::amd,
        order::colamd,
        order::nested_dissection,
        order::reverse_cuthill_mckee,
    ];
    let given = options.candidates.iter().cloned().map(Ok);
    // A recursive order of another problem is no reason to fail.
    let recursive = recursive.into_iter().filter(Result::is_ok);
    let candidates = given
        .chain(recursive)
        .chain(general.iter().map(|order| order(template)));
    let mut search = Search {
        system,
        template,
        options,
        progress,
        random: ChaCha8Rng::seed_from_u64(options.seed),
        start: Instant::now(),
        is_triangular: peel(template).columns().next().is_none(),
        judged: Vec::new(),
        best: None,
    };
    search.judge_candidates(candidates)?;
    search.restart();
    let links = Links::new(system);
    search.change_everywhere(&links)?;
    search.exchange(&links)?;
    search.report(1.0);
    // Without a single order the candidates would have failed.
    search.best.ok_or(OrderError::Size {
        expected: template.size(),
        found: 0,
    })
}

struct Search<'a, P> {
    system: &'a System,
    template: &'a Template,
    options: &'a SearchOptions,
    progress: P,
    random: ChaCha8Rng,
    start: Instant,
    /// Whether only equations with one unknown left are there: all orders are one elimination.
    is_triangular: bool,
    /// The orders that were compiled.
    judged: Vec<EliminationOrder>,
    best: Option<FoundOrder>,
}

impl<P: FnMut(Progress)> Search<'_, P> {
    /// Compiles the orders to begin with, the cheapest elimination first.
    ///
    /// # Errors
    /// Why the last of them is none, if none is one.
    fn judge_candidates(
        &mut self,
        candidates: impl Iterator<Item = Result<EliminationOrder, OrderError>>,
    ) -> Result<(), OrderError> {
        let mut failure = OrderError::Size {
            expected: self.template.size(),
            found: 0,
        };
        let mut orders = Vec::new();
        for candidate in candidates {
            match candidate {
                Ok(order) => {
                    orders.extend(
                        self.elimination(&order)
                            .map(|operations| (operations, order)),
                    );
                }
                Err(error) => failure = error,
            }
        }
        orders.sort_by_key(|&(operations, _)| operations);
        let count = orders.len();
        for (number, (operations, order)) in orders.into_iter().enumerate() {
            let is_hopeless = operations / HOPELESS >= self.operations();
            // A triangular system has one elimination only.
            let is_known = self.is_triangular && self.best.is_some();
            let is_waited_for = self.best.is_none() || !self.is_stopped();
            if !is_hopeless && !is_known && is_waited_for {
                self.judge(order);
            }
            self.report(JUDGED * (number + 1) as f64 / count as f64);
        }
        self.best.is_some().then_some(()).ok_or(failure)
    }

    /// Markowitz's order under random weights.
    fn restart(&mut self) {
        let restarts = if self.is_triangular {
            0
        } else {
            self.options.restarts
        };
        for restart in 0..restarts {
            if self.is_over(0.5) {
                break;
            }
            let weights = Weights::random(&mut self.random);
            let order = markowitz_with(self.template, weights, Some(&mut self.random));
            if let Ok(order) = order
                && self.is_promising(&order)
            {
                self.judge(order);
            }
            let done = (restart + 1) as f64 / restarts as f64;
            self.report(JUDGED + (RESTARTED - JUDGED) * done);
        }
    }

    /// Changes the order of the articulated-body algorithm at all links at once; the best order
    /// where that one does not fit.
    fn change_everywhere(&mut self, links: &Links) -> Result<(), OrderError> {
        let recursive = order::aba(self.system).ok();
        let recursive = recursive.and_then(|order| Exchange::new(self.template, &order).ok());
        let exchange = recursive.or_else(|| self.best_exchange());
        let Some(mut exchange) = exchange.filter(|exchange| exchange.pivots().len() > 1) else {
            return Ok(());
        };
        let trials = self.options.exchanges / BEFORE;
        let mut is_new = false;
        for trial in 0..trials {
            if self.is_over(0.6) {
                break;
            }
            let changed = links.change(exchange.pivots(), &mut self.random);
            is_new |= exchange.take(changed);
            if trial % 64 == 0 {
                let done = trial as f64 / trials as f64;
                self.report(RESTARTED + (REPEATED - RESTARTED) * done);
            }
        }
        if is_new {
            self.judge(exchange.order()?);
        }
        Ok(())
    }

    /// For changes of the best order.
    fn best_exchange(&self) -> Option<Exchange> {
        let best = self.best.as_ref()?;
        Exchange::new(self.template, &best.order).ok()
    }

    /// Small changes of the best order, most of them at one place.
    fn exchange(&mut self, links: &Links) -> Result<(), OrderError> {
        let exchange = self.best_exchange();
        let Some(mut exchange) = exchange.filter(|exchange| exchange.pivots().len() > 1) else {
            return Ok(());
        };
        let mut best_pivots = exchange.pivots().to_vec();
        let (mut is_new, mut failures) = (false, 0);
        for trial in 0..self.options.exchanges {
            let changed = if trial % EVERYWHERE == 0 {
                links.change(exchange.pivots(), &mut self.random)
            } else {
                exchange.change(&mut self.random)
            };
            is_new |= exchange.take(changed);
            let is_last = trial + 1 == self.options.exchanges;
            if is_new && (is_last || trial % BETWEEN_PROGRAMS == BETWEEN_PROGRAMS - 1) {
                is_new = false;
                let before = self.operations();
                self.judge(exchange.order()?);
                if self.operations() < before {
                    best_pivots = exchange.pivots().to_vec();
                    failures = 0;
                } else {
                    failures += 1;
                }
                if failures == PATIENCE {
                    exchange.set(best_pivots.clone());
                    failures = 0;
                }
            }
            if trial % 64 == 0 {
                if self.is_over(1.0) {
                    break;
                }
                let done = trial as f64 / self.options.exchanges as f64;
                self.report(REPEATED + (1.0 - REPEATED) * done);
            }
        }
        Ok(())
    }

    /// Compiles an order, and keeps it if its program is the best one so far.
    fn judge(&mut self, order: EliminationOrder) {
        if self.judged.contains(&order) {
            return;
        }
        let compiled = CompiledSolve::new(self.system, self.template, &order);
        let operations = compiled
            .ok()
            .map(|compiled| compiled.program().count().total());
        if let Some(operations) = operations.filter(|&operations| operations < self.operations()) {
            self.best = Some(FoundOrder {
                order: order.clone(),
                operations,
            });
        }
        self.judged.push(order);
    }

    /// The operations of the elimination alone; none where a pivot vanishes.
    fn elimination(&self, order: &EliminationOrder) -> Option<u64> {
        let elimination = Elimination::new(self.template, order).ok()?;
        Some(elimination.operations(self.template).ok()?.total())
    }

    /// Whether the elimination alone comes close to that of the best order.
    fn is_promising(&self, order: &EliminationOrder) -> bool {
        let best = self.best.as_ref();
        let best = best.and_then(|best| self.elimination(&best.order));
        let limit = best.map_or(u64::MAX, |best| best + best / 50);
        self.elimination(order).is_some_and(|own| own <= limit)
    }

    /// Whether somebody has stopped the search.
    fn is_stopped(&self) -> bool {
        let stop = self.options.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether a share of the time is over.
    fn is_over(&self, share: f64) -> bool {
        self.is_stopped()
            || self.start.elapsed().as_secs_f64() > share * self.options.time.as_secs_f64()
    }

    fn operations(&self) -> u64 {
        self.best.as_ref().map_or(u64::MAX, |best| best.operations)
    }

    /// Tells how far the search has come, by its steps or by its time, whichever is more.
    fn report(&mut self, done: f64) {
        let spent = self.start.elapsed().as_secs_f64() / self.options.time.as_secs_f64();
        let best = self.operations();
        (self.progress)(Progress {
            done: done.max(spent).min(1.0),
            best,
        });
    }
}
