//! Helical joint: a rotation about a fixed axis with a proportional translation along it; q is the
//! angle.

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(
    axis: Vec3<f64>,
    pitch: f64,
    q: &[S],
    subspace: &mut [Motion<S>],
) -> Se3<S> {
    let linear = Vec3::constant(Vec3::new(axis.x * pitch, axis.y * pitch, axis.z * pitch));
    subspace[0] = Motion::new(linear, Vec3::constant(axis));
    let (sin, cos) = q[0].sin_cos();
    Se3::new(axis::rotation(axis, sin, cos), linear * q[0])
}
