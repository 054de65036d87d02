//! Joints: how one body may move relative to another.
//!
//! A joint has `nq` configuration entries q and `nv` degrees of freedom v; they differ where the
//! configuration is not a vector (a quaternion, a cosine with its sine). For each kind this module
//! gives the placement M(q) of the joint's output frame in its input frame; the motion subspace
//! S(q), whose columns are spatial motions in the *output* (child) frame, so that the joint's
//! velocity is S(q)·v; and the derivative Ṡ of S along v, in the coordinates of that moving frame,
//! so that the joint's bias acceleration is Ṡ·v (the cheat sheet's c, R. Featherstone's c_J, *Rigid
//! Body Dynamics Algorithms*, Springer 2008, section 3.5).

mod axis;
mod between;
pub(crate) mod composite;
pub(crate) mod configuration;
pub(crate) mod constraint_basis;
mod cylindrical;
pub(crate) mod dispatched;
mod ellipsoid;
pub(crate) mod follow;
mod free_flyer;
mod helical;
mod planar;
mod prismatic;
mod properties;
pub(crate) mod reverse;
mod revolute;
mod sampling;
mod spherical;
mod spherical_zyx;
mod tangent;
mod translation;
mod unbounded;
mod universal;
mod validation;
pub(crate) mod variation;

pub use composite::{Composite, CompositePart};
pub use validation::JointError;

pub use composite::SimpleJoints;
pub use constraint_basis::ConstraintBasis;
pub use follow::{MOST_ENTRIES, follow, follow_closed};
pub(crate) use tangent::{DifferenceMap, IntegrationMap, TangentMap};
pub(crate) use validation::ORTHONORMAL;

use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How a joint moves.
///
/// Angles are in rad, displacements in m, quaternions x, y, z, w. Axes are unit vectors in the
/// joint's input frame; the constructors normalise them, and
/// [`normalised_axes`](Self::normalised_axes) does so for a kind that was written out or read from
/// a file.
///
/// | kind | nq | nv | q | v |
/// |---|---|---|---|---|
/// | fixed | 0 | 0 | | |
/// | revolute | 1 | 1 | angle | rate |
/// | unbounded revolute | 2 | 1 | cos, sin | rate |
/// | prismatic | 1 | 1 | displacement | rate |
/// | helical | 1 | 1 | angle | rate |
/// | cylindrical | 2 | 2 | angle, displacement | rates |
/// | universal | 2 | 2 | angles about the first and second axis | rates |
/// | planar | 4 | 3 | x, y, cos, sin | linear x, y and angular z, in the child's frame |
/// | translation | 3 | 3 | x, y, z | rates |
/// | spherical | 4 | 3 | quaternion | angular velocity in the child's frame |
/// | spherical ZYX | 3 | 3 | yaw, pitch, roll | rates |
/// | ellipsoid | 3 | 3 | angles about x, y, z | rates |
/// | free-flyer | 7 | 6 | position, quaternion | spatial velocity in the child's frame, linear part first |
/// | composite | sum | sum | the parts' in order | the parts' in order |
///
/// ```
/// use featherline::joint::JointKind;
/// use featherline::spatial::{Motion, Vec3};
///
/// let joint = JointKind::prismatic(Vec3::new(0.0, 3.0, 4.0));
/// let mut subspace = [Motion::zero(); 1];
/// let placement = joint.evaluate(&[2.0], &mut subspace);
/// assert_eq!(placement.translation, Vec3::new(0.0, 1.2, 1.6));
/// assert_eq!(subspace[0].linear, Vec3::new(0.0, 0.6, 0.8));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum JointKind {
    /// No motion. A connection without motion is best described as a fixed body, which costs
    /// nothing; the universe is the one joint that has to be of this kind.
    Fixed,
    /// A rotation about an axis.
    Revolute {
        /// Unit vector along the axis.
        axis: Vec3<f64>,
    },
    /// A rotation about an axis without a preferred turn: the configuration is the angle's cosine
    /// and sine.
    RevoluteUnbounded {
        /// Unit vector along the axis.
        axis: Vec3<f64>,
    },
    /// A translation along an axis.
    Prismatic {
        /// Unit vector along the axis.
        axis: Vec3<f64>,
    },
    /// A rotation about an axis with a proportional translation along it: a screw.
    Helical {
        /// Unit vector along the axis.
        axis: Vec3<f64>,
        /// Translation for each radian, in m/rad.
        pitch: f64,
    },
    /// A rotation about an axis and an independent translation along it.
    Cylindrical {
        /// Unit vector along the axis.
        axis: Vec3<f64>,
    },
    /// A rotation about a first axis, then one about a second, which the first carries along. The
    /// two are not parallel: they would be one.
    Universal {
        /// Unit vector along the first axis, in the input frame.
        first: Vec3<f64>,
        /// Unit vector along the second axis, in the output frame. It need not be orthogonal to the
        /// first.
        second: Vec3<f64>,
    },
    /// Motion in the xy plane.
    Planar,
    /// Three translations without rotation.
    Translation,
    /// Any rotation, as a unit quaternion.
    Spherical,
    /// Any rotation, as angles about z, the new y and the new x. Singular where the pitch is ±π/2.
    SphericalZyx,
    /// The child's origin moves on an ellipsoid; rotations about x, the new y and the new z, the
    /// last about the direction that parametrises the surface. Singular where the second angle is
    /// ±π/2.
    Ellipsoid {
        /// Semi-axes of the ellipsoid, in m. One may be zero, which leaves an ellipse; all zero
        /// leave a point, and the three rotations.
        radii: Vec3<f64>,
    },
    /// Any motion, as a position and a unit quaternion.
    FreeFlyer,
    /// Several joints one after the other, without bodies between them. The parts may be
    /// redundant (two hinges on one line, more than six degrees of freedom); the mass matrix
    /// is then singular unless the joint has armature, and the builder
    /// [warns](crate::model::ModelWarning::DependentMotions).
    Composite(Composite),
}

impl JointKind {
    /// A rotation about x.
    pub fn revolute_x() -> Self {
        Self::revolute(Vec3::unit(0))
    }

    /// A rotation about y.
    pub fn revolute_y() -> Self {
        Self::revolute(Vec3::unit(1))
    }

    /// A rotation about z.
    pub fn revolute_z() -> Self {
        Self::revolute(Vec3::unit(2))
    }

    /// A rotation about an axis of any length.
    pub fn revolute(axis: Vec3<f64>) -> Self {
        Self::Revolute {
            axis: axis.normalised(),
        }
    }

    /// A rotation about x with the configuration (cos, sin).
    pub fn revolute_unbounded_x() -> Self {
        Self::revolute_unbounded(Vec3::unit(0))
    }

    /// A rotation about y with the configuration (cos, sin).
    pub fn revolute_unbounded_y() -> Self {
        Self::revolute_unbounded(Vec3::unit(1))
    }

    /// A rotation about z with the configuration (cos, sin).
    pub fn revolute_unbounded_z() -> Self {
        Self::revolute_unbounded(Vec3::unit(2))
    }

    /// A rotation about an axis of any length, with the configuration (cos, sin).
    pub fn revolute_unbounded(axis: Vec3<f64>) -> Self {
        Self::RevoluteUnbounded {
            axis: axis.normalised(),
        }
    }

    /// A translation along x.
    pub fn prismatic_x() -> Self {
        Self::prismatic(Vec3::unit(0))
    }

    /// A translation along y.
    pub fn prismatic_y() -> Self {
        Self::prismatic(Vec3::unit(1))
    }

    /// A translation along z.
    pub fn prismatic_z() -> Self {
        Self::prismatic(Vec3::unit(2))
    }

    /// A translation along an axis of any length.
    pub fn prismatic(axis: Vec3<f64>) -> Self {
        Self::Prismatic {
            axis: axis.normalised(),
        }
    }

    /// A screw about an axis of any length with the given pitch in m/rad.
    pub fn helical(axis: Vec3<f64>, pitch: f64) -> Self {
        Self::Helical {
            axis: axis.normalised(),
            pitch,
        }
    }

    /// A rotation about an axis of any length, and a translation along it.
    pub fn cylindrical(axis: Vec3<f64>) -> Self {
        Self::Cylindrical {
            axis: axis.normalised(),
        }
    }

    /// Rotations about two axes of any length, the second carried along by the first.
    pub fn universal(first: Vec3<f64>, second: Vec3<f64>) -> Self {
        Self::Universal {
            first: first.normalised(),
            second: second.normalised(),
        }
    }

    /// Motion on an ellipsoid with the given semi-axes in m.
    pub fn ellipsoid(radii: Vec3<f64>) -> Self {
        Self::Ellipsoid { radii }
    }

    /// Several joints one after the other, each with the placement of its input frame in the
    /// previous output frame.
    ///
    /// # Errors
    /// [`JointError::EmptyComposite`] if there are no parts.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::spatial::{Se3, Vec3};
    ///
    /// let wrist = JointKind::composite([
    ///     (Se3::identity(), JointKind::revolute_z()),
    ///     (Se3::from_translation(Vec3::new(0.0, 0.0, 0.1)), JointKind::Spherical),
    /// ])?;
    /// assert_eq!((wrist.nq(), wrist.nv()), (5, 4));
    /// # Ok::<(), featherline::joint::JointError>(())
    /// ```
    pub fn composite(
        parts: impl IntoIterator<Item = (Se3<f64>, JointKind)>,
    ) -> Result<Self, JointError> {
        Composite::new(parts).map(Self::Composite)
    }

    /// How many entries the configuration has.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } | Self::Helical { .. } => 1,
            Self::RevoluteUnbounded { .. } | Self::Cylindrical { .. } | Self::Universal { .. } => 2,
            Self::Translation | Self::SphericalZyx | Self::Ellipsoid { .. } => 3,
            Self::Planar | Self::Spherical => 4,
            Self::FreeFlyer => 7,
            Self::Composite(composite) => composite.nq(),
        }
    }

    /// How many degrees of freedom the joint has.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. } => 1,
            Self::Cylindrical { .. } | Self::Universal { .. } => 2,
            Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::SphericalZyx
            | Self::Ellipsoid { .. } => 3,
            Self::FreeFlyer => 6,
            Self::Composite(composite) => composite.nv(),
        }
    }

    /// Whether the motion subspace is the same in every configuration, so that its rates are zero.
    #[inline(always)]
    pub fn has_constant_subspace(&self) -> bool {
        match self {
            Self::Universal { .. } | Self::SphericalZyx | Self::Ellipsoid { .. } => false,
            Self::Composite(composite) => composite.has_constant_subspace(),
            Self::Fixed
            | Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. }
            | Self::Cylindrical { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::FreeFlyer => true,
        }
    }

    /// The placement of the output frame in the input frame, and the motion subspace.
    ///
    /// `q` has [`nq`](Self::nq) entries, `subspace` [`nv`](Self::nv); the columns written are in
    /// the output frame. Quaternions and (cos, sin) pairs may have any length but zero, for which
    /// the rotation is not finite. Cost: O(nv), O(nv · parts) for a composite joint.
    ///
    /// # Panics
    /// If a slice is shorter than that. Algorithms check the sizes of their arguments once, at
    /// their entry.
    #[inline(always)]
    pub fn evaluate<S: Scalar>(&self, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
        composite::evaluate(self, q, subspace)
    }

    /// The derivative of the motion subspace along the velocity `v`, in the coordinates of the
    /// moving output frame.
    ///
    /// `q` has [`nq`](Self::nq) entries, `v` and `rates` [`nv`](Self::nv). The joint's bias
    /// acceleration is the sum of the rates times `v`. Cost: O(nv).
    ///
    /// # Panics
    /// If a slice is shorter than that.
    #[inline(always)]
    pub fn subspace_rates<S: Scalar>(&self, q: &[S], v: &[S], rates: &mut [Motion<S>]) {
        composite::subspace_rates(self, q, v, rates)
    }

    /// [`evaluate`](Self::evaluate) at an angle (in rad) or displacement (in m), for kinds that
    /// [have one](Self::has_one_displacement).
    ///
    /// # Panics
    /// For other kinds. Models refuse mimic joints that have more than one displacement.
    #[inline(always)]
    pub fn evaluate_displacement<S: Scalar>(
        &self,
        displacement: S,
        subspace: &mut [Motion<S>],
    ) -> Se3<S> {
        if let Self::RevoluteUnbounded { axis } = self {
            // An angle, whichever way the joint's own configuration would write it.
            revolute::evaluate(*axis, &[displacement], subspace)
        } else {
            self.evaluate_simple(&[displacement], subspace)
        }
    }

    #[inline(always)]
    fn evaluate_simple<S: Scalar>(&self, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
        match self {
            Self::Fixed => Se3::identity(),
            Self::Revolute { axis } => revolute::evaluate(*axis, q, subspace),
            Self::RevoluteUnbounded { axis } => unbounded::evaluate(*axis, q, subspace),
            Self::Prismatic { axis } => prismatic::evaluate(*axis, q, subspace),
            Self::Helical { axis, pitch } => helical::evaluate(*axis, *pitch, q, subspace),
            Self::Cylindrical { axis } => cylindrical::evaluate(*axis, q, subspace),
            Self::Universal { first, second } => universal::evaluate(*first, *second, q, subspace),
            Self::Planar => planar::evaluate(q, subspace),
            Self::Translation => translation::evaluate(q, subspace),
            Self::Spherical => spherical::evaluate(q, subspace),
            Self::SphericalZyx => spherical_zyx::evaluate(q, subspace),
            Self::Ellipsoid { radii } => ellipsoid::evaluate(*radii, q, subspace),
            Self::FreeFlyer => free_flyer::evaluate(q, subspace),
            Self::Composite(_) => unreachable!("{NOT_NESTED}"),
        }
    }

    #[inline(always)]
    fn subspace_rates_simple<S: Scalar>(&self, q: &[S], v: &[S], rates: &mut [Motion<S>]) {
        match self {
            Self::Universal { first, second } => {
                universal::subspace_rates(*first, *second, q, v, rates)
            }
            Self::SphericalZyx => spherical_zyx::subspace_rates(q, v, rates),
            Self::Ellipsoid { radii } => ellipsoid::subspace_rates(*radii, q, v, rates),
            Self::Composite(_) => unreachable!("{NOT_NESTED}"),
            Self::Fixed
            | Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. }
            | Self::Cylindrical { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::FreeFlyer => rates[..self.nv()].fill(Motion::zero()),
        }
    }
}

/// Why a composite is never met among the parts of one: [`Composite::new`] joins nested lists.
const NOT_NESTED: &str = "the parts of a composite joint are never composite";
