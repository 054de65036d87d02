//! Exponentials and logarithms of rotations and placements.

use super::angle_functions::{AngleFunctions, shortened};
use super::{Mat3, Motion, Quaternion, Se3, Vec3};
use crate::scalar::{Scalar, large};

/// The exponential of SO(3): the rotation matrix of the rotation vector `w`, by |w| radians about
/// w.
///
/// 1 + a \[w\]× + b \[w\]×² with a = sin θ / θ, b = (1 − cos θ) / θ², θ = |w| (T. Barfoot, *State
/// Estimation for Robotics*, 2017, section 7.1). Exact to rounding for all w, derivatives at w = 0
/// included. Where |w|² overflows no digit of the angle is left, and what comes out is some
/// rotation about w.
///
/// ```
/// use featherline::spatial::{exp3, Mat3, Vec3};
///
/// assert_eq!(exp3(Vec3::new(0.0, 0.0, 0.0)), Mat3::identity());
/// assert_eq!(exp3(Vec3::new(1e-300, 0.0, 0.0)).y.z, 1e-300);
/// ```
#[inline(always)]
pub fn exp3<S: Scalar>(w: Vec3<S>) -> Mat3<S> {
    large!(S, {
        let w = shortened(w);
        let angle = AngleFunctions::new(w.norm_squared());
        rotation(w, angle.a(), angle.b())
    })
}

/// 1 + a \[w\]× + b \[w\]×².
#[inline(always)]
pub(super) fn rotation<S: Scalar>(w: Vec3<S>, a: S, b: S) -> Mat3<S> {
    let one = S::one();
    let (u, v) = (w * a, w * b);
    let (xx, yy, zz) = (w.x * v.x, w.y * v.y, w.z * v.z);
    Mat3::from_columns(
        Vec3::new(
            one - (yy + zz),
            w.x.mul_add(v.y, u.z),
            w.x.mul_add(v.z, -u.y),
        ),
        Vec3::new(
            w.x.mul_add(v.y, -u.z),
            one - (xx + zz),
            w.y.mul_add(v.z, u.x),
        ),
        Vec3::new(
            w.x.mul_add(v.z, u.y),
            w.y.mul_add(v.z, -u.x),
            one - (xx + yy),
        ),
    )
}

/// The logarithm of SO(3): the rotation vector, of length at most π, of a rotation matrix.
///
/// Taken through the unit quaternion ([`Quaternion::from_rotation`], [`Quaternion::log`]), which is
/// well conditioned at every angle: exact to rounding near 0 and near π alike. At π exactly one of
/// the two answers ±w is returned.
///
/// ```
/// use featherline::spatial::{exp3, log3, Vec3};
///
/// let w = Vec3::new(1e-9, -2e-9, 3e-9);
/// assert!((log3(&exp3(w)) - w).norm() < 1e-24);
/// ```
#[inline(always)]
pub fn log3<S: Scalar>(rotation: &Mat3<S>) -> Vec3<S> {
    Quaternion::from_rotation(rotation).log()
}

/// The exponential of SE(3): the placement reached from the identity by moving with the constant
/// body velocity `motion` for one unit of time.
///
/// The rotation is exp3(ω), the translation J(ω) v with the left Jacobian J of SO(3) (Barfoot 2017,
/// section 7.1).
///
/// ```
/// use featherline::spatial::{exp6, log6, Motion};
///
/// let motion = Motion::from_array([0.4, -0.1, 0.7, 0.3, 1.1, -0.5]);
/// let back: Motion<f64> = log6(&exp6(&motion));
/// assert!((back - motion).linear.norm() + (back - motion).angular.norm() < 4e-15);
/// ```
#[inline(always)]
pub fn exp6<S: Scalar>(motion: &Motion<S>) -> Se3<S> {
    large!(S, {
        let (v, w) = (motion.linear, shortened(motion.angular));
        let angle = AngleFunctions::new(w.norm_squared());
        let b = angle.b();
        let turned = w.cross(v);
        let translation = w.cross(turned).mul_add(angle.c(), turned.mul_add(b, v));
        Se3::new(rotation(w, angle.a(), b), translation)
    })
}

/// The logarithm of SE(3): the constant body velocity that reaches `placement` from the identity in
/// one unit of time, turning by at most π.
///
/// The angular part is ω = [`log3`] of the rotation, the linear part J(ω)⁻¹ p (Barfoot 2017,
/// section 7.1).
#[inline(always)]
pub fn log6<S: Scalar>(placement: &Se3<S>) -> Motion<S> {
    let w = log3(&placement.rotation);
    let p = placement.translation;
    let angle = AngleFunctions::new(w.norm_squared());
    let turned = w.cross(p);
    let linear = w
        .cross(turned)
        .mul_add(angle.d(), turned.mul_add(S::constant(-0.5), p));
    Motion::new(linear, w)
}
