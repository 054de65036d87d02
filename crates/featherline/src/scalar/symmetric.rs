//! How a scalar keeps a symmetric 3×3 matrix.
//!
//! Six numbers are least work where each is computed on its own. Where a [`Triple`] is one
//! register, three columns are: a product with a vector is three instructions, and no element has
//! to be moved to its mirror's place.

use super::{Padded, Scalar, Triple};
use std::fmt::Debug;

/// A symmetric 3×3 matrix, and the operations that depend on how it is kept.
///
/// Matrices are given and returned as columns.
pub trait Symmetric<S: Scalar>: Copy + Debug + Send + Sync + 'static {
    /// The matrix with the elements xx, xy, xz, yy, yz, zz.
    fn new(elements: [S; 6]) -> Self;

    /// The elements xx, xy, xz, yy, yz, zz.
    fn elements(&self) -> [S; 6];

    /// The columns.
    fn columns(&self) -> [S::Triple; 3];

    /// The matrix of constants.
    fn constant(m: &Columns<Padded>) -> Self;

    /// The sum.
    fn plus(&self, other: &Self) -> Self;

    /// The difference.
    fn minus(&self, other: &Self) -> Self;

    /// The sum with `factor` times the identity.
    fn plus_scalar(&self, factor: S) -> Self;

    /// `self * factor`.
    fn scaled(&self, factor: S) -> Self;

    /// `self · v`.
    fn mul(&self, v: S::Triple) -> S::Triple;

    /// `self · v + addend`.
    fn mul_add(&self, v: S::Triple, addend: S::Triple) -> S::Triple;

    /// `R · self · Rᵀ` for R with the given columns.
    fn conjugated(&self, rotation: [S::Triple; 3]) -> Self;

    /// `self − factor · u uᵀ`.
    fn minus_outer(&self, u: S::Triple, factor: S) -> Self;

    /// `self + (p · w) 1 − (p wᵀ + w pᵀ) / 2`: the parallel-axis theorem for `p` the displacement
    /// and `w` the sum of the first moments before and after it.
    fn displaced(&self, p: S::Triple, w: S::Triple) -> Self;

    /// `self + A + Bᵀ` for A and B with the given columns, when the sum A + Bᵀ is symmetric.
    fn plus_transposed(&self, a: [S::Triple; 3], b: [S::Triple; 3]) -> Self;
}

/// `Σ columns[k] · v[k]`.
#[inline(always)]
fn product<S: Scalar>(columns: &[S::Triple; 3], v: S::Triple) -> S::Triple {
    let c = v.components();
    let [x, y, z] = *columns;
    x.scaled_add(c.x, y.scaled_add(c.y, z.scaled(c.z)))
}

/// The six elements of the upper triangle.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<S>([S; 6]);

impl<S: Scalar> Symmetric<S> for Triangle<S> {
    #[inline(always)]
    fn new(elements: [S; 6]) -> Self {
        Self(elements)
    }

    #[inline(always)]
    fn elements(&self) -> [S; 6] {
        self.0
    }

    #[inline(always)]
    fn columns(&self) -> [S::Triple; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        [
            S::Triple::new(xx, xy, xz),
            S::Triple::new(xy, yy, yz),
            S::Triple::new(xz, yz, zz),
        ]
    }

    #[inline(always)]
    fn constant(m: &Columns<Padded>) -> Self {
        let [xx, xy, xz, yy, yz, zz] = Symmetric::<f64>::elements(m);
        let c = S::constant;
        Self([c(xx), c(xy), c(xz), c(yy), c(yz), c(zz)])
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.0;
        for i in 0..6 {
            sum[i] += other.0[i];
        }
        Self(sum)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let mut difference = self.0;
        for i in 0..6 {
            difference[i] -= other.0[i];
        }
        Self(difference)
    }

    #[inline(always)]
    fn plus_scalar(&self, factor: S) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Self([xx + factor, xy, xz, yy + factor, yz, zz + factor])
    }

    #[inline(always)]
    fn scaled(&self, factor: S) -> Self {
        let mut product = self.0;
        for element in &mut product {
            *element = *element * factor;
        }
        Self(product)
    }

    #[inline(always)]
    fn mul(&self, v: S::Triple) -> S::Triple {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let v = v.components();
        S::Triple::new(
            xx.mul_add(v.x, xy.mul_add(v.y, xz * v.z)),
            xy.mul_add(v.x, yy.mul_add(v.y, yz * v.z)),
            xz.mul_add(v.x, yz.mul_add(v.y, zz * v.z)),
        )
    }

    #[inline(always)]
    fn mul_add(&self, v: S::Triple, addend: S::Triple) -> S::Triple {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let (v, a) = (v.components(), addend.components());
        S::Triple::new(
            xx.mul_add(v.x, xy.mul_add(v.y, xz.mul_add(v.z, a.x))),
            xy.mul_add(v.x, yy.mul_add(v.y, yz.mul_add(v.z, a.y))),
            xz.mul_add(v.x, yz.mul_add(v.y, zz.mul_add(v.z, a.z))),
        )
    }

    #[inline(always)]
    fn conjugated(&self, rotation: [S::Triple; 3]) -> Self {
        let columns = self.columns();
        let left = [
            product::<S>(&rotation, columns[0]),
            product::<S>(&rotation, columns[1]),
            product::<S>(&rotation, columns[2]),
        ];
        let (lx, ly, lz) = (
            left[0].components(),
            left[1].components(),
            left[2].components(),
        );
        let [rx, ry, rz] = &rotation;
        let (rx, ry, rz) = (rx.components(), ry.components(), rz.components());
        Self([
            lx.x.mul_add(rx.x, ly.x.mul_add(ry.x, lz.x * rz.x)),
            lx.y.mul_add(rx.x, ly.y.mul_add(ry.x, lz.y * rz.x)),
            lx.z.mul_add(rx.x, ly.z.mul_add(ry.x, lz.z * rz.x)),
            lx.y.mul_add(rx.y, ly.y.mul_add(ry.y, lz.y * rz.y)),
            lx.z.mul_add(rx.y, ly.z.mul_add(ry.y, lz.z * rz.y)),
            lx.z.mul_add(rx.z, ly.z.mul_add(ry.z, lz.z * rz.z)),
        ])
    }

    #[inline(always)]
    fn minus_outer(&self, u: S::Triple, factor: S) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let u = u.components();
        let (x, y, z) = (-(u.x * factor), -(u.y * factor), -(u.z * factor));
        Self([
            x.mul_add(u.x, xx),
            x.mul_add(u.y, xy),
            x.mul_add(u.z, xz),
            y.mul_add(u.y, yy),
            y.mul_add(u.z, yz),
            z.mul_add(u.z, zz),
        ])
    }

    #[inline(always)]
    fn displaced(&self, p: S::Triple, w: S::Triple) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let half = S::constant(0.5);
        let (hp, hw) = (p.scaled(half), w.scaled(half));
        let (p, w) = (p.components(), w.components());
        let (hp, hw) = (hp.components(), hw.components());
        let (px, py, pz) = (p.x * w.x, p.y * w.y, p.z * w.z);
        Self([
            xx + (py + pz),
            xy - p.x.mul_add(hw.y, hp.y * w.x),
            xz - p.x.mul_add(hw.z, hp.z * w.x),
            yy + (px + pz),
            yz - p.y.mul_add(hw.z, hp.z * w.y),
            zz + (px + py),
        ])
    }

    #[inline(always)]
    fn plus_transposed(&self, a: [S::Triple; 3], b: [S::Triple; 3]) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        let [ax, ay, az] = &a;
        let (ax, ay, az) = (ax.components(), ay.components(), az.components());
        let [bx, by, bz] = &b;
        let (bx, by, bz) = (bx.components(), by.components(), bz.components());
        Self([
            xx + ax.x + bx.x,
            xy + ay.x + bx.y,
            xz + az.x + bx.z,
            yy + ay.y + by.y,
            yz + az.y + by.z,
            zz + az.z + bz.z,
        ])
    }
}

/// All nine elements, column by column.
///
/// Elements and their mirrors may differ by rounding.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Columns<T>([T; 3]);

impl<S: Scalar> Symmetric<S> for Columns<S::Triple> {
    #[inline(always)]
    fn new([xx, xy, xz, yy, yz, zz]: [S; 6]) -> Self {
        Self([
            S::Triple::new(xx, xy, xz),
            S::Triple::new(xy, yy, yz),
            S::Triple::new(xz, yz, zz),
        ])
    }

    #[inline(always)]
    fn elements(&self) -> [S; 6] {
        let [x, y, z] = &self.0;
        let (x, y, z) = (x.components(), y.components(), z.components());
        [x.x, y.x, z.x, y.y, z.y, z.z]
    }

    #[inline(always)]
    fn columns(&self) -> [S::Triple; 3] {
        self.0
    }

    #[inline(always)]
    fn constant(m: &Columns<Padded>) -> Self {
        let [x, y, z] = &m.0;
        Self([
            S::Triple::constant(x),
            S::Triple::constant(y),
            S::Triple::constant(z),
        ])
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a.plus(x), b.plus(y), c.plus(z)])
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a.minus(x), b.minus(y), c.minus(z)])
    }

    #[inline(always)]
    fn plus_scalar(&self, factor: S) -> Self {
        let zero = S::zero();
        let [x, y, z] = self.0;
        Self([
            x.plus(S::Triple::new(factor, zero, zero)),
            y.plus(S::Triple::new(zero, factor, zero)),
            z.plus(S::Triple::new(zero, zero, factor)),
        ])
    }

    #[inline(always)]
    fn scaled(&self, factor: S) -> Self {
        let [a, b, c] = self.0;
        Self([a.scaled(factor), b.scaled(factor), c.scaled(factor)])
    }

    #[inline(always)]
    fn mul(&self, v: S::Triple) -> S::Triple {
        product::<S>(&self.0, v)
    }

    #[inline(always)]
    fn mul_add(&self, v: S::Triple, addend: S::Triple) -> S::Triple {
        let c = v.components();
        let [x, y, z] = self.0;
        x.scaled_add(c.x, y.scaled_add(c.y, z.scaled_add(c.z, addend)))
    }

    #[inline(always)]
    fn conjugated(&self, rotation: [S::Triple; 3]) -> Self {
        let left = [
            product::<S>(&rotation, self.0[0]),
            product::<S>(&rotation, self.0[1]),
            product::<S>(&rotation, self.0[2]),
        ];
        let rows = S::Triple::transposed(rotation);
        Self([
            product::<S>(&left, rows[0]),
            product::<S>(&left, rows[1]),
            product::<S>(&left, rows[2]),
        ])
    }

    #[inline(always)]
    fn minus_outer(&self, u: S::Triple, factor: S) -> Self {
        let [x, y, z] = self.0;
        let back = u.scaled(-factor);
        let c = u.components();
        Self([
            back.scaled_add(c.x, x),
            back.scaled_add(c.y, y),
            back.scaled_add(c.z, z),
        ])
    }

    #[inline(always)]
    fn displaced(&self, p: S::Triple, w: S::Triple) -> Self {
        let [x, y, z] = self.0;
        let half = S::constant(-0.5);
        let (back_p, back_w) = (p.scaled(half), w.scaled(half));
        let (cp, cw) = (p.components(), w.components());
        let zero = S::zero();
        let trace = p.dot(w);
        let x = x.plus(S::Triple::new(trace, zero, zero));
        let y = y.plus(S::Triple::new(zero, trace, zero));
        let z = z.plus(S::Triple::new(zero, zero, trace));
        Self([
            back_p.scaled_add(cw.x, back_w.scaled_add(cp.x, x)),
            back_p.scaled_add(cw.y, back_w.scaled_add(cp.y, y)),
            back_p.scaled_add(cw.z, back_w.scaled_add(cp.z, z)),
        ])
    }

    #[inline(always)]
    fn plus_transposed(&self, a: [S::Triple; 3], b: [S::Triple; 3]) -> Self {
        let rows = S::Triple::transposed(b);
        let [x, y, z] = self.0;
        Self([
            x.plus(a[0].plus(rows[0])),
            y.plus(a[1].plus(rows[1])),
            z.plus(a[2].plus(rows[2])),
        ])
    }
}
