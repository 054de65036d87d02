//! External forces on joints and frames, and what they are in the frames of the joints.

use super::DynamicsOptions;
use crate::error::{Error, check_size};
use crate::kinematics::{ReferenceFrame, Target};
use crate::model::{JointId, Model};
use crate::scalar::Scalar;
use crate::spatial::{Force, Se3};
use crate::workspace::Workspace;

/// A force on a joint's or a frame's body, whose components are constant in a reference.
///
/// | reference | force and moment along | moment about |
/// |---|---|---|
/// | `Local` | the target's axes | the target's origin |
/// | `LocalWorldAligned` | the world's axes | the target's origin |
/// | `World` | the world's axes | the world's origin |
///
/// Derivatives with respect to q hold the components, so that a force that is constant in the world
/// changes in the target's axes as that turns. See [external
/// forces](crate::dynamics#external-forces).
///
/// ```
/// use featherline::dynamics::{DynamicsOptions, ExternalForce};
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::spatial::Force;
/// use featherline::{Workspace, samples};
///
/// // A balloon at the elbow lifts with 3 N, 1 m from the shoulder: 3 sin q.
/// let model = samples::double_pendulum();
/// let lift = ExternalForce {
///     target: model.joint_id("elbow")?.into(),
///     reference: ReferenceFrame::LocalWorldAligned,
///     force: Force::from_array([0.0, 0.0, 3.0, 0.0, 0.0, 0.0]),
/// };
/// let (mut ws, q, rest) = (Workspace::new(&model), [0.4_f64, 0.0], [0.0; 2]);
/// let lifts = [lift];
/// let options = DynamicsOptions::default().with_frame_forces(&lifts);
/// let weight = model.gravity_torque_derivative(&mut ws, &q)?[(0, 0)];
/// let d = model.inverse_dynamics_derivatives(&mut ws, &q, &rest, &rest, options)?;
/// assert!((d.dq[(0, 0)] - weight + 3.0 * 0.4_f64.cos()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalForce<S: Scalar> {
    /// The joint or the frame on whose body it acts.
    pub target: Target,
    /// Where its components are constant.
    pub reference: ReferenceFrame,
    /// \[force; moment\] in N and N·m.
    pub force: Force<S>,
}

impl<S: Scalar> ExternalForce<S> {
    /// The force in its target's axes, about its origin, where that is placed in the world.
    #[inline(always)]
    fn in_target(&self, placement: &Se3<S>) -> Force<S> {
        match self.reference {
            ReferenceFrame::Local => self.force,
            ReferenceFrame::World => placement.inverse_act_force(&self.force),
            ReferenceFrame::LocalWorldAligned => {
                let rotation = &placement.rotation;
                Force::new(
                    rotation.tr_mul_vec(self.force.linear),
                    rotation.tr_mul_vec(self.force.angular),
                )
            }
        }
    }
}

impl Model {
    /// The [external forces](crate::dynamics#external-forces) of forces on joints and frames, each
    /// given as \[force; moment\] in its target's axes, about its origin.
    ///
    /// Forces on one body add up; what acts on the universe moves nothing. Allocates.
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    ///
    /// // 3 N along x at the elbow turn the shoulder by 3 N·m.
    /// let model = samples::double_pendulum();
    /// let push = Force::from_array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// let forces = model.external_forces([(model.joint_id("elbow")?.into(), push)]);
    /// let (mut ws, zero) = (Workspace::new(&model), [0.0; 2]);
    /// let options = DynamicsOptions::default().with_forces(&forces);
    /// let tau = model.inverse_dynamics(&mut ws, &zero, &zero, &zero, options)?;
    /// assert!((tau[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn external_forces(
        &self,
        forces: impl IntoIterator<Item = (Target, Force<f64>)>,
    ) -> Vec<Force<f64>> {
        let mut sums = vec![Force::zero(); self.links.len()];
        for (target, force) in forces {
            let (joint, force) = match target {
                Target::Joint(joint) => (joint, force),
                Target::Frame(frame) => {
                    let frame = self.frame(frame);
                    (frame.joint, frame.placement.act_force(&force))
                }
            };
            if joint.index() > 0 {
                sums[joint.index()] += force;
            }
        }
        sums
    }

    /// Writes the [external forces](crate::dynamics#external-forces) of forces on joints and frames
    /// at `q`, each constant in its reference.
    ///
    /// `forces` has one for each joint, the universe's first. Forces on one body add up; what acts
    /// on the universe moves nothing. Derivatives of what takes the result hold it in the joints'
    /// frames, where [`DynamicsOptions::with_frame_forces`] and
    /// [`external_forces_derivative_into`](Self::external_forces_derivative_into) do not. Cost
    /// O(n), and O(1) a force.
    ///
    /// # Errors
    /// As [`forward_kinematics`](Self::forward_kinematics); [`Error::Size`] unless `forces` has one
    /// for each joint; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::dynamics::ExternalForce;
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    ///
    /// // A cable pulls up along the world's z axis: no moment about its origin, the shoulder.
    /// let model = samples::double_pendulum();
    /// let cable = ExternalForce {
    ///     target: model.frame_id("lower_rod")?.into(),
    ///     reference: ReferenceFrame::World,
    ///     force: Force::from_array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0]),
    /// };
    /// let (mut ws, q) = (Workspace::new(&model), [0.4_f64, -0.2]);
    /// let mut forces = [Force::zero(); 3];
    /// model.external_forces_into(&mut ws, &q, &[cable], &mut forces)?;
    /// let carried = model.static_torque(&mut ws, &q, &forces)?[0];
    /// assert!((carried - model.gravity_torque(&mut ws, &q)?[0]).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn external_forces_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        given: &[ExternalForce<S>],
        forces: &mut [Force<S>],
    ) -> Result<(), Error> {
        check_size("external forces", self.links.len(), forces.len())?;
        forces.fill(Force::zero());
        self.add_external_forces(ws, q, given, forces)
    }

    fn add_external_forces<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        given: &[ExternalForce<S>],
        forces: &mut [Force<S>],
    ) -> Result<(), Error> {
        let positions = self.forward_kinematics(ws, q)?;
        self.add_external_forces_at(|joint| positions.placement(joint), given, forces)
    }

    /// Adds forces on joints and frames, each constant in its reference, to those of the joints'
    /// bodies in the joints' frames, where the joints' frames are placed as `placement` tells.
    ///
    /// [`external_forces_into`](Self::external_forces_into) does so for the placements at q. Cost
    /// O(1) a force.
    ///
    /// # Errors
    /// [`Error::Size`] unless `forces` has one for each joint; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::dynamics::ExternalForce;
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::samples;
    /// use featherline::spatial::{Force, Se3, Vec3};
    ///
    /// // An elbow 2 m to the side feels a force along x that goes through the world's origin.
    /// let model = samples::double_pendulum();
    /// let elbow = model.joint_id("elbow")?;
    /// let push = ExternalForce {
    ///     target: elbow.into(),
    ///     reference: ReferenceFrame::World,
    ///     force: Force::from_array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    /// };
    /// let mut forces = [Force::zero(); 3];
    /// let side = Se3::from_translation(Vec3::new(0.0, 2.0, 0.0));
    /// model.add_external_forces_at(|_| side, &[push], &mut forces)?;
    /// assert_eq!(forces[elbow.index()].to_array(), [3.0, 0.0, 0.0, 0.0, 0.0, 6.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_external_forces_at<S: Scalar>(
        &self,
        placement: impl Fn(JointId) -> Se3<S>,
        given: &[ExternalForce<S>],
        forces: &mut [Force<S>],
    ) -> Result<(), Error> {
        check_size("external forces", self.links.len(), forces.len())?;
        for external in given {
            external.target.check(self)?;
            let (joint, in_joint) = match external.target {
                Target::Joint(joint) => (joint, Se3::identity()),
                Target::Frame(frame) => {
                    let frame = self.frame(frame);
                    (frame.joint, Se3::constant(&frame.placement))
                }
            };
            if joint.index() > 0 {
                let own = external.in_target(&placement(joint).compose(&in_joint));
                forces[joint.index()] += in_joint.act_force(&own);
            }
        }
        Ok(())
    }

    /// Runs an algorithm with all external forces in the joints' frames, as `external_forces`.
    #[inline(always)]
    pub(crate) fn with_joint_forces<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        options: DynamicsOptions<'_, S>,
        run: impl FnOnce(&mut Workspace<S>, DynamicsOptions<'_, S>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if options.frame_forces.is_empty() {
            return run(ws, options);
        }
        ws.check(self)?;
        // It can't be borrowed from the workspace while its other parts are being written.
        let mut forces = std::mem::take(&mut ws.scratch.external);
        let outcome = self.sum_of_forces(ws, q, options, &mut forces);
        let outcome = outcome.and_then(|()| run(ws, options.with_forces(&forces)));
        ws.scratch.external = forces;
        outcome
    }

    fn sum_of_forces<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        options: DynamicsOptions<'_, S>,
        forces: &mut [Force<S>],
    ) -> Result<(), Error> {
        match options.external_forces {
            [] => forces.fill(Force::zero()),
            on_joints => {
                check_size("external forces", self.links.len(), on_joints.len())?;
                forces.copy_from_slice(on_joints);
            }
        }
        self.add_external_forces(ws, q, options.frame_forces, forces)
    }
}
