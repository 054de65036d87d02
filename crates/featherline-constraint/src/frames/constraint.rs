//! Constraints that a controller states: a frame of a link that is held.

use crate::loops::{LoopError, Stabilisation};
use featherline::Error;
use featherline::joint::JointKind;
use featherline::kernel::ConstraintBasis;
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::model::{JointId, LoopJoint, Model};
use featherline::spatial::Se3;
use featherline::words::Words;
use nalgebra::Matrix6;

/// The part of a frame that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameConstraintKind {
    /// Its origin: three rows, a force. A point foot.
    Point,
    /// Its origin and its axes: six rows, a force and a moment. A flat foot, a grasp.
    Frame,
}

impl Words for FrameConstraintKind {
    const WHAT: &'static str = "kind of constraint";
    const WORDS: &'static [(&'static str, Self)] =
        &[("point", Self::Point), ("frame", Self::Frame)];
}

impl FrameConstraintKind {
    /// How many rows it has: 3 or 6.
    #[inline(always)]
    pub fn rows(self) -> usize {
        match self {
            Self::Point => 3,
            Self::Frame => 6,
        }
    }

    /// The joint that leaves the same motions.
    pub(super) fn joint(self) -> JointKind {
        match self {
            Self::Point => JointKind::Spherical,
            Self::Frame => JointKind::Fixed,
        }
    }

    /// Rows along the axes of the frame, in their order.
    pub(super) fn basis(self) -> ConstraintBasis {
        ConstraintBasis {
            columns: Matrix6::identity(),
            freedom: 6 - self.rows(),
        }
    }
}

/// A frame of a link that is held to the world, or to a frame of another link.
///
/// It is what Pinocchio's `RigidConstraintModel` states, with `CONTACT_3D` for
/// [`Point`](FrameConstraintKind::Point), `CONTACT_6D` for [`Frame`](FrameConstraintKind::Frame),
/// the held frame as joint 1 and the base as joint 2. The force acts on the held frame's link; the
/// base takes the opposite.
///
/// ```
/// use featherline::kinematics::ReferenceFrame;
/// use featherline::samples;
/// use featherline_constraint::{FrameConstraint, Stabilisation};
///
/// let model = samples::double_pendulum();
/// let tip = FrameConstraint::point(&model, "elbow")?
///     .expressed_in(ReferenceFrame::LocalWorldAligned)
///     .stabilised(Stabilisation::with_gains(100.0, 20.0));
/// assert_eq!(tip.kind.rows(), 3);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrameConstraint {
    /// The part of the frame that is held.
    pub kind: FrameConstraintKind,
    /// The joint whose body has the held frame.
    pub joint: JointId,
    /// The held frame in that joint's output frame.
    pub placement: Se3<f64>,
    /// The joint whose body it is held to; the universe is the world.
    pub base: JointId,
    /// Where the frame is held, in the base's output frame. It matters only with a
    /// [stiffness](Stabilisation::stiffness): else the frame is held where it is.
    pub base_placement: Se3<f64>,
    /// In which coordinates the force is given. Forces and moments of `Local` and
    /// `LocalWorldAligned` belong to the held frame's origin, those of `World` to the world's. A
    /// point transmits no moment: for it `World` is the same as `LocalWorldAligned`.
    pub reference: ReferenceFrame,
    /// Baumgarte's gains.
    pub stabilisation: Stabilisation,
}

impl FrameConstraint {
    /// Holds the origin of a frame to the world, without gains, with the force in the frame's axes.
    /// The name is that of a joint, a link or a frame.
    ///
    /// # Errors
    /// [`LoopError::Tree`] for a name that the model does not have.
    pub fn point(model: &Model, name: &str) -> Result<Self, LoopError> {
        Self::named(FrameConstraintKind::Point, model, name)
    }

    /// Holds a frame to the world, without gains, with force and moment in the frame's axes. The
    /// name is that of a joint, a link or a frame.
    ///
    /// # Errors
    /// [`LoopError::Tree`] for a name that the model does not have.
    pub fn frame(model: &Model, name: &str) -> Result<Self, LoopError> {
        Self::named(FrameConstraintKind::Frame, model, name)
    }

    fn named(kind: FrameConstraintKind, model: &Model, name: &str) -> Result<Self, LoopError> {
        let target = model.target(name).map_err(Error::from)?;
        Ok(match target {
            Target::Joint(joint) => Self::new(kind, joint, Se3::identity()),
            Target::Frame(frame) => {
                let frame = model.frame(frame);
                Self::new(kind, frame.joint, frame.placement)
            }
        })
    }

    /// Holds a frame of a joint's body to the world.
    pub fn new(kind: FrameConstraintKind, joint: JointId, placement: Se3<f64>) -> Self {
        Self {
            kind,
            joint,
            placement,
            base: JointId::UNIVERSE,
            base_placement: Se3::identity(),
            reference: ReferenceFrame::Local,
            stabilisation: Stabilisation::NONE,
        }
    }

    /// Holds it to a frame of another link.
    #[must_use]
    pub fn held_by(mut self, base: JointId, placement: Se3<f64>) -> Self {
        (self.base, self.base_placement) = (base, placement);
        self
    }

    /// Gives the force in these coordinates.
    #[must_use]
    pub fn expressed_in(mut self, reference: ReferenceFrame) -> Self {
        self.reference = reference;
        self
    }

    /// Pulls the frame back to where it is held.
    #[must_use]
    pub fn stabilised(mut self, stabilisation: Stabilisation) -> Self {
        self.stabilisation = stabilisation;
        self
    }

    /// The loop joint that leaves the same motions.
    pub(super) fn loop_joint(&self, index: usize) -> LoopJoint {
        LoopJoint {
            name: format!("constraint {index}"),
            kind: self.kind.joint(),
            predecessor: self.base,
            predecessor_placement: self.base_placement,
            successor: self.joint,
            successor_placement: self.placement,
        }
    }
}
