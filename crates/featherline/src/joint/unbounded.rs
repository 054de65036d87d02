//! Unbounded revolute joint: a rotation about a fixed axis without a preferred turn; q is (cos,
//! sin) of the angle.

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

/// Cosine and sine of a pair of any length; not finite where it is zero or its square overflows.
#[inline(always)]
pub(super) fn cos_sin<S: Scalar>(pair: &[S]) -> (S, S) {
    let squared = pair[0].mul_add(pair[0], pair[1] * pair[1]);
    let scale = squared.sqrt() / squared;
    (pair[0] * scale, pair[1] * scale)
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(axis: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    subspace[0] = Motion::new(Vec3::zero(), Vec3::constant(axis));
    let (cos, sin) = cos_sin(q);
    Se3::from_rotation(axis::rotation(axis, sin, cos))
}

/// The pair turned by an angle, with length one.
#[inline(always)]
pub(super) fn integrate<S: Scalar>(q: &[S], v: &[S], out: &mut [S]) {
    let (sin, cos) = v[0].sin_cos();
    let turned = [
        q[0].mul_add(cos, -(q[1] * sin)),
        q[0].mul_add(sin, q[1] * cos),
    ];
    (out[0], out[1]) = cos_sin(&turned);
}

/// The angle in \[−π, π\] between two pairs of any length; not finite where one is zero.
#[inline(always)]
pub(super) fn difference<S: Scalar>(q0: &[S], q1: &[S], out: &mut [S]) {
    let from = q0[0].mul_add(q0[0], q0[1] * q0[1]);
    let to = q1[0].mul_add(q1[0], q1[1] * q1[1]);
    let scale = (from * to).recip();
    let sin = q0[0].mul_add(q1[1], -(q0[1] * q1[0]));
    let cos = q0[0].mul_add(q1[0], q0[1] * q1[1]);
    out[0] = (sin * scale).atan2(cos * scale);
}
