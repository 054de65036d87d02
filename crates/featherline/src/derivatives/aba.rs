//! Derivatives of forward dynamics.
//!
//! With q̈ the solution of τ = ID(q, v, q̈), ∂q̈/∂x = −M⁻¹ ∂ID/∂x at that q̈, and ∂q̈/∂τ = M⁻¹
//! (J. Carpentier and N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*,
//! 2018). q̈ itself comes from the factors of M, which the inverse needs anyway (Featherstone 2008,
//! chapter 6).

use super::products::minus_products;
use super::rnea::{ForceColumns, force_on_body, place_bodies};
use crate::dynamics::crba::leaves_placements;
use crate::dynamics::ltdl::solve;
use crate::dynamics::{DynamicsOptions, external};
use crate::error::Error;
use crate::model::{JointId, Model};
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{DerivativeMemory, Matrices, Scratch, Workspace};
use nalgebra::DMatrix;

kernel!(
    avx512:
    /// Writes the bias force to `ws.vector`, of bodies that have been placed in motion.
    fn bias_of_bodies<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        forces: Option<&[Force<S>]>,
        #[plain] gravity: Vec3<f64>,
        jacobian: &[Motion<S>],
    ) {
        ws.acceleration[0] = Motion::new(-Vec3::<S>::constant(gravity), Vec3::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            // a_i = a_λ + J̇ v for q̈ = 0, J̇ v = v_i × (v_i − v_λ) + Ṡ v = v_λ × v_i + Ṡ v
            let mut a_i = ws.acceleration[link.parent];
            a_i += ws.velocity[link.parent].cross(&ws.velocity[i]);
            if link.is_varying {
                a_i += ws.world[i].act_motion(&ws.subspaces.bias[i]);
            }
            ws.acceleration[i] = a_i;
            ws.force[i] = force_on_body(model, ws, i, &a_i, forces);
        }
        ws.vector.fill(S::zero());
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            // C = Jᵀ f_i, f_λ = f_λ + f_i
            let f_i = ws.force[i];
            for (k, j) in jacobian[link.column_range()].iter().enumerate() {
                ws.vector[link.idx_v + k] += j.dot(&f_i);
            }
            if link.parent != 0 {
                ws.force[link.parent] += f_i;
            }
        }
    }
);

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
    /// External forces stay as they are in the frames of their joints while those move, forces on
    /// frames in their references; dry friction is constant, as for
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
        self.with_joint_forces(ws, q, options, |ws, options| {
            self.differentiate_forward_dynamics(ws, q, v, tau, options)
        })?;
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

    /// Writes q̈, M⁻¹ and the derivatives of inverse dynamics at q̈ to the workspace.
    fn differentiate_forward_dynamics<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<(), Error> {
        let forces = external(options.external_forces);
        self.check_forward_inputs(ws, q, v, tau, forces)?;
        self.mass_matrix_inverse(ws, q)?;
        if !self.inverts_factor() {
            self.ltdl(ws, q)?;
        }
        // M q̈ = τ − C, with passive forces if they count
        let are_placed = leaves_placements::<S>(self);
        let (scratch, matrices) = ws.parts(self)?;
        let memory = matrices.derivatives.view(&mut matrices.jacobian);
        place_bodies(self, scratch, q, v, are_placed, memory);
        bias_of_bodies(self, scratch, forces, self.gravity(), &matrices.jacobian);
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
        let outcome = self.differentiate_from_bodies::<S, false>(ws, q, v, &a, options);
        ws.scratch.second = a;
        outcome
    }
}
