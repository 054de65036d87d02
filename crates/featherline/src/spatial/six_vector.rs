//! What motions and forces have in common: a linear and an angular part.

use super::{Force, Motion, Vec3};
use crate::scalar::{Form, InForm, Scalar, SeenAs, seen_as};

macro_rules! six_vectors {
    ($($type:ident, $name:literal)+) => {$(
        impl<S: Scalar> $type<S> {
            #[doc = concat!("The ", $name, " with the given parts.")]
            #[inline(always)]
            pub fn new(linear: Vec3<S>, angular: Vec3<S>) -> Self {
                Self { linear, angular }
            }

            #[doc = concat!("The zero ", $name, ".")]
            #[inline(always)]
            pub fn zero() -> Self {
                Self::new(Vec3::zero(), Vec3::zero())
            }

            #[doc = concat!("A ", $name, " of constants.")]
            #[inline(always)]
            pub fn constant(of: &$type<f64>) -> Self {
                Self::new(Vec3::constant(of.linear), Vec3::constant(of.angular))
            }

            #[doc = concat!("The ", $name, " with the given components, linear part first.")]
            #[inline(always)]
            pub fn from_array([a, b, c, d, e, f]: [S; 6]) -> Self {
                Self::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
            }

            /// The components, linear part first.
            #[inline(always)]
            pub fn to_array(self) -> [S; 6] {
                let (a, b) = (self.linear, self.angular);
                [a.x, a.y, a.z, b.x, b.y, b.z]
            }

            #[doc = concat!("The ", $name, " with the given components, angular part first.")]
            #[inline(always)]
            pub fn from_angular_first([a, b, c, d, e, f]: [S; 6]) -> Self {
                Self::from_array([d, e, f, a, b, c])
            }

            /// The components, angular part first.
            #[inline(always)]
            pub fn to_angular_first(self) -> [S; 6] {
                let [a, b, c, d, e, f] = self.to_array();
                [d, e, f, a, b, c]
            }

            /// `self · factor + addend`, with fused operations.
            #[inline(always)]
            pub fn mul_add(&self, factor: S, addend: &Self) -> Self {
                Self::new(
                    self.linear.mul_add(factor, addend.linear),
                    self.angular.mul_add(factor, addend.angular),
                )
            }

            /// Whether all components are finite.
            #[inline(always)]
            pub fn is_finite(&self) -> bool {
                self.linear.is_finite() && self.angular.is_finite()
            }
        }

        // SAFETY: two vectors in C's order, each transparent over the scalar's triple, for which
        // `InPlaceOf` promises the same layout.
        #[allow(unsafe_code)]
        unsafe impl<S: Scalar> SeenAs for $type<S> {
            type As<F: Form> = $type<F::Of<S>>;
        }

        impl<S: Scalar> InForm for $type<S> {
            type As<F: Form> = $type<F::Of<S>>;

            #[inline(always)]
            fn in_form<F: Form>(self, form: F) -> Self::As<F> {
                seen_as(std::slice::from_ref(&self), form)[0]
            }
        }
    )+};
}

six_vectors! {
    Motion, "motion"
    Force, "force"
}
