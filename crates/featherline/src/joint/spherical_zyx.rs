//! Spherical joint in angles: rotations about z, then the new y, then the new x; q is (yaw, pitch,
//! roll).
//!
//! Singular where the pitch is ±π/2: the first and the third column of the motion subspace are then
//! parallel.

use crate::scalar::Scalar;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    let (zero, one) = (S::zero(), S::one());
    let (yaw, pitch, roll) = (q[0].sin_cos(), q[1].sin_cos(), q[2].sin_cos());
    let ((s1, c1), (s2, c2)) = (pitch, roll);
    let (c1s2, c1c2) = (c1 * s2, c1 * c2);
    subspace[0] = Motion::new(Vec3::zero(), Vec3::new(-s1, c1s2, c1c2));
    subspace[1] = Motion::new(Vec3::zero(), Vec3::new(zero, c2, -s2));
    subspace[2] = Motion::new(Vec3::zero(), Vec3::new(one, zero, zero));
    Se3::from_rotation(Mat3::from_sin_cos_of_roll_pitch_yaw(roll, pitch, yaw))
}

#[inline(always)]
pub(super) fn subspace_rates<S: Scalar>(q: &[S], v: &[S], rates: &mut [Motion<S>]) {
    let ((s1, c1), (s2, c2)) = (q[1].sin_cos(), q[2].sin_cos());
    let (v1, v2) = (v[1], v[2]);
    let (c1v2, s1v1) = (c1 * v2, s1 * v1);
    rates[0] = Motion::new(
        Vec3::zero(),
        Vec3::new(
            -(c1 * v1),
            c1v2.mul_add(c2, -(s1v1 * s2)),
            -c1v2.mul_add(s2, s1v1 * c2),
        ),
    );
    rates[1] = Motion::new(Vec3::zero(), Vec3::new(S::zero(), -(s2 * v2), -(c2 * v2)));
    rates[2] = Motion::zero();
}
