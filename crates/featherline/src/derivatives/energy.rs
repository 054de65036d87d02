//! Derivatives of the kinetic energy.
//!
//! The energy of the links that a coordinate carries does not change by their displacement: with
//! their momentum hᶜ, ∂T/∂q = ψ̇ᵀ hᶜ and ∂T/∂v = Jᵀ hᶜ, the coordinate's momentum. The derivative
//! of the potential energy is the [gravity torque](Model::gravity_torque).

use super::columns::columns_in_motion;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{Scalar, all_finite, kernel};
use crate::workspace::{DerivativeView, Scratch, Workspace};

kernel!(
    fn differentiate_energy<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        memory: DerivativeView<'_, S>,
    ) {
        let mut memory = memory;
        columns_in_motion(model, ws, (q, v, a), &mut memory);
        let DerivativeView {
            columns, momentum, ..
        } = memory;
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let body = ws.parameters_of(i, link).transformed_by(&ws.world[i]);
            momentum[i] = body.mul_motion(&ws.velocity[i]);
        }
        let (by_q, by_v) = (&mut ws.vector, &mut ws.second);
        for k in 0..model.nv() {
            by_q[k] = S::zero();
            by_v[k] = S::constant(model.reflected_inertia[k]) * v[k];
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let h = momentum[i];
            for (k, column) in columns[link.column_range()].iter().enumerate() {
                by_q[link.idx_v + k] += column.psi().dot(&h);
                by_v[link.idx_v + k] += column.jacobian().dot(&h);
            }
            momentum[link.parent] += h;
        }
    }
);

/// The derivatives of the kinetic energy: the result of [`Model::kinetic_energy_derivatives`].
#[derive(Clone, Copy, Debug)]
pub struct KineticEnergyDerivatives<'w, S: Scalar> {
    /// ∂T/∂q, nv entries, by changes of q in the tangent space.
    pub dq: &'w [S],
    /// ∂T/∂v = M v, nv entries: the generalised momentum.
    pub dv: &'w [S],
}

impl Model {
    /// The derivatives of the [kinetic energy](Self::kinetic_energy) by q and v. That of the
    /// potential energy by q is the [gravity torque](Self::gravity_torque).
    ///
    /// `q` has nq entries, `v` nv. Cost O(n), no allocation.
    ///
    /// # Errors
    /// As [`rnea_derivatives`](Self::rnea_derivatives).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.3, -0.2], [1.0_f64, 2.0]);
    /// let momentum = model.kinetic_energy_derivatives(&mut ws, &q, &v)?.dv.to_vec();
    /// let energy = model.kinetic_energy(&mut ws, &q, &v)?;
    /// assert!((momentum[0] * v[0] + momentum[1] * v[1] - 2.0 * energy).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn kinetic_energy_derivatives<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<KineticEnergyDerivatives<'w, S>, Error> {
        self.check_state(q, v)?;
        let (scratch, matrices) = ws.parts(self)?;
        let memory = matrices.derivatives.view(&mut matrices.jacobian);
        // It can't be borrowed from the workspace while its other parts are being written.
        let zeros = std::mem::take(&mut scratch.zeros);
        differentiate_energy(self, scratch, q, v, &zeros, memory);
        scratch.zeros = zeros;
        let is_finite = all_finite(&scratch.vector) && all_finite(&scratch.second);
        self.check_finite(is_finite, "a derivative", q, &[("v", v)])?;
        Ok(KineticEnergyDerivatives {
            dq: &scratch.vector,
            dv: &scratch.second,
        })
    }
}
