//! Revolute joint: a rotation about a fixed axis; q is the angle.

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(axis: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    subspace[0] = Motion::new(Vec3::zero(), Vec3::constant(axis));
    let (sin, cos) = q[0].sin_cos();
    Se3::from_rotation(axis::rotation(axis, sin, cos))
}
