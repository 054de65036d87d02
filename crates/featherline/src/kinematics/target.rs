//! Targets of kinematics: a joint's output frame, or a named frame.

use crate::Error;
use crate::model::{FrameId, JointId, Model, UnknownName};
use crate::scalar::Scalar;
use crate::spatial::Se3;

/// A frame that moves with the robot: a joint's output frame, or one of the model's frames.
///
/// Methods take `impl Into<Target>`, which a [`JointId`] and a [`FrameId`] are.
///
/// ```
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
/// let joint = positions.placement(model.joint_id("elbow")?);
/// let frame = positions.placement(model.frame_id("lower_rod")?);
/// assert_eq!(joint, frame);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A joint's output frame, which moves with the joint's body.
    Joint(JointId),
    /// A frame of the model.
    Frame(FrameId),
}

impl From<JointId> for Target {
    fn from(id: JointId) -> Self {
        Self::Joint(id)
    }
}

impl From<FrameId> for Target {
    fn from(id: FrameId) -> Self {
        Self::Frame(id)
    }
}

impl Target {
    /// Fails if the model has no such joint or frame.
    #[inline(always)]
    pub(crate) fn check(self, model: &Model) -> Result<(), Error> {
        match self {
            Self::Joint(id) => model.check_joint(id),
            Self::Frame(id) => model.check_frame(id),
        }
    }

    /// The index of the link, and the placement of the target in the link frame.
    #[inline(always)]
    pub(crate) fn in_link<S: Scalar>(self, model: &Model) -> (usize, Se3<S>) {
        match self {
            Self::Joint(id) => {
                let link = &model.links[id.index()];
                (id.index(), Se3::constant(&link.frame).inverse())
            }
            Self::Frame(id) => (
                model.frames()[id.index()].joint.index(),
                Se3::constant(&model.frame_in_link[id.index()]),
            ),
        }
    }
}

impl Model {
    /// The target of a name, for users who may name bodies by links, frames or joints: the frame of
    /// that name as [`frame_id`](Self::frame_id) finds it, a link's first, or else the joint.
    ///
    /// # Errors
    /// [`UnknownName`], with the most similar name, if there is neither.
    ///
    /// ```
    /// use featherline::kinematics::Target;
    ///
    /// let model = featherline::samples::double_pendulum();
    /// assert_eq!(model.target("lower_rod")?, Target::Frame(model.frame_id("lower_rod")?));
    /// assert!(model.target("lower_rot").is_err());
    /// # Ok::<(), featherline::model::UnknownName>(())
    /// ```
    pub fn target(&self, name: &str) -> Result<Target, UnknownName> {
        let frame = self.frame_id(name).map(Target::from);
        frame.or_else(|unknown| {
            let joint = self.joint_id(name).map(Target::from);
            joint.map_err(|no_joint| UnknownName {
                kind: "joint or frame",
                closest: unknown.closest.or(no_joint.closest),
                ..unknown
            })
        })
    }
}
