//! Configurations of a joint: moving along them, and the way from one to another.
//!
//! The configurations of a joint form a Lie group: vectors under addition, except SO(2) for (cos,
//! sin), SE(2) for the planar joint, SO(3) for the spherical one, SE(3) for the free-flyer, and
//! products of those for a composite. A velocity v, in the child's frame, that acts for one unit of
//! time leads from q to q ⊕ v, which is `integrate`; `difference` goes back (J. Solà, J. Deray and
//! D. Atchuthan, *A micro Lie theory for state estimation in robotics*, 2018, section II, right
//! operators). Angles of the vector kinds are not wrapped: a difference of 2π is a whole turn.

use super::composite::{MAX_SIMPLE_NV, SimpleJoint, SimpleJoints};
use super::{JointKind, NOT_NESTED, free_flyer, planar, spherical, unbounded};
use crate::scalar::Scalar;
use std::ops::Range;

/// The Lie group that the configurations of a joint form that is not composite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Group {
    /// Vectors under addition.
    Vector,
    /// Cosine and sine.
    So2,
    /// Two positions, cosine and sine.
    Se2,
    /// A quaternion.
    So3,
    /// A position and a quaternion.
    Se3,
}

impl JointKind {
    /// The group of the configurations of a joint that is not composite.
    #[inline(always)]
    pub(crate) fn group(&self) -> Group {
        match self {
            Self::Fixed
            | Self::Revolute { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. }
            | Self::Cylindrical { .. }
            | Self::Universal { .. }
            | Self::Translation
            | Self::SphericalZyx
            | Self::Ellipsoid { .. } => Group::Vector,
            Self::RevoluteUnbounded { .. } => Group::So2,
            Self::Planar => Group::Se2,
            Self::Spherical => Group::So3,
            Self::FreeFlyer => Group::Se3,
            Self::Composite(_) => unreachable!("{NOT_NESTED}"),
        }
    }

    /// Writes the neutral configuration: zero angles and displacements, unit quaternions, (1, 0)
    /// for (cos, sin).
    ///
    /// A joint other than an ellipsoid or composite one then has its output frame on its input
    /// frame.
    ///
    /// # Panics
    /// If `q` has fewer than [`nq`](Self::nq) entries.
    pub fn neutral<S: Scalar>(&self, q: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let q = &mut q[joint.q.clone()];
            q.fill(S::zero());
            match joint.group() {
                Group::Vector => {}
                Group::So2 => q[0] = S::one(),
                Group::Se2 => q[2] = S::one(),
                Group::So3 => q[3] = S::one(),
                Group::Se3 => q[6] = S::one(),
            }
        }
    }

    /// Gives quaternions and (cos, sin) pairs length one; leaves all other entries as they are.
    ///
    /// One of length zero becomes NaN: it stands for no rotation.
    ///
    /// # Panics
    /// If `q` has fewer than [`nq`](Self::nq) entries.
    #[inline(always)]
    pub fn normalise<S: Scalar>(&self, q: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let rotation = &mut q[joint.rotation_entries()];
            if rotation.len() == 2 {
                (rotation[0], rotation[1]) = unbounded::cos_sin(rotation);
            } else if rotation.len() == 4 {
                let unit = spherical::unit_quaternion(rotation);
                rotation.copy_from_slice(&unit.to_array());
            }
        }
    }

    /// Which entries of q make up a quaternion or a (cos, sin) pair: a vector of length one each.
    pub fn unit_entries(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let rotations = SimpleJoints::of(self).map(|joint| joint.rotation_entries());
        rotations.filter(|entries| entries.len() > 1)
    }

    /// Whether the squared lengths of quaternions and (cos, sin) pairs differ from one by at most
    /// `tolerance`.
    ///
    /// # Panics
    /// If `q` has fewer than [`nq`](Self::nq) entries.
    pub fn is_normalised(&self, q: &[f64], tolerance: f64) -> bool {
        SimpleJoints::of(self).all(|joint| {
            let rotation = &q[joint.rotation_entries()];
            let squared: f64 = rotation.iter().map(|x| x * x).sum();
            rotation.is_empty() || (squared - 1.0).abs() <= tolerance
        })
    }

    /// The configuration that the velocity `v` leads to from `q` in one unit of time: q ⊕ v.
    ///
    /// `q` and `out` have [`nq`](Self::nq) entries, `v` [`nv`](Self::nv). Rotations in `out` have
    /// length one, whatever length those in `q` have; a quaternion's sign is not chosen.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    ///
    /// // A car on a circle: forward at 1 m/s, turning left at π/2 rad/s, for one second.
    /// let mut q = [0.0; 4];
    /// let v = [1.0, 0.0, std::f64::consts::FRAC_PI_2];
    /// JointKind::Planar.integrate(&[0.0, 0.0, 1.0, 0.0], &v, &mut q);
    /// let radius = std::f64::consts::FRAC_2_PI;
    /// assert!((q[0] - radius).abs() < 1e-15 && (q[1] - radius).abs() < 1e-15);
    /// ```
    #[inline(always)]
    pub fn integrate<S: Scalar>(&self, q: &[S], v: &[S], out: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            joint
                .kind
                .integrate_simple(&q[joint.q.clone()], &v[joint.v], &mut out[joint.q]);
        }
    }

    /// The velocity that leads from `q0` to `q1` in one unit of time: q1 ⊖ q0.
    ///
    /// `q0` and `q1` have [`nq`](Self::nq) entries, `out` [`nv`](Self::nv). Where several
    /// velocities do, it is one that turns least; `integrate(q0, difference(q0, q1))` is `q1`, up
    /// to the sign of quaternions.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    #[inline(always)]
    pub fn difference<S: Scalar>(&self, q0: &[S], q1: &[S], out: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let (q0, q1) = (&q0[joint.q.clone()], &q1[joint.q]);
            joint.kind.difference_simple(q0, q1, &mut out[joint.v]);
        }
    }

    /// The configuration at the fraction `t` of the way from `q0` to `q1`, at constant velocity:
    /// q0 ⊕ t (q1 ⊖ q0). Values of `t` outside \[0, 1\] extrapolate.
    ///
    /// `q0`, `q1` and `out` have [`nq`](Self::nq) entries.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    #[inline(always)]
    pub fn interpolate<S: Scalar>(&self, q0: &[S], q1: &[S], t: S, out: &mut [S]) {
        for joint in SimpleJoints::of(self) {
            let mut way = [S::zero(); MAX_SIMPLE_NV];
            joint
                .kind
                .difference_simple(&q0[joint.q.clone()], &q1[joint.q.clone()], &mut way);
            for component in &mut way {
                *component = *component * t;
            }
            joint
                .kind
                .integrate_simple(&q0[joint.q.clone()], &way, &mut out[joint.q]);
        }
    }

    /// The squared length of the difference between two configurations: metres and radians
    /// together.
    ///
    /// # Panics
    /// If a slice has fewer than [`nq`](Self::nq) entries.
    #[inline(always)]
    pub fn squared_distance<S: Scalar>(&self, q0: &[S], q1: &[S]) -> S {
        let mut sum = S::zero();
        for joint in SimpleJoints::of(self) {
            let mut way = [S::zero(); MAX_SIMPLE_NV];
            joint
                .kind
                .difference_simple(&q0[joint.q.clone()], &q1[joint.q], &mut way);
            for component in way {
                sum = component.mul_add(component, sum);
            }
        }
        sum
    }

    /// The angle or displacement, of kinds that [have one](Self::has_one_displacement).
    #[inline(always)]
    pub(crate) fn displacement<S: Scalar>(&self, q: &[S]) -> S {
        match self.group() {
            Group::So2 => q[1].atan2(q[0]),
            Group::Vector | Group::Se2 | Group::So3 | Group::Se3 => q[0],
        }
    }

    /// Writes the configuration at an angle or displacement, for the same kinds.
    pub(crate) fn displaced(&self, displacement: f64, q: &mut [f64]) {
        match self.group() {
            Group::So2 => (q[1], q[0]) = displacement.sin_cos(),
            Group::Vector | Group::Se2 | Group::So3 | Group::Se3 => q[0] = displacement,
        }
    }

    #[inline(always)]
    fn integrate_simple<S: Scalar>(&self, q: &[S], v: &[S], out: &mut [S]) {
        match self.group() {
            Group::Vector => {
                for k in 0..q.len() {
                    out[k] = q[k] + v[k];
                }
            }
            Group::So2 => unbounded::integrate(q, v, out),
            Group::Se2 => planar::integrate(q, v, out),
            Group::So3 => spherical::integrate(q, v, out),
            Group::Se3 => free_flyer::integrate(q, v, out),
        }
    }

    #[inline(always)]
    pub(super) fn difference_simple<S: Scalar>(&self, q0: &[S], q1: &[S], out: &mut [S]) {
        match self.group() {
            Group::Vector => {
                for k in 0..q0.len() {
                    out[k] = q1[k] - q0[k];
                }
            }
            Group::So2 => unbounded::difference(q0, q1, out),
            Group::Se2 => planar::difference(q0, q1, out),
            Group::So3 => spherical::difference(q0, q1, out),
            Group::Se3 => free_flyer::difference(q0, q1, out),
        }
    }
}

impl SimpleJoint<'_> {
    /// The group of its configurations.
    #[inline(always)]
    pub fn group(&self) -> Group {
        self.kind.group()
    }

    /// Where angles, displacements and positions lie in q, a vector; before what a rotation is kept
    /// in.
    #[inline(always)]
    pub fn vector_entries(&self) -> Range<usize> {
        let count = match self.group() {
            Group::Vector => self.q.len(),
            Group::So2 | Group::So3 => 0,
            Group::Se2 => 2,
            Group::Se3 => 3,
        };
        self.q.start..self.q.start + count
    }

    /// Where the quaternion or the (cos, sin) pair lies in q; empty for a vector.
    #[inline(always)]
    pub(super) fn rotation_entries(&self) -> Range<usize> {
        self.vector_entries().end..self.q.end
    }
}
