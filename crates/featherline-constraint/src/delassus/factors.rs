//! K M⁻¹ Kᵀ: the factors of the Delassus matrix of the independent constraints.

use featherline::kernel::row::{add_rows, add_scaled, scale};

/// The part of each diagonal element that is added to it: some hundred times its rounding. What
/// that damps is won back by solving for the rest again.
const PROXIMAL: f64 = 1e-13;

/// A pivot of fewer times what was added is rounding, of much lighter bodies, and gets no force.
const ROUNDING: f64 = 4.0;

/// A symmetric positive definite matrix and its factors, by the independent constraints.
#[derive(Clone, Debug)]
pub(crate) struct DelassusFactors {
    /// By rows, to be set by the caller on the diagonal and to its right; then U of Uᵀ D U there,
    /// with D on the diagonal. The rest is not read. Room for more rows than
    /// hold.
    pub matrix: Vec<f64>,
    /// The inverse of D; zero for pivots that are rounding.
    inverse_pivots: Vec<f64>,
}

impl DelassusFactors {
    pub(crate) fn new(constraints: usize) -> Self {
        Self {
            matrix: vec![0.0; constraints * constraints],
            inverse_pivots: vec![0.0; constraints],
        }
    }

    /// Factorises `n` rows with a little of the diagonal added, those that hold most first.
    #[inline(always)]
    pub(crate) fn factorise(&mut self, n: usize) {
        self.factorise_damped(n, PROXIMAL);
    }

    /// The same with another multiple. Returns the least pivot as a part of its diagonal element.
    #[inline(always)]
    pub(crate) fn factorise_damped(&mut self, n: usize, proximal: f64) -> f64 {
        let mut least = 1.0_f64;
        let a = &mut self.matrix[..n * n];
        for (k, inverse) in self.inverse_pivots[..n].iter_mut().enumerate() {
            // The diagonal, until the row's turn comes.
            *inverse = a[k * (n + 1)];
            a[k * (n + 1)] += proximal * *inverse;
        }
        for k in 0..n {
            let (above, own) = a.split_at_mut(k * n);
            let own = &mut own[k..n];
            // Uᵀ D U of the rows above
            let mut sum = SparseSum::of(above, n, k);
            for i in 0..k {
                sum.add(i, -above[i * n + k] * above[i * (n + 1)], own);
            }
            sum.finish(own);
            let (pivot, diagonal) = (own[0], self.inverse_pivots[k]);
            let added = proximal * diagonal;
            // Not a number, for a row of zeros, is less than every limit.
            least = if pivot >= least * diagonal && diagonal > 0.0 {
                least
            } else {
                pivot.max(0.0) / diagonal
            };
            let inverse = if pivot > ROUNDING * added {
                pivot.recip()
            } else {
                0.0
            };
            self.inverse_pivots[k] = inverse;
            scale(&mut own[1..], inverse);
        }
        least
    }

    /// Writes the damped inverse of the first `n` rows.
    #[inline(always)]
    pub(crate) fn write_inverse(&self, n: usize, inverse: &mut [f64]) {
        let u = &self.matrix[..n * n];
        inverse.fill(0.0);
        for k in 0..n {
            let (above, own) = inverse.split_at_mut(k * n);
            let own = &mut own[..n];
            own[k] = 1.0;
            let mut sum = SparseSum::of(above, n, 0);
            for i in 0..k {
                sum.add(i, -u[i * n + k], own);
            }
            sum.finish(own);
        }
        for k in (0..n).rev() {
            let (own, below) = inverse.split_at_mut((k + 1) * n);
            let own = &mut own[k * n..];
            scale(own, self.inverse_pivots[k]);
            let mut sum = SparseSum::of(below, n, 0);
            for i in k + 1..n {
                sum.add(i - (k + 1), -u[k * n + i], own);
            }
            sum.finish(own);
        }
    }

    /// A damped solution for as many rows as `x` has numbers, in place of the right-hand side.
    #[inline(always)]
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let u = &self.matrix[..n * n];
        for k in 0..n {
            let (above, below) = x.split_at_mut(k + 1);
            add_scaled(below, -above[k], &u[k * n + k + 1..(k + 1) * n]);
        }
        for k in (0..n).rev() {
            let (own, below) = x.split_at_mut(k + 1);
            own[k] = own[k] * self.inverse_pivots[k] - dot(&u[k * n + k + 1..], below);
        }
    }
}

/// A sum of rows times factors, many of which are zero: in parts that stay in registers.
pub(crate) struct SparseSum<'a> {
    from: &'a [f64],
    /// How far rows are apart, and where in a row the sum begins.
    stride: usize,
    first: usize,
    rows: [usize; PART],
    factors: [f64; PART],
    count: usize,
}

/// Rows that are summed together.
const PART: usize = 16;

impl<'a> SparseSum<'a> {
    #[inline(always)]
    pub(crate) fn of(from: &'a [f64], stride: usize, first: usize) -> Self {
        Self {
            from,
            stride,
            first,
            rows: [0; PART],
            factors: [0.0; PART],
            count: 0,
        }
    }

    /// Adds a row times a factor to the sum `to`, at the latest when it is finished.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, factor: f64, to: &mut [f64]) {
        if factor == 0.0 {
            return;
        }
        self.rows[self.count] = row;
        self.factors[self.count] = factor;
        self.count += 1;
        if self.count == PART {
            self.finish(to);
        }
    }

    #[inline(always)]
    pub(crate) fn finish(&mut self, to: &mut [f64]) {
        let (factors, rows) = (&self.factors[..self.count], &self.rows[..self.count]);
        add_rows(to, factors, rows, self.from, self.stride, self.first);
        self.count = 0;
    }
}

/// Numbers that are summed side by side: a vector register of doubles.
const LANES: usize = 4;

/// The shorter length counts.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let len = a.len().min(b.len());
    let (a, a_rest) = a[..len].as_chunks::<LANES>();
    let (b, b_rest) = b[..len].as_chunks::<LANES>();
    let mut rest = 0.0;
    for (x, y) in a_rest.iter().zip(b_rest) {
        rest = x.mul_add(*y, rest);
    }
    let mut sums = [0.0; LANES];
    for (x, y) in a.iter().zip(b) {
        for l in 0..LANES {
            sums[l] = x[l].mul_add(y[l], sums[l]);
        }
    }
    rest + (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aᵀ A for a matrix with the given rows.
    fn gram(rows: &[[f64; 3]]) -> [[f64; 3]; 3] {
        let mut matrix = [[0.0; 3]; 3];
        for row in rows {
            for r in 0..3 {
                for c in 0..3 {
                    matrix[r][c] += row[r] * row[c];
                }
            }
        }
        matrix
    }

    fn solved(matrix: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
        // More room than is needed.
        let mut delassus = DelassusFactors::new(5);
        delassus.matrix[..9].copy_from_slice(matrix.as_flattened());
        delassus.factorise(3);
        let mut solution = matrix.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
        delassus.solve(&mut solution);
        solution
    }

    #[test]
    fn solutions_are_damped_by_little() {
        let x = [0.3, -0.7, 1.1];
        let found = solved(
            &gram(&[[1.0, 0.5, 0.25], [-0.5, 2.0, 0.125], [0.0, -0.75, 3.0]]),
            x,
        );
        for k in 0..3 {
            // Pivots are between 1 and 10 here.
            assert!((found[k] - x[k]).abs() < 2e-12, "{found:?}");
        }
        // And however little bodies weigh beside others.
        let graded = [[1.0, 0.5e5, 0.0], [0.5e5, 1e10, 0.5], [0.0, 0.5, 1e-10]];
        let found = solved(&graded, [0.3, -0.7e-5, 1.1e5]);
        for (found, expected) in found.into_iter().zip([0.3, -0.7e-5, 1.1e5]) {
            assert!((found / expected - 1.0).abs() < 1e-10, "{found}");
        }
    }

    #[test]
    fn the_inverse_solves_for_unit_vectors() {
        let matrix = gram(&[[1.0, 0.5, 0.25], [-0.5, 2.0, 0.125], [0.0, -0.75, 3.0]]);
        let mut delassus = DelassusFactors::new(3);
        delassus.matrix.copy_from_slice(matrix.as_flattened());
        delassus.factorise(3);
        let mut inverse = [0.0; 9];
        delassus.write_inverse(3, &mut inverse);
        for r in 0..3 {
            for c in 0..3 {
                let product: f64 = (0..3).map(|k| matrix[r][k] * inverse[3 * k + c]).sum();
                // Damped by 1e-13 of pivots between 1 and 10.
                assert!((product - f64::from(u8::from(r == c))).abs() < 2e-12);
            }
        }
    }

    #[test]
    fn pivots_that_are_rounding_get_no_force() {
        let matrix = gram(&[[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]]);
        let found = solved(&matrix, [0.3, -0.7, 1.1]);
        assert_eq!(found[2], 0.0);
        let mut delassus = DelassusFactors::new(3);
        delassus.factorise(3);
        let mut x = [1.0, 2.0, 3.0];
        delassus.solve(&mut x);
        assert_eq!(x, [0.0; 3]);
    }
}
