//! Vectors of three-dimensional space.

use crate::scalar::{Form, Scalar, SeenAs, Triple, TripleComponents};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Formatter};
use std::ops::{Add, Deref, DerefMut, Mul, Neg, Sub, SubAssign};

/// A vector of three-dimensional space, with the components `x`, `y` and `z`.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "[S; 3]", into = "[S; 3]"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "S: Scalar + Serialize",
        deserialize = "S: Scalar + Deserialize<'de>"
    ))
)]
#[repr(transparent)]
pub struct Vec3<S: Scalar>(pub(crate) S::Triple);

#[allow(unsafe_code)] // a promise of layout
// SAFETY: transparent over the scalar's triple, for which `InPlaceOf` promises the same layout.
unsafe impl<S: Scalar> SeenAs for Vec3<S> {
    type As<F: Form> = Vec3<F::Of<S>>;
}

impl<S: Scalar> Deref for Vec3<S> {
    type Target = TripleComponents<S>;
    #[inline(always)]
    fn deref(&self) -> &TripleComponents<S> {
        self.0.components()
    }
}

impl<S: Scalar> DerefMut for Vec3<S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut TripleComponents<S> {
        self.0.components_mut()
    }
}

impl<S: Scalar> Debug for Vec3<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vec3")
            .field("x", &self.x)
            .field("y", &self.y)
            .field("z", &self.z)
            .finish()
    }
}

impl<S: Scalar> Default for Vec3<S> {
    fn default() -> Self {
        Self::zero()
    }
}

impl<S: Scalar> PartialEq for Vec3<S> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<S: Scalar> Vec3<S> {
    /// The vector with the given components.
    #[inline(always)]
    pub fn new(x: S, y: S, z: S) -> Self {
        Self(S::Triple::new(x, y, z))
    }

    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(S::zero(), S::zero(), S::zero())
    }

    /// The unit vector along axis 0, 1 or 2; the third axis for any larger index.
    #[inline(always)]
    pub fn unit(axis: usize) -> Self {
        match axis {
            0 => Self::new(S::one(), S::zero(), S::zero()),
            1 => Self::new(S::zero(), S::one(), S::zero()),
            _ => Self::new(S::zero(), S::zero(), S::one()),
        }
    }

    /// A vector of constants.
    #[inline(always)]
    pub fn constant(v: Vec3<f64>) -> Self {
        Self(S::Triple::constant(&v.0))
    }

    /// The scalar product `self · other`.
    #[inline(always)]
    pub fn dot(self, other: Self) -> S {
        self.0.dot(other.0)
    }

    /// The vector product `self × other`.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self(self.0.cross(other.0))
    }

    /// `self × other + addend`, with fused operations.
    #[inline(always)]
    pub fn cross_add(self, other: Self, addend: Self) -> Self {
        Self(self.0.cross_add(other.0, addend.0))
    }

    /// The vector product `self × (0, 0, z)`.
    #[inline(always)]
    pub fn cross_along_z(self, z: S) -> Self {
        Self(self.0.cross_along_z(z))
    }

    /// `self + (0, 0, z)`.
    #[inline(always)]
    pub fn plus_along_z(self, z: S) -> Self {
        Self(self.0.plus_along_z(z))
    }

    /// `self · factor + addend`, with fused operations.
    #[inline(always)]
    pub fn mul_add(self, factor: S, addend: Self) -> Self {
        Self(self.0.scaled_add(factor, addend.0))
    }

    /// The squared Euclidean length.
    #[inline(always)]
    pub fn norm_squared(self) -> S {
        self.dot(self)
    }

    /// The Euclidean length.
    #[inline(always)]
    pub fn norm(self) -> S {
        self.norm_squared().sqrt()
    }

    /// `yes` where `mask` holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: S::Mask, yes: Self, no: Self) -> Self {
        Self::new(
            S::select(mask, yes.x, no.x),
            S::select(mask, yes.y, no.y),
            S::select(mask, yes.z, no.z),
        )
    }

    /// Whether all components are finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// The components in order.
    #[inline(always)]
    pub fn to_array(self) -> [S; 3] {
        [self.x, self.y, self.z]
    }
}

impl Vec3<f64> {
    /// The greatest component by absolute value: the maximum norm.
    pub fn max_norm(self) -> f64 {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// The vector divided by its length, whatever that is; unchanged where it is zero or not
    /// finite.
    ///
    /// A vector of length one to rounding stays as it is, so that normalising twice is the same as
    /// once.
    ///
    /// ```
    /// use featherline::spatial::Vec3;
    ///
    /// assert_eq!(Vec3::new(0.0, 3e300, 4e300).normalised(), Vec3::new(0.0, 0.6, 0.8));
    /// ```
    pub fn normalised(self) -> Self {
        let largest = self.max_norm();
        let usable = largest > 0.0 && self.is_finite();
        if !usable || (self.norm_squared() - 1.0).abs() <= 8.0 * f64::EPSILON {
            return self;
        }
        // Scaling by the largest component first keeps the squares in range; a coordinate axis
        // comes out exact.
        let scaled = Self::new(self.x / largest, self.y / largest, self.z / largest);
        let norm = scaled.norm();
        Self::new(scaled.x / norm, scaled.y / norm, scaled.z / norm)
    }
}

impl<S: Scalar> From<[S; 3]> for Vec3<S> {
    #[inline(always)]
    fn from([x, y, z]: [S; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl<S: Scalar> From<Vec3<S>> for [S; 3] {
    #[inline(always)]
    fn from(v: Vec3<S>) -> Self {
        [v.x, v.y, v.z]
    }
}

impl<S: Scalar> Add for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0.plus(o.0))
    }
}

impl<S: Scalar> Sub for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0.minus(o.0))
    }
}

impl<S: Scalar> Neg for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.negated())
    }
}

impl<S: Scalar> Mul<S> for Vec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self(self.0.scaled(factor))
    }
}

impl<S: Scalar> SubAssign for Vec3<S> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
