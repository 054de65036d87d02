//! Jacobians of the exponentials of SO(3) and SE(3), and their inverses, which are the Jacobians of
//! the logarithms.
//!
//! The *left* Jacobian J gives the change seen from outside, exp(x + δ) ≈ exp(J δ) exp(x); the
//! *right* one the change seen from the moving frame, exp(x + δ) ≈ exp(x) exp(Jᵣ δ). They are
//! related by Jᵣ(x) = J(−x) and J(x) = Ad(exp x) Jᵣ(x) (G. Chirikjian, *Stochastic Models,
//! Information Theory, and Lie Groups* 2, 2011, chapter 10; J. Solà, J. Deray and D. Atchuthan, *A
//! micro Lie theory for state estimation in robotics*, 2018, appendices B and D). Pinocchio's
//! `Jexp` and `Jlog` are the right Jacobian and its inverse.
//!
//! Unit quaternions have the Jacobians of SO(3), since both have the same algebra.

use super::angle_functions::{AngleFunctions, shortened};
use super::exponential::rotation;
use super::matrix_form::blocks;
use super::{Mat3, Motion, Vec3};
use crate::scalar::{Scalar, large};

/// The left Jacobian of [`exp3`](super::exp3) at `w`: 1 + b \[w\]× + c \[w\]×² with b = (1 − cos
/// θ)/θ², c = (θ − sin θ)/θ³ (T. Barfoot, *State Estimation for Robotics*, 2017, section 7.1).
///
/// ```
/// use featherline::spatial::{exp3, left_jacobian3, log3, Vec3};
///
/// let (w, step) = (Vec3::new(0.5, -0.8, 0.2), Vec3::new(2e-9, 1e-9, -3e-9));
/// let change: Vec3<f64> = log3(&(exp3(w + step) * exp3(w).transpose()));
/// assert!((left_jacobian3(w) * step - change).norm() < 1e-15);
/// ```
#[inline(always)]
pub fn left_jacobian3<S: Scalar>(w: Vec3<S>) -> Mat3<S> {
    large!(S, {
        let w = shortened(w);
        let angle = AngleFunctions::new(w.norm_squared());
        rotation(w, angle.b(), angle.c())
    })
}

/// The right Jacobian of [`exp3`](super::exp3) at `w`, the transpose of the left one: the angular
/// velocity, in the turned frame, for a rate of w.
#[inline(always)]
pub fn right_jacobian3<S: Scalar>(w: Vec3<S>) -> Mat3<S> {
    left_jacobian3(-w)
}

/// The inverse of the left Jacobian of [`exp3`](super::exp3) at `w`: 1 − ½ \[w\]× + d \[w\]×² with
/// d = (1 − (θ/2) cot(θ/2))/θ² (Barfoot 2017, section 7.1). Not finite at whole turns other than
/// w = 0, nor where |w|² overflows: it grows with θ.
#[inline(always)]
pub fn left_jacobian3_inverse<S: Scalar>(w: Vec3<S>) -> Mat3<S> {
    large!(S, {
        let angle = AngleFunctions::new(w.norm_squared());
        rotation(w, S::constant(-0.5), angle.d())
    })
}

/// The inverse of the right Jacobian of [`exp3`](super::exp3) at `w`: the Jacobian of
/// [`log3`](super::log3) with respect to rotations in the turned frame.
#[inline(always)]
pub fn right_jacobian3_inverse<S: Scalar>(w: Vec3<S>) -> Mat3<S> {
    left_jacobian3_inverse(-w)
}

/// The left Jacobian of [`exp6`](super::exp6) at `motion`, by rows, in the order \[linear;
/// angular\].
///
/// It is \[J Q; 0 J\] with J the left Jacobian of SO(3) and Q the derivative of J along the linear
/// part, by the principle of transference; the same matrix as in Barfoot 2017, section 7.1.
#[inline(always)]
pub fn left_jacobian6<S: Scalar>(motion: &Motion<S>) -> [[S; 6]; 6] {
    large!(S, {
        let (v, w) = (motion.linear, shortened(motion.angular));
        let angle = AngleFunctions::new(w.norm_squared());
        let (b, c) = (angle.b(), angle.c());
        let q = rotation_rate(w, v, b, c, angle.b_rate(), angle.c_rate(c));
        let j = rotation(w, b, c);
        blocks(&j, &q, &Mat3::zero(), &j)
    })
}

/// The right Jacobian of [`exp6`](super::exp6) at `motion`, by rows, in the order \[linear;
/// angular\]: the spatial velocity, in the moving frame, for a rate of `motion`.
///
/// ```
/// use featherline::spatial::{exp6, log6, right_jacobian6, Motion};
///
/// let x = Motion::from_array([0.4, -0.1, 0.7, 0.3, 1.1, -0.5]);
/// let step = Motion::from_array([0.0, 2e-9, 0.0, 1e-9, 0.0, 0.0]);
/// let change: Motion<f64> = log6(&exp6(&x).inverse_compose(&exp6(&(x + step))));
/// let rows = right_jacobian6(&x);
/// for i in 0..6 {
///     let first_order = rows[i][1] * 2e-9 + rows[i][3] * 1e-9;
///     assert!((first_order - change.to_array()[i]).abs() < 1e-15);
/// }
/// ```
#[inline(always)]
pub fn right_jacobian6<S: Scalar>(motion: &Motion<S>) -> [[S; 6]; 6] {
    left_jacobian6(&-*motion)
}

/// The inverse of the left Jacobian of [`exp6`](super::exp6) at `motion`, by rows, in the order
/// \[linear; angular\]. Not finite when the angular part is a whole turn other than zero, nor where
/// its square overflows.
#[inline(always)]
pub fn left_jacobian6_inverse<S: Scalar>(motion: &Motion<S>) -> [[S; 6]; 6] {
    large!(S, {
        let (v, w) = (motion.linear, motion.angular);
        let angle = AngleFunctions::new(w.norm_squared());
        let (minus_half, d) = (S::constant(-0.5), angle.d());
        let q = rotation_rate(w, v, minus_half, d, S::zero(), angle.d_rate(angle.c(), d));
        let j = rotation(w, minus_half, d);
        blocks(&j, &q, &Mat3::zero(), &j)
    })
}

/// The inverse of the right Jacobian of [`exp6`](super::exp6) at `motion`, by rows, in the order
/// \[linear; angular\]: the Jacobian of [`log6`](super::log6) with respect to motions of the placed
/// frame.
#[inline(always)]
pub fn right_jacobian6_inverse<S: Scalar>(motion: &Motion<S>) -> [[S; 6]; 6] {
    left_jacobian6_inverse(&-*motion)
}

/// The derivative along `v` of 1 + a \[w\]× + b \[w\]×², a and b having the given rates.
#[inline(always)]
fn rotation_rate<S: Scalar>(w: Vec3<S>, v: Vec3<S>, a: S, b: S, a_rate: S, b_rate: S) -> Mat3<S> {
    let two = S::constant(2.0);
    let along = w.dot(v);
    let growth = along * two;
    let (da, db) = (a_rate * growth, b_rate * growth);
    // a' [w]× + a [v]×
    let turn = w.mul_add(da, v * a);
    // b' (w wᵀ − w·w 1) + b (w vᵀ + v wᵀ − 2 w·v 1)
    let u = w.mul_add(db * S::constant(0.5), v * b);
    let (xx, yy, zz) = (u.x * w.x * two, u.y * w.y * two, u.z * w.z * two);
    let xy = u.x.mul_add(w.y, u.y * w.x);
    let xz = u.x.mul_add(w.z, u.z * w.x);
    let yz = u.y.mul_add(w.z, u.z * w.y);
    Mat3::from_columns(
        Vec3::new(-(yy + zz), xy + turn.z, xz - turn.y),
        Vec3::new(xy - turn.z, -(xx + zz), yz + turn.x),
        Vec3::new(xz + turn.y, yz - turn.x, -(xx + yy)),
    )
}
