//! [`Scalar`] for the floating-point primitives.

use super::{Columns, Padded, Scalar, Triangle, TripleComponents, Unfused, sincos};

macro_rules! impl_scalar_for_float {
    ($float:ty, $triple:ty, $symmetric:ty, $wide:ty) => {
        impl Scalar for $float {
            type Mask = bool;
            type Triple = $triple;
            type Symmetric = $symmetric;
            type Wide<P: super::WideProof> = $wide;
            type Unfused = Unfused<Self>;

            const EPSILON: f64 = <$float>::EPSILON as f64;

            const SHARES_REGISTERS: bool = true;

            #[inline(always)]
            fn constant(value: f64) -> Self {
                value as $float
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                sincos::sin_cos(self)
            }

            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                self.atan2(x)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
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
                self.is_finite()
            }
        }
    };
}

impl_scalar_for_float!(f32, TripleComponents<f32>, Triangle<f32>, f32);
#[cfg(target_arch = "x86_64")]
impl_scalar_for_float!(f64, Padded, Columns<Padded>, super::wide::Wide64);
#[cfg(not(target_arch = "x86_64"))]
impl_scalar_for_float!(f64, Padded, Columns<Padded>, f64);
