//! The even functions of a rotation's angle that exponentials, logarithms and their Jacobians are
//! made of.
//!
//! All are analytic functions of s = θ², and are computed from s, so that their derivatives are
//! finite at θ = 0. Below s = 1 they are Taylor series, long enough for what is omitted to be less
//! than half a unit in the last place of the matrix that they enter and of its first two
//! derivatives; above, closed forms, whose cancellation is then at most one or two bits relative to
//! that matrix. Both sides are evaluated and one is selected; the closed forms are given s = 1
//! where the series holds, so that nothing is ever divided by zero.
//!
//! | name | value | at 0 |
//! |---|---|---|
//! | a | sin θ / θ | 1 |
//! | b | (1 − cos θ) / θ² | 1/2 |
//! | c | (θ − sin θ) / θ³ | 1/6 |
//! | d | (1 − (θ/2) cot(θ/2)) / θ² | 1/12 |
//! | b', c', d' | derivatives of b, c, d by θ² | −1/24, −1/120, 1/720 |

use super::Vec3;
use crate::scalar::{Scalar, polynomial};

/// n! for n ≤ 22, where it is exact in double precision.
const fn factorial(n: u32) -> f64 {
    let mut product = 1.0;
    let mut k = 2;
    while k <= n {
        product *= k as f64;
        k += 1;
    }
    product
}

/// The coefficients (−1)ᵏ / (2 k + `first`)!.
const fn alternating<const N: usize>(first: u32) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let mut k = 0;
    while k < N {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        coefficients[k] = sign / factorial(2 * k as u32 + first);
        k += 1;
    }
    coefficients
}

/// The coefficients of a polynomial's derivative, behind its first one, which is left as zero.
const fn derivative<const N: usize>(coefficients: [f64; N]) -> [f64; N] {
    let mut result = [0.0; N];
    let mut k = 1;
    while k < N {
        result[k - 1] = coefficients[k] * k as f64;
        k += 1;
    }
    result
}

const B: [f64; 11] = alternating(2);
const C: [f64; 10] = alternating(3);
const B_RATE: [f64; 11] = derivative(B);
const C_RATE: [f64; 10] = derivative(C);

/// |B₂ₖ| / (2 k)! for k = 1, 2, …, with the Bernoulli numbers B₂ₖ (M. Abramowitz and I. Stegun, *Handbook of
/// Mathematical Functions*, 1964, 4.3.70): the series of d, whose terms shrink by 4 π².
const D: [f64; 14] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
    236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
    657_931.0 / 186_134_520_519_971_831_808_000_000.0,
    3_392_780_147.0 / 37_893_265_687_455_865_519_472_640_000_000.0,
];
const D_RATE: [f64; 14] = derivative(D);

/// A length at which the Jacobians have reached their limit, and whose square does not overflow.
const LONG: f64 = (1_u64 << 60) as f64;

/// `w`, or a shorter vector along it where |w|² overflows.
///
/// An angle of that size is known only up to very many turns: every rotation about the axis is
/// right to the rounding of w.
#[inline(always)]
pub(super) fn shortened<S: Scalar>(w: Vec3<S>) -> Vec3<S> {
    let is_short = w.norm_squared().less(S::constant(f64::MAX));
    // A quarter, lest the sum overflow.
    let quarter = S::constant(0.25);
    let size = (w.x.abs() * quarter) + (w.y.abs() * quarter) + (w.z.abs() * quarter);
    w * S::select(is_short, S::one(), S::constant(LONG) / size)
}

/// Functions of one rotation angle, computed as far as they are asked for.
pub(super) struct AngleFunctions<S: Scalar> {
    /// θ².
    squared: S,
    /// Whether the series hold.
    small: S::Mask,
    /// θ², or 1 where the series hold.
    safe: S,
    /// sin(θ/2) / (θ/2).
    pub(super) half_sinc: S,
    /// cos(θ/2).
    pub(super) half_cos: S,
}

impl<S: Scalar> AngleFunctions<S> {
    /// The functions of the angle θ = √`squared`.
    #[inline(always)]
    pub(super) fn new(squared: S) -> Self {
        let one = S::one();
        let small = squared.less(one);
        let safe = S::select(small, one, squared);
        let half_squared = squared * S::constant(0.25);
        let half = safe.sqrt() * S::constant(0.5);
        let (sin, cos) = half.sin_cos();
        // Eight terms do for an angle of at most one half.
        let near = -half_squared;
        Self {
            squared,
            small,
            safe,
            half_sinc: S::select(
                small,
                near.mul_add(polynomial(&C[..8], half_squared), one),
                sin / half,
            ),
            half_cos: S::select(
                small,
                near.mul_add(polynomial(&B[..8], half_squared), one),
                cos,
            ),
        }
    }

    /// a = sin θ / θ.
    #[inline(always)]
    pub(super) fn a(&self) -> S {
        self.half_sinc * self.half_cos
    }

    /// b = (1 − cos θ) / θ².
    #[inline(always)]
    pub(super) fn b(&self) -> S {
        self.half_sinc * self.half_sinc * S::constant(0.5)
    }

    /// c = (θ − sin θ) / θ³.
    #[inline(always)]
    pub(super) fn c(&self) -> S {
        S::select(
            self.small,
            polynomial(&C, self.squared),
            (S::one() - self.a()) / self.safe,
        )
    }

    /// d = (1 − (θ/2) cot(θ/2)) / θ², infinite at the nonzero multiples of a whole turn.
    #[inline(always)]
    pub(super) fn d(&self) -> S {
        let far = (S::one() - self.half_cos / self.half_sinc) / self.safe;
        S::select(self.small, polynomial(&D, self.squared), far)
    }

    /// b' = (a − 2 b) / (2 θ²).
    #[inline(always)]
    pub(super) fn b_rate(&self) -> S {
        let far = (self.a() * S::constant(0.5) - self.b()) / self.safe;
        S::select(self.small, polynomial(&B_RATE, self.squared), far)
    }

    /// c' = (b − 3 c) / (2 θ²), given c.
    #[inline(always)]
    pub(super) fn c_rate(&self, c: S) -> S {
        let far = (self.b() - c * S::constant(3.0)) * S::constant(0.5) / self.safe;
        S::select(self.small, polynomial(&C_RATE, self.squared), far)
    }

    /// d' = (c / (4 b) − d) / θ², given c and d.
    #[inline(always)]
    pub(super) fn d_rate(&self, c: S, d: S) -> S {
        let far = (c / (self.b() * S::constant(4.0)) - d) / self.safe;
        S::select(self.small, polynomial(&D_RATE, self.squared), far)
    }
}
