//! Links in the frames that kernels work in, for equations that are put together outside of the
//! kernels.

use super::joint_pass::{move_link, place_links};
use crate::error::Error;
use crate::model::{FrameId, JointId, Model};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{DynamicParameters, Motion, Se3};
use crate::workspace::{Scratch, Workspace};

/// The terms of the equations of motion of each link: the result of [`link_kinematics`].
///
/// Everything is in *link frames*: frames fixed in the links, so chosen that a revolute joint turns
/// about z and a prismatic one slides along z ([`link_frame`] places them in the joints'
/// output frames). A view borrows the workspace. Its methods panic where the model has no such
/// joint.
///
/// ```
/// use featherline::kernel::link_kinematics;
/// use featherline::spatial::{Motion, Vec3};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::<f64>::recursive(&model);
/// let lower = model.joint_id("elbow")?;
/// let links = link_kinematics(&model, &mut ws, &[0.3, -0.2], &[1.0, 0.5])?;
/// assert_eq!(links.motion_subspace(lower), [Motion::new(Vec3::zero(), Vec3::unit(2))]);
/// assert_eq!(links.velocity(lower).angular.z, 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinkKinematics<'w, S: Scalar> {
    model: &'w Model,
    ws: &'w Scratch<S>,
}

impl<'w, S: Scalar> LinkKinematics<'w, S> {
    /// The placement of a joint's link frame in its parent's link frame.
    #[inline(always)]
    pub fn placement(&self, joint: JointId) -> &'w Se3<S> {
        &self.ws.placement[joint.index()]
    }

    /// The columns of the motion subspace S, one for each of the kind's degrees of freedom; those
    /// of a mimic joint times the ratio, so that they belong to the mimicked joint's coordinate.
    #[inline(always)]
    pub fn motion_subspace(&self, joint: JointId) -> &'w [Motion<S>] {
        &self.ws.subspaces.column[self.model.links[joint.index()].column_range()]
    }

    /// The spatial velocity of a link.
    #[inline(always)]
    pub fn velocity(&self, joint: JointId) -> &'w Motion<S> {
        &self.ws.velocity[joint.index()]
    }

    /// The acceleration c that a joint adds while its coordinates don't accelerate: Ṡ q̇ + ν × S
    /// q̇.
    #[inline(always)]
    pub fn joint_bias(&self, joint: JointId) -> &'w Motion<S> {
        &self.ws.bias_acceleration[joint.index()]
    }
}

kernel!(
    fn links<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S], v: &[S]) {
        ws.velocity[0] = Motion::zero();
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
            let (velocity, bias) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
            ws.velocity[i] = velocity;
            ws.bias_acceleration[i] = bias;
        }
    }
);

/// The kinematics of all links in link frames: placements, motion subspaces, velocities, and
/// the accelerations that do not depend on q̈.
///
/// `q` has nq entries, `v` has nv. Cost O(n). Source: Featherstone 2008, table 5.1, first half.
///
/// # Errors
/// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
/// [`Error::ZeroRotation`] for a state that has no finite kinematics.
pub fn link_kinematics<'w, S: Scalar>(
    model: &'w Model,
    ws: &'w mut Workspace<S>,
    q: &[S],
    v: &[S],
) -> Result<LinkKinematics<'w, S>, Error> {
    ws.check(model)?;
    model.check_q(q)?;
    model.check_tangent("v", v)?;
    links(model, &mut ws.scratch, q, v);
    let mut finite = true;
    for i in 1..model.links.len() {
        finite &= ws.scratch.placement[i].rotation.x.is_finite();
        finite &= ws.scratch.placement[i].translation.is_finite();
        finite &= ws.scratch.bias_acceleration[i].is_finite();
    }
    model.check_finite(finite, "the motion of a link", q, &[("v", v)])?;
    Ok(LinkKinematics {
        model,
        ws: &ws.scratch,
    })
}

/// The placement of a joint's link frame in the joint's output frame: a turn that takes z to
/// the axis of a revolute or prismatic joint, the identity for other joints and for mimic joints.
///
/// # Panics
/// If the model has no such joint.
pub fn link_frame(model: &Model, joint: JointId) -> &Se3<f64> {
    &model.links[joint.index()].frame
}

/// The placement of a joint's link frame in its parent's link frame where the joint is at its
/// zero: for a revolute or prismatic joint all that there is to it but the turn about z, or the
/// way along z.
///
/// # Panics
/// If the model has no such joint.
pub fn link_placement(model: &Model, joint: JointId) -> &Se3<f64> {
    &model.links[joint.index()].placement
}

/// The dynamic parameters of a joint's body in its link frame.
///
/// # Panics
/// If the model has no such joint.
pub fn link_parameters(model: &Model, joint: JointId) -> &DynamicParameters<f64> {
    &model.links[joint.index()].parameters
}

/// The placement of a frame in the link frame of the joint that carries it.
///
/// # Panics
/// If the model has no such frame.
pub fn frame_in_link(model: &Model, frame: FrameId) -> &Se3<f64> {
    &model.frame_in_link[frame.index()]
}
