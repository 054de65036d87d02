//! The number types that every kernel is generic over.
//!
//! A kernel is written once against [`Scalar`] and serves plain floating point, derivatives,
//! operation counting and, through the same source, SIMD lanes and tracing. Therefore the trait is
//! loose: it has arithmetic, the few elementary functions that dynamics needs, and *selection* in
//! place of comparison, because a lane or a traced value has no single truth value to branch on.

mod count;
pub(crate) mod dispatch;
mod dual;
pub(crate) mod finite;
mod float;
pub(crate) mod form;
mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
// Single states take sines and cosines from it, batches all of it.
#[cfg_attr(not(feature = "batch"), allow(dead_code))]
mod lanes;
pub(crate) mod large;
mod polynomial;
pub(crate) mod row;
mod sincos;
pub(crate) mod symmetric;
pub(crate) mod triple;
pub(crate) mod unfused;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use count::{CountedMask, OpCount, Operations};
pub use dispatch::InstructionSet;
#[cfg(feature = "batch")]
pub(crate) use dispatch::ONLY;
pub(crate) use dispatch::{Kernel, dispatch, dispatch_lanes};
pub use dual::Dual;
pub(crate) use finite::{all_finite, are_finite};
#[cfg(target_arch = "x86_64")]
pub(crate) use form::WideInstructions;
pub use form::WideProof;
pub(crate) use form::{
    Form, InForm, InPlaceOf, Plain, SeenAs, WithoutFusion, seen_as, seen_mut_as,
};
pub(crate) use kernel::kernel;
#[cfg(all(
    feature = "batch",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(crate) use lanes::{Lanes, Register, prefetch};
pub(crate) use large::large;
pub(crate) use polynomial::polynomial;
use sincos::QuarterTurns;
pub(crate) use symmetric::{Columns, Symmetric, Triangle};
pub(crate) use triple::{Padded, Triple, TripleComponents};
pub(crate) use unfused::Unfused;

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number that kernels compute with.
///
/// Implementations must be plain values: copying one is cheap and has no effect.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The outcome of a comparison: one truth value a lane.
    type Mask: Copy;

    /// How the three components of a vector are kept.
    type Triple: Triple<Self>;

    /// How a symmetric 3×3 matrix is kept.
    type Symmetric: Symmetric<Self>;

    /// The scalar that takes this one's place in code compiled for wide registers: itself where
    /// nothing is gained. Its operations may be instructions that not every processor has, so that
    /// it exists only where a type proves them. Only this crate has one:
    ///
    /// ```compile_fail,E0107
    /// use featherline::scalar::Scalar;
    ///
    /// type Wide = <f64 as Scalar>::Wide;
    /// ```
    ///
    /// ```compile_fail,E0200
    /// struct Claim;
    /// impl featherline::scalar::WideProof for Claim {}
    /// ```
    type Wide<P: WideProof>: InPlaceOf<Self>;

    /// The scalar that takes this one's place in code compiled without fused multiply-add: itself
    /// where nothing is gained.
    type Unfused: InPlaceOf<Self>;

    /// The distance from 1 to the next larger number.
    const EPSILON: f64;

    /// The only instruction set that kernels are compiled for with this type; none if it works with
    /// all of them.
    const INSTRUCTION_SET: Option<InstructionSet> = None;

    /// Whether code of this type is to be small: large operations of spatial algebra are calls, and
    /// kernels several times smaller. For numbers that write down or count what is done with them,
    /// and for those of x86-64 processors without AVX2.
    const IS_COMPACT: bool = false;

    /// Whether a value holds one number for each of several states.
    const IS_LANES: bool = false;

    /// Whether several numbers fit into a vector register. Sparse matrices then pad their rows to
    /// whole registers; for other numbers padding would be wasted work.
    const SHARES_REGISTERS: bool = false;

    /// A number known when the model is built. Implementations that count or trace treat it as
    /// free.
    fn constant(value: f64) -> Self;

    /// `self * factor + addend`, rounded once where the type can.
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// Sine and cosine of an angle in radians.
    ///
    /// For `f64` and `f32` both are within 1.6 units in the last place for magnitudes up to 1e5,
    /// and the standard library's beyond; NaN for NaN and the infinities. They are made of fused
    /// operations: quick inside [`dispatch`], a library call for each operation outside of it on
    /// processors whose baseline lacks them.
    fn sin_cos(self) -> (Self, Self);

    /// Sines and cosines of four angles, the same as one by one.
    #[inline(always)]
    fn sin_cos_of_four(angles: [Self; 4]) -> ([Self; 4], [Self; 4]) {
        let [(s0, c0), (s1, c1)] = [angles[0].sin_cos(), angles[1].sin_cos()];
        let [(s2, c2), (s3, c3)] = [angles[2].sin_cos(), angles[3].sin_cos()];
        ([s0, s1, s2, s3], [c0, c1, c2, c3])
    }

    /// The angle of the vector (`x`, `self`) in radians, in \[−π, π\].
    fn atan2(self, x: Self) -> Self;

    /// The absolute value.
    fn abs(self) -> Self;

    /// Whether `self` is less than `other`.
    fn less(self, other: Self) -> Self::Mask;

    /// `yes` where `mask` holds, `no` elsewhere. Both are evaluated, so neither may rely on the
    /// other being skipped.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Whether a comparison holds in every lane. For checks at entry points; kernels select
    /// instead.
    fn all(mask: Self::Mask) -> bool;

    /// Whether every lane lies strictly between two numbers. For checks at entry points.
    #[inline(always)]
    fn all_between(self, low: f64, high: f64) -> bool {
        Self::all(Self::constant(low).less(self)) && Self::all(self.less(Self::constant(high)))
    }

    /// Whether the value, and everything carried with it, is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Zero, as a constant.
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(0.0)
    }

    /// One, as a constant.
    #[inline(always)]
    fn one() -> Self {
        Self::constant(1.0)
    }

    /// `1 / self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }
}
