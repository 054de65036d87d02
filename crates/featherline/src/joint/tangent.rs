//! Jacobians of `integrate` and `difference`, between tangent spaces.
//!
//! Changes of a configuration are written as velocities in its own (child) frame, q ⊕ δ, so that
//! all Jacobians are nv × nv. With the group's exponential and its right Jacobian Jᵣ, and Ad for
//! the adjoint, they are (Solà, Deray and Atchuthan 2018, section III-C)
//!
//! * ∂(q ⊕ v)/∂q = Ad(exp v)⁻¹, ∂(q ⊕ v)/∂v = Jᵣ(v),
//! * ∂(q1 ⊖ q0)/∂q1 = Jᵣ(d)⁻¹, ∂(q1 ⊖ q0)/∂q0 = −Jᵣ(−d)⁻¹, with d = q1 ⊖ q0.
//!
//! For vectors and for SO(2) all but the last are the identity.

use super::composite::{MAX_SIMPLE_NV, SimpleJoints};
use super::{JointKind, free_flyer, planar};
use crate::scalar::Scalar;
use crate::spatial::{
    Mat3, Motion, Vec3, exp3, exp6, right_jacobian3, right_jacobian3_inverse, right_jacobian6,
    right_jacobian6_inverse,
};
use nalgebra::DMatrixViewMut;

/// The rows of the spatial Jacobians that move within the xy plane.
const IN_PLANE: [usize; 3] = [0, 1, 5];

impl JointKind {
    /// The Jacobian of `integrate(q, v)` by q, an nv × nv matrix. It depends on v alone.
    ///
    /// # Panics
    /// If `v` has fewer than [`nv`](Self::nv) entries or `out` fewer rows or columns.
    #[inline(always)]
    pub fn d_integrate_dq<S: Scalar>(&self, v: &[S], out: &mut DMatrixViewMut<'_, S>) {
        out.fill(S::zero());
        for joint in SimpleJoints::of(self) {
            let v = &v[joint.v.clone()];
            let out = &mut block(out, joint.v);
            match joint.kind {
                Self::Planar => write_in_plane(&carried(&planar::motion(v)), out),
                Self::Spherical => write_3(&exp3(Vec3::new(-v[0], -v[1], -v[2])), out),
                Self::FreeFlyer => write_6(&carried(&free_flyer::motion(v)), out),
                _ => out.fill_diagonal(S::one()),
            }
        }
    }

    /// The Jacobian of `integrate(q, v)` by v, an nv × nv matrix. It depends on v alone.
    ///
    /// # Panics
    /// If `v` has fewer than [`nv`](Self::nv) entries or `out` fewer rows or columns.
    #[inline(always)]
    pub fn d_integrate_dv<S: Scalar>(&self, v: &[S], out: &mut DMatrixViewMut<'_, S>) {
        out.fill(S::zero());
        for joint in SimpleJoints::of(self) {
            let v = &v[joint.v.clone()];
            let out = &mut block(out, joint.v);
            match joint.kind {
                Self::Planar => write_in_plane(&right_jacobian6(&planar::motion(v)), out),
                Self::Spherical => write_3(&right_jacobian3(Vec3::new(v[0], v[1], v[2])), out),
                Self::FreeFlyer => write_6(&right_jacobian6(&free_flyer::motion(v)), out),
                _ => out.fill_diagonal(S::one()),
            }
        }
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
        // What q0 gains is what q1 loses, seen from q1 with the way reversed.
        self.write_logarithm_jacobians(q1, q0, out);
        for element in out.iter_mut() {
            *element = S::zero() - *element;
        }
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
        self.write_logarithm_jacobians(q0, q1, out);
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
        for joint in SimpleJoints::of(self) {
            let (u, v) = (&u[joint.v.clone()], &v[joint.v.clone()]);
            let out = &mut out[joint.v];
            match joint.kind {
                Self::Planar => {
                    let rows = right_jacobian6_inverse(&planar::motion(u));
                    write_in_plane_product(&rows, v, out);
                }
                Self::Spherical => {
                    let jacobian = right_jacobian3_inverse(Vec3::new(u[0], u[1], u[2]));
                    write_3_product(&jacobian, v, out);
                }
                Self::FreeFlyer => {
                    write_6_product(&right_jacobian6_inverse(&free_flyer::motion(u)), v, out);
                }
                _ => out.copy_from_slice(v),
            }
        }
    }

    /// The velocity of q ⊕ u while the displacement u changes at the given rate: Jᵣ(u) u̇, the
    /// inverse of [`displacement_rate`](Self::displacement_rate).
    ///
    /// # Panics
    /// If a slice has fewer than [`nv`](Self::nv) entries.
    #[inline(always)]
    pub fn displacement_velocity<S: Scalar>(&self, u: &[S], rate: &[S], out: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let (u, rate) = (&u[joint.v.clone()], &rate[joint.v.clone()]);
            let out = &mut out[joint.v];
            match joint.kind {
                Self::Planar => {
                    let rows = right_jacobian6(&planar::motion(u));
                    write_in_plane_product(&rows, rate, out);
                }
                Self::Spherical => {
                    let jacobian = right_jacobian3(Vec3::new(u[0], u[1], u[2]));
                    write_3_product(&jacobian, rate, out);
                }
                Self::FreeFlyer => {
                    write_6_product(&right_jacobian6(&free_flyer::motion(u)), rate, out);
                }
                _ => out.copy_from_slice(rate),
            }
        }
    }

    /// Writes Jᵣ(q1 ⊖ q0)⁻¹.
    #[inline(always)]
    fn write_logarithm_jacobians<S: Scalar>(
        &self,
        q0: &[S],
        q1: &[S],
        out: &mut DMatrixViewMut<'_, S>,
    ) {
        out.fill(S::zero());
        for joint in SimpleJoints::of(self) {
            let mut d = [S::zero(); MAX_SIMPLE_NV];
            let (q0, q1) = (&q0[joint.q.clone()], &q1[joint.q]);
            joint.kind.difference_simple(q0, q1, &mut d);
            let out = &mut block(out, joint.v);
            match joint.kind {
                Self::Planar => write_in_plane(&right_jacobian6_inverse(&planar::motion(&d)), out),
                Self::Spherical => {
                    write_3(&right_jacobian3_inverse(Vec3::new(d[0], d[1], d[2])), out);
                }
                Self::FreeFlyer => write_6(&right_jacobian6_inverse(&free_flyer::motion(&d)), out),
                _ => out.fill_diagonal(S::one()),
            }
        }
    }
}

/// The diagonal block of a part.
#[inline(always)]
fn block<'a, S: Scalar>(
    whole: &'a mut DMatrixViewMut<'_, S>,
    range: std::ops::Range<usize>,
) -> DMatrixViewMut<'a, S> {
    whole.view_mut((range.start, range.start), (range.len(), range.len()))
}

/// Ad(exp v)⁻¹: how a change before the motion is seen after it.
#[inline(always)]
fn carried<S: Scalar>(motion: &Motion<S>) -> [[S; 6]; 6] {
    exp6(&-*motion).action_matrix()
}

#[inline(always)]
fn write_3<S: Scalar>(matrix: &Mat3<S>, out: &mut DMatrixViewMut<'_, S>) {
    let rows = matrix.to_rows();
    for i in 0..3 {
        for j in 0..3 {
            out[(i, j)] = rows[i][j];
        }
    }
}

#[inline(always)]
fn write_6<S: Scalar>(rows: &[[S; 6]; 6], out: &mut DMatrixViewMut<'_, S>) {
    for i in 0..6 {
        for j in 0..6 {
            out[(i, j)] = rows[i][j];
        }
    }
}

#[inline(always)]
fn write_in_plane<S: Scalar>(rows: &[[S; 6]; 6], out: &mut DMatrixViewMut<'_, S>) {
    for (i, &row) in IN_PLANE.iter().enumerate() {
        for (j, &column) in IN_PLANE.iter().enumerate() {
            out[(i, j)] = rows[row][column];
        }
    }
}

#[inline(always)]
fn write_3_product<S: Scalar>(matrix: &Mat3<S>, v: &[S], out: &mut [S]) {
    let product = matrix.mul_vec(Vec3::new(v[0], v[1], v[2]));
    out.copy_from_slice(&product.to_array());
}

#[inline(always)]
fn write_6_product<S: Scalar>(rows: &[[S; 6]; 6], v: &[S], out: &mut [S]) {
    for i in 0..6 {
        let mut sum = S::zero();
        for j in 0..6 {
            sum = rows[i][j].mul_add(v[j], sum);
        }
        out[i] = sum;
    }
}

#[inline(always)]
fn write_in_plane_product<S: Scalar>(rows: &[[S; 6]; 6], v: &[S], out: &mut [S]) {
    for (i, &row) in IN_PLANE.iter().enumerate() {
        let mut sum = S::zero();
        for (j, &column) in IN_PLANE.iter().enumerate() {
            sum = rows[row][column].mul_add(v[j], sum);
        }
        out[i] = sum;
    }
}
