//! Unbounded revolute joint: a rotation about a fixed axis without a preferred turn; q is (cos, sin) of the angle.

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

/// Cosine and sine of the angle that a pair of any length stands for; not finite where the length is zero.
#[inline(always)]
pub(super) fn cos_sin<S: Scalar>(pair: &[S]) -> (S, S) {
    let scale = pair[0].mul_add(pair[0], pair[1] * pair[1]).sqrt().recip();
    (pair[0] * scale, pair[1] * scale)
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(axis: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    subspace[0] = Motion::new(Vec3::zero(), Vec3::constant(axis));
    let (cos, sin) = cos_sin(q);
    Se3::from_rotation(axis::rotation(axis, sin, cos))
}
