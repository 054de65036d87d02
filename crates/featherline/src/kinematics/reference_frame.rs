//! The three coordinate systems in which the motion of a frame is given.

use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};
use crate::words::Words;

/// The coordinates in which the motion of a frame, or a Jacobian, is expressed.
///
/// They are Pinocchio's three (`WORLD`, `LOCAL`, `LOCAL_WORLD_ALIGNED`). A six-vector has its
/// linear part first; what changes is the point to which the linear part belongs, and the axes of
/// both parts.
///
/// | reference | point | axes |
/// |---|---|---|
/// | `World` | the point of the moving body that passes the world's origin | the world's |
/// | `Local` | the frame's origin | the frame's |
/// | `LocalWorldAligned` | the frame's origin | the world's |
///
/// `Local` is the *body* velocity and `World` the *spatial* velocity of R. Murray, Z. Li and S.
/// Sastry, *A Mathematical Introduction to Robotic Manipulation*, 1994, section 2.4.2.
/// `LocalWorldAligned` is what most people mean by the velocity of a point: its linear part is the
/// time derivative of the frame's position in the world.
///
/// A rate (the derivative of a Jacobian) is the derivative of the components in these coordinates,
/// so that it includes the motion of the coordinates themselves: of the frame for `Local`, of its
/// origin for `LocalWorldAligned`.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.5, 0.0], &[1.0, 0.0])?;
/// let elbow = model.frame_id("elbow")?;
/// for reference in ReferenceFrame::ALL {
///     println!("{reference:?}: {:?}", velocities.velocity(elbow, reference));
/// }
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceFrame {
    /// At the world's origin, along the world's axes.
    World,
    /// At the frame's origin, along the frame's axes.
    Local,
    /// At the frame's origin, along the world's axes.
    LocalWorldAligned,
}

impl Words for ReferenceFrame {
    const WHAT: &'static str = "reference frame";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("local", Self::Local),
        ("world", Self::World),
        ("local_world_aligned", Self::LocalWorldAligned),
        ("aligned", Self::LocalWorldAligned),
    ];
}

impl ReferenceFrame {
    /// All three, in the order of the table above.
    pub const ALL: [Self; 3] = [Self::World, Self::Local, Self::LocalWorldAligned];

    /// Expresses a motion, given in the coordinates of a link, for a frame placed in that link.
    #[inline(always)]
    pub(crate) fn express<S: Scalar>(
        self,
        motion: &Motion<S>,
        link_in_world: &Se3<S>,
        frame_in_link: &Se3<S>,
    ) -> Motion<S> {
        match self {
            Self::World => link_in_world.act_motion(motion),
            Self::Local => frame_in_link.inverse_act_motion(motion),
            Self::LocalWorldAligned => {
                let linear = motion
                    .angular
                    .cross_add(frame_in_link.translation, motion.linear);
                let rotation = &link_in_world.rotation;
                Motion::new(rotation.mul_vec(linear), rotation.mul_vec(motion.angular))
            }
        }
    }

    /// The point of the world to which linear parts belong, for a frame placed in the world.
    #[inline(always)]
    pub(crate) fn origin<S: Scalar>(self, frame: &Se3<S>) -> Vec3<S> {
        match self {
            Self::World => Vec3::zero(),
            Self::Local | Self::LocalWorldAligned => frame.translation,
        }
    }

    /// The velocity of the coordinates at the [origin](Self::origin), for a frame that moves so.
    #[inline(always)]
    pub(crate) fn velocity<S: Scalar>(self, frame: &Motion<S>) -> Motion<S> {
        match self {
            Self::World => Motion::zero(),
            Self::Local => *frame,
            Self::LocalWorldAligned => Motion::new(frame.linear, Vec3::zero()),
        }
    }

    /// Turns a motion at the [origin](Self::origin) from the world's axes to the reference's.
    #[inline(always)]
    pub(crate) fn along_axes<S: Scalar>(self, frame: &Se3<S>, motion: &Motion<S>) -> Motion<S> {
        match self {
            Self::World | Self::LocalWorldAligned => *motion,
            Self::Local => {
                let rotation = &frame.rotation;
                Motion::new(
                    rotation.tr_mul_vec(motion.linear),
                    rotation.tr_mul_vec(motion.angular),
                )
            }
        }
    }
}

/// A link's placement in axes parallel to the world's at another origin.
#[inline(always)]
pub(crate) fn at_origin<S: Scalar>(world: &Se3<S>, origin: Vec3<S>) -> Se3<S> {
    Se3::new(world.rotation, world.translation - origin)
}
