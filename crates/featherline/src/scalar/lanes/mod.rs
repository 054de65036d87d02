//! Several numbers side by side, computed with at once: one vector register.
#![allow(unsafe_code)] // instructions of sets that the processor was seen to have

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod register;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod transpose;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::sincos::{self, QuarterTurns, Table};
use super::{InstructionSet, Scalar, Triangle, TripleComponents, WideProof};
pub use register::Register;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `N` numbers that go through every operation together, each in its lane: 2, 4 or 8 doubles, 4, 8
/// or 16 singles.
///
/// Every operation is one instruction of [`Register::SET`]. The type is not public, so that it is
/// used only where the processor was found to have them: that is what makes the operations below
/// sound.
#[repr(transparent)]
pub struct Lanes<T, const N: usize>(<[T; N] as Register>::Vector)
where
    [T; N]: Register;

type Vector<T, const N: usize> = <[T; N] as Register>::Vector;

impl<T, const N: usize> Clone for Lanes<T, N>
where
    [T; N]: Register,
{
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Lanes<T, N> where [T; N]: Register {}

impl<T, const N: usize> Lanes<T, N>
where
    [T; N]: Register,
{
    /// The numbers, one a lane.
    #[inline(always)]
    pub fn new(values: [T; N]) -> Self {
        Self(Register::load(values))
    }

    /// The numbers, one a lane.
    #[inline(always)]
    pub fn to_array(self) -> [T; N] {
        Register::store(self.0)
    }
}

/// Whether N rows of N numbers, each of which begins so many numbers after the one before, end
/// within so many.
#[inline(always)]
fn fits<const N: usize>(stride: usize, numbers: usize) -> bool {
    let end = stride.checked_mul(N - 1).and_then(|l| l.checked_add(N));
    end.is_some_and(|end| end <= numbers)
}

/// Asks for the line of the cache that an address lies in, before it is needed. Any address will
/// do.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction belongs to the architecture's baseline and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    // Elsewhere stable Rust has no such instruction.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl<T, const N: usize> Lanes<T, N>
where
    [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
{
    /// Writes register l to the numbers from l · `stride` on.
    ///
    /// # Panics
    /// If there is not room for all.
    #[inline(always)]
    pub fn store_rows(square: [Self; N], to: &mut [T], stride: usize) {
        // Once for all rows.
        assert!(fits::<N>(stride, to.len()), "room for all rows");
        let first = to.as_mut_ptr();
        for l in 0..N {
            // SAFETY: no row ends after the last one, which ends in the slice.
            unsafe {
                let row = first.add(l * stride).cast::<[T; N]>();
                row.write_unaligned(square[l].to_array());
            }
        }
    }

    /// Takes lane l of register k to lane k of register l.
    #[inline(always)]
    pub fn transpose(square: [Self; N]) -> [Self; N] {
        let mut vectors = [square[0].0; N];
        for k in 0..N {
            vectors[k] = square[k].0;
        }
        // SAFETY: the type is used only where the processor has the instructions.
        let vectors = unsafe { <[T; N]>::transpose(vectors) };
        let mut transposed = square;
        for k in 0..N {
            transposed[k] = Self(vectors[k]);
        }
        transposed
    }
}

impl<T, const N: usize> Default for Lanes<T, N>
where
    [T; N]: Register,
{
    #[inline(always)]
    fn default() -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::splat(0.0) })
    }
}

impl<T, const N: usize> Debug for Lanes<T, N>
where
    [T; N]: Register,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.to_array().fmt(f)
    }
}

impl<T, const N: usize> PartialEq for Lanes<T, N>
where
    [T; N]: Register,
{
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.to_array() == other.to_array()
    }
}

macro_rules! impl_operator {
    ($trait:ident, $method:ident) => {
        impl<T, const N: usize> $trait for Lanes<T, N>
        where
            [T; N]: Register,
        {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the type is used only where the processor has the instructions.
                Self(unsafe { <[T; N]>::$method(self.0, other.0) })
            }
        }
    };
}

impl_operator!(Add, add);
impl_operator!(Sub, sub);
impl_operator!(Mul, mul);
impl_operator!(Div, div);

impl<T, const N: usize> Neg for Lanes<T, N>
where
    [T; N]: Register,
{
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::neg(self.0) })
    }
}

impl<T: 'static, const N: usize> AddAssign for Lanes<T, N>
where
    [T; N]: Register,
{
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: 'static, const N: usize> SubAssign for Lanes<T, N>
where
    [T; N]: Register,
{
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<T: 'static, const N: usize> Scalar for Lanes<T, N>
where
    [T; N]: Register,
{
    type Triple = TripleComponents<Self>;
    type Symmetric = Triangle<Self>;
    type Wide<P: WideProof> = Self;
    type Unfused = Self;
    type Mask = <[T; N] as Register>::Mask;

    const EPSILON: f64 = <[T; N]>::EPSILON;
    const INSTRUCTION_SET: Option<InstructionSet> = Some(<[T; N]>::SET);
    const IS_LANES: bool = true;

    #[inline(always)]
    fn constant(value: f64) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::splat(value) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::mul_add(self.0, factor.0, addend.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::sqrt(self.0) })
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = <[T; N]>::sin_cos(self.0);
        (Self(sin), Self(cos))
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Self::new(self.to_array().atan2_by_lane(x.to_array()))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::abs(self.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> Self::Mask {
        // SAFETY: the type is used only where the processor has the instructions.
        unsafe { <[T; N]>::less(self.0, other.0) }
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        // SAFETY: the type is used only where the processor has the instructions.
        Self(unsafe { <[T; N]>::select(mask, yes.0, no.0) })
    }

    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        // SAFETY: the type is used only where the processor has the instructions.
        unsafe { <[T; N]>::all(mask) }
    }

    #[inline(always)]
    fn all_between(self, low: f64, high: f64) -> bool {
        self.to_array().all_between(low, high)
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        Register::is_finite(self.to_array())
    }
}

/// Sine and cosine by a reduction in the register itself.
#[inline(always)]
fn reduced<T: 'static, const N: usize>(angle: Vector<T, N>) -> (Vector<T, N>, Vector<T, N>)
where
    [T; N]: Register,
{
    let (sin, cos) = sincos::sin_cos(Lanes::<T, N>(angle));
    (sin.0, cos.0)
}

impl<T: 'static, const N: usize> QuarterTurns for Lanes<T, N>
where
    [T; N]: Register,
{
    type Count = <[T; N] as Register>::Vector;

    const TABLE: Table = <[T; N]>::TABLE;

    #[inline(always)]
    fn split(sum: Self, rounder: Self) -> (Self, Self::Count) {
        (sum - rounder, sum.0)
    }

    #[inline(always)]
    fn turn(count: Self::Count, sin: Self, cos: Self) -> (Self, Self) {
        // SAFETY: the type is used only where the processor has the instructions.
        let (sin, cos) = unsafe { <[T; N]>::turn(count, sin.0, cos.0) };
        (Self(sin), Self(cos))
    }

    #[inline(always)]
    fn all_within(self, limit: f64) -> bool {
        let limit = Self::constant(limit);
        // SAFETY: the type is used only where the processor has the instructions.
        unsafe { <[T; N]>::all(<[T; N]>::at_most(self.abs().0, limit.0)) }
    }

    #[inline(always)]
    fn unreduced(self) -> (Self, Self) {
        let (sin, cos) = self.to_array().sin_cos_by_lane();
        (Self::new(sin), Self::new(cos))
    }
}
