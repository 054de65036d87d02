//! Views of memory as the scalar that uses wide registers.
#![allow(unsafe_code)] // one type's memory seen as another's of the same layout

use super::Scalar;

/// The proof that the running processor has the instructions for wide registers.
///
/// Only [`dispatch`](super::dispatch) makes one, after detection.
#[derive(Clone, Copy, Debug)]
pub struct WideInstructions(());

impl WideInstructions {
    /// # Safety
    /// The running processor has AVX2 and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn detected() -> Self {
        Self(())
    }

    /// Sines and cosines of four angles in radians in vector registers, the same as [`Scalar::sin_cos`]'s one by one.
    #[inline(always)]
    pub fn sin_cos_of_four(self, angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        #[cfg(target_arch = "x86_64")]
        {
            let (sin, cos) = super::sincos::sin_cos(super::lanes::Lanes::new(angles));
            (sin.to_array(), cos.to_array())
        }
        // There is no proof on other processors, and so no call.
        #[cfg(not(target_arch = "x86_64"))]
        f64::sin_cos_of_four(angles)
    }
}

/// A scalar that may be used in place of `S`.
///
/// # Safety
/// The type has the layout of `S`, and so have its [`Triple`](super::Triple) and [`Symmetric`](super::Symmetric); a
/// value of one is a value of the other.
pub unsafe trait WideOf<S>: Scalar {}

// SAFETY: every type has its own layout.
unsafe impl<S: Scalar> WideOf<S> for S {}

/// Memory that can be seen in its wide form.
///
/// # Safety
/// `Wide` has the same layout, and a value of one is a value of the other.
pub(crate) unsafe trait Widen {
    type Wide;
}

// SAFETY: `WideOf` promises it.
unsafe impl<S: Scalar> Widen for S {
    type Wide = S::Wide;
}

/// A slice in its wide form.
#[inline(always)]
pub(crate) fn wide<T: Widen>(values: &[T], _: WideInstructions) -> &[T::Wide] {
    // SAFETY: `Widen` promises the same layout.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// A slice in its wide form, to be written.
#[inline(always)]
pub(crate) fn wide_mut<T: Widen>(values: &mut [T], _: WideInstructions) -> &mut [T::Wide] {
    // SAFETY: `Widen` promises the same layout.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
}
