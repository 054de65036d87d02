//! Transposition of square blocks in registers: rows of as many numbers as there are lanes.
//!
//! Neighbouring rows are interleaved until each part of 128 bits holds a column of a few rows; then
//! the parts are gathered.

use std::arch::x86_64::*;

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f64x8(rows: [__m512d; 8]) -> [__m512d; 8] {
    let mut columns = rows;
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        let mut low = rows;
        let mut high = rows;
        for g in 0..4 {
            low[g] = _mm512_unpacklo_pd(rows[2 * g], rows[2 * g + 1]);
            high[g] = _mm512_unpackhi_pd(rows[2 * g], rows[2 * g + 1]);
        }
        let low = parts_f64(low[0], low[1], low[2], low[3]);
        let high = parts_f64(high[0], high[1], high[2], high[3]);
        for j in 0..4 {
            columns[2 * j] = low[j];
            columns[2 * j + 1] = high[j];
        }
    }
    columns
}

/// Part j of each register, for j from 0 to 3.
///
/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
unsafe fn parts_f64(a: __m512d, b: __m512d, c: __m512d, d: __m512d) -> [__m512d; 4] {
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        let (ab_low, ab_high) = (
            _mm512_shuffle_f64x2::<0x44>(a, b),
            _mm512_shuffle_f64x2::<0xee>(a, b),
        );
        let (cd_low, cd_high) = (
            _mm512_shuffle_f64x2::<0x44>(c, d),
            _mm512_shuffle_f64x2::<0xee>(c, d),
        );
        [
            _mm512_shuffle_f64x2::<0x88>(ab_low, cd_low),
            _mm512_shuffle_f64x2::<0xdd>(ab_low, cd_low),
            _mm512_shuffle_f64x2::<0x88>(ab_high, cd_high),
            _mm512_shuffle_f64x2::<0xdd>(ab_high, cd_high),
        ]
    }
}

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f32x16(rows: [__m512; 16]) -> [__m512; 16] {
    let mut columns = rows;
    let mut mixed = [rows; 4];
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        for g in 0..4 {
            let [a, b, c, d] = [
                rows[4 * g],
                rows[4 * g + 1],
                rows[4 * g + 2],
                rows[4 * g + 3],
            ];
            let ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
            let ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
            let cd_low = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
            let cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
            mixed[0][g] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_low, cd_low));
            mixed[1][g] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_low, cd_low));
            mixed[2][g] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high));
            mixed[3][g] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high));
        }
        for p in 0..4 {
            let [a, b, c, d] = [mixed[p][0], mixed[p][1], mixed[p][2], mixed[p][3]];
            let parts = parts_f64(
                _mm512_castps_pd(a),
                _mm512_castps_pd(b),
                _mm512_castps_pd(c),
                _mm512_castps_pd(d),
            );
            for j in 0..4 {
                columns[4 * j + p] = _mm512_castpd_ps(parts[j]);
            }
        }
    }
    columns
}

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f64x4(rows: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        let (low, high) = (
            [
                _mm256_unpacklo_pd(rows[0], rows[1]),
                _mm256_unpacklo_pd(rows[2], rows[3]),
            ],
            [
                _mm256_unpackhi_pd(rows[0], rows[1]),
                _mm256_unpackhi_pd(rows[2], rows[3]),
            ],
        );
        [
            _mm256_permute2f128_pd::<0x20>(low[0], low[1]),
            _mm256_permute2f128_pd::<0x20>(high[0], high[1]),
            _mm256_permute2f128_pd::<0x31>(low[0], low[1]),
            _mm256_permute2f128_pd::<0x31>(high[0], high[1]),
        ]
    }
}

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f32x8(rows: [__m256; 8]) -> [__m256; 8] {
    let mut columns = rows;
    let mut mixed = [[rows[0]; 2]; 4];
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        for g in 0..2 {
            let [a, b, c, d] = [
                rows[4 * g],
                rows[4 * g + 1],
                rows[4 * g + 2],
                rows[4 * g + 3],
            ];
            let ab_low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
            let ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
            let cd_low = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
            let cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
            mixed[0][g] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab_low, cd_low));
            mixed[1][g] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab_low, cd_low));
            mixed[2][g] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab_high, cd_high));
            mixed[3][g] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab_high, cd_high));
        }
        for p in 0..4 {
            columns[p] = _mm256_permute2f128_ps::<0x20>(mixed[p][0], mixed[p][1]);
            columns[4 + p] = _mm256_permute2f128_ps::<0x31>(mixed[p][0], mixed[p][1]);
        }
    }
    columns
}

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f64x2([a, b]: [__m128d; 2]) -> [__m128d; 2] {
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe { [_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b)] }
}

/// # Safety
///
/// The processor has the instructions of the registers.
#[inline(always)]
pub(super) unsafe fn transpose_f32x4([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
    // SAFETY: the caller has seen to it that the processor has the instructions.
    unsafe {
        let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        [
            _mm_movelh_ps(ab_low, cd_low),
            _mm_movehl_ps(cd_low, ab_low),
            _mm_movelh_ps(ab_high, cd_high),
            _mm_movehl_ps(cd_high, ab_high),
        ]
    }
}
