//! Cylindrical joint: a rotation about a fixed axis and an independent translation along it; q is
//! (angle, displacement).

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(axis: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    // The rotation leaves its axis where it is, so both columns are the same in the parent's and
    // the child's frame.
    let direction = Vec3::constant(axis);
    subspace[0] = Motion::new(Vec3::zero(), direction);
    subspace[1] = Motion::new(direction, Vec3::zero());
    let (sin, cos) = q[0].sin_cos();
    Se3::new(axis::rotation(axis, sin, cos), direction * q[1])
}
