//! Blocks of six rows, the unit in which a body and its joint are eliminated.
//!
//! Rows are padded to eight numbers, so that a row is one or two registers and every loop over it
//! has a fixed length.

/// A row of six numbers and two that mean nothing.
pub(crate) type Row = [f64; 8];

/// A pivot that is this part of its diagonal element is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Six rows.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Block(pub [Row; 6]);

impl Block {
    #[inline(always)]
    pub fn zero() -> Self {
        Self([[0.0; 8]; 6])
    }

    #[inline(always)]
    pub fn of(rows: &[[f64; 6]; 6]) -> Self {
        let mut padded = Self::zero();
        for r in 0..6 {
            padded.0[r][..6].copy_from_slice(&rows[r]);
        }
        padded
    }

    /// The product with a matrix.
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero();
        for r in 0..6 {
            for k in 0..6 {
                add_scaled(&mut product.0[r], self.0[r][k], &other.0[k]);
            }
        }
        product
    }

    /// Multiplies all by a number.
    #[inline(always)]
    pub fn scale(&mut self, factor: f64) {
        for row in &mut self.0 {
            *row = row.map(|x| factor * x);
        }
    }

    /// Subtracts the product of two matrices.
    #[inline(always)]
    pub fn subtract_product(&mut self, a: &Self, b: &Self) {
        for r in 0..6 {
            for k in 0..6 {
                add_scaled(&mut self.0[r], -a.0[r][k], &b.0[k]);
            }
        }
    }

    /// The product with a vector.
    #[inline(always)]
    pub fn times_vector(&self, vector: &Row) -> Row {
        let mut product = [0.0; 8];
        for r in 0..6 {
            let mut sum = 0.0;
            for k in 0..6 {
                sum = self.0[r][k].mul_add(vector[k], sum);
            }
            product[r] = sum;
        }
        product
    }

    #[inline(always)]
    pub fn transposed(&self) -> Self {
        let mut transposed = Self::zero();
        for r in 0..6 {
            for c in 0..6 {
                transposed.0[r][c] = self.0[c][r];
            }
        }
        transposed
    }

    #[inline(always)]
    pub fn column(&self, k: usize) -> Row {
        std::array::from_fn(|r| if r < 6 { self.0[r][k] } else { 0.0 })
    }

    #[inline(always)]
    pub fn set_column(&mut self, k: usize, column: &Row) {
        for r in 0..6 {
            self.0[r][k] = column[r];
        }
    }

    /// Whether a symmetric matrix is positive definite beyond rounding: by the pivots of L D Lᵀ.
    #[inline(always)]
    pub fn is_definite(&self) -> bool {
        let mut rest = *self;
        let mut definite = true;
        for k in 0..6 {
            let row = rest.0[k];
            // False also for what is not a number.
            definite &= row[k] > ROUNDING * self.0[k][k] && row[k] > 0.0;
            for i in k + 1..6 {
                add_scaled(&mut rest.0[i], -row[i] / row[k], &row);
            }
        }
        definite
    }

    /// The sum of all eight columns with weights.
    #[inline(always)]
    pub fn weighted(&self, weights: &Row) -> Row {
        let mut sums = [0.0; 8];
        for r in 0..6 {
            let mut sum = 0.0;
            for k in 0..8 {
                sum = self.0[r][k].mul_add(weights[k], sum);
            }
            sums[r] = sum;
        }
        sums
    }

    /// The product of the transpose with a vector.
    #[inline(always)]
    pub fn transposed_times(&self, vector: &Row) -> Row {
        let mut product = [0.0; 8];
        for r in 0..6 {
            add_scaled(&mut product, vector[r], &self.0[r]);
        }
        product
    }
}

/// `to += factor · from`.
#[inline(always)]
pub(crate) fn add_scaled(to: &mut Row, factor: f64, from: &Row) {
    for l in 0..8 {
        to[l] = from[l].mul_add(factor, to[l]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix6, Vector6};

    /// The same numbers as a block and as a matrix.
    fn both(phase: f64) -> (Block, Matrix6<f64>) {
        let matrix = Matrix6::from_fn(|r, c| ((7 * r + 3 * c) as f64 + phase).sin());
        let rows = std::array::from_fn(|r| std::array::from_fn(|c| matrix[(r, c)]));
        (Block::of(&rows), matrix)
    }

    fn assert_same(found: &Block, expected: &Matrix6<f64>) {
        for r in 0..6 {
            for c in 0..6 {
                assert!((found.0[r][c] - expected[(r, c)]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn products_are_those_of_matrices() {
        let ((a, dense_a), (b, dense_b)) = (both(0.0), both(0.3));
        let (column, dense_column) = (b.column(4), dense_b.column(4).into_owned());
        assert_same(&a.times(&b), &(dense_a * dense_b));
        assert_same(&a.transposed(), &dense_a.transpose());
        let mut rest = a;
        rest.subtract_product(&a, &b);
        assert_same(&rest, &(dense_a - dense_a * dense_b));
        let mut scaled = a;
        scaled.scale(3.0);
        scaled.set_column(2, &column);
        let mut expected = dense_a * 3.0;
        expected.set_column(2, &dense_column);
        assert_same(&scaled, &expected);
        let vectors: [(Row, Vector6<f64>); 3] = [
            (a.times_vector(&column), dense_a * dense_column),
            (a.weighted(&column), dense_a * dense_column),
            (a.transposed_times(&column), dense_a.tr_mul(&dense_column)),
        ];
        for (found, expected) in vectors {
            for r in 0..6 {
                assert!((found[r] - expected[r]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn matrices_are_definite_unless_singular_but_for_rounding() {
        let (rows, _) = both(0.0);
        let mut matrix = rows.transposed().times(&rows);
        (0..6).for_each(|r| matrix.0[r][r] += 0.1);
        assert!(matrix.is_definite());
        matrix.0[0][0] = f64::NAN;
        assert!(!matrix.is_definite());
        let (mut rank_one, row) = (Block::zero(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        for r in 0..6 {
            for c in 0..6 {
                rank_one.0[r][c] = row[r] * row[c];
            }
        }
        assert!(!rank_one.is_definite());
    }
}
