//! Derivatives of hybrid dynamics.
//!
//! Let u be the coordinates whose acceleration is unknown, and k the others. From τ = ID(q, v, q̈)
//! at the solution (Featherstone 2008, section 9.2, differentiated):
//!
//! * ∂q̈_u = M_uu⁻¹ (∂τ_u − M_uk ∂q̈_k − ∂ID_u), ∂τ_k = ∂ID_k + M_ku ∂q̈_u + M_kk ∂q̈_k.
//!
//! M_uu⁻¹ is applied by the factors of a matrix on the same tree, in which the coordinates k are
//! coupled with none.

use crate::dynamics::DynamicsOptions;
use crate::dynamics::ltdl::{factorize_ltdl, solve_rows};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::workspace::{DerivativeMemory, Matrices, Workspace};
use nalgebra::DMatrix;

/// The derivatives of hybrid dynamics: the result of [`Model::hybrid_dynamics_derivatives`].
///
/// Rows of accelerations that are known, and of forces that are known, depend on `values` alone.
#[derive(Clone, Copy, Debug)]
pub struct HybridDerivatives<'w, S: Scalar> {
    /// Accelerations by changes of q in the tangent space, nv × nv.
    pub accelerations_dq: &'w DMatrix<S>,
    /// Accelerations by v, nv × nv.
    pub accelerations_dv: &'w DMatrix<S>,
    /// Accelerations by the values given, nv × nv.
    pub accelerations_dvalues: &'w DMatrix<S>,
    /// Joint forces by changes of q in the tangent space, nv × nv.
    pub forces_dq: &'w DMatrix<S>,
    /// Joint forces by v, nv × nv.
    pub forces_dv: &'w DMatrix<S>,
    /// Joint forces by the values given, nv × nv.
    pub forces_dvalues: &'w DMatrix<S>,
}

impl Model {
    /// The derivatives of [hybrid dynamics](Self::hybrid_dynamics) by q, v and the values given.
    ///
    /// The arguments are those of [`hybrid_dynamics`](Self::hybrid_dynamics). Cost O(n³) at most,
    /// no allocation.
    ///
    /// # Errors
    /// As [`hybrid_dynamics`](Self::hybrid_dynamics), and [`Error::NoMatrices`].
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // The shoulder is driven, the elbow swings freely.
    /// let (q, v, values, known) = ([0.3, 0.2], [0.0, 1.0], [0.5, 0.0], [true, false]);
    /// let options = DynamicsOptions::default();
    /// let d = model.hybrid_dynamics_derivatives(&mut ws, &q, &v, &values, &known, options)?;
    /// assert_eq!(d.accelerations_dvalues[(0, 0)], 1.0);
    /// assert_eq!((d.accelerations_dq[(0, 1)], d.forces_dq[(1, 1)]), (0.0, 0.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn hybrid_dynamics_derivatives<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        known: &[bool],
        options: DynamicsOptions<'_, S>,
    ) -> Result<HybridDerivatives<'w, S>, Error> {
        ws.check_matrices(self)?;
        self.hybrid_dynamics(ws, q, v, values, known, options)?;
        // It can't be borrowed from the workspace while its other parts are being written.
        let mut a = std::mem::take(&mut ws.scratch.second);
        a.copy_from_slice(&ws.scratch.vector);
        let outcome = self.differentiate_inverse_dynamics(ws, q, v, &a, options);
        ws.scratch.second = a;
        outcome?;
        let (_, matrices) = ws.parts(self)?;
        let Matrices {
            packed,
            inverse,
            derivatives,
            ..
        } = matrices;
        let DerivativeMemory {
            force_dq,
            force_dv,
            force_da,
            force_dvalue,
            acceleration_dq,
            acceleration_dv,
            rows,
            is_dense,
            ..
        } = derivatives;
        *is_dense = true;
        let (n, tree) = (self.nv(), self.elimination_tree());
        packed.fill(S::zero());
        for k in 0..n {
            let own = if known[k] { S::one() } else { force_da[(k, k)] };
            packed[tree.place::<S>(k, k)] = own;
            for j in tree.ancestors(k) {
                if !known[k] && !known[j] {
                    packed[tree.place::<S>(k, j)] = force_da[(k, j)];
                }
            }
        }
        rows.fill(S::zero());
        for k in 0..n {
            let row = &mut rows[3 * n * k..3 * n * (k + 1)];
            row[2 * n + k] = S::one();
            if known[k] {
                continue;
            }
            for j in 0..n {
                row[j] = -force_dq[(k, j)];
                row[n + j] = -force_dv[(k, j)];
                if known[j] {
                    row[2 * n + j] = -force_da[(k, j)];
                }
            }
        }
        factorize_ltdl(tree, packed)?;
        solve_rows(tree, packed, rows, 3 * n);
        for k in 0..n {
            for j in 0..n {
                acceleration_dq[(k, j)] = rows[3 * n * k + j];
                acceleration_dv[(k, j)] = rows[3 * n * k + n + j];
                inverse[(k, j)] = rows[3 * n * k + 2 * n + j];
            }
        }
        for k in 0..n {
            for j in 0..n {
                let own = if k == j { S::one() } else { S::zero() };
                let (mut by_q, mut by_v, mut by_value) = (S::zero(), S::zero(), own);
                if known[k] {
                    (by_q, by_v, by_value) = (force_dq[(k, j)], force_dv[(k, j)], S::zero());
                    for l in 0..n {
                        let mass = force_da[(k, l)];
                        by_q = mass.mul_add(acceleration_dq[(l, j)], by_q);
                        by_v = mass.mul_add(acceleration_dv[(l, j)], by_v);
                        by_value = mass.mul_add(inverse[(l, j)], by_value);
                    }
                }
                (force_dq[(k, j)], force_dv[(k, j)]) = (by_q, by_v);
                force_dvalue[(k, j)] = by_value;
            }
        }
        Ok(HybridDerivatives {
            accelerations_dq: acceleration_dq,
            accelerations_dv: acceleration_dv,
            accelerations_dvalues: inverse,
            forces_dq: force_dq,
            forces_dv: force_dv,
            forces_dvalues: force_dvalue,
        })
    }
}
