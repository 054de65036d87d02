//! Numbers of as many digits as a factorisation needs.
//!
//! Doubles serve nearly all estimates. Where weights lie so far apart that rounding of the heaviest
//! rows hides the lightest ones, the same transformations are done in numbers of twice the digits:
//! a sum of two doubles that do not overlap (Dekker 1971, *A floating-point technique for extending
//! the available precision*; errors of products by fused multiplication: Ogita, Rump and Oishi
//! 2005, *Accurate sum and dot product*).

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// The arithmetic of a factorisation: `f64`, or [`DoubleDouble`].
pub trait Arithmetic:
    Copy
    + Default
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The unit roundoff.
    const EPSILON: f64;

    /// The sum of a number and its rounding error; `f64` ignores the error.
    fn of(parts: (f64, f64)) -> Self;

    /// The number and its rounding error.
    fn parts(self) -> (f64, f64);

    /// The nearest double.
    fn value(self) -> f64;

    /// self · a + b.
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }

    /// The absolute value as a double.
    #[inline(always)]
    fn size(self) -> f64 {
        self.value().abs()
    }
}

impl Arithmetic for f64 {
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn of(parts: (f64, f64)) -> Self {
        parts.0
    }

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self, 0.0)
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        f64::mul_add(self, a, b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
}

/// The unevaluated sum of two doubles that do not overlap: about 32 decimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

/// a + b, and what rounding took of it.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let high = a + b;
    let part = high - a;
    (high, (a - (high - part)) + (b - part))
}

impl DoubleDouble {
    /// a · b, without rounding.
    ///
    /// ```
    /// use featherline_sparse::{Arithmetic, DoubleDouble};
    ///
    /// // (1 + ε)² − 1 − 2 ε = ε²
    /// let x = 1.0 + f64::EPSILON;
    /// let rest = DoubleDouble::product(x, x) - 1.0.into() - (2.0 * f64::EPSILON).into();
    /// assert_eq!(rest.value(), f64::EPSILON * f64::EPSILON);
    /// ```
    #[inline(always)]
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let low = a.mul_add(b, -high);
        Self { high, low }
    }

    /// Of two numbers of which the second is smaller.
    #[inline(always)]
    fn normalised(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self {
            high: sum,
            low: low - (sum - high),
        }
    }
}

impl Arithmetic for DoubleDouble {
    const EPSILON: f64 = f64::EPSILON * f64::EPSILON;

    #[inline(always)]
    fn of(parts: (f64, f64)) -> Self {
        Self::normalised(parts.0, parts.1)
    }

    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        (self.high, self.low)
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.high
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        if root == 0.0 || !root.is_finite() {
            return root.into();
        }
        // A step of Newton's method doubles the digits.
        let rest = self - Self::from(root) * root.into();
        Self::normalised(root, rest.high / (2.0 * root))
    }
}

impl From<f64> for DoubleDouble {
    #[inline(always)]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, rest) = sum(self.high, other.high);
        let (low, least) = sum(self.low, other.low);
        let middle = Self::normalised(high, rest + low);
        Self::normalised(middle.high, middle.low + least)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let rest = self.high.mul_add(other.high, -high);
        let across = self.high.mul_add(other.low, self.low * other.high);
        Self::normalised(high, rest + across)
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        Self::normalised(first, second) + (rest.high / other.high).into()
    }
}

impl AddAssign for DoubleDouble {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for DoubleDouble {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for DoubleDouble {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_has_twice_the_digits() {
        let (a, b) = (DoubleDouble::from(2.0), DoubleDouble::from(3.0));
        // The residual of an identity is rounding, 32 digits down.
        let root = a.sqrt();
        assert!((root * root - a).size() < 8.0 * DoubleDouble::EPSILON);
        let third = a / b;
        assert!((third * b - a).size() < 8.0 * DoubleDouble::EPSILON);
        let (x, y) = (root + third, root - third);
        let left = x * y - (a - third * third);
        assert!(left.size() < 16.0 * DoubleDouble::EPSILON);
        let sum = DoubleDouble::from(1.0) + 1e-25.into() - 1.0.into();
        assert_eq!(sum.value(), 1e-25);
        assert_eq!(root.mul_add(root, -a).parts(), (root * root - a).parts());
        assert_eq!(DoubleDouble::from(0.0).sqrt().value(), 0.0);
    }
}
