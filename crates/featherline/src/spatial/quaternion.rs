//! Quaternions as rotations.

use super::angle_functions::{AngleFunctions, shortened};
use super::{Mat3, Vec3};
use crate::scalar::{Scalar, large, polynomial};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::ops::{Mul, Neg};

/// A quaternion x i + y j + z k + w with Hamilton's product (i j = k).
///
/// A unit quaternion stands for the rotation by θ about the unit axis n when (x, y, z) = n sin(θ/2)
/// and w = cos(θ/2) (J. Solà, *Quaternion kinematics for the error-state Kalman filter*, 2017,
/// section 2.4); q and −q are the same rotation. As text it is the array x, y, z, w.
///
/// ```
/// use featherline::spatial::{Quaternion, Vec3};
/// use std::f64::consts::FRAC_PI_2;
///
/// let quarter = Quaternion::from_axis_angle(Vec3::unit(2), FRAC_PI_2);
/// let turned = quarter.rotate(Vec3::unit(0));
/// assert!((turned - Vec3::unit(1)).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "[S; 4]", into = "[S; 4]"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "S: Scalar + Serialize",
        deserialize = "S: Scalar + Deserialize<'de>"
    ))
)]
pub struct Quaternion<S> {
    /// Coefficient of i.
    pub x: S,
    /// Coefficient of j.
    pub y: S,
    /// Coefficient of k.
    pub z: S,
    /// The real part.
    pub w: S,
}

impl<S: Scalar> Default for Quaternion<S> {
    fn default() -> Self {
        Self::identity()
    }
}

impl<S: Scalar> Quaternion<S> {
    /// The quaternion with the given coefficients, the real part last.
    #[inline(always)]
    pub fn new(x: S, y: S, z: S, w: S) -> Self {
        Self { x, y, z, w }
    }

    /// The quaternion with the given vector and real parts.
    #[inline(always)]
    pub fn from_parts(vector: Vec3<S>, w: S) -> Self {
        Self::new(vector.x, vector.y, vector.z, w)
    }

    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::from_parts(Vec3::zero(), S::one())
    }

    /// A quaternion of constants.
    #[inline(always)]
    pub fn constant(q: &Quaternion<f64>) -> Self {
        Self::new(
            S::constant(q.x),
            S::constant(q.y),
            S::constant(q.z),
            S::constant(q.w),
        )
    }

    /// The coefficients x, y, z, w.
    #[inline(always)]
    pub fn to_array(self) -> [S; 4] {
        [self.x, self.y, self.z, self.w]
    }

    /// The vector part (x, y, z).
    #[inline(always)]
    pub fn vector(self) -> Vec3<S> {
        Vec3::new(self.x, self.y, self.z)
    }

    /// The rotation by `angle` radians about the unit vector `axis`.
    #[inline(always)]
    pub fn from_axis_angle(axis: Vec3<S>, angle: S) -> Self {
        let (sin, cos) = (angle * S::constant(0.5)).sin_cos();
        Self::from_parts(axis * sin, cos)
    }

    /// The squared length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.dot(self)
    }

    /// The length.
    #[inline(always)]
    pub fn norm(self) -> S {
        self.norm_squared().sqrt()
    }

    /// The scalar product of the coefficients; its magnitude is the cosine of half the angle
    /// between two rotations.
    #[inline(always)]
    pub fn dot(self, other: Self) -> S {
        self.w.mul_add(other.w, self.vector().dot(other.vector()))
    }

    /// The quaternion of length one in the same direction; not finite for the zero quaternion, nor
    /// where the squared length overflows.
    #[inline(always)]
    pub fn normalised(self) -> Self {
        let squared = self.norm_squared();
        self * (squared.sqrt() / squared)
    }

    /// (−x, −y, −z, w): the inverse rotation of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self::from_parts(-self.vector(), self.w)
    }

    /// The inverse for the product, of a quaternion of any length but zero.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        self.conjugate() * self.norm_squared().recip()
    }

    /// Whether all coefficients are finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.vector().is_finite() && self.w.is_finite()
    }

    /// The vector `v` rotated by this unit quaternion: v + 2 w u × v + 2 u × (u × v), with u the
    /// vector part.
    #[inline(always)]
    pub fn rotate(self, v: Vec3<S>) -> Vec3<S> {
        let u = self.vector();
        let twice = u.cross(v) * S::constant(2.0);
        u.cross_add(twice, twice.mul_add(self.w, v))
    }

    /// The rotation matrix of this unit quaternion.
    #[inline(always)]
    pub fn to_rotation(self) -> Mat3<S> {
        large!(S, {
            let (one, two) = (S::one(), S::constant(2.0));
            let (x2, y2, z2) = (self.x * two, self.y * two, self.z * two);
            let (xx, yy, zz) = (self.x * x2, self.y * y2, self.z * z2);
            let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
            Mat3::from_columns(
                Vec3::new(
                    one - (yy + zz),
                    self.x.mul_add(y2, wz),
                    self.x.mul_add(z2, -wy),
                ),
                Vec3::new(
                    self.x.mul_add(y2, -wz),
                    one - (xx + zz),
                    self.y.mul_add(z2, wx),
                ),
                Vec3::new(
                    self.x.mul_add(z2, wy),
                    self.y.mul_add(z2, -wx),
                    one - (xx + yy),
                ),
            )
        })
    }

    /// The unit quaternion of a rotation matrix.
    ///
    /// The products 4 q qᵀ are sums of elements of the matrix; the row with the largest diagonal
    /// element, of length at least 2, is normalised (S. W. Shepperd, *Quaternion from rotation
    /// matrix*, 1978). No rotation is badly conditioned, and a matrix that is orthogonal up to
    /// rounding gives a unit quaternion up to rounding. The largest coefficient is positive.
    #[inline(always)]
    pub fn from_rotation(r: &Mat3<S>) -> Self {
        large!(S, {
            let one = S::one();
            let (xx, yy, zz) = (r.x.x, r.y.y, r.z.z);
            let (wx, wy, wz) = (r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
            let (xy, xz, yz) = (r.x.y + r.y.x, r.x.z + r.z.x, r.y.z + r.z.y);
            let by_w = Self::new(wx, wy, wz, one + (xx + yy + zz));
            let by_x = Self::new(one + (xx - yy - zz), xy, xz, wx);
            let by_y = Self::new(xy, one + (yy - xx - zz), yz, wy);
            let by_z = Self::new(xz, yz, one + (zz - xx - yy), wz);
            let (best, largest) = (by_w, by_w.w);
            let take = largest.less(by_x.x);
            let (best, largest) = (
                Self::select(take, by_x, best),
                S::select(take, by_x.x, largest),
            );
            let take = largest.less(by_y.y);
            let (best, largest) = (
                Self::select(take, by_y, best),
                S::select(take, by_y.y, largest),
            );
            Self::select(largest.less(by_z.z), by_z, best).normalised()
        })
    }

    /// The exponential: the unit quaternion of the rotation by |w| radians about w.
    ///
    /// Exact to rounding for any length of w, derivatives at w = 0 included.
    ///
    /// ```
    /// use featherline::spatial::{Quaternion, Vec3};
    ///
    /// let w = Vec3::new(0.3, -0.2, 0.9);
    /// assert!((Quaternion::exp(w).log() - w).norm() < 1e-15);
    /// ```
    #[inline(always)]
    pub fn exp(w: Vec3<S>) -> Self {
        large!(S, {
            let w = shortened(w);
            let angle = AngleFunctions::new(w.norm_squared());
            Self::from_parts(w * (angle.half_sinc * S::constant(0.5)), angle.half_cos)
        })
    }

    /// The logarithm: the rotation vector w, of length at most π, with exp(w) = ±`self`.
    ///
    /// Exact to rounding everywhere; a quaternion that is not of unit length is treated as if it
    /// were normalised. At half a turn (w = 0 in the quaternion) both w and −w are right, and the
    /// sign of the vector part decides.
    #[inline(always)]
    pub fn log(self) -> Vec3<S> {
        large!(S, {
            let shortest = Self::select(self.w.less(S::zero()), -self, self);
            let (u, w) = (shortest.vector(), shortest.w);
            let (sine_squared, one) = (u.norm_squared(), S::one());
            // Below tan²(θ/2) = 2⁻⁸ the series of the arc tangent converges in a few terms and
            // needs no root.
            let small = sine_squared.less(w * w * S::constant(1.0 / 256.0));
            let sine = S::select(small, one, sine_squared).sqrt();
            let far = sine.atan2(w) / sine;
            let cosine = S::select(small, w, one);
            let tangent_squared = S::select(small, sine_squared, S::zero()) / (cosine * cosine);
            let near = polynomial(&ARC_TANGENT, tangent_squared) / cosine;
            u * (S::select(small, near, far) * S::constant(2.0))
        })
    }

    /// The rotation that is the fraction `t` of the way from this unit quaternion to another, along
    /// the shorter arc and at constant rate (K. Shoemake, *Animating rotation with quaternion
    /// curves*, 1985).
    #[inline(always)]
    pub fn slerp(self, other: Self, t: S) -> Self {
        self * Self::exp((self.conjugate() * other).log() * t)
    }

    /// `yes` where `mask` holds, `no` elsewhere.
    #[inline(always)]
    fn select(mask: S::Mask, yes: Self, no: Self) -> Self {
        Self::new(
            S::select(mask, yes.x, no.x),
            S::select(mask, yes.y, no.y),
            S::select(mask, yes.z, no.z),
            S::select(mask, yes.w, no.w),
        )
    }
}

/// arctan(x) / x as a polynomial in x².
const ARC_TANGENT: [f64; 9] = [
    1.0,
    -1.0 / 3.0,
    0.2,
    -1.0 / 7.0,
    1.0 / 9.0,
    -1.0 / 11.0,
    1.0 / 13.0,
    -1.0 / 15.0,
    1.0 / 17.0,
];

impl<S: Scalar> Mul for Quaternion<S> {
    type Output = Self;
    /// Hamilton's product: the rotation `other` followed by `self`.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (u, v) = (self.vector(), other.vector());
        let vector = u.cross_add(v, u.mul_add(other.w, v * self.w));
        Self::from_parts(vector, self.w.mul_add(other.w, -u.dot(v)))
    }
}

impl<S: Scalar> Mul<S> for Quaternion<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self::from_parts(self.vector() * factor, self.w * factor)
    }
}

impl<S: Scalar> Neg for Quaternion<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_parts(-self.vector(), -self.w)
    }
}

impl<S> From<[S; 4]> for Quaternion<S> {
    #[inline(always)]
    fn from([x, y, z, w]: [S; 4]) -> Self {
        Self { x, y, z, w }
    }
}

impl<S> From<Quaternion<S>> for [S; 4] {
    #[inline(always)]
    fn from(q: Quaternion<S>) -> Self {
        [q.x, q.y, q.z, q.w]
    }
}
