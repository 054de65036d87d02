//! Sine and cosine together, for plain floating point and for SIMD lanes from one source.
//!
//! The angle is reduced to the nearest multiple of a quarter turn by subtracting π/2 in three parts
//! with fused operations (W. J. Cody and W. Waite, *Software Manual for the Elementary Functions*,
//! 1980): the first difference is exact, the two others are rounded once. Without fused operations
//! the parts are short enough for exact products. Two minimax polynomials, fitted by the Remez
//! algorithm to the relative error over \[−π/4, π/4\] and rounded coefficient by coefficient, give
//! sine and cosine of what is left.

use super::{Scalar, polynomial};

/// The largest magnitude, in radians, that is reduced here. Beyond it the standard library takes
/// over.
const LARGEST_REDUCED: f64 = 1e5;

/// Half of π as a sum of parts, largest first.
enum HalfPi {
    /// To be subtracted with fused operations.
    Fused([f64; 3]),
    /// The first three have 33 bits, so that their multiples are exact up to the largest quarter
    /// turn that is reduced, which has 16.
    Unfused([f64; 4]),
}

/// The numbers that depend on the precision alone, each exactly representable in it.
pub struct Table {
    /// 2/π.
    turns_per_radian: f64,
    /// 1.5 · 2^(fraction bits): adding it leaves the nearest integer in the low bits of the
    /// fraction.
    rounder: f64,
    half_pi: HalfPi,
    /// (sin r − r) / r³ as a polynomial in r², constant term first.
    sin: &'static [f64],
    /// (cos r − 1 + r²/2) / r⁴ as a polynomial in r², constant term first.
    cos: &'static [f64],
}

/// Relative error of the polynomials: below 2^−57.8 for the sine, 2^−63.9 for the cosine.
const DOUBLE: Table = Table {
    turns_per_radian: std::f64::consts::FRAC_2_PI,
    rounder: 6_755_399_441_055_744.0,
    half_pi: HalfPi::Fused([
        std::f64::consts::FRAC_PI_2,
        6.123233995736766e-17,
        -1.4973849048591698e-33,
    ]),
    sin: &[
        -0.1666666666666663,
        0.00833333333332184,
        -0.00019841269829358522,
        2.75573135385111e-06,
        -2.505073438863501e-08,
        1.589543324637628e-10,
    ],
    cos: &[
        0.041666666666666595,
        -0.0013888888888873342,
        2.48015872890021e-05,
        -2.75573142170516e-07,
        2.087570539867307e-09,
        -1.1358749421076284e-11,
    ],
};

/// The same without fused operations.
pub const DOUBLE_UNFUSED: Table = Table {
    half_pi: HalfPi::Unfused([
        1.5707963267341256,
        6.077100506303966e-11,
        2.0222662487111665e-21,
        8.4784276603689e-32,
    ]),
    ..DOUBLE
};

/// Relative error of the polynomials: below 2^−27.8 for the sine, 2^−32.8 for the cosine.
const SINGLE: Table = Table {
    turns_per_radian: std::f32::consts::FRAC_2_PI as f64,
    rounder: 12_582_912.0,
    half_pi: HalfPi::Fused([
        std::f32::consts::FRAC_PI_2 as f64,
        -4.371139e-08_f32 as f64,
        -1.7151245e-15_f32 as f64,
    ]),
    sin: &[
        -0.16666654_f32 as f64,
        0.008332106_f32 as f64,
        -0.00019507884_f32 as f64,
    ],
    cos: &[
        0.041666646_f32 as f64,
        -0.0013887301_f32 as f64,
        2.4430745e-05_f32 as f64,
    ],
};

/// The operations of the reduction beyond [`Scalar`]: the few that look at the bits of a number.
pub(crate) trait QuarterTurns: Scalar {
    /// A count of quarter turns, modulo four: one a lane.
    type Count: Copy;

    /// The numbers for this precision.
    const TABLE: Table;

    /// Splits `n + rounder` into the integer `n` and its count.
    fn split(sum: Self, rounder: Self) -> (Self, Self::Count);

    /// Sine and cosine of an angle that is larger by `count` quarter turns.
    fn turn(count: Self::Count, sin: Self, cos: Self) -> (Self, Self);

    /// Whether all magnitudes are at most `limit`; false if one is NaN.
    fn all_within(self, limit: f64) -> bool;

    /// Sine and cosine by the standard library, for any magnitude; NaN for NaN and the infinities.
    fn unreduced(self) -> (Self, Self);
}

/// Sine and cosine of an angle in radians, within 1.6 units in the last place for magnitudes up to
/// 1e5. The sine of −0 is 0.
#[inline(always)]
pub(crate) fn sin_cos<S: QuarterTurns>(x: S) -> (S, S) {
    if !x.all_within(LARGEST_REDUCED) {
        return x.unreduced();
    }
    let table = &S::TABLE;
    let constant = S::constant;
    let rounder = constant(table.rounder);
    let (quarters, count) = S::split(
        x.mul_add(constant(table.turns_per_radian), rounder),
        rounder,
    );
    let r = match table.half_pi {
        HalfPi::Fused(parts) => {
            let mut r = x;
            for part in parts {
                r = (-quarters).mul_add(constant(part), r);
            }
            r
        }
        HalfPi::Unfused([first, second, third, last]) => {
            let whole = x - quarters * constant(first);
            let step = quarters * constant(second);
            let r = whole - step;
            // The rounding of the difference is exact, because it loses nothing where it is smaller
            // than the step.
            let lost = (whole - r) - step;
            r + (lost - (quarters * constant(third) + quarters * constant(last)))
        }
    };
    let z = r * r;
    let sin = (r * z).mul_add(polynomial(table.sin, z), r);
    let bend = z.mul_add(polynomial(table.cos, z), constant(-0.5));
    S::turn(count, sin, z.mul_add(bend, S::one()))
}

macro_rules! impl_quarter_turns_for_float {
    ($float:ty, $bits:ty, $table:ident, $outlined:ident) => {
        impl QuarterTurns for $float {
            type Count = $bits;

            const TABLE: Table = $table;

            #[inline(always)]
            fn split(sum: Self, rounder: Self) -> (Self, $bits) {
                (sum - rounder, sum.to_bits())
            }

            #[inline(always)]
            fn turn(count: $bits, sin: Self, cos: Self) -> (Self, Self) {
                const TO_SIGN: u32 = <$bits>::BITS - 2;
                let (sin, cos) = if count & 1 == 0 {
                    (sin, cos)
                } else {
                    (cos, sin)
                };
                let sin_sign = (count & 2) << TO_SIGN;
                let cos_sign = (count.wrapping_add(1) & 2) << TO_SIGN;
                (
                    Self::from_bits(sin.to_bits() ^ sin_sign),
                    Self::from_bits(cos.to_bits() ^ cos_sign),
                )
            }

            #[inline(always)]
            fn all_within(self, limit: f64) -> bool {
                self.abs() <= limit as $float
            }

            #[inline(always)]
            fn unreduced(self) -> (Self, Self) {
                $outlined(self)
            }
        }

        #[cold]
        #[inline(never)]
        fn $outlined(x: $float) -> ($float, $float) {
            x.sin_cos()
        }
    };
}

impl_quarter_turns_for_float!(f64, u64, DOUBLE, standard_f64);
impl_quarter_turns_for_float!(f32, u32, SINGLE, standard_f32);

#[cfg(test)]
mod tests {
    use super::{HalfPi, sin_cos};
    use crate::scalar::{Scalar, Unfused};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A number as the unevaluated sum of two doubles: about 106 bits (T. J. Dekker, 1971).
    #[derive(Clone, Copy)]
    struct Pair(f64, f64);

    impl Pair {
        fn sum(a: f64, b: f64) -> Self {
            let s = a + b;
            let t = s - a;
            Self(s, (a - (s - t)) + (b - t))
        }
        fn plus(self, o: Self) -> Self {
            let Self(s, e) = Self::sum(self.0, o.0);
            let Self(t, f) = Self::sum(self.1, o.1);
            let Self(s, e) = Self::sum(s, e + t);
            Self::sum(s, e + f)
        }
        fn times(self, o: Self) -> Self {
            let p = self.0 * o.0;
            let e = self.0.mul_add(o.0, -p);
            Self::sum(p, e + self.0 * o.1 + self.1 * o.0)
        }
        fn over(self, d: f64) -> Self {
            let q = self.0 / d;
            let rest = self.plus(Self(q, 0.0).times(Self(-d, 0.0)));
            Self::sum(q, rest.0 / d)
        }
    }

    /// Sine and cosine by reduction with 159 bits of π/2 and Taylor's series in pairs of doubles.
    fn reference(x: f64) -> (Pair, Pair) {
        let k = (x / std::f64::consts::FRAC_PI_2).round();
        let mut r = Pair(x, 0.0);
        for part in [
            std::f64::consts::FRAC_PI_2,
            6.123233995736766e-17,
            -1.4973849048591698e-33,
        ] {
            let p = -k * part;
            r = r.plus(Pair(p, (-k).mul_add(part, -p)));
        }
        let z = r.times(r);
        let (mut sin, mut cos) = (r, Pair(1.0, 0.0));
        let (mut s, mut c) = (r, Pair(1.0, 0.0));
        for i in 1..16 {
            let n = f64::from(2 * i);
            c = c.times(z).over(-(n - 1.0) * n);
            s = s.times(z).over(-n * (n + 1.0));
            cos = cos.plus(c);
            sin = sin.plus(s);
        }
        let negative = |p: Pair| Pair(-p.0, -p.1);
        match k.rem_euclid(4.0) as u8 {
            0 => (sin, cos),
            1 => (cos, negative(sin)),
            2 => (negative(sin), negative(cos)),
            _ => (negative(cos), sin),
        }
    }

    /// Distance from the exact value in units of the last place of the exact value.
    fn ulps(value: f64, exact: Pair) -> f64 {
        let unit = exact.0.abs().next_up() - exact.0.abs();
        (((value - exact.0) - exact.1) / unit).abs()
    }

    fn samples(mut each: impl FnMut(f64)) {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for limit in [1e-3, 0.8, 3.2, 30.0, 1e3, 1e5] {
            for _ in 0..60_000 {
                each(rng.random_range(-limit..limit));
            }
        }
        // Near the multiples of a quarter turn the reduction cancels most.
        for k in 0..=63_661 {
            let x = f64::from(k) * std::f64::consts::FRAC_PI_2;
            for x in [x, x.next_up(), x.next_down(), -x] {
                each(x);
            }
        }
    }

    #[test]
    fn double_precision_is_within_1_5_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        samples(|x| {
            let (sin, cos) = sin_cos(x);
            let (exact_sin, exact_cos) = reference(x);
            worst = worst.max(ulps(sin, exact_sin)).max(ulps(cos, exact_cos));
        });
        // Half a unit for the last sum; one for the reduction, since just above r = 1/2 a unit of
        // sin r is half of one of r.
        assert!(worst < 1.5, "{worst}");
    }

    #[test]
    fn double_precision_without_fused_operations_is_within_1_6_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        samples(|x| {
            let (sin, cos) = sin_cos(Unfused(x));
            let (exact_sin, exact_cos) = reference(x);
            worst = worst
                .max(ulps(sin.0, exact_sin))
                .max(ulps(cos.0, exact_cos));
        });
        // As with fused operations; the products in the last sums are rounded, too, and a few per
        // cent of the sums.
        assert!(worst < 1.6, "{worst}");
    }

    #[test]
    fn single_precision_without_fused_operations_is_rounded_once() {
        let mut worst: f64 = 0.0;
        samples(|x| {
            let x = x as f32;
            let (sin, cos) = Unfused(x).sin_cos();
            let (exact_sin, exact_cos) = f64::from(x).sin_cos();
            for (value, exact) in [(sin.0, exact_sin), (cos.0, exact_cos)] {
                let grid = (exact as f32).abs();
                let unit = f64::from(grid.next_up() - grid);
                worst = worst.max(((f64::from(value) - exact) / unit).abs());
            }
        });
        // Computed in doubles.
        assert!(worst < 0.501, "{worst}");
    }

    #[test]
    fn parts_of_a_quarter_turn_leave_room_for_its_multiples() {
        let HalfPi::Unfused([parts @ .., last]) = super::DOUBLE_UNFUSED.half_pi else {
            panic!("the parts are those for fused operations")
        };
        // The last one may be rounded: no angle is as close to a quarter turn as a unit in the last
        // place of its multiples.
        assert!(last < 1e-31);
        for part in parts {
            // The bits of the largest quarter turn that is reduced.
            assert!(part.to_bits().trailing_zeros() >= 16, "{part}");
        }
    }

    #[test]
    fn double_precision_agrees_with_the_standard_library() {
        samples(|x| {
            let (sin, cos) = sin_cos(x);
            let (s, c) = x.sin_cos();
            // Each of the two is off by at most 1.5 and 1 units, so that both together leave two
            // steps of the grid.
            assert!(
                (sin - s).abs() <= 2.0 * (s.abs().next_up() - s.abs()),
                "{x} {sin} {s}"
            );
            assert!(
                (cos - c).abs() <= 2.0 * (c.abs().next_up() - c.abs()),
                "{x} {cos} {c}"
            );
        });
    }

    #[test]
    fn single_precision_at_samples_is_within_1_5_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        samples(|x| {
            let x = x as f32;
            let (sin, cos) = sin_cos(x);
            let (exact_sin, exact_cos) = f64::from(x).sin_cos();
            for (value, exact) in [(sin, exact_sin), (cos, exact_cos)] {
                let grid = (exact as f32).abs();
                let unit = f64::from(grid.next_up() - grid);
                worst = worst.max(((f64::from(value) - exact) / unit).abs());
            }
        });
        // Of all singles the worst is off by 1.54 units.
        assert!(worst < 1.5, "{worst}");
    }

    #[test]
    fn special_values_follow_the_standard_library() {
        assert!(sin_cos(f64::NAN).0.is_nan() && sin_cos(f64::NAN).1.is_nan());
        assert!(sin_cos(f64::INFINITY).0.is_nan() && sin_cos(f32::NEG_INFINITY).1.is_nan());
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert_eq!(sin_cos(-0.0), (0.0, 1.0));
        assert_eq!(sin_cos(5e-324), (5e-324, 1.0));
        assert_eq!(sin_cos(1e22_f64), 1e22_f64.sin_cos());
        assert_eq!(sin_cos(1e30_f32), 1e30_f32.sin_cos());
    }
}
