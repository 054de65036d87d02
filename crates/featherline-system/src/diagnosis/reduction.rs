//! Reduction of a problem to the few quantities that the dynamics of the tree leave free.
//!
//! The equations of motion give every a, f and τ from q̈, fˣ and what loop joints transmit with
//! pivots of −1, by recursion along the tree. Eliminating these, and what is known as it is, leaves
//! a small dense matrix on the remaining q̈ and fˣ: its rank, and the dimensions eliminated, make
//! up the rank of the whole system, and its null space is that of the whole.

use crate::system::{Equation, System};
use nalgebra::DMatrix;
use std::ops::Range;

/// Singular values of rows and columns of length one, below which they are zero: far above what
/// rounding leaves along a chain of a hundred links, far below what a sensible robot has.
const TOLERANCE: f64 = 1e-9;

/// The rounding left of a sum of terms of length one that cancel.
const CANCELLED: f64 = 1e-12;

/// The remaining equations in one configuration.
pub(crate) struct Reduction {
    /// The columns of the system that remain: q̈ and fˣ that are not known, forces and
    /// accelerations of loop joints.
    pub free: Vec<usize>,
    /// For each column of the system (here a column, too) how it depends on the free ones.
    pub transfer: DMatrix<f64>,
    /// The rows of the system that remain.
    pub rows: Vec<usize>,
    /// The remaining rows on the free columns. What rounding left of terms that cancel is zero.
    pub matrix: DMatrix<f64>,
}

/// A rank and what it leaves open.
#[derive(Clone, Debug)]
pub(crate) struct Rank {
    pub rank: usize,
    /// A basis of what no row sees: one column each, with entries for the free columns.
    pub null: DMatrix<f64>,
}

impl Reduction {
    /// Reduces a system whose matrix has the given values to the quantities that the rows for which
    /// `counts` holds leave free. All rows remain that don't give one of them as it is.
    pub fn new(system: &System, values: &[f64], counts: impl Fn(usize) -> bool) -> Self {
        let (pattern, unknowns) = (system.sparsity(), system.unknowns());
        let (free, rows) = open_columns(system, counts);
        let mut transfer = DMatrix::zeros(free.len(), unknowns.count());
        for (k, &column) in free.iter().enumerate() {
            transfer[(k, column)] = 1.0;
        }
        for (row, pivot) in system.equations().pivots(unknowns) {
            for entry in pattern.row_range(row) {
                let column = pattern.indices()[entry];
                if column != pivot {
                    let from = transfer.column(column).clone_owned();
                    transfer.column_mut(pivot).axpy(values[entry], &from, 1.0);
                }
            }
        }
        let mut transposed = DMatrix::zeros(free.len(), rows.len());
        for (k, &row) in rows.iter().enumerate() {
            for entry in pattern.row_range(row) {
                let from = transfer.column(pattern.indices()[entry]);
                transposed.column_mut(k).axpy(values[entry], &from, 1.0);
            }
            let terms = pattern.row_range(row).map(|entry| {
                let from = transfer.column(pattern.indices()[entry]);
                from.amax() * values[entry].abs()
            });
            let largest = terms.fold(0.0, f64::max);
            for value in transposed.column_mut(k).iter_mut() {
                if value.abs() <= CANCELLED * largest {
                    *value = 0.0;
                }
            }
        }
        Self {
            free,
            transfer,
            rows,
            matrix: transposed.transpose(),
        }
    }

    /// The rank of the remaining rows for which `counts` holds.
    pub fn rank(&self, counts: impl Fn(usize) -> bool) -> Rank {
        let kept: Vec<usize> = (0..self.rows.len())
            .filter(|&k| counts(self.rows[k]))
            .collect();
        rank_of(&self.matrix.select_rows(&kept))
    }

    /// Some rows of the system on open directions. What rounding left of terms that cancel is zero.
    pub fn on_directions(&self, rows: &Range<usize>, null: &DMatrix<f64>) -> DMatrix<f64> {
        let own: Vec<usize> = (0..self.rows.len())
            .filter(|&k| rows.contains(&self.rows[k]))
            .collect();
        let picked = self.matrix.select_rows(&own);
        let mut product = &picked * null;
        for (k, mut row) in product.row_iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                let direction = null.column(j);
                if value.abs() <= TOLERANCE * picked.row(k).amax() * direction.amax() {
                    *value = 0.0;
                }
            }
        }
        product
    }

    /// Whether a sum of columns of the system, each with its factor, depends on a null space.
    pub fn depends(&self, terms: &[(usize, f64)], null: &DMatrix<f64>) -> bool {
        let size = |&(column, factor): &(usize, f64)| {
            factor.abs() * (1.0 + self.transfer.column(column).amax())
        };
        let size: f64 = terms.iter().map(size).sum();
        null.column_iter().any(|direction| {
            let parts = terms
                .iter()
                .map(|&(column, factor)| factor * self.transfer.column(column).dot(&direction));
            parts.sum::<f64>().abs() > 1e-7 * size * direction.amax()
        })
    }
}

/// The columns of q̈, fˣ and loop joints that no row given as it is determines, and other rows.
pub(super) fn open_columns(
    system: &System,
    counts: impl Fn(usize) -> bool,
) -> (Vec<usize>, Vec<usize>) {
    let (unknowns, equations) = (system.unknowns(), system.equations());
    let mut known = vec![false; unknowns.count()];
    let mut rows = Vec::new();
    let is_free = |column: usize| {
        column >= unknowns.joint_accelerations().start
            || (12 * equations.joints.len()..18 * equations.joints.len()).contains(&column)
    };
    for row in equations.tree().end..equations.count() {
        let exact = counts(row) && matches!(equations.at(row), Some(Equation::Known { .. }));
        match system.sparsity().row(row) {
            [column] if exact && is_free(*column) && !known[*column] => known[*column] = true,
            _ => rows.push(row),
        }
    }
    let open = |column: &usize| is_free(*column) && !known[*column];
    ((0..unknowns.count()).filter(open).collect(), rows)
}

/// The rank and the null space of a matrix, rows and columns made equally long.
pub(crate) fn rank_of(matrix: &DMatrix<f64>) -> Rank {
    let columns = matrix.ncols();
    // Rows of zeros make the decomposition give all right singular vectors.
    let rows = matrix.nrows().max(columns);
    let mut scaled = DMatrix::zeros(rows, columns);
    for (k, row) in matrix.row_iter().enumerate() {
        let norm = row.norm();
        if norm > 0.0 {
            scaled.row_mut(k).copy_from(&(row / norm));
        }
    }
    let scale: Vec<f64> = scaled
        .column_iter()
        .map(|column| {
            if column.norm() > TOLERANCE {
                1.0 / column.norm()
            } else {
                1.0
            }
        })
        .collect();
    for (k, &factor) in scale.iter().enumerate() {
        scaled.column_mut(k).scale_mut(factor);
    }
    if columns == 0 {
        return Rank {
            rank: 0,
            null: DMatrix::zeros(0, 0),
        };
    }
    let decomposition = scaled.svd(false, true);
    let largest = decomposition.singular_values.max();
    let is_zero =
        |k: &usize| decomposition.singular_values[*k] <= TOLERANCE * largest.max(TOLERANCE);
    let open: Vec<usize> = (0..columns).filter(is_zero).collect();
    let null = match &decomposition.v_t {
        Some(v_t) => DMatrix::from_fn(columns, open.len(), |row, k| {
            scale[row] * v_t[(open[k], row)]
        }),
        None => DMatrix::zeros(columns, 0),
    };
    Rank {
        rank: columns - open.len(),
        null: echelon(null),
    }
}

/// The same space with few entries: reduced echelon form of the columns, pivots chosen for size.
pub(super) fn echelon(mut null: DMatrix<f64>) -> DMatrix<f64> {
    let mut used = vec![false; null.nrows()];
    for k in 0..null.ncols() {
        let free = (0..null.nrows()).filter(|&row| !used[row]);
        let largest = free.max_by(|&a, &b| null[(a, k)].abs().total_cmp(&null[(b, k)].abs()));
        let Some(pivot) = largest.filter(|&row| null[(row, k)] != 0.0) else {
            continue;
        };
        used[pivot] = true;
        let inverse = 1.0 / null[(pivot, k)];
        null.column_mut(k).scale_mut(inverse);
        let own = null.column(k).clone_owned();
        for other in (0..null.ncols()).filter(|&other| other != k) {
            let factor = null[(pivot, other)];
            null.column_mut(other).axpy(-factor, &own, 1.0);
        }
    }
    null
}
