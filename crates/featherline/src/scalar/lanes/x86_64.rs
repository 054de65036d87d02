//! Registers of x86-64.

use super::super::sincos::{QuarterTurns, Table};
use super::super::{InstructionSet, Scalar, Unfused};
use super::reduced;
use super::register::{Register, impl_register, instructions};
use super::transpose::*;
use std::arch::x86_64::*;

impl_register!(
    f64, u64, 8, Avx512, __m512d, __mmask8,
    reduced as f64, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f64, 8>(angle),
    add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd, mul_add _mm512_fmadd_pd,
    sqrt _mm512_sqrt_pd, transpose transpose_f64x8, splat _mm512_set1_pd, xor _mm512_xor_pd, and_not _mm512_andnot_pd,
    compare(a, b) less _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), at_most _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b),
    masked(m, yes, no) select _mm512_mask_blend_pd(m, no, yes), all(m) _cvtmask8_u32(m) == 0xff,
    integers _mm512_castpd_si512, floats _mm512_castsi512_pd, and _mm512_and_si512, sum _mm512_add_epi64,
    ones _mm512_set1_epi64, shift _mm512_slli_epi64, odd(count) _mm512_test_epi64_mask(count, _mm512_set1_epi64(1)),
);

impl_register!(
    f32, u32, 16, Avx512, __m512, __mmask16,
    reduced as f32, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f32, 16>(angle),
    add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps, div _mm512_div_ps, mul_add _mm512_fmadd_ps,
    sqrt _mm512_sqrt_ps, transpose transpose_f32x16, splat _mm512_set1_ps, xor _mm512_xor_ps, and_not _mm512_andnot_ps,
    compare(a, b) less _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), at_most _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
    masked(m, yes, no) select _mm512_mask_blend_ps(m, no, yes), all(m) _cvtmask16_u32(m) == 0xffff,
    integers _mm512_castps_si512, floats _mm512_castsi512_ps, and _mm512_and_si512, sum _mm512_add_epi32,
    ones _mm512_set1_epi32, shift _mm512_slli_epi32, odd(count) _mm512_test_epi32_mask(count, _mm512_set1_epi32(1)),
);

impl_register!(
    f64, u64, 4, Avx2, __m256d, __m256d,
    reduced as f64, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f64, 4>(angle),
    add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd, mul_add _mm256_fmadd_pd,
    sqrt _mm256_sqrt_pd, transpose transpose_f64x4, splat _mm256_set1_pd, xor _mm256_xor_pd, and_not _mm256_andnot_pd,
    compare(a, b) less _mm256_cmp_pd::<_CMP_LT_OQ>(a, b), at_most _mm256_cmp_pd::<_CMP_LE_OQ>(a, b),
    masked(m, yes, no) select _mm256_blendv_pd(no, yes, m), all(m) _mm256_movemask_pd(m) == 0xf,
    integers _mm256_castpd_si256, floats _mm256_castsi256_pd, and _mm256_and_si256, sum _mm256_add_epi64,
    ones _mm256_set1_epi64x, shift wide_shift_left_64, odd(count) _mm256_castsi256_pd(_mm256_slli_epi64::<63>(count)),
);

impl_register!(
    f32, u32, 8, Avx2, __m256, __m256,
    reduced as f32, alone(x) Scalar::sin_cos(x), sin_cos(angle) reduced::<f32, 8>(angle),
    add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps, div _mm256_div_ps, mul_add _mm256_fmadd_ps,
    sqrt _mm256_sqrt_ps, transpose transpose_f32x8, splat _mm256_set1_ps, xor _mm256_xor_ps, and_not _mm256_andnot_ps,
    compare(a, b) less _mm256_cmp_ps::<_CMP_LT_OQ>(a, b), at_most _mm256_cmp_ps::<_CMP_LE_OQ>(a, b),
    masked(m, yes, no) select _mm256_blendv_ps(no, yes, m), all(m) _mm256_movemask_ps(m) == 0xff,
    integers _mm256_castps_si256, floats _mm256_castsi256_ps, and _mm256_and_si256, sum _mm256_add_epi32,
    ones _mm256_set1_epi32, shift wide_shift_left_32, odd(count) _mm256_castsi256_ps(_mm256_slli_epi32::<31>(count)),
);

impl_register!(
    f64, u64, 2, Baseline, __m128d, __m128d,
    reduced as Unfused<f64>, alone(x) Unfused(x).sin_cos_of_number(), sin_cos(angle) reduced::<f64, 2>(angle),
    add _mm_add_pd, sub _mm_sub_pd, mul _mm_mul_pd, div _mm_div_pd, mul_add mul_add_f64,
    sqrt _mm_sqrt_pd, transpose transpose_f64x2, splat _mm_set1_pd, xor _mm_xor_pd, and_not _mm_andnot_pd,
    compare(a, b) less _mm_cmplt_pd(a, b), at_most _mm_cmple_pd(a, b),
    masked(m, yes, no) select _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no)), all(m) _mm_movemask_pd(m) == 0x3,
    integers _mm_castpd_si128, floats _mm_castsi128_pd, and _mm_and_si128, sum _mm_add_epi64,
    ones _mm_set1_epi64x, shift shift_left_64,
    odd(count) _mm_castsi128_pd(_mm_sub_epi64(_mm_setzero_si128(), _mm_and_si128(count, _mm_set1_epi64x(1)))),
);

impl_register!(
    f32, u32, 4, Baseline, __m128, __m128,
    reduced as f32, alone(x) Unfused(x).sin_cos_of_number(), sin_cos(angle) sin_cos_by_doubles(angle),
    add _mm_add_ps, sub _mm_sub_ps, mul _mm_mul_ps, div _mm_div_ps, mul_add mul_add_f32,
    sqrt _mm_sqrt_ps, transpose transpose_f32x4, splat _mm_set1_ps, xor _mm_xor_ps, and_not _mm_andnot_ps,
    compare(a, b) less _mm_cmplt_ps(a, b), at_most _mm_cmple_ps(a, b),
    masked(m, yes, no) select _mm_or_ps(_mm_and_ps(m, yes), _mm_andnot_ps(m, no)), all(m) _mm_movemask_ps(m) == 0xf,
    integers _mm_castps_si128, floats _mm_castsi128_ps, and _mm_and_si128, sum _mm_add_epi32,
    ones _mm_set1_epi32, shift shift_left_32,
    odd(count) _mm_castsi128_ps(_mm_sub_epi32(_mm_setzero_si128(), _mm_and_si128(count, _mm_set1_epi32(1)))),
);

instructions! {
    // The shifts by a constant take a signed one.
    fn wide_shift_left_64<const BITS: u32>(a: __m256i) -> __m256i { _mm256_sll_epi64(a, _mm_cvtsi32_si128(BITS as i32)) }
    fn wide_shift_left_32<const BITS: u32>(a: __m256i) -> __m256i { _mm256_sll_epi32(a, _mm_cvtsi32_si128(BITS as i32)) }
    fn shift_left_64<const BITS: u32>(a: __m128i) -> __m128i { _mm_sll_epi64(a, _mm_cvtsi32_si128(BITS as i32)) }
    fn shift_left_32<const BITS: u32>(a: __m128i) -> __m128i { _mm_sll_epi32(a, _mm_cvtsi32_si128(BITS as i32)) }
    // The baseline has no fused operation.
    fn mul_add_f64(a: __m128d, b: __m128d, c: __m128d) -> __m128d { _mm_add_pd(_mm_mul_pd(a, b), c) }
    fn mul_add_f32(a: __m128, b: __m128, c: __m128) -> __m128 { _mm_add_ps(_mm_mul_ps(a, b), c) }
    fn join(low: __m128d, high: __m128d) -> __m128 { _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)) }
}

/// Without fused operations, the reduction needs more digits than a product of singles has.
#[inline(always)]
fn sin_cos_by_doubles(angle: __m128) -> (__m128, __m128) {
    // SAFETY: these instructions belong to the architecture's baseline.
    unsafe {
        let (low_sin, low_cos) = reduced::<f64, 2>(_mm_cvtps_pd(angle));
        let (high_sin, high_cos) = reduced::<f64, 2>(_mm_cvtps_pd(_mm_movehl_ps(angle, angle)));
        (join(low_sin, high_sin), join(low_cos, high_cos))
    }
}
