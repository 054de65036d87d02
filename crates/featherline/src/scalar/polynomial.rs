//! Polynomials with constant coefficients.

use super::Scalar;

/// The polynomial with the given coefficients, constant term first, at `x`; zero if there are none.
#[inline(always)]
pub(crate) fn polynomial<S: Scalar>(coefficients: &[f64], x: S) -> S {
    let mut sum = S::zero();
    if let Some((&last, lower)) = coefficients.split_last() {
        sum = S::constant(last);
        for &c in lower.iter().rev() {
            sum = sum.mul_add(x, S::constant(c));
        }
    }
    sum
}
