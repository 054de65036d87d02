//! Ranks of large systems, by a sparse factorisation.
//!
//! With the rows and columns of A made about equally long, the quasi-definite matrix
//!
//! ```text
//! K = [ ε   A ]
//!     [ Aᵀ −ε ]
//! ```
//!
//! is regular whatever A is (Vanderbei 1995). Solving with it gives two projectors but for (ε/σ)²,
//! σ being a singular value of A that is not zero: x ↦ ε² (AᵀA + ε²)⁻¹ x onto what no row sees, and
//! r ↦ ε² (AAᵀ + ε²)⁻¹ r onto what rows say besides others. ε lies half-way, by digits, between
//! what rounding leaves of a zero and the 10⁻⁵ or so that is the least singular value of a sensible
//! robot: a σ below 10⁻⁹ counts as zero, one above 10⁻⁷ does not, and those between may be taken
//! for either.

use crate::lu::{GeneralError, GeneralLu, LuFactors};
use crate::sparsity::Sparsity;
use nalgebra::DMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::Arc;

/// A singular value below this is zero, where the greatest entries of rows and columns are 1.
const EPSILON: f64 = 1e-8;

/// A correction that leaves more than this share of the rest is the last one.
const GAIN: f64 = 0.5;

/// How many vectors are tried beyond those that are open by structure.
const SPARE: usize = 8;

/// The share of a row that no other rows say, below which these do without it.
const SAYS_NOTHING_NEW: f64 = 1.0 - 1e-6;

/// How rows and columns are scaled before a rank is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equilibration {
    /// By the largest entry of each.
    Greatest,
    /// First by the mean of the logarithms, so that columns with entries far below one are kept.
    Mean,
}

/// The rank, the null space and the redundant rows of a sparse matrix.
pub struct SparseRank {
    factors: LuFactors,
    /// Where in K each row of the matrix stands, those that do not count nowhere.
    row_of: Vec<Option<usize>>,
    /// How many rows count.
    rows: usize,
    /// The factors that scaled the matrix' rows that count, and its columns.
    row_scale: Vec<f64>,
    scale: Vec<f64>,
}

/// The solution of least norm of equations that may be redundant.
pub struct MinimumNormSolution {
    /// The solution.
    pub unknowns: Vec<f64>,
    /// The row with the largest residual, relative to the largest term of all rows; none if every
    /// residual is zero.
    pub worst: Option<(usize, f64)>,
}

impl SparseRank {
    /// Factorises the rows of a matrix for which `counts` holds.
    pub fn new(
        pattern: &Sparsity,
        values: &[f64],
        counts: impl Fn(usize) -> bool,
        scaling: Equilibration,
    ) -> Result<Self, GeneralError> {
        let mut row_of = vec![None; pattern.rows()];
        let kept: Vec<usize> = (0..pattern.rows()).filter(|&row| counts(row)).collect();
        for (k, &row) in kept.iter().enumerate() {
            row_of[row] = Some(k);
        }
        let entries: Vec<(usize, usize, f64)> = kept
            .iter()
            .enumerate()
            .flat_map(|(k, &row)| {
                let slots = pattern.row_range(row);
                slots.map(move |slot| (k, pattern.indices()[slot], values[slot]))
            })
            .collect();
        let (rows, columns) = (kept.len(), pattern.columns());
        let begin = match scaling {
            Equilibration::Greatest => (vec![1.0; rows], vec![1.0; columns]),
            Equilibration::Mean => comparable(rows, columns, &entries),
        };
        let (by_row, scale) = equilibration(begin, &entries);
        let size = rows + columns;
        let mut all: Vec<(usize, usize, f64)> = (0..size)
            .map(|k| (k, k, if k < rows { EPSILON } else { -EPSILON }))
            .collect();
        for (row, column, value) in entries {
            let value = by_row[row] * value * scale[column];
            all.push((row, rows + column, value));
            all.push((rows + column, row, value));
        }
        all.sort_unstable_by_key(|&(row, column, _)| (row, column));
        let places = all.iter().map(|&(row, column, _)| (row, column));
        // All entries lie inside, each once.
        let pattern = Sparsity::new(size, size, places).map_err(|_| GeneralError::Memory)?;
        let values: Vec<f64> = all.iter().map(|entry| entry.2).collect();
        Ok(Self {
            factors: GeneralLu::new(Arc::new(pattern))?.factorise(&values)?,
            row_of,
            rows,
            row_scale: by_row,
            scale,
        })
    }

    /// The solution of least norm, in equilibrated rows and columns, of equations that may be
    /// redundant. None if the factorisation overflows.
    ///
    /// Each step Aᵀ (AAᵀ + ε²)⁻¹ r takes away all but (ε/σ)² of the rest: proximal steps, as in the
    /// core's `loops`.
    pub fn minimum_norm(
        pattern: &Sparsity,
        values: &[f64],
        right: &[f64],
    ) -> Option<MinimumNormSolution> {
        let factors = Self::new(pattern, values, |_| true, Equilibration::Greatest).ok()?;
        let (rows, columns) = (pattern.rows(), pattern.columns());
        let mut solution = vec![0.0; columns];
        let mut best = MinimumNormSolution {
            unknowns: solution.clone(),
            worst: None,
        };
        let mut least = f64::INFINITY;
        loop {
            let mut rest = DMatrix::zeros(rows + columns, 1);
            let (mut largest, mut worst, mut size) = (0.0_f64, None, 0.0_f64);
            for row in 0..rows {
                let scale = factors.row_scale[row];
                let mut sum = scale * right[row];
                size = size.max(sum.abs());
                for slot in pattern.row_range(row) {
                    let term = scale * values[slot] * solution[pattern.indices()[slot]];
                    sum -= term;
                    size = size.max(term.abs());
                }
                if !sum.is_finite() {
                    return None;
                }
                rest[(row, 0)] = sum;
                if sum.abs() > largest {
                    (largest, worst) = (sum.abs(), Some(row));
                }
            }
            if largest >= GAIN * least {
                return Some(best);
            }
            least = largest;
            best.unknowns.copy_from_slice(&solution);
            best.worst = worst.map(|row| (row, largest / size));
            if largest == 0.0 {
                return Some(best);
            }
            factors.factors.solve_in_place(&mut rest);
            for (k, x) in solution.iter_mut().enumerate() {
                *x += factors.scale[k] * rest[(rows + k, 0)];
            }
        }
    }

    /// A basis of the null space, one column each, orthonormal in the scaled unknowns; none if it
    /// has more than `most` dimensions. At least `structural` ones are expected.
    pub fn null_space(&self, structural: usize, most: usize) -> Option<DMatrix<f64>> {
        let n = self.scale.len();
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let mut tried = (structural + SPARE).min(n);
        loop {
            let start = DMatrix::from_fn(n, tried, |_, _| random.random_range(-1.0..1.0));
            // The part of a vector that a row sees shrinks to (ε/σ)² each time, so that hardly
            // anything of it is left beside the null space.
            let basis = self.project(&start).qr().q();
            let projected = self.project(&basis);
            let eigen = (basis.transpose() * &projected).symmetric_eigen();
            let open: Vec<usize> = (0..tried).filter(|&k| eigen.eigenvalues[k] > 0.5).collect();
            if open.len() > most {
                return None;
            }
            if open.len() < tried || tried == n {
                return Some(projected * eigen.eigenvectors.select_columns(&open));
            }
            tried = (2 * tried).min(n);
        }
    }

    /// The scale of each column.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The same basis in the unknowns' own units.
    pub fn unscaled(&self, null: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(null.nrows(), null.ncols(), |row, column| {
            self.scale[row] * null[(row, column)]
        })
    }

    /// Whether some rows are redundant: combinations of the other rows, to a thousandth.
    pub fn is_redundant(&self, rows: &Range<usize>) -> bool {
        let own: Vec<usize> = rows.clone().filter_map(|row| self.row_of[row]).collect();
        let mut solution = DMatrix::zeros(self.rows + self.scale.len(), own.len());
        for (k, &row) in own.iter().enumerate() {
            solution[(row, k)] = EPSILON;
        }
        self.factors.solve_in_place(&mut solution);
        // The part of the own rows beside the others': a symmetric part of a projector.
        let left = DMatrix::from_fn(own.len(), own.len(), |i, k| solution[(own[i], k)]);
        let said = DMatrix::identity(own.len(), own.len()) - left;
        own.is_empty() || said.symmetric_eigenvalues().max() < SAYS_NOTHING_NEW
    }

    fn project(&self, vectors: &DMatrix<f64>) -> DMatrix<f64> {
        let (n, count) = vectors.shape();
        let mut solution = DMatrix::from_fn(self.rows + n, count, |row, column| {
            row.checked_sub(self.rows)
                .map_or(0.0, |row| -EPSILON * vectors[(row, column)])
        });
        self.factors.solve_in_place(&mut solution);
        DMatrix::from_fn(n, count, |row, column| solution[(self.rows + row, column)])
    }
}

/// Factors of the rows and columns that make the greatest entry of each about 1, by square roots in
/// turns (Ruiz 2001), begun with the given ones.
fn equilibration(
    (mut by_row, mut by_column): (Vec<f64>, Vec<f64>),
    entries: &[(usize, usize, f64)],
) -> (Vec<f64>, Vec<f64>) {
    const ROUNDS: usize = 12;
    for _ in 0..ROUNDS {
        let mut row_size = vec![0.0_f64; by_row.len()];
        let mut column_size = vec![0.0_f64; by_column.len()];
        for &(row, column, value) in entries {
            let size = (by_row[row] * value * by_column[column]).abs();
            row_size[row] = row_size[row].max(size);
            column_size[column] = column_size[column].max(size);
        }
        let shrink = |factors: &mut [f64], sizes: &[f64]| {
            for (factor, &size) in factors.iter_mut().zip(sizes) {
                if size > 0.0 {
                    *factor /= size.sqrt();
                }
            }
        };
        shrink(&mut by_row, &row_size);
        shrink(&mut by_column, &column_size);
    }
    (by_row, by_column)
}

/// Factors that bring the mean logarithm of rows and columns to zero (Curtis and Reid 1972).
fn comparable(
    rows: usize,
    columns: usize,
    entries: &[(usize, usize, f64)],
) -> (Vec<f64>, Vec<f64>) {
    const ROUNDS: usize = 60;
    /// From this round on, what is small beside the rest is taken for the rounding of a zero.
    const SETTLED: usize = 30;
    let rounding = f64::EPSILON.sqrt().ln();
    let present = entries.iter().filter(|entry| entry.2 != 0.0);
    let logarithms: Vec<_> = present
        .map(|&(row, column, value)| (row, column, value.abs().ln()))
        .collect();
    let (mut by_row, mut by_column) = (vec![0.0_f64; rows], vec![0.0_f64; columns]);
    for round in 0..2 * ROUNDS {
        let is_row = round % 2 == 0;
        let count = if is_row { rows } else { columns };
        let mut mean = vec![(0.0, 0.0); count];
        for &(row, column, logarithm) in &logarithms {
            let size = by_row[row] + logarithm + by_column[column];
            if round < 2 * SETTLED || size > rounding {
                let (sum, number) = &mut mean[if is_row { row } else { column }];
                *sum += size;
                *number += 1.0;
            }
        }
        let factors = if is_row { &mut by_row } else { &mut by_column };
        for (factor, (sum, number)) in factors.iter_mut().zip(mean) {
            if number > 0.0 {
                *factor -= sum / number;
            }
        }
    }
    let exp = |factors: Vec<f64>| factors.into_iter().map(f64::exp).collect();
    (exp(by_row), exp(by_column))
}
