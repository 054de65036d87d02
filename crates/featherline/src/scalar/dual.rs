//! Dual numbers: a value with its derivatives along several directions.

use super::{Scalar, Triangle, TripleComponents};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A value and its derivatives along `N` directions, carried through every operation by the chain
/// rule (A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd edition, 2008, chapter 3,
/// forward mode).
///
/// `S` may itself be dual: nesting gives second derivatives. Cost: a product takes `2 N + 1`
/// products of `S`.
///
/// Where a function has no finite derivative (the square root at 0, the angle of the zero vector)
/// the tangent is infinite or NaN, as the arithmetic of `S` has it; [`Scalar::select`] picks value
/// and tangent together, so that the unused side of a selection leaves no trace.
///
/// ```
/// use featherline::scalar::{Dual, Scalar};
///
/// // d/dx and d/dy of x² sin y at (3, 0.5).
/// let x = Dual::<f64, 2>::variable(3.0, 0);
/// let y = Dual::<f64, 2>::variable(0.5, 1);
/// let f = x * x * y.sin_cos().0;
/// assert_eq!(f.value, 9.0 * Scalar::sin_cos(0.5).0);
/// assert_eq!(f.tangent[0], 6.0 * Scalar::sin_cos(0.5).0);
/// assert_eq!(f.tangent[1], 9.0 * Scalar::sin_cos(0.5).1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S, const N: usize> {
    /// The value.
    pub value: S,
    /// The derivative of the value along each direction.
    pub tangent: [S; N],
}

impl<S: Scalar, const N: usize> Dual<S, N> {
    /// A number with the given value and tangent.
    #[inline(always)]
    pub fn new(value: S, tangent: [S; N]) -> Self {
        Self { value, tangent }
    }

    /// A number that does not vary.
    #[inline(always)]
    pub fn fixed(value: S) -> Self {
        Self {
            value,
            tangent: [S::zero(); N],
        }
    }

    /// The independent variable of the given direction. A direction not less than `N` gives a
    /// number that does not vary.
    #[inline(always)]
    pub fn variable(value: S, direction: usize) -> Self {
        let mut tangent = [S::zero(); N];
        if let Some(own) = tangent.get_mut(direction) {
            *own = S::one();
        }
        Self { value, tangent }
    }

    /// A function's result here: its value, and the tangent scaled by its derivative.
    #[inline(always)]
    fn chain(&self, value: S, derivative: S) -> Self {
        let mut tangent = self.tangent;
        for t in &mut tangent {
            *t = *t * derivative;
        }
        Self { value, tangent }
    }
}

impl<S: Scalar, const N: usize> Default for Dual<S, N> {
    #[inline(always)]
    fn default() -> Self {
        Self::fixed(S::default())
    }
}

impl<S: Scalar, const N: usize> Add for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl<S: Scalar, const N: usize> AddAssign for Dual<S, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        for i in 0..N {
            self.tangent[i] += other.tangent[i];
        }
    }
}

impl<S: Scalar, const N: usize> Sub for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<S: Scalar, const N: usize> SubAssign for Dual<S, N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.value -= other.value;
        for i in 0..N {
            self.tangent[i] -= other.tangent[i];
        }
    }
}

impl<S: Scalar, const N: usize> Mul for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mut product = self.chain(self.value * other.value, other.value);
        for i in 0..N {
            product.tangent[i] = self.value.mul_add(other.tangent[i], product.tangent[i]);
        }
        product
    }
}

impl<S: Scalar, const N: usize> Div for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let inverse = other.value.recip();
        let mut quotient = Self {
            value,
            tangent: self.tangent,
        };
        for i in 0..N {
            quotient.tangent[i] = (-value).mul_add(other.tangent[i], self.tangent[i]) * inverse;
        }
        quotient
    }
}

impl<S: Scalar, const N: usize> Neg for Dual<S, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        self.value = -self.value;
        for t in &mut self.tangent {
            *t = -*t;
        }
        self
    }
}

impl<S: Scalar, const N: usize> Scalar for Dual<S, N> {
    type Mask = S::Mask;
    type Triple = TripleComponents<Self>;
    type Symmetric = Triangle<Self>;
    type Wide<P: super::WideProof> = Self;
    type Unfused = Self;

    const EPSILON: f64 = S::EPSILON;
    const IS_COMPACT: bool = S::IS_COMPACT;

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self::fixed(S::constant(value))
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let value = self.value.mul_add(factor.value, addend.value);
        let mut tangent = addend.tangent;
        for i in 0..N {
            let by_factor = self.value.mul_add(factor.tangent[i], tangent[i]);
            tangent[i] = self.tangent[i].mul_add(factor.value, by_factor);
        }
        Self { value, tangent }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::constant(0.5) / root)
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let inverse = x.value.mul_add(x.value, y.value * y.value).recip();
        let (by_y, by_x) = (x.value * inverse, -(y.value * inverse));
        let mut angle = y.chain(y.value.atan2(x.value), by_y);
        for i in 0..N {
            angle.tangent[i] = x.tangent[i].mul_add(by_x, angle.tangent[i]);
        }
        angle
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::select(self.value.less(S::zero()), -self, self)
    }

    #[inline(always)]
    fn less(self, other: Self) -> S::Mask {
        self.value.less(other.value)
    }

    #[inline(always)]
    fn select(mask: S::Mask, yes: Self, no: Self) -> Self {
        let mut chosen = no;
        chosen.value = S::select(mask, yes.value, no.value);
        for i in 0..N {
            chosen.tangent[i] = S::select(mask, yes.tangent[i], no.tangent[i]);
        }
        chosen
    }

    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        S::all(mask)
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        let mut finite = self.value.is_finite();
        for t in self.tangent {
            finite &= t.is_finite();
        }
        finite
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type D = Dual<f64, 2>;

    /// The tangent of `f` against central differences of its value, at (x, y).
    fn check(f: impl Fn(D, D) -> D, x: f64, y: f64) {
        let exact = f(D::variable(x, 0), D::variable(y, 1));
        let h = 1e-5;
        let at = |x, y| f(D::fixed(x), D::fixed(y)).value;
        let differences = [
            (at(x + h, y) - at(x - h, y)) / (2.0 * h),
            (at(x, y + h) - at(x, y - h)) / (2.0 * h),
        ];
        for i in 0..2 {
            // Truncation h² and rounding ε/h, both about 1e-10 for functions of size one.
            assert!(
                (exact.tangent[i] - differences[i]).abs() < 1e-8,
                "{exact:?} {differences:?}"
            );
        }
    }

    #[test]
    fn tangents_agree_with_differences() {
        for (x, y) in [(0.7, 1.3), (-0.4, 0.9), (1.1, -0.6), (-0.8, -1.2)] {
            check(|x, y| x + y * D::constant(3.0), x, y);
            check(|x, y| x - y, x, y);
            check(|x, y| x * y * -x, x, y);
            check(|x, y| x / y, x, y);
            check(|x, y| x.mul_add(y, x * x), x, y);
            check(|x, y| (x * x + y * y).sqrt(), x, y);
            check(|x, y| x.sin_cos().0 * y.sin_cos().1, x, y);
            check(|x, y| x.atan2(y), x, y);
            check(|x, y| x.abs() * y, x, y);
            check(|_, y| y.recip(), x, y);
            check(|x, y| D::select(x.less(y), x * y, x / y), x, y);
            check(
                |x, y| {
                    let mut sum = x;
                    sum += y * y;
                    sum -= x * y;
                    sum
                },
                x,
                y,
            );
        }
    }

    #[test]
    fn nested_duals_give_second_derivatives() {
        let x = Dual::<D, 1>::variable(D::variable(0.6, 0), 0);
        let f = x * x * x.sin_cos().0;
        let (sin, cos) = 0.6_f64.sin_cos();
        let second = 2.0 * sin + 4.0 * 0.6 * cos - 0.36 * sin;
        assert!((f.tangent[0].tangent[0] - second).abs() < 4.0 * f64::EPSILON);
        assert_eq!(f.tangent[0].value, f.value.tangent[0]);
    }

    #[test]
    fn selection_leaves_no_trace_of_the_other_side() {
        let zero = D::variable(0.0, 0);
        let chosen = D::select(zero.abs().less(D::one()), D::one(), zero.sqrt().recip());
        assert!(chosen.is_finite());
        assert!(!zero.sqrt().is_finite());
    }
}
