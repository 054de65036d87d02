//! Free-flyer: any motion; q is a position and a unit quaternion (x, y, z; x, y, z, w), the
//! velocity the child's spatial velocity in its own frame, linear part first.

use super::spherical;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3, left_jacobian3, left_jacobian3_inverse};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    for k in 0..3 {
        subspace[k] = Motion::new(Vec3::unit(k), Vec3::zero());
        subspace[k + 3] = Motion::new(Vec3::zero(), Vec3::unit(k));
    }
    let rotation = spherical::unit_quaternion(&q[3..]).to_rotation();
    Se3::new(rotation, Vec3::new(q[0], q[1], q[2]))
}

/// The spatial motion of six coordinates, linear part first.
#[inline(always)]
pub(super) fn motion<S: Scalar>(v: &[S]) -> Motion<S> {
    Motion::from_array([v[0], v[1], v[2], v[3], v[4], v[5]])
}

#[inline(always)]
pub(super) fn integrate<S: Scalar>(q: &[S], v: &[S], out: &mut [S]) {
    let motion = motion(v);
    let step = left_jacobian3(motion.angular).mul_vec(motion.linear);
    let position = Vec3::new(q[0], q[1], q[2]) + spherical::unit_quaternion(&q[3..]).rotate(step);
    out[..3].copy_from_slice(&position.to_array());
    spherical::integrate(&q[3..], &v[3..], &mut out[3..]);
}

#[inline(always)]
pub(super) fn difference<S: Scalar>(q0: &[S], q1: &[S], out: &mut [S]) {
    spherical::difference(&q0[3..], &q1[3..], &mut out[3..]);
    let from = Vec3::new(q0[0], q0[1], q0[2]);
    let way = Vec3::new(q1[0], q1[1], q1[2]) - from;
    let seen = spherical::unit_quaternion(&q0[3..]).conjugate().rotate(way);
    let turn = Vec3::new(out[3], out[4], out[5]);
    let linear = left_jacobian3_inverse(turn).mul_vec(seen);
    out[..3].copy_from_slice(&linear.to_array());
}
