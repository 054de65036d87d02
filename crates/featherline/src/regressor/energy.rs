//! Regressors of the energies, and of the force on one body.

use super::body::{BODY_PARAMETERS, BodyRegressor, body_regressor};
use crate::error::{Error, check_size};
use crate::kinematics::ReferenceFrame;
use crate::model::{JointId, Model};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Vec3};
use crate::workspace::Workspace;
use nalgebra::SMatrix;

impl Model {
    /// The regressor of the [kinetic energy](Self::kinetic_energy), 10 n numbers: the energy is
    /// their product with the [dynamic parameters](Self::dynamic_parameters), plus that of the
    /// armature. Cost O(n), no allocation.
    ///
    /// # Errors
    /// As [`forward_kinematics_velocities`](Self::forward_kinematics_velocities).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.3, -0.2], [1.0, 0.5_f64]);
    /// let mut regressor = [0.0; 20];
    /// model.kinetic_energy_regressor_into(&mut ws, &q, &v, &mut regressor)?;
    /// let parameters = model.dynamic_parameters();
    /// let energy: f64 = regressor.iter().zip(&parameters).map(|(y, p)| y * p).sum();
    /// assert!((energy - model.kinetic_energy(&mut ws, &q, &v)?).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn kinetic_energy_regressor_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        out: &mut [S],
    ) -> Result<(), Error> {
        check_size("the regressor", self.parameter_count(), out.len())?;
        let moved = self.forward_kinematics_velocities(ws, q, v)?;
        for (i, row) in out.chunks_exact_mut(BODY_PARAMETERS).enumerate() {
            let velocity = moved.velocity(JointId(i + 1), ReferenceFrame::Local);
            let momentum = BodyRegressor::of_momentum(&velocity);
            // T = ½ vᵀ I v
            let twice = momentum.power(&velocity);
            for c in 0..BODY_PARAMETERS {
                row[c] = twice[c] * S::constant(0.5);
            }
        }
        Ok(())
    }

    /// The regressor of the [potential energy](Self::potential_energy), 10 n numbers: the energy is
    /// their product with the [dynamic parameters](Self::dynamic_parameters). Cost O(n), no
    /// allocation.
    ///
    /// # Errors
    /// As [`forward_kinematics`](Self::forward_kinematics).
    pub fn potential_energy_regressor_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        out: &mut [S],
    ) -> Result<(), Error> {
        check_size("the regressor", self.parameter_count(), out.len())?;
        let gravity = -Vec3::<S>::constant(self.gravity());
        let placed = self.forward_kinematics(ws, q)?;
        for (i, row) in out.chunks_exact_mut(BODY_PARAMETERS).enumerate() {
            // V = −gᵀ (m p + R h)
            let placement = placed.placement(JointId(i + 1));
            let moment = placement.rotation.tr_mul_vec(gravity);
            row.fill(S::zero());
            row[0] = gravity.dot(placement.translation);
            (row[1], row[2], row[3]) = (moment.x, moment.y, moment.z);
        }
        Ok(())
    }

    /// The [body regressor](super::body_regressor) of the body that a joint moves, in the joint's
    /// output frame: the force that its motion asks for, weight included, is this matrix times its
    /// ten parameters. Cost O(n), no allocation.
    ///
    /// # Errors
    /// As [`forward_kinematics_accelerations`](Self::forward_kinematics_accelerations), and
    /// [`Error::ForeignId`].
    pub fn joint_body_regressor<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        joint: JointId,
    ) -> Result<SMatrix<S, 6, BODY_PARAMETERS>, Error> {
        self.check_joint(joint)?;
        let moved = self.forward_kinematics_accelerations(ws, q, v, a)?;
        let local = ReferenceFrame::Local;
        let rotation = moved.placement(joint).rotation;
        let gravity = rotation.tr_mul_vec(Vec3::constant(self.gravity()));
        let acceleration = moved.acceleration(joint, local) - Motion::new(gravity, Vec3::zero());
        Ok(body_regressor(&moved.velocity(joint, local), &acceleration))
    }
}
