//! How fast this core can multiply and add: the limit of every kernel.
//!
//! Fused multiply-adds on accumulators that do not depend on each other keep all units busy;
//! nothing is loaded or stored. A fused multiply-add is two floating-point operations.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

/// Independent accumulators: more than latency times units of any core of today (4 × 2, or 4 × 4 on
/// some), and with the two constants still within 16 registers.
const ACCUMULATORS: usize = 12;
/// Fused multiply-adds on each accumulator in a sample, which then takes some tens of microseconds.
const STEPS: usize = 10_000;
const SAMPLES: usize = 60;

/// The precision of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "f32",
            Self::Double => "f64",
        })
    }
}

/// The rate of one kind of instruction.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The instructions.
    pub instructions: &'static str,
    /// The precision.
    pub precision: Precision,
    /// Numbers in one register.
    pub lanes: usize,
    /// 10⁹ floating-point operations a second, in the fastest sample: other work only slows a
    /// sample down.
    pub gigaflops: f64,
}

/// Measures all kinds of instructions that this core has.
pub fn rates() -> Vec<Rate> {
    let ways = WAYS.iter().filter(|way| (way.is_available)());
    ways.map(Way::rate).collect()
}

/// The greatest of the rates in a precision; NaN if there is none.
pub fn peak(rates: &[Rate], precision: Precision) -> f64 {
    let of_precision = rates.iter().filter(|rate| rate.precision == precision);
    of_precision.fold(f64::NAN, |peak, rate| peak.max(rate.gigaflops))
}

/// One kind of instruction.
struct Way {
    instructions: &'static str,
    precision: Precision,
    lanes: usize,
    is_available: fn() -> bool,
    run: fn(usize) -> f64,
}

impl Way {
    fn rate(&self) -> Rate {
        let operations = (2 * self.lanes * ACCUMULATORS * STEPS) as f64;
        let sample = || {
            let begin = Instant::now();
            black_box((self.run)(black_box(STEPS)));
            operations / begin.elapsed().as_secs_f64() * 1e-9
        };
        Rate {
            instructions: self.instructions,
            precision: self.precision,
            lanes: self.lanes,
            gigaflops: (0..SAMPLES).map(|_| sample()).fold(0.0, f64::max),
        }
    }
}

#[cfg(target_arch = "x86_64")]
use x86::WAYS;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{ACCUMULATORS, Precision, Way};
    use std::arch::x86_64::*;
    use std::hint::black_box;

    /// Makes a run for one kind of register: accumulators start apart, and tend to 1 without ever
    /// overflowing.
    macro_rules! run {
        ($name:ident, $inner:ident, $features:literal, $set:ident, $fma:ident, $first:ident) => {
            fn $name(steps: usize) -> f64 {
                #[target_feature(enable = $features)]
                fn $inner(steps: usize) -> f64 {
                    let (factor, addend) = (black_box($set(0.5)), black_box($set(0.5)));
                    let mut sums: [_; ACCUMULATORS] = std::array::from_fn(|k| k).map(|_| factor);
                    for sum in &mut sums {
                        *sum = black_box(*sum);
                    }
                    for _ in 0..steps {
                        for sum in &mut sums {
                            *sum = $fma(*sum, factor, addend);
                        }
                    }
                    let mut total = 0.0;
                    for sum in sums {
                        total += f64::from($first(sum));
                    }
                    total
                }
                // SAFETY: a way is run only where it is available.
                #[allow(unsafe_code)]
                unsafe {
                    $inner(steps)
                }
            }
        };
    }

    run!(
        scalar_double,
        scalar_double_inner,
        "fma",
        _mm_set_sd,
        _mm_fmadd_sd,
        _mm_cvtsd_f64
    );
    run!(
        scalar_single,
        scalar_single_inner,
        "fma",
        _mm_set_ss,
        _mm_fmadd_ss,
        _mm_cvtss_f32
    );
    run!(
        avx2_double,
        avx2_double_inner,
        "avx2,fma",
        _mm256_set1_pd,
        _mm256_fmadd_pd,
        _mm256_cvtsd_f64
    );
    run!(
        avx2_single,
        avx2_single_inner,
        "avx2,fma",
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_cvtss_f32
    );
    run!(
        avx512_double,
        avx512_double_inner,
        "avx512f",
        _mm512_set1_pd,
        _mm512_fmadd_pd,
        _mm512_cvtsd_f64
    );
    run!(
        avx512_single,
        avx512_single_inner,
        "avx512f",
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_cvtss_f32
    );

    fn has_fma() -> bool {
        is_x86_feature_detected!("fma")
    }

    fn has_avx2() -> bool {
        has_fma() && is_x86_feature_detected!("avx2")
    }

    fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f")
    }

    const fn way(
        instructions: &'static str,
        precision: Precision,
        lanes: usize,
        is_available: fn() -> bool,
        run: fn(usize) -> f64,
    ) -> Way {
        Way {
            instructions,
            precision,
            lanes,
            is_available,
            run,
        }
    }

    pub(super) const WAYS: &[Way] = &[
        way("scalar FMA", Precision::Double, 1, has_fma, scalar_double),
        way("scalar FMA", Precision::Single, 1, has_fma, scalar_single),
        way("AVX2", Precision::Double, 4, has_avx2, avx2_double),
        way("AVX2", Precision::Single, 8, has_avx2, avx2_single),
        way("AVX-512", Precision::Double, 8, has_avx512, avx512_double),
        way("AVX-512", Precision::Single, 16, has_avx512, avx512_single),
    ];
}

#[cfg(not(target_arch = "x86_64"))]
use portable::WAYS;

/// The compiler's code for arrays as wide as two registers of 128 bits, where fused operations need
/// no detection.
#[cfg(not(target_arch = "x86_64"))]
mod portable {
    use super::{ACCUMULATORS, Precision, Way};
    use std::hint::black_box;

    macro_rules! run {
        ($name:ident, $number:ty, $lanes:literal) => {
            fn $name(steps: usize) -> f64 {
                let (factor, addend): ($number, $number) = black_box((0.5, 0.5));
                let mut sums = black_box([[0.5; $lanes]; ACCUMULATORS]);
                for _ in 0..steps {
                    for sum in &mut sums {
                        for x in sum {
                            *x = x.mul_add(factor, addend);
                        }
                    }
                }
                sums.iter().map(|sum| f64::from(sum[0])).sum()
            }
        };
    }

    run!(double, f64, 2);
    run!(single, f32, 4);

    pub(super) const WAYS: &[Way] = &[
        Way {
            instructions: "128 bits",
            precision: Precision::Double,
            lanes: 2,
            is_available: || true,
            run: double,
        },
        Way {
            instructions: "128 bits",
            precision: Precision::Single,
            lanes: 4,
            is_available: || true,
            run: single,
        },
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_does_what_is_counted() {
        for way in WAYS.iter().filter(|way| (way.is_available)()) {
            // From 0.5, each step halves the distance to 1.
            for (steps, sum) in [(0, 0.5), (1, 0.75), (3, 0.9375)] {
                assert_eq!(
                    (way.run)(steps),
                    ACCUMULATORS as f64 * sum,
                    "{}",
                    way.instructions
                );
            }
        }
    }

    #[test]
    fn the_peak_is_the_greatest_of_its_precision() {
        let rate = |precision, gigaflops| Rate {
            instructions: "any",
            precision,
            lanes: 1,
            gigaflops,
        };
        let rates = [
            rate(Precision::Double, 3.0),
            rate(Precision::Single, 9.0),
            rate(Precision::Double, 4.0),
        ];
        assert_eq!(peak(&rates, Precision::Double), 4.0);
        assert_eq!(peak(&rates, Precision::Single), 9.0);
        assert!(peak(&rates[..1], Precision::Single).is_nan());
    }
}
