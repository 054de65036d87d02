//! Prismatic joint: a translation along a fixed axis; q is the displacement.

use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(axis: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    let axis = Vec3::constant(axis);
    subspace[0] = Motion::new(axis, Vec3::zero());
    Se3::from_translation(axis * q[0])
}
