//! Registers of AArch64, whose baseline has them all.

use super::super::sincos::{QuarterTurns, Table};
use super::super::{InstructionSet, Scalar};
use super::reduced;
use super::register::{Register, impl_register, instructions};
use std::arch::aarch64::*;

impl_register!(
    f64, u64, 2, Baseline, float64x2_t, uint64x2_t,
    reduced as f64, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f64, 2>(angle),
    add vaddq_f64, sub vsubq_f64, mul vmulq_f64, div vdivq_f64, mul_add mul_add_f64,
    sqrt vsqrtq_f64, transpose transpose_f64x2, splat vdupq_n_f64, xor xor_f64, and_not and_not_f64,
    compare(a, b) less vcltq_f64(a, b), at_most vcleq_f64(a, b),
    masked(m, yes, no) select vbslq_f64(m, yes, no), all(m) vgetq_lane_u64::<0>(m) & vgetq_lane_u64::<1>(m) != 0,
    integers vreinterpretq_u64_f64, floats vreinterpretq_f64_u64, and vandq_u64, sum vaddq_u64,
    ones vdupq_n_u64, shift shift_left_64, odd(count) vtstq_u64(count, vdupq_n_u64(1)),
);

impl_register!(
    f32, u32, 4, Baseline, float32x4_t, uint32x4_t,
    reduced as f32, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f32, 4>(angle),
    add vaddq_f32, sub vsubq_f32, mul vmulq_f32, div vdivq_f32, mul_add mul_add_f32,
    sqrt vsqrtq_f32, transpose transpose_f32x4, splat vdupq_n_f32, xor xor_f32, and_not and_not_f32,
    compare(a, b) less vcltq_f32(a, b), at_most vcleq_f32(a, b),
    masked(m, yes, no) select vbslq_f32(m, yes, no), all(m) vminvq_u32(m) != 0,
    integers vreinterpretq_u32_f32, floats vreinterpretq_f32_u32, and vandq_u32, sum vaddq_u32,
    ones vdupq_n_u32, shift shift_left_32, odd(count) vtstq_u32(count, vdupq_n_u32(1)),
);

instructions! {
    // The addend comes first here.
    fn mul_add_f64(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t { vfmaq_f64(c, a, b) }
    fn mul_add_f32(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t { vfmaq_f32(c, a, b) }
    fn xor_f64(a: float64x2_t, b: float64x2_t) -> float64x2_t {
        vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)))
    }
    fn xor_f32(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)))
    }
    fn and_not_f64(a: float64x2_t, b: float64x2_t) -> float64x2_t {
        vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(b), vreinterpretq_u64_f64(a)))
    }
    fn and_not_f32(a: float32x4_t, b: float32x4_t) -> float32x4_t {
        vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(b), vreinterpretq_u32_f32(a)))
    }
    fn shift_left_64<const BITS: u32>(a: uint64x2_t) -> uint64x2_t { vshlq_u64(a, vdupq_n_s64(BITS as i64)) }
    fn shift_left_32<const BITS: u32>(a: uint32x4_t) -> uint32x4_t { vshlq_u32(a, vdupq_n_s32(BITS as i32)) }
    fn transpose_f64x2(rows: [float64x2_t; 2]) -> [float64x2_t; 2] {
        [vtrn1q_f64(rows[0], rows[1]), vtrn2q_f64(rows[0], rows[1])]
    }
    fn transpose_f32x4(rows: [float32x4_t; 4]) -> [float32x4_t; 4] {
        // Pairs of neighbours first, then pairs of pairs.
        let even_low = vreinterpretq_f64_f32(vtrn1q_f32(rows[0], rows[1]));
        let odd_low = vreinterpretq_f64_f32(vtrn2q_f32(rows[0], rows[1]));
        let even_high = vreinterpretq_f64_f32(vtrn1q_f32(rows[2], rows[3]));
        let odd_high = vreinterpretq_f64_f32(vtrn2q_f32(rows[2], rows[3]));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(even_low, even_high)),
            vreinterpretq_f32_f64(vtrn1q_f64(odd_low, odd_high)),
            vreinterpretq_f32_f64(vtrn2q_f64(even_low, even_high)),
            vreinterpretq_f32_f64(vtrn2q_f64(odd_low, odd_high)),
        ]
    }
}
