//! Additions that make a problem solvable: more to be known or measured.

mod catalogue;

pub use catalogue::Addition;

use crate::diagnosis::{Diagnosis, Ranks, matrix_values, rank_of, samples};
use crate::error::SystemError;
use crate::problem::{KnownId, SensorId};
use crate::system::System;
use featherline_sparse::DulmageMendelsohn;
use nalgebra::DMatrix;
use std::ops::Range;

/// How many sets of additions are tried before the search becomes greedy.
const TRIALS: usize = 30_000;

/// How many words a set has at most where too much is open for ranks.
const WORDS: usize = 3;

/// Sets of additions to a problem.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Advice, KnownValue, Problem, System};
///
/// // Forward dynamics, but nobody said that no external force acts.
/// let problem = Problem::new(samples::double_pendulum()).joint_forces(KnownValue::Input);
/// let system = System::new(problem)?;
/// let advice = Advice::from_catalogue(&system, &Advice::catalogue(&system))?;
/// assert_eq!(advice.additions[0][0].name(system.model()), "no-external-forces");
/// # Ok::<(), featherline_system::SystemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// How many directions are open at most, in the configurations that were looked at, before
    /// anything is added.
    pub open: usize,
    /// Sets of additions, each of which determines everything in every configuration that was
    /// looked at, those with the fewest equations first. Empty if nothing in the catalogue does, or
    /// nothing is open.
    pub additions: Vec<Vec<Addition>>,
    /// Whether no smaller set does. If not, the set was found by taking what closes most, again and
    /// again, and may be larger than needed.
    pub smallest: bool,
}

impl Advice {
    /// Looks for the smallest additions from a catalogue that determine everything.
    ///
    /// The contribution of a candidate is the rank of its rows on the null space of the problem: a
    /// set suffices if the ranks of all of its rows together fill that space, in each
    /// configuration. Sets are tried by size, 1, 2, 3, …, leaving out sizes that the largest
    /// contributions cannot fill; so the first that suffice are the smallest, and all of that size
    /// are returned. Single rows would make a matroid, where taking the best one each time is
    /// exact; candidates of several rows do not, so that beyond 30,000 sets the greedy choice is
    /// only a good one, and what it took needlessly is dropped again.
    ///
    /// Where [too much is open](Diagnosis::TOO_MANY) for that, at most three words for what is
    /// known of the robot as a whole are tried, each set by a diagnosis of its own.
    ///
    /// # Errors
    /// As [`Addition::add_to`] for a candidate, and as [`System::assemble`].
    pub fn from_catalogue(system: &System, catalogue: &[Addition]) -> Result<Self, SystemError> {
        let Some(search) = Search::new(system, catalogue)? else {
            return Self::in_words(system, catalogue);
        };
        let open = search
            .spaces
            .iter()
            .map(|space| space.open)
            .max()
            .unwrap_or(0);
        let mut advice = Self {
            open,
            additions: Vec::new(),
            smallest: true,
        };
        if open == 0 {
            return Ok(advice);
        }
        let useful: Vec<usize> = (0..catalogue.len())
            .filter(|&k| search.spaces.iter().any(|space| space.gains[k] > 0))
            .collect();
        if !search.suffices(&useful) {
            return Ok(advice);
        }
        let pick = |set: &[usize]| -> Vec<Addition> {
            set.iter().map(|&k| catalogue[k].clone()).collect()
        };
        let mut trials = 0;
        for size in 1..=useful.len() {
            if !search.can_fill(&useful, size) {
                continue;
            }
            trials += binomial(useful.len(), size);
            if trials > TRIALS {
                break;
            }
            let mut found = search.sets_of(&useful, size);
            if !found.is_empty() {
                found.sort_by_key(|set| search.row_count(set));
                advice.additions = found.iter().map(|set| pick(set)).collect();
                return Ok(advice);
            }
        }
        advice.smallest = false;
        advice.additions = vec![pick(&search.greedy(&useful))];
        Ok(advice)
    }

    /// Where so much is open that only words for the whole robot can close it.
    fn in_words(system: &System, catalogue: &[Addition]) -> Result<Self, SystemError> {
        let words: Vec<&Addition> = catalogue.iter().filter(|one| one.is_of_all()).collect();
        let structure = DulmageMendelsohn::new(system.sparsity());
        let mut advice = Self {
            open: system.unknowns().count() - structure.rank(),
            additions: Vec::new(),
            // Anything else in the catalogue closes a few directions of hundreds.
            smallest: true,
        };
        for size in 1..=WORDS.min(words.len()) {
            let mut found = Vec::new();
            for set in subsets(words.len(), size) {
                let set: Vec<&Addition> = set.iter().map(|&k| words[k]).collect();
                let mut problem = system.problem().clone();
                for addition in &set {
                    addition.add_to(&mut problem)?;
                }
                let helped = System::new(problem)?;
                let is_regular = || {
                    let structure = DulmageMendelsohn::new(helped.sparsity());
                    structure.rank() == helped.unknowns().count()
                };
                if is_regular() && Diagnosis::of(&helped)?.is_solvable() {
                    let rows = helped.sparsity().rows();
                    found.push((rows, set.into_iter().cloned().collect()));
                }
            }
            if !found.is_empty() {
                found.sort_by_key(|(rows, _)| *rows);
                advice.additions = found.into_iter().map(|(_, set)| set).collect();
                return Ok(advice);
            }
        }
        Ok(advice)
    }
}

/// All sets of a size of the numbers below `n`, in the order of their least elements.
fn subsets(n: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut next = (size <= n).then(|| (0..size).collect::<Vec<_>>());
    std::iter::from_fn(move || {
        let set = next.take()?;
        if let Some(k) = (0..size).rev().find(|&k| set[k] < n - size + k) {
            let mut after = set.clone();
            after[k] += 1;
            for j in k + 1..size {
                after[j] = after[j - 1] + 1;
            }
            next = Some(after);
        }
        Some(set)
    })
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k.min(n)).fold(1, |product: usize, i| {
        product.saturating_mul(n - i) / (i + 1)
    })
}

/// The open directions in one configuration.
struct Space {
    open: usize,
    /// For each candidate, its rows on the open directions.
    rows: Vec<DMatrix<f64>>,
    gains: Vec<usize>,
}

struct Search {
    spaces: Vec<Space>,
}

impl Search {
    /// Nothing if [too much is open](Diagnosis::TOO_MANY).
    fn new(system: &System, catalogue: &[Addition]) -> Result<Option<Self>, SystemError> {
        let mut problem = system.problem().clone();
        // Which knowns and sensors each candidate adds.
        let mut added = Vec::new();
        for candidate in catalogue {
            let first = (problem.knowns.len(), problem.sensors.len());
            candidate.put_into(&mut problem, system.problem())?;
            added.push((
                first.0..problem.knowns.len(),
                first.1..problem.sensors.len(),
            ));
        }
        let system = System::new(problem)?;
        let equations = system.equations();
        let mut is_candidate = vec![false; equations.count()];
        let ranges: Vec<Range<usize>> = added
            .into_iter()
            .map(|(knowns, sensors)| {
                let known = knowns.map(|k| equations.known(KnownId(k)));
                let sensor = sensors.map(|k| equations.sensor(SensorId(k)));
                // A candidate adds either, so that its rows follow each other.
                let rows = known.chain(sensor).reduce(|all, next| all.start..next.end);
                rows.unwrap_or(0..0)
            })
            .collect();
        for range in &ranges {
            is_candidate[range.clone()].fill(true);
        }
        let mut spaces = Vec::new();
        for sample in samples(&system)? {
            let values = matrix_values(&system, &sample.q)?;
            let counts = |row: usize| !is_candidate[row];
            let Some(ranks) = Ranks::new(&system, &values, counts, Diagnosis::TOO_MANY) else {
                return Ok(None);
            };
            let rows: Vec<DMatrix<f64>> = ranges
                .iter()
                .map(|range| ranks.on_directions(range))
                .collect();
            let gains = rows.iter().map(|rows| rank_of(rows).rank).collect();
            spaces.push(Space {
                open: ranks.open(),
                rows,
                gains,
            });
        }
        Ok(Some(Self { spaces }))
    }

    /// The rank that a set adds in each configuration, summed.
    fn gain(&self, set: &[usize]) -> usize {
        self.spaces.iter().map(|space| space.rank(set)).sum()
    }

    /// How many equations a set adds.
    fn row_count(&self, set: &[usize]) -> usize {
        let rows = self.spaces.first().map_or(&[][..], |space| &space.rows);
        set.iter().map(|&k| rows[k].nrows()).sum()
    }

    fn suffices(&self, set: &[usize]) -> bool {
        self.spaces
            .iter()
            .all(|space| space.rank(set) == space.open)
    }

    /// Whether sets of a size can suffice, judged by the largest contributions alone.
    fn can_fill(&self, useful: &[usize], size: usize) -> bool {
        self.spaces.iter().all(|space| {
            let mut gains: Vec<usize> = useful.iter().map(|&k| space.gains[k]).collect();
            gains.sort_unstable_by(|a, b| b.cmp(a));
            gains.iter().take(size).sum::<usize>() >= space.open
        })
    }

    /// All sets of a size that suffice.
    fn sets_of(&self, useful: &[usize], size: usize) -> Vec<Vec<usize>> {
        subsets(useful.len(), size)
            .map(|set| set.iter().map(|&k| useful[k]).collect::<Vec<_>>())
            .filter(|set| self.spaces.iter().all(|space| space.may_fill(set)) && self.suffices(set))
            .collect()
    }

    /// The candidates that close most, one by one until all is closed, without needless ones.
    fn greedy(&self, useful: &[usize]) -> Vec<usize> {
        let mut set: Vec<usize> = Vec::new();
        while !self.suffices(&set) {
            let with = |k: usize| [&set[..], &[k]].concat();
            // Of those that close the same, the one with fewer rows.
            let best = useful
                .iter()
                .filter(|k| !set.contains(k))
                .max_by_key(|&&k| (self.gain(&with(k)), usize::MAX - self.row_count(&[k])));
            match best {
                Some(&best) => set.push(best),
                None => break,
            }
        }
        let mut k = 0;
        while k < set.len() {
            let mut without = set.clone();
            without.remove(k);
            if self.suffices(&without) {
                set = without;
            } else {
                k += 1;
            }
        }
        set
    }
}

impl Space {
    /// Whether a set can suffice, judged by what its candidates contribute alone.
    fn may_fill(&self, set: &[usize]) -> bool {
        set.iter().map(|&k| self.gains[k]).sum::<usize>() >= self.open
    }

    fn rank(&self, set: &[usize]) -> usize {
        let count = set.iter().map(|&k| self.rows[k].nrows()).sum();
        let mut stacked = DMatrix::zeros(count, self.open);
        let mut at = 0;
        for &k in set {
            let rows = &self.rows[k];
            stacked.rows_mut(at, rows.nrows()).copy_from(rows);
            at += rows.nrows();
        }
        rank_of(&stacked).rank
    }
}
