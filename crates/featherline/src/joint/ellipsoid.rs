//! Ellipsoid joint: the child's origin stays on an ellipsoid, its z axis along the direction that
//! parametrises the surface; q is (rotation about x, then the new y, then the new z).
//!
//! Described by A. Seth, M. Sherman, P. Eastman and S. Delp, "Minimal formulation of joint motion
//! for biomechanisms", Nonlinear Dynamics 62 (2010), for shoulder blades that glide on the rib
//! cage.

use crate::scalar::Scalar;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

/// Sines and cosines of the three angles, and what follows from them.
struct Angles<S> {
    s0: S,
    c0: S,
    s1: S,
    c1: S,
    s2: S,
    c2: S,
}

impl<S: Scalar> Angles<S> {
    #[inline(always)]
    fn new(q: &[S]) -> Self {
        let ((s0, c0), (s1, c1), (s2, c2)) = (q[0].sin_cos(), q[1].sin_cos(), q[2].sin_cos());
        Self {
            s0,
            c0,
            s1,
            c1,
            s2,
            c2,
        }
    }

    #[inline(always)]
    fn rotation(&self) -> Mat3<S> {
        let Self {
            s0,
            c0,
            s1,
            c1,
            s2,
            c2,
        } = *self;
        let (s0s1, c0s1) = (s0 * s1, c0 * s1);
        Mat3::from_columns(
            Vec3::new(
                c1 * c2,
                s0s1.mul_add(c2, c0 * s2),
                (-c0s1).mul_add(c2, s0 * s2),
            ),
            Vec3::new(
                -(c1 * s2),
                (-s0s1).mul_add(s2, c0 * c2),
                c0s1.mul_add(s2, s0 * c2),
            ),
            Vec3::new(s1, -(s0 * c1), c0 * c1),
        )
    }

    /// Derivatives of the origin by the first and the second angle, in the parent's frame.
    #[inline(always)]
    fn tangents(&self, radii: Vec3<S>) -> [Vec3<S>; 2] {
        let Self { s0, c0, s1, c1, .. } = *self;
        [
            Vec3::new(S::zero(), -(radii.y * (c0 * c1)), -(radii.z * (s0 * c1))),
            Vec3::new(radii.x * c1, radii.y * (s0 * s1), -(radii.z * (c0 * s1))),
        ]
    }

    /// Angular parts of the first two columns of the motion subspace.
    #[inline(always)]
    fn axes(&self) -> [Vec3<S>; 2] {
        let Self { s1, c1, s2, c2, .. } = *self;
        [
            Vec3::new(c1 * c2, -(c1 * s2), s1),
            Vec3::new(s2, c2, S::zero()),
        ]
    }
}

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(radii: Vec3<f64>, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    let radii = Vec3::constant(radii);
    let angles = Angles::new(q);
    let rotation = angles.rotation();
    let tangents = angles.tangents(radii);
    let axes = angles.axes();
    subspace[0] = Motion::new(rotation.tr_mul_vec(tangents[0]), axes[0]);
    subspace[1] = Motion::new(rotation.tr_mul_vec(tangents[1]), axes[1]);
    subspace[2] = Motion::new(Vec3::zero(), Vec3::unit(2));
    let normal = rotation.z;
    Se3::new(
        rotation,
        Vec3::new(radii.x * normal.x, radii.y * normal.y, radii.z * normal.z),
    )
}

#[inline(always)]
pub(super) fn subspace_rates<S: Scalar>(
    radii: Vec3<f64>,
    q: &[S],
    v: &[S],
    rates: &mut [Motion<S>],
) {
    let radii = Vec3::constant(radii);
    let angles = Angles::new(q);
    let rotation = angles.rotation();
    let tangents = angles.tangents(radii);
    let axes = angles.axes();
    let Angles {
        s0,
        c0,
        s1,
        c1,
        s2,
        c2,
    } = angles;
    let angular_velocity = axes[0].mul_add(
        v[0],
        axes[1].mul_add(v[1], Vec3::new(S::zero(), S::zero(), v[2])),
    );
    // Second derivatives of the position: twice by the first angle, mixed, twice by the second.
    let p00 = Vec3::new(S::zero(), radii.y * (s0 * c1), -(radii.z * (c0 * c1)));
    let p01 = Vec3::new(S::zero(), radii.y * (c0 * s1), radii.z * (s0 * s1));
    let p11 = Vec3::new(-(radii.x * s1), radii.y * (s0 * c1), -(radii.z * (c0 * c1)));
    let changes = [p00.mul_add(v[0], p01 * v[1]), p01.mul_add(v[0], p11 * v[1])];
    // Rᵀp' turns with the child's frame: its apparent derivative is Rᵀp'' − ω × Rᵀp'.
    let linear_0 = rotation
        .tr_mul_vec(tangents[0])
        .cross_add(angular_velocity, rotation.tr_mul_vec(changes[0]));
    let linear_1 = rotation
        .tr_mul_vec(tangents[1])
        .cross_add(angular_velocity, rotation.tr_mul_vec(changes[1]));
    let (s1v1, c1v2) = (s1 * v[1], c1 * v[2]);
    rates[0] = Motion::new(
        linear_0,
        Vec3::new(
            -s1v1.mul_add(c2, c1v2 * s2),
            s1v1.mul_add(s2, -(c1v2 * c2)),
            c1 * v[1],
        ),
    );
    rates[1] = Motion::new(linear_1, Vec3::new(c2 * v[2], -(s2 * v[2]), S::zero()));
    rates[2] = Motion::zero();
}
