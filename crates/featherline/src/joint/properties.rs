//! The properties of a kind of joint: its name, its axis, which motions are translations.

use super::{JointKind, SimpleJoints};
use crate::spatial::Vec3;

impl JointKind {
    crate::names! {
        Self::Fixed => "fixed",
        Self::Revolute { .. } => "revolute",
        Self::RevoluteUnbounded { .. } => "revolute_unbounded",
        Self::Prismatic { .. } => "prismatic",
        Self::Helical { .. } => "helical",
        Self::Cylindrical { .. } => "cylindrical",
        Self::Universal { .. } => "universal",
        Self::Planar => "planar",
        Self::Translation => "translation",
        Self::Spherical => "spherical",
        Self::SphericalZyx => "spherical_zyx",
        Self::Ellipsoid { .. } => "ellipsoid",
        Self::FreeFlyer => "free_flyer",
        Self::Composite(_) => "composite",
    }

    /// The unit vector along the axis, in the input frame, of a kind that has exactly one.
    pub fn axis(&self) -> Option<Vec3<f64>> {
        match self {
            Self::Revolute { axis }
            | Self::RevoluteUnbounded { axis }
            | Self::Prismatic { axis }
            | Self::Helical { axis, .. }
            | Self::Cylindrical { axis } => Some(*axis),
            Self::Fixed
            | Self::Universal { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. }
            | Self::FreeFlyer
            | Self::Composite(_) => None,
        }
    }

    /// Whether a degree of freedom moves the child along a line without rotation, in m; the others
    /// rotate it, in rad.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    ///
    /// let translates = (0..3).map(|degree| JointKind::Planar.is_translation(degree));
    /// assert!(translates.eq([true, true, false]));
    /// ```
    pub fn is_translation(&self, degree: usize) -> bool {
        match self {
            Self::Prismatic { .. } | Self::Translation => true,
            Self::Cylindrical { .. } => degree == 1,
            Self::Planar => degree < 2,
            Self::FreeFlyer => degree < 3,
            Self::Composite(_) => SimpleJoints::of(self).any(|part| {
                part.v.contains(&degree) && part.kind.is_translation(degree - part.v.start)
            }),
            Self::Fixed
            | Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Helical { .. }
            | Self::Universal { .. }
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. } => false,
        }
    }

    /// Whether the joint has one degree of freedom and follows from a single angle or displacement,
    /// so that it may mimic another such joint.
    pub fn has_one_displacement(&self) -> bool {
        match self {
            Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. } => true,
            Self::Fixed
            | Self::Cylindrical { .. }
            | Self::Universal { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. }
            | Self::FreeFlyer
            | Self::Composite(_) => false,
        }
    }

    /// Whether the joint's one displacement is an angle whose whole turns are the same placement.
    pub(crate) fn is_periodic(&self) -> bool {
        match self {
            Self::Revolute { .. } | Self::RevoluteUnbounded { .. } => true,
            Self::Fixed
            | Self::Prismatic { .. }
            | Self::Helical { .. }
            | Self::Cylindrical { .. }
            | Self::Universal { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. }
            | Self::FreeFlyer
            | Self::Composite(_) => false,
        }
    }

    /// The kind with axes of length one. An axis of length zero stays as it is, for
    /// [`check`](Self::check) to name.
    pub fn normalised_axes(self) -> Self {
        match self {
            Self::Revolute { axis } => Self::revolute(axis),
            Self::RevoluteUnbounded { axis } => Self::revolute_unbounded(axis),
            Self::Prismatic { axis } => Self::prismatic(axis),
            Self::Helical { axis, pitch } => Self::helical(axis, pitch),
            Self::Cylindrical { axis } => Self::cylindrical(axis),
            Self::Universal { first, second } => Self::universal(first, second),
            Self::Composite(composite) => Self::Composite(composite.normalised_axes()),
            Self::Fixed
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. }
            | Self::FreeFlyer => self,
        }
    }
}
