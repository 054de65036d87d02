//! 3×3 matrices, general and symmetric.

use super::Vec3;
use crate::scalar::{Scalar, Symmetric, Triple};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Formatter};
use std::ops::{Add, Mul, Sub};

/// A 3×3 matrix, stored by columns. As a rotation its columns are the axes of the rotated frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[repr(C)]
pub struct Mat3<S: Scalar> {
    /// First column.
    pub x: Vec3<S>,
    /// Second column.
    pub y: Vec3<S>,
    /// Third column.
    pub z: Vec3<S>,
}

impl<S: Scalar> Mat3<S> {
    /// The matrix with the given columns.
    #[inline(always)]
    pub fn from_columns(x: Vec3<S>, y: Vec3<S>, z: Vec3<S>) -> Self {
        Self { x, y, z }
    }

    /// The matrix with the given rows.
    #[inline(always)]
    pub fn from_rows(rows: [[S; 3]; 3]) -> Self {
        let column = |j: usize| Vec3::new(rows[0][j], rows[1][j], rows[2][j]);
        Self::from_columns(column(0), column(1), column(2))
    }

    /// The rows in order.
    #[inline(always)]
    pub fn to_rows(self) -> [[S; 3]; 3] {
        [
            [self.x.x, self.y.x, self.z.x],
            [self.x.y, self.y.y, self.z.y],
            [self.x.z, self.y.z, self.z.z],
        ]
    }

    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::from_columns(Vec3::unit(0), Vec3::unit(1), Vec3::unit(2))
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::from_columns(Vec3::zero(), Vec3::zero(), Vec3::zero())
    }

    /// A matrix of constants.
    #[inline(always)]
    pub fn constant(m: &Mat3<f64>) -> Self {
        Self::from_columns(
            Vec3::constant(m.x),
            Vec3::constant(m.y),
            Vec3::constant(m.z),
        )
    }

    /// The matrix of `v ×`, so that `Mat3::skew(v) * u == v.cross(u)`.
    #[inline(always)]
    pub fn skew(v: Vec3<S>) -> Self {
        let zero = S::zero();
        Self::from_columns(
            Vec3::new(zero, v.z, -v.y),
            Vec3::new(-v.z, zero, v.x),
            Vec3::new(v.y, -v.x, zero),
        )
    }

    /// The outer product `u vᵀ`.
    #[inline(always)]
    pub fn outer(u: Vec3<S>, v: Vec3<S>) -> Self {
        Self::from_columns(u * v.x, u * v.y, u * v.z)
    }

    /// The transpose.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let [x, y, z] = S::Triple::transposed([self.x.0, self.y.0, self.z.0]);
        Self::from_columns(Vec3(x), Vec3(y), Vec3(z))
    }

    /// `self · v`.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<S>) -> Vec3<S> {
        self.x.mul_add(v.x, self.y.mul_add(v.y, self.z * v.z))
    }

    /// `self · v + addend`, with fused operations.
    #[inline(always)]
    pub fn mul_vec_add(&self, v: Vec3<S>, addend: Vec3<S>) -> Vec3<S> {
        self.x
            .mul_add(v.x, self.y.mul_add(v.y, self.z.mul_add(v.z, addend)))
    }

    /// `selfᵀ · v`, cheaper than transposing first.
    #[inline(always)]
    pub fn tr_mul_vec(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3(S::Triple::dots([self.x.0, self.y.0, self.z.0], v.0))
    }

    /// `self · other`.
    #[inline(always)]
    pub fn mul_mat(&self, other: &Self) -> Self {
        Self::from_columns(
            self.mul_vec(other.x),
            self.mul_vec(other.y),
            self.mul_vec(other.z),
        )
    }

    /// `selfᵀ · other`.
    #[inline(always)]
    pub fn tr_mul_mat(&self, other: &Self) -> Self {
        Self::from_columns(
            self.tr_mul_vec(other.x),
            self.tr_mul_vec(other.y),
            self.tr_mul_vec(other.z),
        )
    }

    /// `self · m · selfᵀ` for a general `m`.
    #[inline(always)]
    pub fn conjugate(&self, m: &Self) -> Self {
        let left = self.mul_mat(m);
        Self::from_columns(
            left.x
                .mul_add(self.x.x, left.y.mul_add(self.y.x, left.z * self.z.x)),
            left.x
                .mul_add(self.x.y, left.y.mul_add(self.y.y, left.z * self.z.y)),
            left.x
                .mul_add(self.x.z, left.y.mul_add(self.y.z, left.z * self.z.z)),
        )
    }

    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> S {
        self.x.x + self.y.y + self.z.z
    }

    /// The determinant.
    #[inline(always)]
    pub fn determinant(&self) -> S {
        self.x.dot(self.y.cross(self.z))
    }
}

impl<S: Scalar> Mul<Vec3<S>> for Mat3<S> {
    type Output = Vec3<S>;
    #[inline(always)]
    fn mul(self, v: Vec3<S>) -> Vec3<S> {
        self.mul_vec(v)
    }
}

impl<S: Scalar> Mul for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.mul_mat(&other)
    }
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Elements<S>", into = "Elements<S>"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "S: Scalar + Serialize",
        deserialize = "S: Scalar + Deserialize<'de>"
    ))
)]
#[repr(transparent)]
pub struct Sym3<S: Scalar>(S::Symmetric);

impl<S: Scalar> Debug for Sym3<S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("Sym3");
        let names = ["xx", "xy", "xz", "yy", "yz", "zz"];
        for (name, element) in names.iter().zip(self.to_elements()) {
            fields.field(name, &element);
        }
        fields.finish()
    }
}

impl<S: Scalar> Default for Sym3<S> {
    fn default() -> Self {
        Self::zero()
    }
}

impl<S: Scalar> PartialEq for Sym3<S> {
    fn eq(&self, other: &Self) -> bool {
        self.to_elements() == other.to_elements()
    }
}

/// A symmetric matrix as it is stored in files.
#[cfg(feature = "serde")]
#[derive(Serialize, Deserialize)]
#[serde(rename = "Sym3")]
struct Elements<S> {
    xx: S,
    xy: S,
    xz: S,
    yy: S,
    yz: S,
    zz: S,
}

#[cfg(feature = "serde")]
impl<S: Scalar> From<Elements<S>> for Sym3<S> {
    fn from(m: Elements<S>) -> Self {
        Self::new(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz)
    }
}

#[cfg(feature = "serde")]
impl<S: Scalar> From<Sym3<S>> for Elements<S> {
    fn from(m: Sym3<S>) -> Self {
        let [xx, xy, xz, yy, yz, zz] = m.to_elements();
        Self {
            xx,
            xy,
            xz,
            yy,
            yz,
            zz,
        }
    }
}

impl<S: Scalar> Sym3<S> {
    /// The matrix with the given elements of its upper triangle, row by row.
    #[inline(always)]
    pub fn new(xx: S, xy: S, xz: S, yy: S, yz: S, zz: S) -> Self {
        Self(S::Symmetric::new([xx, xy, xz, yy, yz, zz]))
    }

    /// The elements xx, xy, xz, yy, yz, zz of the upper triangle, row by row.
    #[inline(always)]
    pub fn to_elements(&self) -> [S; 6] {
        self.0.elements()
    }

    /// Element (0, 0).
    #[inline(always)]
    pub fn xx(&self) -> S {
        self.to_elements()[0]
    }

    /// Elements (0, 1) and (1, 0).
    #[inline(always)]
    pub fn xy(&self) -> S {
        self.to_elements()[1]
    }

    /// Elements (0, 2) and (2, 0).
    #[inline(always)]
    pub fn xz(&self) -> S {
        self.to_elements()[2]
    }

    /// Element (1, 1).
    #[inline(always)]
    pub fn yy(&self) -> S {
        self.to_elements()[3]
    }

    /// Elements (1, 2) and (2, 1).
    #[inline(always)]
    pub fn yz(&self) -> S {
        self.to_elements()[4]
    }

    /// Element (2, 2).
    #[inline(always)]
    pub fn zz(&self) -> S {
        self.to_elements()[5]
    }

    /// The last column.
    #[inline(always)]
    pub fn z(&self) -> Vec3<S> {
        Vec3(self.0.columns()[2])
    }

    /// The zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::diagonal(Vec3::zero())
    }

    /// `factor` times the identity.
    #[inline(always)]
    pub fn scalar(factor: S) -> Self {
        Self::diagonal(Vec3::new(factor, factor, factor))
    }

    /// The matrix with the given diagonal and zeros elsewhere.
    #[inline(always)]
    pub fn diagonal(d: Vec3<S>) -> Self {
        let zero = S::zero();
        Self::new(d.x, zero, zero, d.y, zero, d.z)
    }

    /// A matrix of constants.
    #[inline(always)]
    pub fn constant(m: &Sym3<f64>) -> Self {
        Self(S::Symmetric::constant(&m.0))
    }

    /// The symmetric part of a general matrix is not taken: only its upper triangle is read.
    #[inline(always)]
    pub fn from_upper(m: &Mat3<S>) -> Self {
        Self::new(m.x.x, m.y.x, m.z.x, m.y.y, m.z.y, m.z.z)
    }

    /// The same matrix with all nine elements, exactly symmetric.
    #[inline(always)]
    pub fn to_mat(self) -> Mat3<S> {
        self.mirrored().columns()
    }

    /// The columns as they are kept, with what rounding has made of elements and their mirrors.
    #[inline(always)]
    pub(crate) fn columns(&self) -> Mat3<S> {
        let [x, y, z] = self.0.columns();
        Mat3::from_columns(Vec3(x), Vec3(y), Vec3(z))
    }

    /// `self · v`.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3(self.0.mul(v.0))
    }

    /// `self · v + addend`, with fused operations.
    #[inline(always)]
    pub fn mul_vec_add(&self, v: Vec3<S>, addend: Vec3<S>) -> Vec3<S> {
        Vec3(self.0.mul_add(v.0, addend.0))
    }

    /// `r · self · rᵀ`.
    #[inline(always)]
    pub fn conjugated_by(&self, r: &Mat3<S>) -> Self {
        Self(self.0.conjugated([r.x.0, r.y.0, r.z.0]))
    }

    /// The same matrix without the rounding by which elements and their mirrors may differ.
    #[inline(always)]
    pub(crate) fn mirrored(&self) -> Self {
        Self(S::Symmetric::new(self.to_elements()))
    }

    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> S {
        self.xx() + self.yy() + self.zz()
    }

    /// `self + (p · w) 1 − (p wᵀ + w pᵀ) / 2`: second moments displaced by `p`, for `w` the sum of
    /// the first moments before and after (parallel-axis theorem).
    #[inline(always)]
    pub(crate) fn displaced(&self, p: Vec3<S>, w: Vec3<S>) -> Self {
        Self(self.0.displaced(p.0, w.0))
    }

    /// `self + A + Bᵀ`, when the sum A + Bᵀ is symmetric.
    #[inline(always)]
    pub(crate) fn plus_transposed(&self, a: &Mat3<S>, b: &Mat3<S>) -> Self {
        let a = [a.x.0, a.y.0, a.z.0];
        Self(self.0.plus_transposed(a, [b.x.0, b.y.0, b.z.0]))
    }

    /// The sum with `factor` times the identity.
    #[inline(always)]
    pub(crate) fn plus_scalar(&self, factor: S) -> Self {
        Self(self.0.plus_scalar(factor))
    }

    /// Subtracts `factor · u uᵀ`.
    #[inline(always)]
    pub fn sub_outer(&self, u: Vec3<S>, factor: S) -> Self {
        Self(self.0.minus_outer(u.0, factor))
    }
}

impl<S: Scalar> Add for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0.plus(&o.0))
    }
}

impl<S: Scalar> Sub for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0.minus(&o.0))
    }
}

impl<S: Scalar> Mul<S> for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self(self.0.scaled(factor))
    }
}
