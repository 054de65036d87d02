//! States in maximal coordinates, and their conversion from and to joint coordinates.

use super::MaximalError;
use super::mimic::mimic_gap;
use featherline::dynamics::ExternalForce;
use featherline::kernel::{
    ConstraintBasis, MOST_ENTRIES, check_size, follow, joint as joint_kernel,
};
use featherline::kinematics::ReferenceFrame;
use featherline::model::{Joint, JointId, Model};
use featherline::spatial::{Force, Motion, Quaternion, Se3, Vec3};
use featherline::{Error, Workspace};
use nalgebra::Vector6;

/// Where a body is in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The origin of the body's joint frame, in m.
    pub position: Vec3<f64>,
    /// The orientation of the joint frame: a unit quaternion.
    pub orientation: Quaternion<f64>,
}

impl Pose {
    /// Where the world's frame is.
    pub(crate) fn at_origin() -> Self {
        Self {
            position: Vec3::zero(),
            orientation: Quaternion::identity(),
        }
    }

    /// The pose as a placement in the world. The quaternion may have any length but zero.
    #[inline(always)]
    pub fn placement(&self) -> Se3<f64> {
        Se3::new(self.orientation.normalised().to_rotation(), self.position)
    }
}

/// A state in maximal coordinates: poses and velocities of all bodies, in the order of
/// [`Model::joints`], the universe included.
#[derive(Clone, Debug, PartialEq)]
pub struct MaximalState {
    /// Where the bodies' joint frames are.
    pub poses: Vec<Pose>,
    /// How the bodies move, each in its own joint frame.
    pub velocities: Vec<Motion<f64>>,
    /// The joint coordinates: where poses are ambiguous, as rotations are, joint coordinates are
    /// sought from here.
    pub coordinates: Vec<f64>,
}

/// How far the bodies are from where their joints would let them be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gap {
    /// The largest misplacement of a joint: the length of its six-vector, in m and rad.
    pub position: f64,
    /// The largest velocity that a joint should not allow, in m/s and rad/s.
    pub velocity: f64,
}

impl MaximalState {
    /// The bodies of a robot whose joints read `q` and move with `v`.
    ///
    /// `q` has nq entries, `v` has nv. Cost O(n); allocates the state.
    ///
    /// # Errors
    /// [`MaximalError::Argument`] as [`Model::forward_kinematics_velocities`] has.
    ///
    /// ```
    /// use featherline_sim::maximal::MaximalState;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let state = MaximalState::from_joints(&model, &mut ws, &[0.3, -0.2], &[1.0, 0.0])?;
    /// assert_eq!(state.poses.len(), model.joints().len());
    ///
    /// let (mut q, mut v) = ([0.0; 2], [0.0; 2]);
    /// let gap = state.to_joints(&model, &mut q, &mut v)?;
    /// assert!((q[1] + 0.2).abs() < 1e-15 && (v[0] - 1.0).abs() < 1e-15);
    /// assert!(gap.position < 1e-15 && gap.velocity < 1e-15);
    /// # Ok::<(), featherline_sim::maximal::MaximalError>(())
    /// ```
    pub fn from_joints(
        model: &Model,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<Self, MaximalError> {
        let bodies = model.joints().len();
        let mut state = Self {
            poses: vec![Pose::at_origin(); bodies],
            velocities: vec![Motion::zero(); bodies],
            coordinates: q.to_vec(),
        };
        state.set_joints(model, ws, q, v)?;
        Ok(state)
    }

    /// As [`from_joints`](Self::from_joints), into a state that exists. Allocates nothing.
    ///
    /// # Errors
    /// As [`from_joints`](Self::from_joints).
    pub fn set_joints(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), MaximalError> {
        self.check(model)?;
        let moving = model.forward_kinematics_velocities(ws, q, v)?;
        for joint in model.joint_ids() {
            let placement = moving.placement(joint);
            self.poses[joint.index()] = Pose {
                position: placement.translation,
                orientation: Quaternion::from_rotation(&placement.rotation),
            };
            self.velocities[joint.index()] = moving.velocity(joint, ReferenceFrame::Local);
        }
        self.coordinates.copy_from_slice(q);
        Ok(())
    }

    /// Twice the kinetic energy of the bodies.
    pub(crate) fn doubled_kinetic_energy(&self, model: &Model) -> f64 {
        let energy = |(joint, velocity): (&Joint, &Motion<f64>)| {
            let momentum = joint.inertia.to_parameters().mul_motion(velocity);
            momentum.dot(velocity)
        };
        let bodies = model.joints().iter().zip(&self.velocities);
        bodies.map(energy).sum()
    }

    /// Forces on joints and frames, each constant in its reference, as
    /// [`maximal_dynamics`](super::maximal_dynamics) takes them: on the bodies where they are, also
    /// where they violate their joints.
    ///
    /// # Errors
    /// [`MaximalError::Argument`] unless there is a pose for each joint, and for a target of
    /// another model.
    ///
    /// ```
    /// use featherline::dynamics::ExternalForce;
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    /// use featherline_sim::maximal::MaximalState;
    ///
    /// let model = samples::double_pendulum();
    /// let state = MaximalState::from_joints(&model, &mut Workspace::new(&model), &[0.5, 0.0], &[0.0; 2])?;
    /// let lift = ExternalForce {
    ///     target: model.frame_id("lower_rod")?.into(),
    ///     reference: ReferenceFrame::LocalWorldAligned,
    ///     force: Force::from_array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0]),
    /// };
    /// let forces = state.external_forces(&model, &[lift])?;
    /// assert!((forces[2].linear.norm() - 5.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn external_forces(
        &self,
        model: &Model,
        given: &[ExternalForce<f64>],
    ) -> Result<Vec<Force<f64>>, MaximalError> {
        self.check_sizes(model)?;
        let mut forces = vec![Force::zero(); model.joints().len()];
        let placement = |joint: JointId| self.poses[joint.index()].placement();
        model.add_external_forces_at(placement, given, &mut forces)?;
        Ok(forces)
    }

    /// The joint coordinates and velocities `q` and `v` whose bodies come nearest to these. Returns
    /// how far off those are.
    ///
    /// `q` has nq entries, `v` has nv; both are written. Each joint is sought from its entries of
    /// [`coordinates`](Self::coordinates), on its own, so that no error adds up along the tree; a
    /// mimic joint reads nothing, and how far it has left the mimicked joint counts as a gap. Cost
    /// O(n); allocates nothing.
    ///
    /// # Errors
    /// [`MaximalError::Argument`] for sizes and for numbers that are not finite,
    /// [`MaximalError::DependentMotions`].
    pub fn to_joints(
        &self,
        model: &Model,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<Gap, MaximalError> {
        self.check(model)?;
        check_size("q", model.nq(), q.len())?;
        check_size("v", model.nv(), v.len())?;
        check_motions(model)?;
        let mut gap = Gap::default();
        for id in model.joint_ids() {
            let (i, joint) = (id.index(), model.joint(id));
            if joint.mimic.is_some() {
                continue;
            }
            let relative = self.relative(joint, i);
            let own = &mut q[joint.idx_q..joint.idx_q + joint.nq];
            own.copy_from_slice(&self.coordinates[joint.idx_q..joint.idx_q + joint.nq]);
            let dependent = || MaximalError::dependent(&joint.name);
            let left = follow(&joint.kind, &relative.placement, own).ok_or_else(dependent)?;
            let mut subspace = [Motion::zero(); 6];
            let subspace = &mut subspace[..joint.nv];
            joint_kernel::evaluate(&joint.kind, own, subspace);
            let basis = ConstraintBasis::of(subspace).ok_or_else(dependent)?;
            let rates = basis.columns.tr_mul(&Vector6::from(relative.velocity));
            let rigid = basis.rigid();
            v[joint.idx_v..joint.idx_v + joint.nv].copy_from_slice(&rates.as_slice()[rigid..]);
            gap.position = gap.position.max(Vector6::from(left).norm());
            gap.velocity = gap.velocity.max(rates.rows(0, rigid).norm());
        }
        for id in model.joint_ids() {
            let (i, joint) = (id.index(), model.joint(id));
            if let Some(mimic) = &joint.mimic {
                let relative = self.relative(joint, i);
                let source = (&q[joint.idx_q..], v[joint.idx_v]);
                let left = mimic_gap(model, joint, mimic, &relative, source);
                let [position, velocity] = left.map(|motion| Vector6::from(motion).norm());
                gap.position = gap.position.max(position);
                gap.velocity = gap.velocity.max(velocity);
            }
        }
        Ok(gap)
    }

    /// Fails unless the state has the model's sizes.
    pub(super) fn check_sizes(&self, model: &Model) -> Result<(), Error> {
        let bodies = model.joints().len();
        check_size("poses", bodies, self.poses.len())?;
        check_size("velocities", bodies, self.velocities.len())?;
        check_size("coordinates", model.nq(), self.coordinates.len())
    }

    /// Fails unless the state is one of the model, with finite numbers.
    pub(super) fn check(&self, model: &Model) -> Result<(), Error> {
        self.check_sizes(model)?;
        for index in 1..model.joints().len() {
            let pose = &self.poses[index];
            let is_placed = pose.position.is_finite() && pose.orientation.normalised().is_finite();
            let moves = self.velocities[index].is_finite();
            if !(is_placed && moves) {
                let what = if is_placed { "velocities" } else { "poses" };
                return Err(Error::NotFinite { what, index });
            }
        }
        Ok(())
    }

    /// How a joint's output frame is placed in its input frame, and moves against it.
    #[inline(always)]
    pub(super) fn relative(&self, joint: &Joint, i: usize) -> Relative {
        let above = joint.parent.index();
        // The universe stands where it is, whatever is written there.
        let (parent, velocity) = if joint.parent == JointId::UNIVERSE {
            (Se3::identity(), Motion::zero())
        } else {
            (self.poses[above].placement(), self.velocities[above])
        };
        let in_parent = parent.inverse_compose(&self.poses[i].placement());
        Relative {
            in_parent,
            placement: joint.placement.inverse_compose(&in_parent),
            velocity: self.velocities[i] - in_parent.inverse_act_motion(&velocity),
        }
    }
}

/// A body as seen from its parent.
pub(super) struct Relative {
    /// The body's frame in its parent's.
    pub in_parent: Se3<f64>,
    /// The joint's output frame in its input frame.
    pub placement: Se3<f64>,
    /// The velocity against the parent, in the body's frame.
    pub velocity: Motion<f64>,
}

/// Fails if a joint mimics another one.
pub(crate) fn refuse_mimic_joints(model: &Model) -> Result<(), MaximalError> {
    match model.joints().iter().find(|joint| joint.mimic.is_some()) {
        None => Ok(()),
        Some(joint) => Err(MaximalError::MimicJoint {
            joint: joint.name.clone(),
        }),
    }
}

/// Fails if a joint has more motions than maximal coordinates can tell apart.
pub(crate) fn check_motions(model: &Model) -> Result<(), MaximalError> {
    let too_many = |joint: &&Joint| joint.nv > 6 || joint.nq > MOST_ENTRIES;
    match model.joints().iter().find(too_many) {
        None => Ok(()),
        Some(joint) => Err(MaximalError::dependent(&joint.name)),
    }
}
