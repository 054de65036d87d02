//! Spherical joint: any rotation; q is a unit quaternion (x, y, z, w), the velocity the child's angular velocity in its
//! own frame.

use crate::scalar::Scalar;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

/// The rotation matrix of a quaternion (x, y, z, w) of any length; not finite where the length is zero.
#[inline(always)]
pub(super) fn rotation<S: Scalar>(q: &[S]) -> Mat3<S> {
    let (x, y, z, w) = (q[0], q[1], q[2], q[3]);
    let length_squared = x.mul_add(x, y.mul_add(y, z.mul_add(z, w * w)));
    let scale = S::constant(2.0) / length_squared;
    let one = S::one();
    let (x2, y2, z2) = (x * scale, y * scale, z * scale);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    Mat3::from_columns(
        Vec3::new(one - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, one - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, one - (xx + yy)),
    )
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    for k in 0..3 {
        subspace[k] = Motion::new(Vec3::zero(), Vec3::unit(k));
    }
    Se3::from_rotation(rotation(q))
}
