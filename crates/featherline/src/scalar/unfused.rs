//! Numbers whose products and sums are rounded one by one.
//!
//! Where the instruction set has no fused multiply-add, [`f64::mul_add`] is a call into the
//! mathematics library, which works it out bit by bit. Kernels need the speed of a fused operation,
//! hardly ever its single rounding; with this scalar they do with two.

use super::{
    Columns, InPlaceOf, InstructionSet, Padded, QuarterTurns, Scalar, Triangle, TripleComponents,
    large, sincos,
};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number that is multiplied and added with a rounding each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Unfused<T>(pub(crate) T);

macro_rules! forward {
    ($float:ty: $($trait:ident, $method:ident $(, $assign:ident, $assign_method:ident)?;)*) => {
        $(
            impl $trait for Unfused<$float> {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self(self.0.$method(other.0))
                }
            }
            $(impl $assign for Unfused<$float> {
                #[inline(always)]
                fn $assign_method(&mut self, other: Self) {
                    self.0.$assign_method(other.0);
                }
            })?
        )*
    };
}

macro_rules! impl_scalar_for_unfused {
    ($float:ty, $triple:ty, $symmetric:ty, |$angle:ident| $sin_cos:expr) => {
        forward!($float:
            Add, add, AddAssign, add_assign;
            Sub, sub, SubAssign, sub_assign;
            Mul, mul;
            Div, div;
        );

        impl Neg for Unfused<$float> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }

        #[allow(unsafe_code)] // a promise of layout
        // SAFETY: `Unfused` is transparent, and its vectors and matrices are those of the number,
        // generic over the scalar and in C's order.
        unsafe impl InPlaceOf<$float> for Unfused<$float> {}

        impl Unfused<$float> {
            /// Sine and cosine as numbers.
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            pub(super) fn sin_cos_of_number(self) -> ($float, $float) {
                let (sin, cos) = self.sin_cos();
                (sin.0, cos.0)
            }
        }

        impl Scalar for Unfused<$float> {
            type Mask = bool;
            type Triple = $triple;
            type Symmetric = $symmetric;
            type Wide<P: super::WideProof> = Self;
            type Unfused = Self;

            const EPSILON: f64 = <$float>::EPSILON as f64;

            // The others have fused operations.
            const INSTRUCTION_SET: Option<InstructionSet> = Some(InstructionSet::Baseline);

            // Elsewhere they are the numbers of all processors.
            const IS_COMPACT: bool = cfg!(target_arch = "x86_64");

            const SHARES_REGISTERS: bool = true;

            #[inline(always)]
            fn constant(value: f64) -> Self {
                Self(value as $float)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                Self(self.0 * factor.0 + addend.0)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }

            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let $angle = self;
                large!(Self, $sin_cos)
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
    };
}

impl_scalar_for_unfused!(f64, Padded<Self>, Columns<Padded<Self>>, |angle| {
    sincos::sin_cos(angle)
});

// The reduction of a single needs more digits than a product of singles has.
impl_scalar_for_unfused!(f32, TripleComponents<Self>, Triangle<Self>, |angle| {
    let (sin, cos) = sincos::sin_cos(Unfused(f64::from(angle.0)));
    (Self(sin.0 as f32), Self(cos.0 as f32))
});

impl QuarterTurns for Unfused<f64> {
    type Count = <f64 as QuarterTurns>::Count;

    const TABLE: sincos::Table = sincos::DOUBLE_UNFUSED;

    #[inline(always)]
    fn split(sum: Self, rounder: Self) -> (Self, Self::Count) {
        let (quarters, count) = f64::split(sum.0, rounder.0);
        (Self(quarters), count)
    }

    #[inline(always)]
    fn turn(count: Self::Count, sin: Self, cos: Self) -> (Self, Self) {
        let (sin, cos) = f64::turn(count, sin.0, cos.0);
        (Self(sin), Self(cos))
    }

    #[inline(always)]
    fn all_within(self, limit: f64) -> bool {
        self.0.all_within(limit)
    }

    #[inline(always)]
    fn unreduced(self) -> (Self, Self) {
        let (sin, cos) = self.0.unreduced();
        (Self(sin), Self(cos))
    }
}
