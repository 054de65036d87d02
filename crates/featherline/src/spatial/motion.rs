//! Spatial motions (twists): velocities and accelerations of rigid bodies.

use super::{Force, Vec3};
use crate::scalar::{Form, InForm, Scalar, SeenAs, seen_as};

/// A spatial motion: the velocity of the point at the frame's origin, and the angular velocity.
///
/// The order is \[linear; angular\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Motion<S: Scalar> {
    /// Linear part, in m/s (or m/s² for an acceleration).
    pub linear: Vec3<S>,
    /// Angular part, in rad/s (or rad/s²).
    pub angular: Vec3<S>,
}

impl<S: Scalar> Motion<S> {
    /// The motion with the given parts.
    #[inline(always)]
    pub fn new(linear: Vec3<S>, angular: Vec3<S>) -> Self {
        Self { linear, angular }
    }

    /// The zero motion.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(Vec3::zero(), Vec3::zero())
    }

    /// A motion of constants.
    #[inline(always)]
    pub fn constant(m: &Motion<f64>) -> Self {
        Self::new(Vec3::constant(m.linear), Vec3::constant(m.angular))
    }

    /// The motion with the given components, linear part first.
    #[inline(always)]
    pub fn from_array([a, b, c, d, e, f]: [S; 6]) -> Self {
        Self::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
    }

    /// The components, linear part first.
    #[inline(always)]
    pub fn to_array(self) -> [S; 6] {
        let (v, w) = (self.linear, self.angular);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// The power (or, for a displacement, the work) `self · force`.
    #[inline(always)]
    pub fn dot(&self, force: &Force<S>) -> S {
        self.linear.dot(force.linear) + self.angular.dot(force.angular)
    }

    /// The product `self × other` of two motions (Featherstone 2008, eq. 2.31): the rate of change
    /// of `other` when it is fixed in a body that moves with velocity `self`.
    #[inline(always)]
    pub fn cross(&self, other: &Self) -> Self {
        Self::new(
            self.angular
                .cross_add(other.linear, self.linear.cross(other.angular)),
            self.angular.cross(other.angular),
        )
    }

    /// The product `self ×* force` (Featherstone 2008, eq. 2.32): the rate of change of a force
    /// fixed in a body that moves with velocity `self`.
    #[inline(always)]
    pub fn cross_force(&self, force: &Force<S>) -> Force<S> {
        Force::new(
            self.angular.cross(force.linear),
            self.angular
                .cross_add(force.angular, self.linear.cross(force.linear)),
        )
    }

    /// The classical acceleration of a body, of which `self` is the spatial one, at `velocity`: its
    /// linear part is the acceleration of the material point at the frame's origin, a + ω × v
    /// (Featherstone 2008, section 2.11).
    ///
    /// ```
    /// use featherline::spatial::{Motion, Vec3};
    ///
    /// // A point that circles at 2 m/s and 3 rad/s is accelerated by 6 m/s² towards the centre.
    /// let velocity = Motion::new(Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, 0.0, 3.0));
    /// let spatial = Motion::zero();
    /// assert_eq!(spatial.to_classical(&velocity).linear, Vec3::new(-6.0, 0.0, 0.0));
    /// ```
    #[inline(always)]
    pub fn to_classical(&self, velocity: &Self) -> Self {
        Self::new(
            velocity.angular.cross_add(velocity.linear, self.linear),
            self.angular,
        )
    }

    /// The spatial acceleration of a body with the given classical acceleration and velocity: the
    /// inverse of [`Motion::to_classical`].
    #[inline(always)]
    pub fn from_classical(classical: &Self, velocity: &Self) -> Self {
        Self::new(
            velocity
                .linear
                .cross_add(velocity.angular, classical.linear),
            classical.angular,
        )
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
unsafe impl<S: Scalar> SeenAs for Motion<S> {
    type As<F: Form> = Motion<F::Of<S>>;
}

impl<S: Scalar> InForm for Motion<S> {
    type As<F: Form> = Motion<F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        seen_as(std::slice::from_ref(&self), form)[0]
    }
}
