//! Jacobians of `integrate` and `difference`, between tangent spaces.
//!
//! Changes of a configuration are written as velocities in its own (child) frame, q ⊕ δ, so that
//! all Jacobians are nv × nv. With the group's exponential and its right Jacobian Jᵣ, and Ad for
//! the adjoint, they are (Solà, Deray and Atchuthan 2018, section III-C)
//!
//! * ∂(q ⊕ v)/∂q = Ad(exp v)⁻¹, ∂(q ⊕ v)/∂v = Jᵣ(v),
//! * ∂(q1 ⊖ q0)/∂q1 = Jᵣ(d)⁻¹, ∂(q1 ⊖ q0)/∂q0 = −Jᵣ(−d)⁻¹, with d = q1 ⊖ q0.
//!
//! For vectors and for SO(2) all but the last are the identity. `TangentMap` gives the block of
//! each kind of joint; matrices and products are made of these blocks.

use super::composite::{MAX_SIMPLE_NV, SimpleJoints};
use super::configuration::Group;
use super::{JointKind, free_flyer, planar};
use crate::scalar::Scalar;
use crate::spatial::{
    Vec3, exp3, exp6, right_jacobian3, right_jacobian3_inverse, right_jacobian6,
    right_jacobian6_inverse,
};
use DifferenceMap::{ByEnd, ByStart};
use IntegrationMap::{ByConfiguration, ByVelocity, DisplacementRate, Transport};
use nalgebra::DMatrixViewMut;
use std::ops::Range;

/// The rows of the spatial Jacobians that move within the xy plane.
const IN_PLANE: [usize; 3] = [0, 1, 5];

/// A linear map between tangent spaces, by what it depends on: coordinates of a joint, or of many.
#[derive(Clone, Copy)]
pub enum TangentMap<'a, S> {
    /// One that depends on a velocity v.
    Integration(IntegrationMap, &'a [S]),
    /// One that depends on configurations q0 and q1.
    Difference(DifferenceMap, &'a [S], &'a [S]),
}

#[derive(Clone, Copy)]
pub enum IntegrationMap {
    /// ∂(q ⊕ v)/∂q = Ad(exp v)⁻¹.
    ByConfiguration,
    /// ∂(q ⊕ v)/∂v = Jᵣ(v).
    ByVelocity,
    /// Ad(exp v).
    Transport,
    /// Jᵣ(v)⁻¹.
    DisplacementRate,
}

#[derive(Clone, Copy)]
pub enum DifferenceMap {
    /// ∂(q1 ⊖ q0)/∂q0 = −Jᵣ(q0 ⊖ q1)⁻¹.
    ByStart,
    /// ∂(q1 ⊖ q0)/∂q1 = Jᵣ(q1 ⊖ q0)⁻¹.
    ByEnd,
}

/// The map of one joint that is not composite.
enum Block<S> {
    /// A multiple of the identity.
    Scalar(S),
    OfThree([[S; 3]; 3]),
    OfSix([[S; 6]; 6]),
}

impl<'a, S: Scalar> TangentMap<'a, S> {
    /// The map of a joint, from that of all joints or of the composite that it is part of.
    #[inline(always)]
    pub fn of(self, q: Range<usize>, v: Range<usize>) -> Self {
        match self {
            Self::Integration(map, all) => Self::Integration(map, &all[v]),
            Self::Difference(map, q0, q1) => Self::Difference(map, &q0[q.clone()], &q1[q]),
        }
    }

    // Each formula stands once: inlined, they are large.
    #[inline(always)]
    fn block(self, kind: &JointKind) -> Block<S> {
        let mut own = [S::zero(); MAX_SIMPLE_NV];
        let (formula, v) = match self {
            Self::Integration(ByConfiguration, v) => {
                for k in 0..v.len() {
                    own[k] = S::zero() - v[k];
                }
                (Formula::Adjoint, &own[..])
            }
            Self::Integration(Transport, v) => (Formula::Adjoint, v),
            Self::Integration(ByVelocity, v) => (Formula::RightJacobian, v),
            Self::Integration(DisplacementRate, v) => (Formula::RightJacobianInverse, v),
            Self::Difference(map, q0, q1) => {
                // A motion of q0 is the opposite motion of q1, seen from q1 with the path reversed.
                let (start, end) = match map {
                    ByStart => (q1, q0),
                    ByEnd => (q0, q1),
                };
                kind.difference_simple(start, end, &mut own);
                (Formula::RightJacobianInverse, &own[..])
            }
        };
        let block = match formula {
            Formula::Adjoint => adjoint(kind, v),
            Formula::RightJacobian => right_jacobian(kind, v),
            Formula::RightJacobianInverse => right_jacobian_inverse(kind, v),
        };
        if let Self::Difference(ByStart, ..) = self {
            return block.negated();
        }
        block
    }
}

enum Formula {
    Adjoint,
    RightJacobian,
    RightJacobianInverse,
}

/// Ad(exp v): how a change after the motion is seen before it.
#[inline(always)]
fn adjoint<S: Scalar>(kind: &JointKind, v: &[S]) -> Block<S> {
    match kind.group() {
        Group::Se2 => in_plane(&exp6(&planar::motion(v)).action_matrix()),
        Group::So3 => Block::OfThree(exp3(Vec3::new(v[0], v[1], v[2])).to_rows()),
        Group::Se3 => Block::OfSix(exp6(&free_flyer::motion(v)).action_matrix()),
        Group::Vector | Group::So2 => Block::Scalar(S::one()),
    }
}

/// Jᵣ(v).
#[inline(always)]
fn right_jacobian<S: Scalar>(kind: &JointKind, v: &[S]) -> Block<S> {
    match kind.group() {
        Group::Se2 => in_plane(&right_jacobian6(&planar::motion(v))),
        Group::So3 => Block::OfThree(right_jacobian3(Vec3::new(v[0], v[1], v[2])).to_rows()),
        Group::Se3 => Block::OfSix(right_jacobian6(&free_flyer::motion(v))),
        Group::Vector | Group::So2 => Block::Scalar(S::one()),
    }
}

/// Jᵣ(v)⁻¹.
#[inline(always)]
fn right_jacobian_inverse<S: Scalar>(kind: &JointKind, v: &[S]) -> Block<S> {
    match kind.group() {
        Group::Se2 => in_plane(&right_jacobian6_inverse(&planar::motion(v))),
        Group::So3 => {
            Block::OfThree(right_jacobian3_inverse(Vec3::new(v[0], v[1], v[2])).to_rows())
        }
        Group::Se3 => Block::OfSix(right_jacobian6_inverse(&free_flyer::motion(v))),
        Group::Vector | Group::So2 => Block::Scalar(S::one()),
    }
}

#[inline(always)]
fn in_plane<S: Scalar>(rows: &[[S; 6]; 6]) -> Block<S> {
    let mut plane = [[S::zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            plane[i][j] = rows[IN_PLANE[i]][IN_PLANE[j]];
        }
    }
    Block::OfThree(plane)
}

impl<S: Scalar> Block<S> {
    #[inline(always)]
    fn negated(self) -> Self {
        match self {
            Self::Scalar(x) => Self::Scalar(S::zero() - x),
            Self::OfThree(rows) => Self::OfThree(negated(rows)),
            Self::OfSix(rows) => Self::OfSix(negated(rows)),
        }
    }

    /// Writes the block to a matrix of zeros.
    #[inline(always)]
    fn write(&self, out: &mut DMatrixViewMut<'_, S>) {
        match self {
            Self::Scalar(x) => out.fill_diagonal(*x),
            Self::OfThree(rows) => write(rows, out),
            Self::OfSix(rows) => write(rows, out),
        }
    }

    /// Writes B v.
    #[inline(always)]
    fn write_product(&self, v: &[S], out: &mut [S]) {
        match self {
            Self::Scalar(x) => {
                for k in 0..v.len() {
                    out[k] = *x * v[k];
                }
            }
            Self::OfThree(rows) => write_product(rows, v, out),
            Self::OfSix(rows) => write_product(rows, v, out),
        }
    }

    /// X ← B X.
    #[inline(always)]
    fn times(&self, matrix: &mut DMatrixViewMut<'_, S>) {
        match self {
            Self::Scalar(x) => scale(*x, matrix),
            Self::OfThree(rows) => times(rows, matrix),
            Self::OfSix(rows) => times(rows, matrix),
        }
    }

    /// X ← X B.
    #[inline(always)]
    fn times_from_right(&self, matrix: &mut DMatrixViewMut<'_, S>) {
        match self {
            Self::Scalar(x) => scale(*x, matrix),
            Self::OfThree(rows) => times_from_right(rows, matrix),
            Self::OfSix(rows) => times_from_right(rows, matrix),
        }
    }
}

#[inline(always)]
fn negated<S: Scalar, const N: usize>(mut rows: [[S; N]; N]) -> [[S; N]; N] {
    for i in 0..N {
        for j in 0..N {
            rows[i][j] = S::zero() - rows[i][j];
        }
    }
    rows
}

#[inline(always)]
fn write<S: Scalar, const N: usize>(rows: &[[S; N]; N], out: &mut DMatrixViewMut<'_, S>) {
    for i in 0..N {
        for j in 0..N {
            out[(i, j)] = rows[i][j];
        }
    }
}

#[inline(always)]
fn scale<S: Scalar>(x: S, matrix: &mut DMatrixViewMut<'_, S>) {
    for entry in matrix.iter_mut() {
        *entry = x * *entry;
    }
}

#[inline(always)]
fn write_product<S: Scalar, const N: usize>(rows: &[[S; N]; N], v: &[S], out: &mut [S]) {
    for i in 0..N {
        let mut sum = S::zero();
        for j in 0..N {
            sum = rows[i][j].mul_add(v[j], sum);
        }
        out[i] = sum;
    }
}

#[inline(always)]
fn times<S: Scalar, const N: usize>(rows: &[[S; N]; N], matrix: &mut DMatrixViewMut<'_, S>) {
    for k in 0..matrix.ncols() {
        let mut column = [S::zero(); N];
        for j in 0..N {
            column[j] = matrix[(j, k)];
        }
        let mut product = [S::zero(); N];
        write_product(rows, &column, &mut product);
        for i in 0..N {
            matrix[(i, k)] = product[i];
        }
    }
}

#[inline(always)]
fn times_from_right<S: Scalar, const N: usize>(
    rows: &[[S; N]; N],
    matrix: &mut DMatrixViewMut<'_, S>,
) {
    for k in 0..matrix.nrows() {
        let mut row = [S::zero(); N];
        for i in 0..N {
            row[i] = matrix[(k, i)];
        }
        for j in 0..N {
            let mut sum = S::zero();
            for i in 0..N {
                sum = rows[i][j].mul_add(row[i], sum);
            }
            matrix[(k, j)] = sum;
        }
    }
}

impl JointKind {
    /// The Jacobian of `integrate(q, v)` by q, an nv × nv matrix. It depends on v alone.
    ///
    /// # Panics
    /// If `v` has fewer than [`nv`](Self::nv) entries or `out` fewer rows or columns.
    #[inline(always)]
    pub fn d_integrate_dq<S: Scalar>(&self, v: &[S], out: &mut DMatrixViewMut<'_, S>) {
        self.write_tangent_map(TangentMap::Integration(ByConfiguration, v), out);
    }

    /// The Jacobian of `integrate(q, v)` by v, an nv × nv matrix. It depends on v alone.
    ///
    /// # Panics
    /// If `v` has fewer than [`nv`](Self::nv) entries or `out` fewer rows or columns.
    #[inline(always)]
    pub fn d_integrate_dv<S: Scalar>(&self, v: &[S], out: &mut DMatrixViewMut<'_, S>) {
        self.write_tangent_map(TangentMap::Integration(ByVelocity, v), out);
    }

    /// The Jacobian of `difference(q0, q1)` by q0, an nv × nv matrix.
    ///
    /// Where the difference turns by exactly π it jumps; the Jacobian is then that of the side
    /// which was taken.
    ///
    /// # Panics
    /// If a slice has fewer than [`nq`](Self::nq) entries or `out` fewer than [`nv`](Self::nv) rows
    /// or columns.
    #[inline(always)]
    pub fn d_difference_dq0<S: Scalar>(&self, q0: &[S], q1: &[S], out: &mut DMatrixViewMut<'_, S>) {
        self.write_tangent_map(TangentMap::Difference(ByStart, q0, q1), out);
    }

    /// The Jacobian of `difference(q0, q1)` by q1, an nv × nv matrix.
    ///
    /// Where the difference turns by exactly π it jumps; the Jacobian is then that of the side
    /// which was taken.
    ///
    /// # Panics
    /// If a slice has fewer than [`nq`](Self::nq) entries or `out` fewer than [`nv`](Self::nv) rows
    /// or columns.
    #[inline(always)]
    pub fn d_difference_dq1<S: Scalar>(&self, q0: &[S], q1: &[S], out: &mut DMatrixViewMut<'_, S>) {
        self.write_tangent_map(TangentMap::Difference(ByEnd, q0, q1), out);
    }

    /// The rate of a displacement u for which q ⊕ u moves with the velocity `v`: Jᵣ(u)⁻¹ v.
    ///
    /// `u`, `v` and `out` have [`nv`](Self::nv) entries. It is what a differential equation on the
    /// group becomes in the coordinates u, the dexp⁻¹ of Runge-Kutta-Munthe-Kaas methods in closed
    /// form. Cost O(nv).
    ///
    /// # Panics
    /// If a slice is shorter than that.
    #[inline(always)]
    pub fn displacement_rate<S: Scalar>(&self, u: &[S], v: &[S], out: &mut [S]) {
        self.write_tangent(TangentMap::Integration(DisplacementRate, u), v, out);
    }

    /// The velocity of q ⊕ u while the displacement u changes at the given rate: Jᵣ(u) u̇, the
    /// inverse of [`displacement_rate`](Self::displacement_rate).
    ///
    /// # Panics
    /// If a slice has fewer than [`nv`](Self::nv) entries.
    #[inline(always)]
    pub fn displacement_velocity<S: Scalar>(&self, u: &[S], rate: &[S], out: &mut [S]) {
        self.write_tangent(TangentMap::Integration(ByVelocity, u), rate, out);
    }

    /// Writes a map as a matrix.
    #[inline(always)]
    pub(crate) fn write_tangent_map<S: Scalar>(
        &self,
        map: TangentMap<'_, S>,
        out: &mut DMatrixViewMut<'_, S>,
    ) {
        out.fill(S::zero());
        for joint in SimpleJoints::of(self) {
            let (start, count) = (joint.v.start, joint.v.len());
            let out = &mut out.view_mut((start, start), (count, count));
            map.of(joint.q, joint.v).block(joint.kind).write(out);
        }
    }

    /// Writes a map times a vector.
    #[inline(always)]
    fn write_tangent<S: Scalar>(&self, map: TangentMap<'_, S>, v: &[S], out: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let (v, out) = (&v[joint.v.clone()], &mut out[joint.v.clone()]);
            let block = map.of(joint.q, joint.v).block(joint.kind);
            block.write_product(v, out);
        }
    }

    /// X ← B X of the joint's rows, or X ← X B of its columns, with the map B.
    #[inline(always)]
    pub(crate) fn multiply_tangent_map<S: Scalar>(
        &self,
        map: TangentMap<'_, S>,
        is_from_right: bool,
        matrix: &mut DMatrixViewMut<'_, S>,
    ) {
        for joint in SimpleJoints::of(self) {
            let (start, count) = (joint.v.start, joint.v.len());
            let block = map.of(joint.q, joint.v).block(joint.kind);
            if is_from_right {
                block.times_from_right(&mut matrix.columns_mut(start, count));
            } else {
                block.times(&mut matrix.rows_mut(start, count));
            }
        }
    }
}
