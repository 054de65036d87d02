//! Goals for links.

use featherline::kinematics::Target;
use featherline::spatial::{Mat3, PlacementFault, Se3, Vec3};
use thiserror::Error;

/// Where a frame, or a point of it, should be.
///
/// ```
/// use featherline::samples;
/// use featherline_control::Goal;
///
/// let model = samples::double_pendulum();
/// let rod = model.frame_id("lower_rod")?;
/// // The point 10 cm below the frame's origin should be at (0.4, 0, −0.6) m of the world.
/// let goal = Goal::position(rod, [0.4, 0.0, -0.6].into()).at([0.0, 0.0, -0.1].into());
/// assert_eq!(goal.weight, 1.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Goal {
    /// The joint or frame.
    pub target: Target,
    /// The point of it that is meant, in its own coordinates, in m.
    pub point: Vec3<f64>,
    /// Where it should be.
    pub wanted: GoalPose,
    /// The weight of an error of 1 m or 1 rad beside those of other goals.
    pub weight: f64,
}

/// The target of a frame, in coordinates of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GoalPose {
    /// The point is here, in m; the rotation is free.
    Position(Vec3<f64>),
    /// The axes have these directions; the position is free.
    Rotation(Mat3<f64>),
    /// Both.
    Placement(Se3<f64>),
}

impl Goal {
    fn new(target: impl Into<Target>, wanted: GoalPose) -> Self {
        Self {
            target: target.into(),
            point: Vec3::zero(),
            wanted,
            weight: 1.0,
        }
    }

    /// A point of a frame, its origin by default, is at a position of the world, in m.
    pub fn position(target: impl Into<Target>, position: Vec3<f64>) -> Self {
        Self::new(target, GoalPose::Position(position))
    }

    /// The axes of a frame are the columns of a rotation.
    pub fn rotation(target: impl Into<Target>, rotation: Mat3<f64>) -> Self {
        Self::new(target, GoalPose::Rotation(rotation))
    }

    /// A frame has a placement in the world.
    pub fn placement(target: impl Into<Target>, placement: Se3<f64>) -> Self {
        Self::new(target, GoalPose::Placement(placement))
    }

    /// The same for another point of the frame, in its own coordinates, in m.
    #[must_use]
    pub fn at(mut self, point: Vec3<f64>) -> Self {
        self.point = point;
        self
    }

    /// The same with another weight: what an error of 1 m or 1 rad counts.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// How many equations it is.
    pub(crate) fn rows(&self) -> usize {
        match self.wanted {
            GoalPose::Position(_) | GoalPose::Rotation(_) => 3,
            GoalPose::Placement(_) => 6,
        }
    }

    /// A fault of the goal's numbers.
    pub(crate) fn fault(&self) -> Option<GoalFault> {
        let is_point = |v: Vec3<f64>| v.to_array().iter().all(|x| x.is_finite());
        let (position, rotation) = match self.wanted {
            GoalPose::Position(position) => (position, None),
            GoalPose::Rotation(rotation) => (Vec3::zero(), Some(rotation)),
            GoalPose::Placement(placement) => (placement.translation, Some(placement.rotation)),
        };
        if !is_point(position) || !is_point(self.point) {
            return Some(GoalFault::NotFinite);
        }
        if let Some(fault) = rotation.and_then(|it| it.rotation_fault()) {
            return Some(GoalFault::Rotation(fault));
        }
        let is_weight = self.weight.is_finite() && self.weight >= 0.0;
        (!is_weight).then_some(GoalFault::Weight(self.weight))
    }
}

/// A fault in the numbers of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GoalFault {
    /// A number of a position or point is not finite.
    #[error("a number that is not finite")]
    NotFinite,
    /// A matrix is no rotation.
    #[error("a matrix that is no rotation: {0}")]
    Rotation(PlacementFault),
    /// A weight is negative or not finite.
    #[error("a weight that is negative or not finite: {0}")]
    Weight(f64),
}
