//! The properties of a kind of joint: its name, its axis, which motions are translations.

use super::{JointKind, SimpleJoints};
use crate::spatial::Vec3;

impl JointKind {
    /// The names of all kinds, in the order of [its table](Self).
    pub const NAMES: [&'static str; 14] = [
        "fixed",
        "revolute",
        "revolute_unbounded",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "planar",
        "translation",
        "spherical",
        "spherical_zyx",
        "ellipsoid",
        "free_flyer",
        "composite",
    ];

    /// The kind's name in lower case: one of [`NAMES`](Self::NAMES).
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => Self::NAMES[0],
            Self::Revolute { .. } => Self::NAMES[1],
            Self::RevoluteUnbounded { .. } => Self::NAMES[2],
            Self::Prismatic { .. } => Self::NAMES[3],
            Self::Helical { .. } => Self::NAMES[4],
            Self::Cylindrical { .. } => Self::NAMES[5],
            Self::Universal { .. } => Self::NAMES[6],
            Self::Planar => Self::NAMES[7],
            Self::Translation => Self::NAMES[8],
            Self::Spherical => Self::NAMES[9],
            Self::SphericalZyx => Self::NAMES[10],
            Self::Ellipsoid { .. } => Self::NAMES[11],
            Self::FreeFlyer => Self::NAMES[12],
            Self::Composite(_) => Self::NAMES[13],
        }
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
