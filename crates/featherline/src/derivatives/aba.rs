//! Derivatives of forward dynamics.
//!
//! With q̈ the solution of τ = ID(q, v, q̈), ∂q̈/∂x = −M⁻¹ ∂ID/∂x at that q̈, and ∂q̈/∂τ = M⁻¹
//! (J. Carpentier and N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*,
//! 2018). q̈ itself comes from the factors of M, which the inverse needs anyway (Featherstone 2008,
//! chapter 6).

use super::rnea::ForceColumns;
use crate::dynamics::ltdl::solve;
use crate::dynamics::{DynamicsOptions, external};
use crate::error::Error;
use crate::model::{JointId, Model};
use crate::scalar::{Scalar, kernel};
use crate::workspace::{DerivativeMemory, Matrices, Workspace, all_finite};
use nalgebra::DMatrix;

/// Rows at a time, for numbers of which several share a register.
const ROWS: usize = 8;

/// The same for numbers that fill a register each, and for short matrices.
const FEW_ROWS: usize = 4;

kernel!(
    /// −M⁻¹ times two matrices with the pattern of M.
    fn minus_products<S: Scalar>(
        model: &Model,
        inverse: &[S],
        by_q: &[S],
        by_v: &[S],
        out_q: &mut [S],
        out_v: &mut [S],
    ) {
        let n = model.nv();
        let is_plain = size_of::<S>() <= size_of::<f64>();
        for (i, link) in model.links.iter().enumerate().skip(1) {
            if !link.owns_coordinates {
                continue;
            }
            for j in link.idx_v..link.idx_v + link.columns {
                let column = j * n..(j + 1) * n;
                let (by_q, by_v) = (&by_q[column.clone()], &by_v[column.clone()]);
                let (out_q, out_v) = (&mut out_q[column.clone()], &mut out_v[column]);
                let factors = (by_q, by_v);
                let mut begin = 0;
                // As many sums as hide the latency of one; the last rows may be computed twice.
                while is_plain && begin + 2 * ROWS <= n {
                    let sums = sum_rows::<S, { 2 * ROWS }>(model, i, begin, inverse, factors);
                    put_rows(&sums, begin, out_q, out_v);
                    begin += 2 * ROWS;
                }
                while is_plain && n >= ROWS && begin < n {
                    let first = begin.min(n - ROWS);
                    let sums = sum_rows::<S, ROWS>(model, i, first, inverse, factors);
                    put_rows(&sums, first, out_q, out_v);
                    begin += ROWS;
                }
                while n >= FEW_ROWS && begin < n {
                    let first = begin.min(n - FEW_ROWS);
                    let sums = sum_rows::<S, FEW_ROWS>(model, i, first, inverse, factors);
                    put_rows(&sums, first, out_q, out_v);
                    begin += FEW_ROWS;
                }
                while begin < n {
                    let sums = sum_rows::<S, 1>(model, i, begin, inverse, factors);
                    put_rows(&sums, begin, out_q, out_v);
                    begin += 1;
                }
            }
        }
    }
);

/// `N` rows of both products, in the columns of a coordinate of joint i.
#[inline(always)]
fn sum_rows<S: Scalar, const N: usize>(
    model: &Model,
    i: usize,
    begin: usize,
    inverse: &[S],
    factors: (&[S], &[S]),
) -> ([S; N], [S; N]) {
    let mut sums = ([S::zero(); N], [S::zero(); N]);
    if model.has_mimic_joints() {
        add_rows(inverse, begin, 0..model.nv(), factors, &mut sums);
        return sums;
    }
    // The coordinates that the joint carries, and those on its path to the root.
    let last = &model.links[model.subtree_end(i) - 1];
    let carried = model.links[i].idx_v..last.idx_v + last.columns;
    add_rows(inverse, begin, carried, factors, &mut sums);
    let mut above = model.links[i].parent;
    while above != 0 {
        let link = &model.links[above];
        let own = link.idx_v..link.idx_v + link.columns;
        add_rows(inverse, begin, own, factors, &mut sums);
        above = link.parent;
    }
    sums
}

#[inline(always)]
fn put_rows<S: Scalar, const N: usize>(
    sums: &([S; N], [S; N]),
    begin: usize,
    out_q: &mut [S],
    out_v: &mut [S],
) {
    out_q[begin..begin + N].copy_from_slice(&sums.0);
    out_v[begin..begin + N].copy_from_slice(&sums.1);
}

/// Subtracts what some coordinates add to `N` rows of both products.
#[inline(always)]
fn add_rows<S: Scalar, const N: usize>(
    inverse: &[S],
    begin: usize,
    coordinates: std::ops::Range<usize>,
    (by_q, by_v): (&[S], &[S]),
    sums: &mut ([S; N], [S; N]),
) {
    let n = by_q.len();
    for k in coordinates {
        let (by_q, by_v) = (-by_q[k], -by_v[k]);
        // M⁻¹ is symmetric: its rows are its columns.
        let row = &inverse[k * n + begin..k * n + begin + N];
        for l in 0..N {
            sums.0[l] = row[l].mul_add(by_q, sums.0[l]);
            sums.1[l] = row[l].mul_add(by_v, sums.1[l]);
        }
    }
}

/// The derivatives of forward dynamics: the result of [`Model::aba_derivatives`] and
/// [`Model::forward_dynamics_derivatives`].
#[derive(Clone, Copy, Debug)]
pub struct ForwardDynamicsDerivatives<'w, S: Scalar> {
    /// q̈ itself, nv entries.
    pub acceleration: &'w [S],
    /// ∂q̈/∂q, nv × nv, by changes of q in the tangent space.
    pub dq: &'w DMatrix<S>,
    /// ∂q̈/∂v, nv × nv.
    pub dv: &'w DMatrix<S>,
    /// ∂q̈/∂τ = M(q)⁻¹, nv × nv.
    pub dtau: &'w DMatrix<S>,
    columns: ForceColumns<'w, S>,
}

impl<S: Scalar> ForwardDynamicsDerivatives<'_, S> {
    /// Writes ∂q̈/∂f, nv × 6, for the external force on a joint's body: M⁻¹ Jᵀ, J the Jacobian of
    /// the joint's output frame in it. Cost O(nv d), d the depth of the joint.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is nv × 6; [`Error::ForeignId`].
    pub fn d_external_force_into(&self, joint: JointId, out: &mut DMatrix<S>) -> Result<(), Error> {
        self.columns.write(joint, Some(self.dtau), out)
    }
}

impl Model {
    /// The derivatives of [`aba`](Self::aba) by q, v and τ, and q̈ itself.
    ///
    /// Column k of `dq` is the change of q̈ for q ⊕ ε eₖ by ε: for a free-flyer, motions in the
    /// base's own frame. `q` has nq entries, `v` and `tau` have nv. Cost O(n²d), d the depth of the
    /// tree, no allocation. Source: Carpentier and Mansard 2018; Singh, Russell and
    /// Wensing 2022.
    ///
    /// # Errors
    /// As [`aba`](Self::aba), and [`Error::NoMatrices`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, tau) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
    /// let derivatives = model.aba_derivatives(&mut ws, &q, &v, &tau)?;
    /// let by_shoulder = derivatives.dq[(1, 0)];
    /// let h = 1e-6;
    /// let next = model.aba(&mut ws, &[0.3 + h, -0.2], &v, &tau)?[1];
    /// let last = model.aba(&mut ws, &[0.3 - h, -0.2], &v, &tau)?[1];
    /// assert!((by_shoulder - (next - last) / (2.0 * h)).abs() < 1e-6);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn aba_derivatives<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Result<ForwardDynamicsDerivatives<'w, S>, Error> {
        let options = DynamicsOptions::default().without_passive_forces();
        self.forward_dynamics_derivatives(ws, q, v, tau, options)
    }

    /// The derivatives of [`forward_dynamics`](Self::forward_dynamics) with the same options by q,
    /// v and τ, and q̈ itself.
    ///
    /// External forces stay as they are in the frames of their joints while those move; dry
    /// friction is constant, as for
    /// [`inverse_dynamics_derivatives`](Self::inverse_dynamics_derivatives). Cost O(n²d).
    ///
    /// # Errors
    /// As [`aba_derivatives`](Self::aba_derivatives).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, tau) = ([0.3, -0.2], [1.0, 0.5], [0.0, 2.0_f64]);
    /// let options = DynamicsOptions::default();
    /// let derivatives = model.forward_dynamics_derivatives(&mut ws, &q, &v, &tau, options)?;
    /// let inverse = derivatives.dtau.clone();
    /// assert!((inverse * model.crba(&mut ws, &q)?)[(0, 1)].abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_dynamics_derivatives<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<ForwardDynamicsDerivatives<'w, S>, Error> {
        let forces = external(options.external_forces);
        self.check_forward_inputs(ws, q, v, tau, forces)?;
        self.mass_matrix_inverse(ws, q)?;
        if !self.inverts_factor() {
            self.ltdl(ws, q)?;
        }
        // M q̈ = τ − C, with passive forces if they count
        self.run_rnea(ws, q, v, None, forces, self.gravity())?;
        if options.passive_forces {
            self.passive_forces(ws, q, v)?;
        }
        let (scratch, matrices) = ws.parts(self)?;
        for k in 0..self.nv() {
            scratch.second[k] = tau[k] - scratch.vector[k];
            if options.passive_forces {
                scratch.second[k] += scratch.passive[k];
            }
        }
        solve(
            self.elimination_tree(),
            &matrices.packed,
            &mut scratch.second,
        );
        if !all_finite(&scratch.second) {
            let tangents = [("v", v), ("tau", tau)];
            return Err(self.explain_not_finite("the acceleration", q, &tangents, forces));
        }
        // It can't be borrowed from the workspace while its other parts are being written.
        let a = std::mem::take(&mut ws.scratch.second);
        let outcome = self.differentiate_inverse_dynamics(ws, q, v, &a, options);
        ws.scratch.second = a;
        outcome?;
        let (scratch, matrices) = ws.parts(self)?;
        let Matrices {
            inverse,
            jacobian,
            derivatives,
            ..
        } = matrices;
        let DerivativeMemory {
            force_dq,
            force_dv,
            acceleration_dq,
            acceleration_dv,
            ..
        } = derivatives;
        minus_products(
            self,
            inverse.as_slice(),
            force_dq.as_slice(),
            force_dv.as_slice(),
            acceleration_dq.as_mut_slice(),
            acceleration_dv.as_mut_slice(),
        );
        Ok(ForwardDynamicsDerivatives {
            acceleration: &scratch.second,
            dq: acceleration_dq,
            dv: acceleration_dv,
            dtau: inverse,
            columns: ForceColumns {
                model: self,
                scratch,
                jacobian,
            },
        })
    }
}
