//! Doubles in code that was compiled for vector registers of four.
//!
//! Intrinsic functions may be called only where their instructions are known to exist, which one
//! type can't tell from another place in the program. [`Wide64`] is a double that can be had only
//! with [`WideInstructions`](super::WideInstructions), the proof that the instructions were
//! detected. Kernels are generic over the scalar: with this one, vectors of three are registers.
#![allow(unsafe_code)] // intrinsics behind a proof of detection, and views of memory as a type of the same layout

use super::lanes::Lanes;
use super::{Columns, InPlaceOf, InstructionSet, Padded, Scalar, Triple, TripleComponents, sincos};
use std::arch::x86_64::{
    __m256d, _mm256_add_pd, _mm256_blend_pd, _mm256_fmadd_pd, _mm256_fmsub_pd, _mm256_fnmadd_pd,
    _mm256_mul_pd, _mm256_permute_pd, _mm256_permute2f128_pd, _mm256_permute4x64_pd, _mm256_set_pd,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    _mm256_xor_pd,
};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A double, computed with AVX2 and fused multiply-add.
///
/// Methods of vectors of this type must only be reached from code that runs after detection, which
/// is why the type has no constructor outside of this crate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Wide64(f64);

macro_rules! forward {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        forward!($trait, $method);
        impl $assign for Wide64 {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                self.0.$assign_method(other.0);
            }
        }
    };
    ($trait:ident, $method:ident) => {
        impl $trait for Wide64 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
    };
}

forward!(Add, add, AddAssign, add_assign);
forward!(Sub, sub, SubAssign, sub_assign);
forward!(Mul, mul);
forward!(Div, div);

impl Neg for Wide64 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

// SAFETY: `Wide64` is transparent; `WideTriple` and `Padded` are four doubles aligned to 32 bytes,
// three of which are the components; `Columns` is transparent over three of them.
unsafe impl InPlaceOf<f64> for Wide64 {}

impl Scalar for Wide64 {
    // It exists in wide forms only; there AVX2 is what every processor has.
    const INSTRUCTION_SET: Option<InstructionSet> = Some(InstructionSet::Avx2);
    type Mask = bool;
    type Triple = WideTriple;
    type Symmetric = Columns<WideTriple>;
    type Wide<P: super::WideProof> = Self;
    type Unfused = Self;

    const SHARES_REGISTERS: bool = true;

    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(self.0.mul_add(factor.0, addend.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = sincos::sin_cos(self.0);
        (Self(sin), Self(cos))
    }

    #[inline(always)]
    fn sin_cos_of_four([a, b, c, d]: [Self; 4]) -> ([Self; 4], [Self; 4]) {
        let (sin, cos) = sincos::sin_cos(Lanes::new([a.0, b.0, c.0, d.0]));
        let ([s0, s1, s2, s3], [c0, c1, c2, c3]) = (sin.to_array(), cos.to_array());
        (
            [Self(s0), Self(s1), Self(s2), Self(s3)],
            [Self(c0), Self(c1), Self(c2), Self(c3)],
        )
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self.0 < other.0
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

/// Three doubles in a vector register. The fourth is zero, or not finite where the three are not.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct WideTriple(__m256d);

/// The order y, z, x of components.
const YZX: i32 = 0b11_00_10_01;

/// The order z, x, y of components.
const ZXY: i32 = 0b11_01_00_10;

// A `WideTriple` is made of `Wide64`s or of memory that was viewed with `WideInstructions`: the
// proof of detection.
impl WideTriple {
    #[inline(always)]
    fn splat(value: Wide64) -> __m256d {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe { _mm256_set1_pd(value.0) }
    }

    #[inline(always)]
    fn yzx(self) -> __m256d {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe { _mm256_permute4x64_pd::<YZX>(self.0) }
    }

    #[inline(always)]
    fn zxy(self) -> __m256d {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe { _mm256_permute4x64_pd::<ZXY>(self.0) }
    }
}

impl Triple<Wide64> for WideTriple {
    #[inline(always)]
    fn new(x: Wide64, y: Wide64, z: Wide64) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_set_pd(0.0, z.0, y.0, x.0) })
    }

    #[inline(always)]
    fn constant(v: &Padded) -> Self {
        // SAFETY: four doubles, aligned to 32 bytes, the fourth of which is initialised.
        unsafe { *std::ptr::from_ref(v).cast() }
    }

    #[inline(always)]
    fn components(&self) -> &TripleComponents<Wide64> {
        // SAFETY: the register begins with three doubles.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    #[inline(always)]
    fn components_mut(&mut self) -> &mut TripleComponents<Wide64> {
        // SAFETY: the register begins with three doubles.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn negated(self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
    }

    #[inline(always)]
    fn scaled(self, factor: Wide64) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_mul_pd(self.0, Self::splat(factor)) })
    }

    #[inline(always)]
    fn scaled_add(self, factor: Wide64, addend: Self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        Self(unsafe { _mm256_fmadd_pd(self.0, Self::splat(factor), addend.0) })
    }

    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe {
            let back = _mm256_mul_pd(self.zxy(), other.yzx());
            Self(_mm256_fmsub_pd(self.yzx(), other.zxy(), back))
        }
    }

    #[inline(always)]
    fn cross_add(self, other: Self, addend: Self) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe {
            let back = _mm256_fnmadd_pd(self.zxy(), other.yzx(), addend.0);
            Self(_mm256_fmadd_pd(self.yzx(), other.zxy(), back))
        }
    }

    #[inline(always)]
    fn cross_along_z(self, z: Wide64) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe {
            let turn = _mm256_mul_pd(Self::splat(z), _mm256_set_pd(0.0, 0.0, -1.0, 1.0));
            Self(_mm256_mul_pd(_mm256_permute_pd::<0b0101>(self.0), turn))
        }
    }

    #[inline(always)]
    fn plus_along_z(self, z: Wide64) -> Self {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe {
            let along = _mm256_blend_pd::<0b0100>(_mm256_setzero_pd(), Self::splat(z));
            Self(_mm256_add_pd(self.0, along))
        }
    }

    #[inline(always)]
    fn transposed([x, y, z]: [Self; 3]) -> [Self; 3] {
        // SAFETY: only where AVX2 and FMA were detected is there a `WideTriple`.
        unsafe {
            let zero = _mm256_setzero_pd();
            let low = _mm256_unpacklo_pd(x.0, y.0);
            let high = _mm256_unpackhi_pd(x.0, y.0);
            let low_z = _mm256_unpacklo_pd(z.0, zero);
            let high_z = _mm256_unpackhi_pd(z.0, zero);
            [
                Self(_mm256_permute2f128_pd::<0x20>(low, low_z)),
                Self(_mm256_permute2f128_pd::<0x20>(high, high_z)),
                Self(_mm256_permute2f128_pd::<0x31>(low, low_z)),
            ]
        }
    }

    #[inline(always)]
    fn dots(columns: [Self; 3], v: Self) -> Self {
        let [x, y, z] = Self::transposed(columns);
        let c = v.components();
        x.scaled_add(c.x, y.scaled_add(c.y, z.scaled(c.z)))
    }
}
