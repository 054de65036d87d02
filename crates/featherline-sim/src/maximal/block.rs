//! Blocks of six rows, the unit in which a body and its joint are eliminated.
//!
//! Rows are padded to eight numbers, so that a row is one or two registers and every loop over it
//! has a fixed length.

/// A row of six numbers and two that mean nothing.
pub(crate) type Row = [f64; 8];

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

/// A symmetric positive definite matrix as L D Lᵀ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LdlFactors {
    /// L below its diagonal of ones.
    lower: Block,
    /// D⁻¹.
    pub inverse: Row,
}

/// A pivot that is this part of its diagonal element is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl LdlFactors {
    /// Factorises a matrix; none if it is not positive definite beyond rounding.
    #[inline(always)]
    pub fn of(matrix: &Block) -> Option<Self> {
        let mut rest = *matrix;
        let (mut lower, mut inverse) = (Block::zero(), [0.0; 8]);
        let mut definite = true;
        for k in 0..6 {
            let pivot = rest.0[k][k];
            // False also for what is not a number.
            definite &= pivot > ROUNDING * matrix.0[k][k] && pivot > 0.0;
            inverse[k] = pivot.recip();
            let row = rest.0[k];
            for i in k + 1..6 {
                let l = row[i] * inverse[k];
                lower.0[i][k] = l;
                add_scaled(&mut rest.0[i], -l, &row);
            }
        }
        definite.then_some(Self { lower, inverse })
    }

    /// The inverse of a matrix; none if it is not positive definite beyond rounding.
    #[inline(always)]
    pub fn inverse_of(matrix: &Block) -> Option<Block> {
        let factors = Self::of(matrix)?;
        let mut unit = Block::zero();
        for r in 0..6 {
            unit.0[r][r] = 1.0;
        }
        Some(factors.solve_upper(&factors.solve_lower(&unit)))
    }

    /// L⁻¹ times six rows.
    #[inline(always)]
    pub fn solve_lower(&self, rows: &Block) -> Block {
        let mut solved = *rows;
        for k in 0..6 {
            let row = solved.0[k];
            for i in k + 1..6 {
                add_scaled(&mut solved.0[i], -self.lower.0[i][k], &row);
            }
        }
        solved
    }

    /// L⁻ᵀ D⁻¹ times six rows.
    #[inline(always)]
    pub fn solve_upper(&self, rows: &Block) -> Block {
        let mut solved = *rows;
        for k in 0..6 {
            for l in 0..8 {
                solved.0[k][l] *= self.inverse[k];
            }
        }
        for k in (0..6).rev() {
            let row = solved.0[k];
            for i in 0..k {
                add_scaled(&mut solved.0[i], -self.lower.0[k][i], &row);
            }
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aᵀ A + 0.1.
    fn definite() -> (Block, Block) {
        let (mut rows, mut matrix) = (Block::zero(), Block::zero());
        for r in 0..6 {
            for c in 0..6 {
                rows.0[r][c] = ((7 * r + 3 * c) as f64).sin();
            }
        }
        for r in 0..6 {
            matrix.0[r] = rows.transposed_times(&std::array::from_fn(|k| match k {
                0..6 => rows.0[k][r],
                _ => 0.0,
            }));
            matrix.0[r][r] += 0.1;
        }
        (rows, matrix)
    }

    #[test]
    fn factors_solve_what_products_make() {
        let (rows, matrix) = definite();
        let factors = LdlFactors::of(&matrix).unwrap();
        let solved = factors.solve_upper(&factors.solve_lower(&rows));
        let mut back = matrix.times(&solved);
        let mut left = rows;
        left.subtract_product(&matrix, &solved);
        for r in 0..6 {
            let column: Row = std::array::from_fn(|k| if k < 6 { solved.0[k][r] } else { 0.0 });
            let product = matrix.times_vector(&column);
            for c in 0..6 {
                assert!((back.0[r][c] - rows.0[r][c]).abs() < 1e-12);
                assert!((product[c] - rows.0[c][r]).abs() < 1e-12);
                assert!(left.0[r][c].abs() < 1e-12);
            }
        }
        back.0[0][0] = f64::NAN;
        assert!(LdlFactors::of(&back).is_none());
    }

    #[test]
    fn what_is_singular_but_for_rounding_has_no_factors() {
        let (mut rank_one, row) = (Block::zero(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        for r in 0..6 {
            for c in 0..6 {
                rank_one.0[r][c] = row[r] * row[c];
            }
        }
        assert!(LdlFactors::of(&rank_one).is_none());
    }
}
