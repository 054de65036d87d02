//! Planar joint: motion in the xy plane; q is (x, y, cos, sin), the velocity (x, y, about z) in the
//! child's frame.
//!
//! The group is SE(2), as the part of SE(3) that keeps the plane: exponential, logarithm and
//! Jacobians are SE(3)'s.

use super::{axis, unbounded};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3, left_jacobian3, left_jacobian3_inverse};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    subspace[0] = Motion::new(Vec3::unit(0), Vec3::zero());
    subspace[1] = Motion::new(Vec3::unit(1), Vec3::zero());
    subspace[2] = Motion::new(Vec3::zero(), Vec3::unit(2));
    let (cos, sin) = unbounded::cos_sin(&q[2..]);
    Se3::new(
        axis::rotation(Vec3::unit(2), sin, cos),
        Vec3::new(q[0], q[1], S::zero()),
    )
}

/// The spatial motion of a planar one.
#[inline(always)]
pub(super) fn motion<S: Scalar>(v: &[S]) -> Motion<S> {
    let zero = S::zero();
    Motion::new(Vec3::new(v[0], v[1], zero), Vec3::new(zero, zero, v[2]))
}

#[inline(always)]
pub(super) fn integrate<S: Scalar>(q: &[S], v: &[S], out: &mut [S]) {
    let (cos, sin) = unbounded::cos_sin(&q[2..]);
    let motion = motion(v);
    let step = left_jacobian3(motion.angular).mul_vec(motion.linear);
    unbounded::integrate(&q[2..], &v[2..], &mut out[2..]);
    out[0] = cos.mul_add(step.x, (-sin).mul_add(step.y, q[0]));
    out[1] = sin.mul_add(step.x, cos.mul_add(step.y, q[1]));
}

#[inline(always)]
pub(super) fn difference<S: Scalar>(q0: &[S], q1: &[S], out: &mut [S]) {
    let (cos, sin) = unbounded::cos_sin(&q0[2..]);
    let (x, y) = (q1[0] - q0[0], q1[1] - q0[1]);
    unbounded::difference(&q0[2..], &q1[2..], &mut out[2..]);
    let zero = S::zero();
    let seen = Vec3::new(cos.mul_add(x, sin * y), cos.mul_add(y, -(sin * x)), zero);
    let linear = left_jacobian3_inverse(Vec3::new(zero, zero, out[2])).mul_vec(seen);
    (out[0], out[1]) = (linear.x, linear.y);
}
