//! Spherical joint: any rotation; q is a unit quaternion (x, y, z, w), the velocity the child's
//! angular velocity in its own frame.

use crate::scalar::Scalar;
use crate::spatial::{Motion, Quaternion, Se3, Vec3};

/// The first four entries as a quaternion of length one; not finite where its length is zero.
#[inline(always)]
pub(super) fn unit_quaternion<S: Scalar>(q: &[S]) -> Quaternion<S> {
    Quaternion::new(q[0], q[1], q[2], q[3]).normalised()
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    for k in 0..3 {
        subspace[k] = Motion::new(Vec3::zero(), Vec3::unit(k));
    }
    Se3::from_rotation(unit_quaternion(q).to_rotation())
}

/// Writes the rotation of `target`, its sign nearest to that of `q`; returns the motion left over.
#[inline(always)]
pub(super) fn follow(target: &Se3<f64>, q: &mut [f64]) -> Motion<f64> {
    let turn = Quaternion::from_rotation(&target.rotation);
    let before = Quaternion::new(q[0], q[1], q[2], q[3]);
    let sign = f64::copysign(1.0, turn.dot(before));
    let turn = turn.normalised().to_array();
    for k in 0..4 {
        q[k] = sign * turn[k];
    }
    let left = target.rotation.tr_mul_vec(target.translation);
    Motion::new(left, Vec3::zero())
}

#[inline(always)]
pub(super) fn integrate<S: Scalar>(q: &[S], v: &[S], out: &mut [S]) {
    let step = Quaternion::exp(Vec3::new(v[0], v[1], v[2]));
    let turned = Quaternion::new(q[0], q[1], q[2], q[3]) * step;
    out[..4].copy_from_slice(&turned.normalised().to_array());
}

/// The rotation vector, at most π long, between two quaternions of any length.
#[inline(always)]
pub(super) fn difference<S: Scalar>(q0: &[S], q1: &[S], out: &mut [S]) {
    let turn = unit_quaternion(q0).conjugate() * unit_quaternion(q1);
    out[..3].copy_from_slice(&turn.log().to_array());
}
