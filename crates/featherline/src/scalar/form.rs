//! Views of memory as another scalar of the same layout.
#![allow(unsafe_code)] // one type's memory seen as another's of the same layout

use super::Scalar;

/// How a kernel is to see its data on the running processor: as which scalar in place of each.
pub trait Form: Copy + 'static {
    /// The scalar in place of `S`.
    type Of<S: Scalar>: InPlaceOf<S>;

    /// `a * b + c`.
    fn mul_add(self, a: f64, b: f64, c: f64) -> f64;

    /// Sines and cosines of four angles in radians.
    fn sin_cos_of_four(self, angles: [f64; 4]) -> ([f64; 4], [f64; 4]);
}

/// The proof that the running processor has the instructions for wide registers: data are seen in
/// their [wide form](Scalar::Wide).
///
/// Only [`dispatch`](super::dispatch) makes one, after detection. The type has no name outside of
/// this crate, so that nothing there names a wide form either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideInstructions(());

/// A type whose values prove that the running processor has AVX2 and fused multiply-add: without
/// one there is no [wide form](Scalar::Wide). Number types of your own write
/// `type Wide<P: WideProof> = Self`.
///
/// # Safety
/// Every use of the type, not of its values alone, is in code that runs after detection.
pub unsafe trait WideProof: Copy + 'static {}

// SAFETY: the crate names the type where `dispatch` enters a kernel, and in the batch, whose
// memory has the registers that were detected.
unsafe impl WideProof for WideInstructions {}

impl WideInstructions {
    /// # Safety
    /// The running processor has AVX2 and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn detected() -> Self {
        Self(())
    }
}

impl Form for WideInstructions {
    type Of<S: Scalar> = S::Wide<Self>;

    #[inline(always)]
    fn mul_add(self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    /// In vector registers, the same as [`Scalar::sin_cos`]'s one by one.
    #[inline(always)]
    fn sin_cos_of_four(self, angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {
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

/// Data seen as what they are, on processors whose baseline has fused operations.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Form for Plain {
    type Of<S: Scalar> = S;

    #[inline(always)]
    fn mul_add(self, a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn sin_cos_of_four(self, angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        f64::sin_cos_of_four(angles)
    }
}

/// Data seen in their [unfused form](Scalar::Unfused), on processors whose baseline lacks fused
/// operations.
#[derive(Clone, Copy, Debug)]
pub struct WithoutFusion;

impl Form for WithoutFusion {
    type Of<S: Scalar> = S::Unfused;

    #[inline(always)]
    fn mul_add(self, a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    #[inline(always)]
    fn sin_cos_of_four(self, angles: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        let (sin, cos) = super::Unfused::sin_cos_of_four(angles.map(super::Unfused));
        (sin.map(|x| x.0), cos.map(|x| x.0))
    }
}

/// A scalar that may be used in place of `S`.
///
/// # Safety
/// The type has the layout of `S`, and so have its [`Triple`](super::Triple) and
/// [`Symmetric`](super::Symmetric); a value of one is a value of the other.
pub unsafe trait InPlaceOf<S>: Scalar {}

// SAFETY: every type has its own layout.
unsafe impl<S: Scalar> InPlaceOf<S> for S {}

/// An argument of a [kernel](crate::kernel!), which is to see the numbers that it holds in another
/// form.
pub trait InForm {
    /// The argument's type in a form.
    type As<F: Form>;

    /// The argument in a form.
    fn in_form<F: Form>(self, form: F) -> Self::As<F>;
}

impl<S: Scalar> InForm for S {
    type As<F: Form> = F::Of<S>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        seen_as(std::slice::from_ref(&self), form)[0]
    }
}

impl<'a, T: SeenAs> InForm for &'a [T] {
    type As<F: Form> = &'a [T::As<F>];

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        seen_as(self, form)
    }
}

impl<'a, T: SeenAs> InForm for &'a mut [T] {
    type As<F: Form> = &'a mut [T::As<F>];

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        seen_mut_as(self, form)
    }
}

impl<T: InForm> InForm for Option<T> {
    type As<F: Form> = Option<T::As<F>>;

    #[inline(always)]
    #[allow(clippy::manual_map)] // a closure falls out of the instruction set
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        match self {
            Some(argument) => Some(argument.in_form(form)),
            None => None,
        }
    }
}

/// Memory that can be seen in another form.
///
/// # Safety
/// `As` has the same layout in every form, and a value of one is a value of the other.
pub unsafe trait SeenAs {
    /// The type of an element in a form.
    type As<F: Form>: Copy;
}

// SAFETY: `InPlaceOf` promises it.
unsafe impl<S: Scalar> SeenAs for S {
    type As<F: Form> = F::Of<S>;
}

// SAFETY: nothing changes.
unsafe impl SeenAs for () {
    type As<F: Form> = ();
}

// SAFETY: nothing changes.
unsafe impl SeenAs for bool {
    type As<F: Form> = bool;
}

// SAFETY: nothing changes.
unsafe impl SeenAs for usize {
    type As<F: Form> = usize;
}

/// A slice in another form.
#[inline(always)]
pub fn seen_as<T: SeenAs, F: Form>(values: &[T], _: F) -> &[T::As<F>] {
    // SAFETY: `SeenAs` promises the same layout.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// A value that was computed in another form.
#[inline(always)]
pub fn seen_back<T: SeenAs, F: Form>(value: T::As<F>, _: F) -> T {
    // SAFETY: `SeenAs` promises the same layout, and values that can be copied.
    unsafe { std::mem::transmute_copy(&value) }
}

/// A slice in another form, to be written.
#[inline(always)]
pub fn seen_mut_as<T: SeenAs, F: Form>(values: &mut [T], _: F) -> &mut [T::As<F>] {
    // SAFETY: `SeenAs` promises the same layout.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Kernel, dispatch};
    use crate::spatial::{Se3, Vec3};

    const NUMBERS: [f64; 4] = [1.5, -0.0, f64::INFINITY, f64::MIN_POSITIVE];

    struct RoundTrip;

    impl Kernel for RoundTrip {
        type Output = ();

        #[inline(always)]
        fn run(self) {
            unreachable!("a form is given");
        }

        #[inline(always)]
        fn run_as<F: Form>(self, form: F) {
            let mut written = [0.0; 4];
            seen_mut_as(&mut written, form).copy_from_slice(seen_as(&NUMBERS, form));
            assert_eq!(written.map(f64::to_bits), NUMBERS.map(f64::to_bits));

            let seen = seen_as(&NUMBERS, form);
            let v = Vec3::new(seen[0], seen[1], seen[3]);
            let back: Vec3<f64> = seen_back(v, form);
            assert_eq!(back, Vec3::new(NUMBERS[0], NUMBERS[1], NUMBERS[3]));

            let mut placements = [Se3::identity(); 2];
            seen_mut_as(&mut placements, form)[1].translation = v;
            assert_eq!(placements[1].translation, back);
            assert_eq!(placements[0].translation, Vec3::zero());
        }
    }

    #[test]
    fn memory_seen_in_a_form_holds_the_same_numbers() {
        RoundTrip.run_as(Plain);
        RoundTrip.run_as(WithoutFusion);
        dispatch(RoundTrip);
    }
}
