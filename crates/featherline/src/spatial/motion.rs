//! Spatial motions (twists): velocities and accelerations of rigid bodies.

use super::{Force, Vec3};
use crate::scalar::{Scalar, large};

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
    /// The power (or, for a displacement, the work) `self · force`.
    #[inline(always)]
    pub fn dot(&self, force: &Force<S>) -> S {
        self.linear.dot(force.linear) + self.angular.dot(force.angular)
    }

    /// The product `self × other` of two motions (Featherstone 2008, eq. 2.31): the rate of change
    /// of `other` when it is fixed in a body that moves with velocity `self`.
    #[inline(always)]
    pub fn cross(&self, other: &Self) -> Self {
        large!(S, {
            Self::new(
                self.angular
                    .cross_add(other.linear, self.linear.cross(other.angular)),
                self.angular.cross(other.angular),
            )
        })
    }

    /// The product `self ×* force` (Featherstone 2008, eq. 2.32): the rate of change of a force
    /// fixed in a body that moves with velocity `self`.
    #[inline(always)]
    pub fn cross_force(&self, force: &Force<S>) -> Force<S> {
        large!(S, {
            Force::new(
                self.angular.cross(force.linear),
                self.angular
                    .cross_add(force.angular, self.linear.cross(force.linear)),
            )
        })
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
}
