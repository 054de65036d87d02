//! 3×3 matrices, general and symmetric.

use super::Vec3;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Neg, Sub};

/// A 3×3 matrix, stored by columns. As a rotation its columns are the axes of the rotated frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "S: Scalar + Serialize",
    deserialize = "S: Scalar + Deserialize<'de>"
))]
pub struct Mat3<S> {
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
        Self::from_columns(
            Vec3::new(self.x.x, self.y.x, self.z.x),
            Vec3::new(self.x.y, self.y.y, self.z.y),
            Vec3::new(self.x.z, self.y.z, self.z.z),
        )
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
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
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

impl<S: Scalar> Mul<S> for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self::from_columns(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl<S: Scalar> Add for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_columns(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<S: Scalar> Sub for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::from_columns(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<S: Scalar> Neg for Mat3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_columns(-self.x, -self.y, -self.z)
    }
}

/// A symmetric 3×3 matrix, stored as its six distinct elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sym3<S> {
    /// Element (0, 0).
    pub xx: S,
    /// Elements (0, 1) and (1, 0).
    pub xy: S,
    /// Elements (0, 2) and (2, 0).
    pub xz: S,
    /// Element (1, 1).
    pub yy: S,
    /// Elements (1, 2) and (2, 1).
    pub yz: S,
    /// Element (2, 2).
    pub zz: S,
}

impl<S: Scalar> Sym3<S> {
    /// The matrix with the given elements of its upper triangle, row by row.
    #[inline(always)]
    pub fn new(xx: S, xy: S, xz: S, yy: S, yz: S, zz: S) -> Self {
        Self {
            xx,
            xy,
            xz,
            yy,
            yz,
            zz,
        }
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
        let c = S::constant;
        Self::new(c(m.xx), c(m.xy), c(m.xz), c(m.yy), c(m.yz), c(m.zz))
    }

    /// The symmetric part of a general matrix is not taken: only its upper triangle is read.
    #[inline(always)]
    pub fn from_upper(m: &Mat3<S>) -> Self {
        Self::new(m.x.x, m.y.x, m.z.x, m.y.y, m.z.y, m.z.z)
    }

    /// The same matrix with all nine elements.
    #[inline(always)]
    pub fn to_mat(self) -> Mat3<S> {
        Mat3::from_columns(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// `self · v`.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<S>) -> Vec3<S> {
        Vec3::new(
            self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z)),
            self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z)),
            self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z)),
        )
    }

    /// `self · v + addend`, with fused operations.
    #[inline(always)]
    pub fn mul_vec_add(&self, v: Vec3<S>, addend: Vec3<S>) -> Vec3<S> {
        Vec3::new(
            self.xx
                .mul_add(v.x, self.xy.mul_add(v.y, self.xz.mul_add(v.z, addend.x))),
            self.xy
                .mul_add(v.x, self.yy.mul_add(v.y, self.yz.mul_add(v.z, addend.y))),
            self.xz
                .mul_add(v.x, self.yz.mul_add(v.y, self.zz.mul_add(v.z, addend.z))),
        )
    }

    /// `r · self · rᵀ`.
    #[inline(always)]
    pub fn conjugated_by(&self, r: &Mat3<S>) -> Self {
        let left = r.mul_mat(&self.to_mat());
        let first = left.x.mul_add(r.x.x, left.y.mul_add(r.y.x, left.z * r.z.x));
        let (lx, ly, lz) = (left.x, left.y, left.z);
        Self::new(
            first.x,
            first.y,
            first.z,
            lx.y.mul_add(r.x.y, ly.y.mul_add(r.y.y, lz.y * r.z.y)),
            lx.z.mul_add(r.x.y, ly.z.mul_add(r.y.y, lz.z * r.z.y)),
            lx.z.mul_add(r.x.z, ly.z.mul_add(r.y.z, lz.z * r.z.z)),
        )
    }

    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> S {
        self.xx + self.yy + self.zz
    }

    /// Subtracts `factor · u uᵀ`.
    #[inline(always)]
    pub fn sub_outer(&self, u: Vec3<S>, factor: S) -> Self {
        let k = -(u * factor);
        Self::new(
            k.x.mul_add(u.x, self.xx),
            k.x.mul_add(u.y, self.xy),
            k.x.mul_add(u.z, self.xz),
            k.y.mul_add(u.y, self.yy),
            k.y.mul_add(u.z, self.yz),
            k.z.mul_add(u.z, self.zz),
        )
    }
}

impl<S: Scalar> Add for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(
            self.xx + o.xx,
            self.xy + o.xy,
            self.xz + o.xz,
            self.yy + o.yy,
            self.yz + o.yz,
            self.zz + o.zz,
        )
    }
}

impl<S: Scalar> Sub for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(
            self.xx - o.xx,
            self.xy - o.xy,
            self.xz - o.xz,
            self.yy - o.yy,
            self.yz - o.yz,
            self.zz - o.zz,
        )
    }
}

impl<S: Scalar> Mul<S> for Sym3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: S) -> Self {
        Self::new(
            self.xx * factor,
            self.xy * factor,
            self.xz * factor,
            self.yy * factor,
            self.yz * factor,
            self.zz * factor,
        )
    }
}
