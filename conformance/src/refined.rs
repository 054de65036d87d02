//! Inverses that are right to the last digits, for matrices too close to singular for double
//! precision alone.

use nalgebra::DMatrix;

/// How often an inverse is corrected at most; each time it gains the digits that the first one had
/// right.
const CORRECTIONS: usize = 40;
/// The greatest correction of an inverse that is right to rounding, relative to its largest entry.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The inverse of the symmetric matrix whose entries are exactly the given doubles, each entry to
/// about 2⁻⁵² of the largest one.
///
/// Iterative refinement: the residual 1 − M X is summed with compensation, as if in twice the
/// precision (T. Ogita, S. Rump and S. Oishi, *Accurate sum and dot product*, SIAM J. Sci. Comput.
/// 26, 2005, algorithm 5.3), and an inverse found in double precision turns it into a correction of
/// X. With an exact residual the limit is the exact inverse, rounded, while the condition number is
/// below about 2⁵² (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002,
/// section 12.1). None if the corrections do not become small.
pub fn inverse(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    // Found column by column, an inverse is better on the right of the matrix than on its left,
    // where the corrections need it (Higham 2002, section 14.1): of a symmetric matrix, the
    // transpose is better on the left.
    let first = matrix.clone().try_inverse()?.transpose();
    let mut inverse = first.clone();
    let mut last = f64::INFINITY;
    for _ in 0..CORRECTIONS {
        let correction = &first * residual(matrix, &inverse);
        let size = correction.amax() / inverse.amax();
        inverse += correction;
        // Where the corrections no longer shrink, they are the rounding of the inverse itself, or
        // it diverges.
        if size.is_nan() || size > last / 2.0 {
            return (size <= ROUNDING).then_some(inverse);
        }
        last = size;
    }
    None
}

/// 1 − M X, each entry as if summed in twice the precision.
fn residual(m: &DMatrix<f64>, x: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), x.ncols(), |i, k| {
        let (mut sum, mut rest) = (if i == k { 1.0 } else { 0.0 }, 0.0);
        for l in 0..m.ncols() {
            let (factor, entry) = (-m[(i, l)], x[(l, k)]);
            let product = factor * entry;
            let lost_in_product = factor.mul_add(entry, -product);
            let (total, lost_in_sum) = two_sum(sum, product);
            sum = total;
            rest += lost_in_product + lost_in_sum;
        }
        sum + rest
    })
}

/// A sum, and exactly what its rounding lost (D. Knuth, *The Art of Computer Programming*, vol. 2,
/// 4.2.2, theorem B).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inverse of the Hilbert matrix 1/(i + j + 1): its entries are integers (M. Choi, *Tricks
    /// or treats with the Hilbert matrix*, 1983).
    fn inverse_of_hilbert(n: u32) -> DMatrix<f64> {
        let choose =
            |n: u32, k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        DMatrix::from_fn(n as usize, n as usize, |i, j| {
            let (i, j) = (i as u32, j as u32);
            let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
            let central = choose(i + j, i);
            sign * f64::from(i + j + 1)
                * choose(n + i, n - j - 1)
                * choose(n + j, n - i - 1)
                * central
                * central
        })
    }

    #[test]
    fn the_last_digits_of_a_badly_conditioned_inverse_are_right() {
        // Condition numbers of 1.5e10 and 1.6e13; the entries, at most 3.5e12, are exact in
        // doubles.
        for n in [8, 10] {
            let matrix = inverse_of_hilbert(n);
            let found = inverse(&matrix).unwrap();
            let plain = matrix.try_inverse().unwrap();
            let error = |inverse: &DMatrix<f64>| {
                let hilbert =
                    DMatrix::from_fn(n as usize, n as usize, |i, j| 1.0 / (i + j + 1) as f64);
                (inverse - hilbert).amax()
            };
            assert!(error(&found) <= 2.0 * f64::EPSILON, "{:e}", error(&found));
            assert!(error(&plain) > 1e-10, "{:e}", error(&plain));
        }
    }

    #[test]
    fn a_singular_matrix_has_none() {
        assert!(inverse(&DMatrix::from_element(2, 2, 1.0)).is_none());
    }
}
