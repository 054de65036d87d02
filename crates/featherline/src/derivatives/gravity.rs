//! Derivatives of the joint forces at rest.
//!
//! Those of [inverse dynamics](super::rnea) with velocities and accelerations zero.

use crate::dynamics::DynamicsOptions;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::spatial::Force;
use crate::workspace::Workspace;
use nalgebra::DMatrix;

impl Model {
    /// The derivative of the [gravity torque](Self::gravity_torque) by q, nv × nv, in the tangent
    /// space.
    ///
    /// `q` has nq entries. Cost O(nd). Source: Singh, Russell and Wensing 2022, algorithm 1, with
    /// velocities and accelerations zero.
    ///
    /// # Errors
    /// As [`rnea_derivatives`](Self::rnea_derivatives).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Hanging: the matrix is the stiffness that gravity gives, and is symmetric.
    /// let stiffness = model.gravity_torque_derivative(&mut ws, &[0.0_f64, 0.0])?;
    /// assert!((stiffness[(0, 1)] - stiffness[(1, 0)]).abs() < 1e-12);
    /// assert!((stiffness[(0, 0)] - 2.0 * 9.81).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn gravity_torque_derivative<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        self.static_torque_derivative(ws, q, &[])
    }

    /// The derivative of the [static torque](Self::static_torque) by q, nv × nv, in the tangent
    /// space. External forces stay as they are in the frames of their joints while those move.
    ///
    /// `forces` are [external forces](crate::dynamics#external-forces), or empty. For those that
    /// are constant in the world see
    /// [`external_forces_derivative_into`](Self::external_forces_derivative_into). Cost O(nd).
    ///
    /// # Errors
    /// As [`rnea_derivatives`](Self::rnea_derivatives).
    pub fn static_torque_derivative<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w DMatrix<S>, Error> {
        let options = DynamicsOptions::default()
            .without_passive_forces()
            .with_forces(forces);
        // They can't be borrowed from the workspace while its other parts are being written.
        let zeros = std::mem::take(&mut ws.scratch.zeros);
        let outcome = self.differentiate_inverse_dynamics(ws, q, &zeros, &zeros, options);
        ws.scratch.zeros = zeros;
        outcome?;
        Ok(&ws.parts(self)?.1.derivatives.force_dq)
    }
}
