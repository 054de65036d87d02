//! Dense linear systems, solved in memory that the caller has.
//!
//! nalgebra's decompositions own their matrices and allocate a new one each time, which a step must
//! not.

/// A square matrix of n rows, factorised in place by Gauss' elimination with row pivots.
#[derive(Clone, Debug)]
pub(crate) struct Gauss {
    n: usize,
    /// Row by row; after the factorisation the factors L (below the diagonal) and U.
    pub matrix: Box<[f64]>,
    pivots: Box<[usize]>,
}

impl Gauss {
    pub fn new(n: usize) -> Self {
        Self {
            n,
            matrix: vec![0.0; n * n].into(),
            pivots: vec![0; n].into(),
        }
    }

    /// Factorises the matrix: P A = L U. Cost n³/3. Fails with the column that has no pivot.
    pub fn factorize(&mut self) -> Result<(), usize> {
        let n = self.n;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.matrix[i * n + k].abs() > self.matrix[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            let value = self.matrix[pivot * n + k];
            if !(value.is_finite() && value != 0.0) {
                return Err(k);
            }
            self.pivots[k] = pivot;
            for j in 0..n {
                self.matrix.swap(k * n + j, pivot * n + j);
            }
            let (upper, lower) = self.matrix.split_at_mut((k + 1) * n);
            let row = &upper[k * n..];
            for below in lower.chunks_exact_mut(n) {
                below[k] /= value;
                let factor = below[k];
                for j in k + 1..n {
                    below[j] -= factor * row[j];
                }
            }
        }
        Ok(())
    }

    /// Whether the determinant is below zero: one sign for each exchange of rows, and those of the
    /// pivots.
    pub fn determinant_is_negative(&self) -> bool {
        (0..self.n).fold(false, |negative, k| {
            negative ^ (self.pivots[k] != k) ^ (self.matrix[k * (self.n + 1)] < 0.0)
        })
    }

    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            x.swap(k, self.pivots[k]);
        }
        for i in 0..n {
            for j in 0..i {
                x[i] -= self.matrix[i * n + j] * x[j];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] -= self.matrix[i * n + j] * x[j];
            }
            x[i] /= self.matrix[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solutions_are_those_of_nalgebra() {
        for n in 1..8 {
            let entry = |i: usize, j: usize| ((1 + i * 7 + j * 13 + i * j) as f64).sin();
            let matrix = DMatrix::from_fn(n, n, entry);
            let right = DVector::from_fn(n, |i, _| (i as f64).cos());
            let mut gauss = Gauss::new(n);
            gauss.matrix.copy_from_slice(matrix.transpose().as_slice());
            gauss.factorize().expect("a regular matrix");
            assert_eq!(gauss.determinant_is_negative(), matrix.determinant() < 0.0);
            let mut x = right.as_slice().to_vec();
            gauss.solve(&mut x);
            let left = &matrix * DVector::from_vec(x) - right;
            // Rounding times a condition below a few thousand.
            assert!(left.amax() < 1e-12, "{n}: {left}");
        }
    }

    #[test]
    fn a_matrix_without_a_pivot_says_where() {
        let mut gauss = Gauss::new(2);
        gauss.matrix.copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert_eq!(gauss.factorize(), Err(1));
    }
}
