//! Spatial forces (wrenches): forces and momenta of rigid bodies.

use super::{Motion, Vec3};
use crate::scalar::Scalar;

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
    /// The power `self · motion`.
    #[inline(always)]
    pub fn dot(&self, motion: &Motion<S>) -> S {
        motion.dot(self)
    }
}
