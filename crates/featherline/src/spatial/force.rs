//! Spatial forces (wrenches): forces and momenta of rigid bodies.

use super::{Motion, Vec3};
use crate::scalar::{Form, InForm, Scalar, SeenAs, seen_as};

/// A spatial force: the resultant force, and the moment about the frame's origin.
///
/// The order is \[linear; angular\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Force<S: Scalar> {
    /// Force, in N (or linear momentum, in N·s).
    pub linear: Vec3<S>,
    /// Moment, in N·m (or angular momentum, in N·m·s).
    pub angular: Vec3<S>,
}

impl<S: Scalar> Force<S> {
    /// The force with the given parts.
    #[inline(always)]
    pub fn new(linear: Vec3<S>, angular: Vec3<S>) -> Self {
        Self { linear, angular }
    }

    /// The zero force.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(Vec3::zero(), Vec3::zero())
    }

    /// A force of constants.
    #[inline(always)]
    pub fn constant(f: &Force<f64>) -> Self {
        Self::new(Vec3::constant(f.linear), Vec3::constant(f.angular))
    }

    /// The force with the given components, linear part first.
    #[inline(always)]
    pub fn from_array([a, b, c, d, e, f]: [S; 6]) -> Self {
        Self::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
    }

    /// The components, linear part first.
    #[inline(always)]
    pub fn to_array(self) -> [S; 6] {
        let (f, n) = (self.linear, self.angular);
        [f.x, f.y, f.z, n.x, n.y, n.z]
    }

    /// The power `self · motion`.
    #[inline(always)]
    pub fn dot(&self, motion: &Motion<S>) -> S {
        motion.dot(self)
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

// SAFETY: two vectors, each transparent over the scalar's triple, for which `InPlaceOf` promises
// the same layout.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for Force<S> {
    type As<F: Form> = Force<F::Of<S>>;
}

impl<S: Scalar> InForm for Force<S> {
    type As<F: Form> = Force<F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        seen_as(std::slice::from_ref(&self), form)[0]
    }
}
