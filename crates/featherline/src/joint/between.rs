//! A joint's motions, from the places of its frames instead of its configuration: what a joint is
//! known by that closes a loop.

use super::{JointKind, SimpleJoints};
use crate::scalar::Scalar;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

impl JointKind {
    /// Whether [`motions_between`](Self::motions_between) has an answer: for every kind but
    /// composites of several parts, whose configurations have to be sought step by step.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::spatial::Se3;
    ///
    /// assert!(JointKind::SphericalZyx.has_motions_between());
    /// let here = Se3::identity();
    /// let parts = [(here, JointKind::revolute_z()), (here, JointKind::Spherical)];
    /// assert!(!JointKind::composite(parts)?.has_motions_between());
    /// # Ok::<(), featherline::joint::JointError>(())
    /// ```
    pub fn has_motions_between(&self) -> bool {
        SimpleJoints::of(self).count() == 1
    }

    /// The motion subspace S of a joint whose output frame is placed at `placement` in its input
    /// frame, and its bias acceleration Ṡ q̇ while they move against each other with `velocity`:
    /// both in the output frame, as is `velocity`.
    ///
    /// `subspace` has [`nv`](Self::nv) entries. The frames are taken to be where the joint lets
    /// them be. What [`evaluate`](Self::evaluate) and [`subspace_rates`](Self::subspace_rates) give
    /// in the configuration that goes with the placement; where there are several, in the one whose
    /// pitch (or middle angle) is within a quarter of a turn. Cost O(nv).
    ///
    /// # Panics
    /// If `subspace` is shorter than that, and for joints that [have no
    /// answer](Self::has_motions_between).
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::spatial::{Motion, Vec3};
    ///
    /// let joint = JointKind::universal(Vec3::unit(0), Vec3::unit(1));
    /// let (mut subspace, mut found) = ([Motion::zero(); 2], [Motion::zero(); 2]);
    /// let placement = joint.evaluate(&[0.3, 0.8], &mut subspace);
    /// joint.motions_between(&placement, &Motion::zero(), &mut found);
    /// assert!((found[0].angular - subspace[0].angular).norm() < 1e-15);
    /// # let _: Motion<f64> = found[1];
    /// ```
    #[inline(always)]
    pub fn motions_between<S: Scalar>(
        &self,
        placement: &Se3<S>,
        velocity: &Motion<S>,
        subspace: &mut [Motion<S>],
    ) -> Motion<S> {
        if let Self::Composite(composite) = self {
            let [part] = composite.parts() else {
                unreachable!("only composites of one part have an answer");
            };
            let placement = Se3::constant(&part.placement).inverse_compose(placement);
            part.kind
                .motions_between_simple(&placement, velocity, subspace)
        } else {
            self.motions_between_simple(placement, velocity, subspace)
        }
    }

    #[inline(always)]
    fn motions_between_simple<S: Scalar>(
        &self,
        placement: &Se3<S>,
        velocity: &Motion<S>,
        subspace: &mut [Motion<S>],
    ) -> Motion<S> {
        let rotation = &placement.rotation;
        let angles = match self {
            Self::Universal { first, second } => {
                let (first, second) = (Vec3::constant(*first), Vec3::constant(*second));
                // The first rotation takes the second axis to where it is seen from the input
                // frame; the second one takes the first axis, seen from the output frame, back to
                // what it is.
                let seen = rotation.tr_mul_vec(first);
                let outer = angle_about(first, second, rotation.mul_vec(second));
                [outer, angle_about(second, seen, first), S::zero()]
            }
            Self::SphericalZyx => angles_zyx(rotation),
            Self::Ellipsoid { .. } => angles_xyz(rotation),
            Self::Fixed
            | Self::Revolute { .. }
            | Self::RevoluteUnbounded { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. }
            | Self::Cylindrical { .. }
            | Self::Planar
            | Self::Translation
            | Self::Spherical
            | Self::FreeFlyer
            | Self::Composite(_) => {
                let mut neutral = [S::zero(); MOST_ENTRIES];
                let neutral = &mut neutral[..self.nq()];
                self.neutral(neutral);
                self.evaluate(neutral, subspace);
                return Motion::zero();
            }
        };
        let (q, n) = (&angles[..self.nq()], self.nv());
        self.evaluate(q, subspace);
        let axes = [subspace[0].angular, subspace[1].angular];
        let last = if n == 3 {
            subspace[2].angular
        } else {
            axes[0].cross(axes[1])
        };
        let rates = shares(velocity.angular, [axes[0], axes[1], last]);
        let mut changes = [Motion::zero(); 3];
        self.subspace_rates(q, &rates[..n], &mut changes[..n]);
        let mut bias = Motion::zero();
        for k in 0..n {
            bias = changes[k].mul_add(rates[k], &bias);
        }
        bias
    }
}

/// More entries than a configuration of a joint that is not composite has.
const MOST_ENTRIES: usize = 7;

/// The angle by which a rotation about a unit axis takes one vector to another.
#[inline(always)]
fn angle_about<S: Scalar>(axis: Vec3<S>, from: Vec3<S>, to: Vec3<S>) -> S {
    let sin = axis.dot(from.cross(to));
    let cos = from.dot(to) - axis.dot(from) * axis.dot(to);
    sin.atan2(cos)
}

/// Yaw, pitch and roll.
#[inline(always)]
fn angles_zyx<S: Scalar>(rotation: &Mat3<S>) -> [S; 3] {
    let Mat3 { x, y, z } = rotation;
    let cos = x.x.mul_add(x.x, x.y * x.y).sqrt();
    [x.y.atan2(x.x), (-x.z).atan2(cos), y.z.atan2(z.z)]
}

/// Angles about x, the new y and the new z.
#[inline(always)]
fn angles_xyz<S: Scalar>(rotation: &Mat3<S>) -> [S; 3] {
    let Mat3 { x, y, z } = rotation;
    let cos = x.x.mul_add(x.x, y.x * y.x).sqrt();
    [(-z.y).atan2(z.z), z.x.atan2(cos), (-y.x).atan2(x.x)]
}

/// The factors with which three vectors add up to another one: Cramer's rule.
#[inline(always)]
fn shares<S: Scalar>(sum: Vec3<S>, [a, b, c]: [Vec3<S>; 3]) -> [S; 3] {
    let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
    let inverse = a.dot(bc).recip();
    [
        sum.dot(bc) * inverse,
        sum.dot(ca) * inverse,
        sum.dot(ab) * inverse,
    ]
}
