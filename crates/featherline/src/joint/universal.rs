//! Universal joint: a rotation about a first axis, then one about a second that the first carries
//! along.

use super::axis;
use crate::scalar::Scalar;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

#[inline(always)]
fn second_rotation<S: Scalar>(second: Vec3<f64>, q: &[S]) -> Mat3<S> {
    let (sin, cos) = q[1].sin_cos();
    axis::rotation(second, sin, cos)
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(
    first: Vec3<f64>,
    second: Vec3<f64>,
    q: &[S],
    subspace: &mut [Motion<S>],
) -> Se3<S> {
    let (sin, cos) = q[0].sin_cos();
    let outer = axis::rotation(first, sin, cos);
    let inner = second_rotation(second, q);
    subspace[0] = Motion::new(Vec3::zero(), inner.tr_mul_vec(Vec3::constant(first)));
    subspace[1] = Motion::new(Vec3::zero(), Vec3::constant(second));
    Se3::from_rotation(outer.mul_mat(&inner))
}

#[inline(always)]
pub(super) fn subspace_rates<S: Scalar>(
    first: Vec3<f64>,
    second: Vec3<f64>,
    q: &[S],
    v: &[S],
    rates: &mut [Motion<S>],
) {
    // The first axis, seen from the child, turns backwards about the second.
    let seen = second_rotation(second, q).tr_mul_vec(Vec3::constant(first));
    rates[0] = Motion::new(Vec3::zero(), seen.cross(Vec3::constant(second)) * v[1]);
    rates[1] = Motion::zero();
}
