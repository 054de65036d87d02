//! Markowitz's order: the pivot that changes the fewest entries comes next.

use super::pivoting::{THRESHOLD, core};
use super::{EliminationOrder, OrderError};
use crate::active::ActiveMatrix;
use crate::template::Template;
use rand::{Rng, RngExt};

/// How [`markowitz_with`] weighs a pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of an addition; a multiplication has weight 1.
    pub addition: f64,
    /// Of an entry of the pivot's row that must be found first on the way back.
    pub entry: f64,
    /// The relative size of a random disturbance.
    pub noise: f64,
}

impl Weights {
    const PLAIN: Self = Self {
        addition: 1.0,
        entry: 0.0,
        noise: 0.0,
    };

    /// Weights that give orders worth trying beside [`markowitz`]'s own.
    pub fn random(random: &mut impl Rng) -> Self {
        Self {
            addition: random.random_range(0.0..2.0),
            entry: random.random_range(0.0..4.0),
            noise: random.random_range(0.0..0.5),
        }
    }
}

/// Markowitz's order, with a threshold on the size of pivots.
///
/// The triangular part is taken off first. Of the entries that are at least a hundredth of their
/// column's largest one in all sampled states, the one whose elimination is bound by the fewest
/// operations comes next; products by ±1 count nothing. Cost O(n · entries). Source: Markowitz
/// 1957; Duff, Erisman and Reid 2017, chapter 7.
///
/// # Errors
/// [`OrderError::Singular`] if no entry is left that could be a pivot.
pub fn markowitz(template: &Template) -> Result<EliminationOrder, OrderError> {
    markowitz_with(template, Weights::PLAIN, None)
}

/// [`markowitz`] with other weights, and with random disturbances where `random` is given.
///
/// # Errors
/// As [`markowitz`].
pub fn markowitz_with(
    template: &Template,
    weights: Weights,
    mut random: Option<&mut dyn Rng>,
) -> Result<EliminationOrder, OrderError> {
    let (peeled, mut matrix) = core(template);
    let mut rows: Vec<usize> = peeled.rows().collect();
    let columns: Vec<usize> = peeled.columns().collect();
    let mut counts = Counts::new(template.size());
    let mut pivots = Vec::with_capacity(rows.len());
    while !rows.is_empty() {
        counts.take(&matrix, &rows);
        let mut best: Option<(f64, usize, usize)> = None;
        for &row in &rows {
            let own = Line::of(&matrix, row);
            for &(column, ref entry) in matrix.row(row) {
                let column = column as usize;
                let is_large = (0..entry.samples.len()).all(|k| {
                    let value = entry.samples[k].abs();
                    value >= THRESHOLD * counts.largest[column][k] && value > 0.0
                });
                if !is_large {
                    continue;
                }
                let plain = f64::from(u8::from(!entry.is_unit()));
                let (r, c) = (own.entries - 1.0, counts.columns[column].entries - 1.0);
                let (ru, cu) = (own.plain - plain, counts.columns[column].plain - plain);
                let products = if entry.is_unit() {
                    ru * cu
                } else {
                    1.0 + (c + c * ru).min(r + cu * r)
                };
                let mut score = products + weights.addition * r * c + weights.entry * r;
                if let Some(random) = random.as_deref_mut() {
                    score = (score + 1.0) * (1.0 + weights.noise * random.random::<f64>());
                }
                if best.is_none_or(|(lowest, _, _)| score < lowest) {
                    best = Some((score, row, column));
                }
            }
        }
        let Some((_, row, column)) = best else {
            let is_used = |column: &&usize| pivots.iter().any(|&(_, used)| used == **column);
            let column = columns.iter().find(|column| !is_used(column)).copied();
            return Err(OrderError::Singular {
                position: pivots.len(),
                column: column.unwrap_or(0),
            });
        };
        matrix.eliminate(row, column, &mut ());
        rows.retain(|&other| other != row);
        pivots.push((row, column));
    }
    EliminationOrder::new(peeled.around(pivots))
}

/// How many entries a row or a column has, and how many of them are not ±1.
#[derive(Clone, Copy, Default)]
struct Line {
    entries: f64,
    plain: f64,
}

impl Line {
    fn of(matrix: &ActiveMatrix, row: usize) -> Self {
        let entries = matrix.row(row);
        let units = entries.iter().filter(|(_, entry)| entry.is_unit()).count();
        Self {
            entries: entries.len() as f64,
            plain: (entries.len() - units) as f64,
        }
    }
}

struct Counts {
    columns: Vec<Line>,
    largest: Vec<[f64; 3]>,
}

impl Counts {
    fn new(n: usize) -> Self {
        Self {
            columns: vec![Line::default(); n],
            largest: vec![[0.0; 3]; n],
        }
    }

    fn take(&mut self, matrix: &ActiveMatrix, rows: &[usize]) {
        self.columns.fill(Line::default());
        self.largest.fill([0.0; 3]);
        for &row in rows {
            for &(column, ref entry) in matrix.row(row) {
                let column = column as usize;
                self.columns[column].entries += 1.0;
                self.columns[column].plain += f64::from(u8::from(!entry.is_unit()));
                for k in 0..3 {
                    self.largest[column][k] = self.largest[column][k].max(entry.samples[k].abs());
                }
            }
        }
    }
}
