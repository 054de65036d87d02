//! A joint read from its child to its parent.

use super::composite::SimpleJoints;
use super::configuration::Group;
use super::dispatched::evaluate;
use super::{CompositePart, JointKind};
use crate::spatial::{Mat3, Motion, Quaternion, Se3, Vec3};
use std::ops::Range;

/// A joint with its two frames exchanged: M(q)⁻¹ = `before` · M'(q') · `after`, where M' is that of
/// `kind`.
pub struct Reversed {
    /// How the parent moves, seen from the child.
    pub kind: JointKind,
    /// The placement of the new input frame in the joint's output frame.
    pub before: Se3<f64>,
    /// The placement of the joint's input frame in the new output frame.
    pub after: Se3<f64>,
    /// How q' and v' follow from q and v: the simple joints in their new order.
    pub parts: Vec<ReversedPart>,
}

/// A simple joint with its frames exchanged.
#[derive(Clone, Debug)]
pub struct ReversedPart {
    /// The kind that it had.
    pub kind: JointKind,
    /// Where its configuration was in the joint's.
    pub q: Range<usize>,
    /// Where its velocity was in the joint's.
    pub v: Range<usize>,
    /// The new coordinates from the old ones.
    pub law: Law,
}

/// How the coordinates of a reversed joint follow from those it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The same numbers: the axis has changed its direction.
    Same,
    /// The same numbers from the last to the first.
    Backwards,
    /// The same numbers with the other sign.
    Negated,
    /// The group's inverse: v' = −Ad(M) v depends on q.
    Inverse,
}

impl JointKind {
    /// The joint read from its child to its parent; none where that is no kind of joint: of an
    /// ellipsoid that is no sphere, the parent's origin moves on no ellipsoid.
    ///
    /// Axes change their directions, so that angles and displacements stay. An ellipsoid and
    /// rotations about z, y, x are read in axes in which z and x are exchanged.
    pub fn reversed(&self) -> Option<Reversed> {
        let Self::Composite(composite) = self else {
            return self.reversed_simple();
        };
        // M⁻¹ = Mₙ⁻¹ Pₙ⁻¹ … M₁⁻¹ P₁⁻¹, and each Mᵢ⁻¹ = Aᵢ Mᵢ' Bᵢ.
        let mut parts = Vec::new();
        let mut laws = Vec::new();
        let mut gap = Se3::identity();
        let simple: Vec<_> = SimpleJoints::of(self).collect();
        for (CompositePart { placement, kind }, at) in composite.parts().iter().zip(simple).rev() {
            let part = kind.reversed_simple()?;
            parts.push((gap.compose(&part.before), part.kind));
            gap = part.after.compose(&placement.inverse());
            laws.extend(part.parts.into_iter().map(|law| ReversedPart {
                q: at.q.clone(),
                v: at.v.clone(),
                ..law
            }));
        }
        Some(Reversed {
            // There are as many parts as there were, and that is not zero.
            kind: Self::composite(parts).ok()?,
            before: Se3::identity(),
            after: gap,
            parts: laws,
        })
    }

    fn reversed_simple(&self) -> Option<Reversed> {
        let (x, y, z) = (Vec3::unit(0), Vec3::unit(1), Vec3::unit(2));
        let exchanged = Se3::from_rotation(Mat3::from_columns(-z, -y, -x));
        let (mut before, mut after) = (Se3::identity(), Se3::identity());
        let (kind, law) = match self {
            Self::Fixed => (Self::Fixed, Law::Same),
            Self::Revolute { axis } => (Self::Revolute { axis: -*axis }, Law::Same),
            Self::RevoluteUnbounded { axis } => {
                (Self::RevoluteUnbounded { axis: -*axis }, Law::Same)
            }
            Self::Prismatic { axis } => (Self::Prismatic { axis: -*axis }, Law::Same),
            Self::Helical { axis, pitch } => {
                let (axis, pitch) = (-*axis, *pitch);
                (Self::Helical { axis, pitch }, Law::Same)
            }
            Self::Cylindrical { axis } => (Self::Cylindrical { axis: -*axis }, Law::Same),
            // (R(a, α) R(b, β))⁻¹ = R(−b, β) R(−a, α)
            Self::Universal { first, second } => {
                let (first, second) = (-*second, -*first);
                (Self::Universal { first, second }, Law::Backwards)
            }
            Self::Translation => (Self::Translation, Law::Negated),
            Self::Planar | Self::Spherical | Self::FreeFlyer => (self.clone(), Law::Inverse),
            // (Rz Ry Rx)⁻¹ = R(−x) R(−y) R(−z) = C Rz Ry Rx Cᵀ
            Self::SphericalZyx => {
                (before, after) = (exchanged, exchanged.inverse());
                (Self::SphericalZyx, Law::Backwards)
            }
            // On a sphere, M = R T with T along the child's z: M⁻¹ = T⁻¹ Rᵀ.
            Self::Ellipsoid { radii } if radii.x == radii.y && radii.y == radii.z => {
                let back = Se3::from_translation(Vec3::new(0.0, 0.0, -radii.z));
                (before, after) = (back.compose(&exchanged), exchanged.inverse());
                let radii = Vec3::zero();
                (Self::Ellipsoid { radii }, Law::Backwards)
            }
            Self::Ellipsoid { .. } | Self::Composite(_) => return None,
        };
        Some(Reversed {
            kind,
            before,
            after,
            parts: vec![ReversedPart {
                kind: self.clone(),
                q: 0..self.nq(),
                v: 0..self.nv(),
                law,
            }],
        })
    }

    /// The placement of the output frame at a configuration, and the velocity there.
    pub(crate) fn motion(&self, q: &[f64], v: &[f64]) -> (Se3<f64>, Motion<f64>) {
        let mut subspace = vec![Motion::zero(); self.nv()];
        let placement = evaluate(self, q, &mut subspace);
        let mut velocity = Motion::zero();
        for (column, rate) in subspace.iter().zip(v) {
            velocity = column.mul_add(*rate, &velocity);
        }
        (placement, velocity)
    }
}

impl ReversedPart {
    /// Writes q' of this part: as many entries as it had.
    pub fn configuration(&self, q: &[f64], out: &mut [f64]) {
        let q = &q[self.q.clone()];
        match self.law {
            Law::Same => out.copy_from_slice(q),
            Law::Backwards => copy_backwards(q, out),
            Law::Negated => negate(q, out),
            Law::Inverse => {
                let placement = self.kind.motion(q, &[]).0;
                write_placement(&self.kind, &placement.inverse(), out);
            }
        }
    }

    /// Writes v' of this part: as many entries as it had.
    pub fn velocity(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let (q, v) = (&q[self.q.clone()], &v[self.v.clone()]);
        match self.law {
            Law::Same => out.copy_from_slice(v),
            Law::Backwards => copy_backwards(v, out),
            Law::Negated => negate(v, out),
            Law::Inverse => {
                // v' = −Ad(M) v
                let (placement, velocity) = self.kind.motion(q, v);
                let seen = placement.act_motion(&velocity);
                write_motion(&self.kind, &-seen, out);
            }
        }
    }
}

fn copy_backwards(from: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(from.iter().rev()) {
        *out = *x;
    }
}

fn negate(from: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(from) {
        *out = -x;
    }
}

/// Writes the configuration at which a planar or spherical joint, or a free-flyer, has a placement.
pub fn write_placement(kind: &JointKind, placement: &Se3<f64>, out: &mut [f64]) {
    let (r, p) = (&placement.rotation, placement.translation);
    let quaternion = Quaternion::from_rotation(r).to_array();
    match kind.group() {
        Group::Se2 => out.copy_from_slice(&[p.x, p.y, r.x.x, r.x.y]),
        Group::So3 => out.copy_from_slice(&quaternion),
        Group::Se3 => {
            out[..3].copy_from_slice(&p.to_array());
            out[3..].copy_from_slice(&quaternion);
        }
        Group::Vector | Group::So2 => unreachable!("{NOT_ONE}"),
    }
}

/// Writes the velocity of such a joint whose output frame has a spatial velocity.
pub fn write_motion(kind: &JointKind, motion: &Motion<f64>, out: &mut [f64]) {
    let [x, y, z, a, b, c] = motion.to_array();
    match kind.group() {
        Group::Se2 => out.copy_from_slice(&[x, y, c]),
        Group::So3 => out.copy_from_slice(&[a, b, c]),
        Group::Se3 => out.copy_from_slice(&[x, y, z, a, b, c]),
        Group::Vector | Group::So2 => unreachable!("{NOT_ONE}"),
    }
}

/// Why these are asked of no other kinds: only those have the law of inverses, or are a base.
const NOT_ONE: &str = "not a planar or spherical joint or a free-flyer";

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64) -> Se3<f64> {
        Se3::new(
            Mat3::from_roll_pitch_yaw(x, -0.4 * x, 2.0 * x),
            Vec3::new(0.3, x, -0.2),
        )
    }

    fn kinds() -> Vec<JointKind> {
        let axis = Vec3::new(2.0, -3.0, 6.0);
        let ball = JointKind::ellipsoid(Vec3::new(0.3, 0.3, 0.3));
        let mut kinds = vec![
            JointKind::Fixed,
            JointKind::revolute(axis),
            JointKind::revolute_unbounded(axis),
            JointKind::prismatic(axis),
            JointKind::helical(axis, 0.3),
            JointKind::cylindrical(axis),
            JointKind::universal(axis, Vec3::new(1.0, 1.0, 0.0)),
            JointKind::Planar,
            JointKind::Translation,
            JointKind::Spherical,
            JointKind::SphericalZyx,
            ball,
            JointKind::FreeFlyer,
        ];
        let parts = kinds.iter().enumerate();
        let parts: Vec<_> = parts
            .map(|(i, k)| (at(0.1 * i as f64), k.clone()))
            .collect();
        kinds.push(JointKind::composite(parts).unwrap());
        // A new kind belongs into the list.
        assert!(kinds.iter().map(JointKind::name).eq(JointKind::NAMES));
        kinds
    }

    /// The placements of a joint and of its reverse are each other's inverse, and so are their
    /// velocities, in every configuration.
    #[test]
    fn a_reversed_joint_undoes_the_joint() {
        for kind in kinds() {
            let reversed = kind.reversed().unwrap();
            assert_eq!(
                (reversed.kind.nq(), reversed.kind.nv()),
                (kind.nq(), kind.nv())
            );
            let mut q = vec![0.0; kind.nq()];
            kind.neutral(&mut q);
            let step: Vec<f64> = (0..kind.nv()).map(|k| (k as f64 + 0.7).sin()).collect();
            let mut moved = q.clone();
            kind.integrate(&q, &step, &mut moved);
            let v: Vec<f64> = (0..kind.nv()).map(|k| (2.0 * k as f64).cos()).collect();
            let (mut q_new, mut v_new) = (Vec::new(), Vec::new());
            for part in &reversed.parts {
                let mut own = vec![0.0; part.q.len()];
                part.configuration(&moved, &mut own);
                q_new.extend(own);
                let mut own = vec![0.0; part.v.len()];
                part.velocity(&moved, &v, &mut own);
                v_new.extend(own);
            }
            let (there, velocity) = kind.motion(&moved, &v);
            let (back, new_velocity) = reversed.kind.motion(&q_new, &v_new);
            let total = reversed.before.compose(&back).compose(&reversed.after);
            let closed = there.compose(&total);
            let off = closed.translation.max_norm()
                + (closed.rotation - Mat3::identity()).x.max_norm()
                + (closed.rotation - Mat3::identity()).y.max_norm();
            assert!(off < 1e-13, "{}: {closed:?}", kind.name());
            // Of the old input frame against the old output frame, in the old input frame.
            let expected = -there.act_motion(&velocity);
            let found = reversed.after.inverse_act_motion(&new_velocity);
            for (e, f) in expected.to_array().iter().zip(found.to_array()) {
                assert!((e - f).abs() < 1e-12, "{}", kind.name());
            }
        }
    }

    #[test]
    fn an_ellipsoid_that_is_no_sphere_has_no_reverse() {
        let kind = JointKind::ellipsoid(Vec3::new(0.3, 0.3, 0.2));
        assert!(kind.reversed().is_none());
        let parts = [(at(0.1), JointKind::Spherical), (at(0.2), kind)];
        assert!(JointKind::composite(parts).unwrap().reversed().is_none());
    }
}
