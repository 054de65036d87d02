//! An estimate that is made in another way than either side's: without the normal matrix.
//!
//! The estimate minimises ‖W^½ (D y − b)‖² + ‖Σ^−½ (y − μ)‖². Householder's QR of these rows,
//! dense, loses digits with their condition number, where normal matrices lose them with its square
//! (Higham 2002, sections 20.3 and 20.4).

use super::posed::Posed;
use anyhow::{Context, Result};
use nalgebra::{DMatrix, DVector};

/// The estimate of all unknowns in the last state.
///
/// # Errors
/// If the rows do not determine the unknowns.
pub fn estimate(posed: &Posed) -> Result<Vec<f64>> {
    let (values, right) = posed.assembled()?;
    let estimator = posed.estimator();
    let sparsity = estimator.system().sparsity();
    let (rows, columns) = (sparsity.rows(), sparsity.columns());
    let mut matrix = DMatrix::zeros(rows + columns, columns);
    let mut target = DVector::zeros(rows + columns);
    for row in 0..rows {
        let weight = estimator.variance(row)?.sqrt().recip();
        target[row] = weight * right[row];
        for (&column, value) in sparsity
            .row(row)
            .iter()
            .zip(&values[sparsity.row_range(row)])
        {
            matrix[(row, column)] = weight * value;
        }
    }
    for column in 0..columns {
        let (mean, variance) = estimator.prior(column)?;
        let weight = variance.map_or(0.0, |variance| variance.sqrt().recip());
        matrix[(rows + column, column)] = weight;
        target[rows + column] = weight * mean;
    }
    let factors = matrix.qr();
    factors.q_tr_mul(&mut target);
    let solved = factors.r().solve_upper_triangular(&target.rows(0, columns));
    let solved = solved.context("the rows do not determine the unknowns")?;
    Ok(solved.as_slice().to_vec())
}
