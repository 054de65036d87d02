//! Which kinds of joints make no sense.

use super::JointKind;
use super::dispatched::evaluate;
use crate::random::SplitMix64;
use crate::spatial::{Motion, Vec3};
use nalgebra::DMatrix;
use thiserror::Error;

/// How far a rotation may be from orthonormal, in each entry of RᵀR: rounding of a few operations.
pub(crate) const ORTHONORMAL: f64 = 1e-9;
/// Sine of the angle below which two axes are parallel: the mass matrix is singular then.
const PARALLEL: f64 = 1.5e-8;
/// Singular values of a motion subspace below this are rounding, beside entries of one.
const DEPENDENT: f64 = 1e-9;

/// Why a kind of joint makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum JointError {
    /// An axis of length zero has no direction.
    #[error("the {which} of a {kind} joint is the zero vector; give it a direction")]
    ZeroAxis {
        /// The kind of joint.
        kind: &'static str,
        /// Which of its axes.
        which: &'static str,
    },
    /// A parameter is infinite or not a number.
    #[error("the {which} of a {kind} joint is not finite")]
    NotFinite {
        /// The kind of joint.
        kind: &'static str,
        /// Which of its parameters.
        which: &'static str,
    },
    /// A part's placement has a matrix that is not a rotation.
    #[error(
        "the {which} of a {kind} joint has a matrix that is not a rotation (orthonormal, right-handed)"
    )]
    NotARotation {
        /// The kind of joint.
        kind: &'static str,
        /// Which of its placements.
        which: &'static str,
    },
    /// The axes of a universal joint are parallel: both angles turn about one line.
    #[error(
        "the axes of a universal joint are parallel, so that it turns about one line only; give it two directions, or \
         make it revolute"
    )]
    ParallelAxes,
    /// A semi-axis of an ellipsoid is negative.
    #[error("a semi-axis of an ellipsoid joint is {radius} m; a length can't be negative")]
    NegativeRadius {
        /// The semi-axis.
        radius: f64,
    },
    /// A composite joint has no parts.
    #[error(
        "a composite joint has no parts; a connection without motion is a fixed body, not a joint"
    )]
    EmptyComposite,
}

impl JointKind {
    /// Checks that the kind makes sense.
    ///
    /// # Errors
    /// [`JointError`] for an axis of length zero, for parallel axes of a universal joint, for a
    /// negative semi-axis of an ellipsoid, and for a parameter that is not finite; for the parts of
    /// a composite, too. A composite without parts can't be made.
    pub fn check(&self) -> Result<(), JointError> {
        let kind = self.name();
        match self {
            Self::Revolute { axis }
            | Self::RevoluteUnbounded { axis }
            | Self::Prismatic { axis }
            | Self::Cylindrical { axis } => check_axis(kind, "axis", *axis),
            Self::Helical { axis, pitch } => {
                check_axis(kind, "axis", *axis)?;
                check_finite(kind, "pitch", pitch.is_finite())
            }
            Self::Universal { first, second } => {
                check_axis(kind, "first axis", *first)?;
                check_axis(kind, "second axis", *second)?;
                let sine = first.normalised().cross(second.normalised());
                if sine.norm() < PARALLEL {
                    Err(JointError::ParallelAxes)
                } else {
                    Ok(())
                }
            }
            Self::Ellipsoid { radii } => {
                check_finite(kind, "radii", radii.is_finite())?;
                match radii.to_array().into_iter().find(|r| *r < 0.0) {
                    Some(radius) => Err(JointError::NegativeRadius { radius }),
                    None => Ok(()),
                }
            }
            Self::Fixed
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::FreeFlyer => Ok(()),
            Self::Composite(composite) => composite.check(),
        }
    }

    /// The greatest length among the kind's parameters, in m (m/rad).
    pub(crate) fn largest_length(&self) -> f64 {
        match self {
            Self::Helical { pitch, .. } => pitch.abs(),
            Self::Ellipsoid { radii } => radii.max_norm(),
            Self::Composite(composite) => {
                let lengths = composite.parts().iter().map(|part| {
                    let step = part.placement.translation.max_norm();
                    step.max(part.kind.largest_length())
                });
                lengths.fold(0.0, f64::max)
            }
            Self::Fixed
            | Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Cylindrical { .. }
            | Self::Universal { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::FreeFlyer => 0.0,
        }
    }

    /// How many of the given degrees of freedom move the body independently, in a general
    /// configuration.
    ///
    /// Only parts of a composite can be redundant: what the other kinds do has been
    /// checked.
    pub(crate) fn independent_motions(&self, degrees: &[usize]) -> usize {
        if !matches!(self, Self::Composite(_)) {
            return degrees.len();
        }
        let (nq, nv) = (self.nq(), self.nv());
        let (lower, upper) = (vec![f64::NEG_INFINITY; nq], vec![f64::INFINITY; nq]);
        let (mut q, mut columns) = (vec![0.0; nq], vec![Motion::zero(); nv]);
        // Where the motions are independent anywhere, they are in all but exceptional
        // configurations.
        self.random(&mut SplitMix64::new(0), &lower, &upper, &mut q);
        evaluate(self, &q, &mut columns);
        let subspace = DMatrix::from_fn(6, degrees.len(), |row, k| {
            let Motion { linear, angular } = columns[degrees[k]];
            let largest = linear.max_norm().max(angular.max_norm());
            columns[degrees[k]].to_array()[row] / largest
        });
        // Placements too far away to be computed with say nothing about the kind.
        if degrees.is_empty() || !subspace.iter().all(|x| x.is_finite()) {
            return degrees.len();
        }
        subspace.rank(DEPENDENT)
    }
}

fn check_axis(kind: &'static str, which: &'static str, axis: Vec3<f64>) -> Result<(), JointError> {
    check_finite(kind, which, axis.is_finite())?;
    if axis == Vec3::zero() {
        Err(JointError::ZeroAxis { kind, which })
    } else {
        Ok(())
    }
}

pub(super) fn check_finite(
    kind: &'static str,
    which: &'static str,
    finite: bool,
) -> Result<(), JointError> {
    if finite {
        Ok(())
    } else {
        Err(JointError::NotFinite { kind, which })
    }
}
