//! Joints as the hinges, slides and balls of MJCF.

use featherline::joint::JointKind;
use featherline::spatial::{Mat3, Se3, Vec3};

/// A part of a joint: a fixed placement, or one of the motions that MJCF has.
#[derive(Clone, Debug)]
pub(super) enum JointPart {
    Still(Se3<f64>),
    Move(Move),
}

/// One of the motions that MJCF has, and the entries of the joint's q and v that it stands for.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) kind: MoveKind,
    /// The axis, if it has one.
    pub(super) axis: Vec3<f64>,
    /// Its first entry of v; none for what another motion drives.
    pub(super) degree: Option<usize>,
    pub(super) coordinate: Coordinate,
    /// The suffix that its name adds to that of the joint, if the joint has several.
    pub(super) suffix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveKind {
    Hinge,
    Slide,
    Ball,
}

/// How the coordinate of a motion follows from the entries of the joint's q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Coordinate {
    /// An entry.
    Entry(usize),
    /// The angle of a cosine and a sine, the first at an entry.
    Angle(usize),
    /// A quaternion x, y, z, w, the first at an entry.
    Quaternion(usize),
    /// A multiple of an entry, as the translation of a screw is of its angle.
    Multiple(usize, f64),
}

impl Move {
    fn new(kind: MoveKind, axis: Vec3<f64>, at: (usize, usize), suffix: &str) -> Self {
        Self {
            kind,
            axis,
            degree: Some(at.1),
            coordinate: Coordinate::Entry(at.0),
            suffix: suffix.to_owned(),
        }
    }

    fn with(mut self, coordinate: Coordinate) -> Self {
        self.coordinate = coordinate;
        self
    }

    /// The displacement of a hinge or slide where the joint has these entries of q; none if they
    /// are too few, or if the motion has no displacement.
    pub(super) fn displacement(&self, q: &[f64]) -> Option<f64> {
        match self.coordinate {
            Coordinate::Entry(i) => q.get(i).copied(),
            Coordinate::Angle(i) => Some(q.get(i + 1)?.atan2(*q.get(i)?)),
            Coordinate::Multiple(i, factor) => Some(factor * q.get(i)?),
            Coordinate::Quaternion(_) => None,
        }
    }

    /// Its coordinates in MJCF, where a quaternion is w, x, y, z.
    pub(super) fn coordinates(&self, q: &[f64]) -> Option<Vec<f64>> {
        match self.coordinate {
            Coordinate::Quaternion(i) => match *q.get(i..i + 4)? {
                [x, y, z, w] => Some(vec![w, x, y, z]),
                _ => None,
            },
            Coordinate::Entry(_) | Coordinate::Angle(_) | Coordinate::Multiple(..) => {
                Some(vec![self.displacement(q)?])
            }
        }
    }

    /// The placement of a hinge or slide that is displaced; a ball stays where it is.
    pub(super) fn placement(&self, displacement: f64) -> Se3<f64> {
        let axis = self.axis.normalised();
        match self.kind {
            MoveKind::Hinge => {
                let (sin, cos) = crate::value::exact_sin_cos(displacement);
                Se3::from_rotation(Mat3::from_axis_sin_cos(axis, sin, cos))
            }
            MoveKind::Slide => Se3::from_translation(axis * displacement),
            MoveKind::Ball => Se3::identity(),
        }
    }
}

/// The steps of a kind of joint, one after the other; none for a motion that MJCF has not.
pub(super) fn steps(kind: &JointKind) -> Option<Vec<JointPart>> {
    let mut steps = Vec::new();
    add(kind, (0, 0), &mut steps)?;
    Some(steps)
}

/// Whether the entries of v of a kind are others than those of its steps, because they are given in
/// the moving frame.
pub(super) fn has_other_velocities(kind: &JointKind) -> bool {
    match kind {
        JointKind::Planar | JointKind::FreeFlyer => true,
        JointKind::Composite(composite) => composite
            .parts()
            .iter()
            .any(|part| has_other_velocities(&part.kind)),
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::RevoluteUnbounded { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Helical { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Universal { .. }
        | JointKind::Translation
        | JointKind::Spherical
        | JointKind::SphericalZyx
        | JointKind::Ellipsoid { .. } => false,
    }
}

/// Adds the steps of a kind whose first entries of q and v are `at`.
fn add(kind: &JointKind, at: (usize, usize), steps: &mut Vec<JointPart>) -> Option<()> {
    use MoveKind::{Ball, Hinge, Slide};
    let unit = Vec3::unit;
    let (q, v) = at;
    let mut push = |it: Move| steps.push(JointPart::Move(it));
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute { axis } => push(Move::new(Hinge, *axis, at, "")),
        JointKind::RevoluteUnbounded { axis } => {
            push(Move::new(Hinge, *axis, at, "").with(Coordinate::Angle(q)));
        }
        JointKind::Prismatic { axis } => push(Move::new(Slide, *axis, at, "")),
        JointKind::Helical { axis, pitch } => {
            push(Move::new(Hinge, *axis, at, ""));
            let mut along = Move::new(Slide, *axis, at, "_slide");
            along.coordinate = Coordinate::Multiple(q, *pitch);
            along.degree = None;
            push(along);
        }
        JointKind::Cylindrical { axis } => {
            push(Move::new(Hinge, *axis, at, "_hinge"));
            push(Move::new(Slide, *axis, (q + 1, v + 1), "_slide"));
        }
        JointKind::Universal { first, second } => {
            push(Move::new(Hinge, *first, at, "_first"));
            push(Move::new(Hinge, *second, (q + 1, v + 1), "_second"));
        }
        JointKind::Planar => {
            push(Move::new(Slide, unit(0), at, "_x"));
            push(Move::new(Slide, unit(1), (q + 1, v + 1), "_y"));
            let turn = Move::new(Hinge, unit(2), (q + 2, v + 2), "_angle");
            push(turn.with(Coordinate::Angle(q + 2)));
        }
        JointKind::Translation | JointKind::FreeFlyer => {
            for (i, suffix) in ["_x", "_y", "_z"].into_iter().enumerate() {
                push(Move::new(Slide, unit(i), (q + i, v + i), suffix));
            }
            if *kind == JointKind::FreeFlyer {
                let ball = Move::new(Ball, Vec3::zero(), (q + 3, v + 3), "_ball");
                push(ball.with(Coordinate::Quaternion(q + 3)));
            }
        }
        JointKind::Spherical => {
            push(Move::new(Ball, Vec3::zero(), at, "").with(Coordinate::Quaternion(q)));
        }
        JointKind::SphericalZyx => {
            for (i, suffix) in ["_yaw", "_pitch", "_roll"].into_iter().enumerate() {
                push(Move::new(Hinge, unit(2 - i), (q + i, v + i), suffix));
            }
        }
        JointKind::Composite(composite) => {
            let (mut q, mut v) = at;
            let moving = composite.parts().iter().filter(|it| it.kind.nv() > 0);
            let is_one = moving.count() == 1;
            for (i, part) in composite.parts().iter().enumerate() {
                steps.push(JointPart::Still(part.placement));
                let first = steps.len();
                add(&part.kind, (q, v), steps)?;
                for step in &mut steps[first..] {
                    if let (JointPart::Move(it), false) = (step, is_one) {
                        it.suffix = format!("_{}{}", i + 1, it.suffix);
                    }
                }
                q += part.kind.nq();
                v += part.kind.nv();
            }
        }
        // The surface of an ellipsoid is no chain of hinges and slides.
        JointKind::Ellipsoid { .. } => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::spatial::Motion;

    /// The placement of the steps is that of the joint, at any q.
    #[test]
    fn the_steps_of_a_kind_move_like_it() {
        let axis = Vec3::new(0.6, 0.0, 0.8);
        let parts = [
            (Se3::from_translation(axis), JointKind::Planar),
            (Se3::identity(), JointKind::helical(axis, 0.3)),
        ];
        let composite = JointKind::composite(parts).unwrap();
        let cases: [(JointKind, &[f64]); 10] = [
            (JointKind::Fixed, &[]),
            (JointKind::revolute(axis), &[0.7]),
            (JointKind::revolute_unbounded(axis), &[0.6, 0.8]),
            (JointKind::prismatic(axis), &[0.7]),
            (JointKind::helical(axis, 0.2), &[0.7]),
            (JointKind::cylindrical(axis), &[0.7, 0.4]),
            (JointKind::universal(axis, Vec3::unit(1)), &[0.7, 0.4]),
            (JointKind::Translation, &[0.7, 0.4, -1.0]),
            (JointKind::SphericalZyx, &[0.7, 0.4, -1.0]),
            (composite, &[0.7, 0.4, 0.6, 0.8, -1.0]),
        ];
        for (kind, q) in cases {
            let expected = kind.evaluate(q, &mut [Motion::zero(); 6]);
            let mut found = Se3::identity();
            for step in steps(&kind).unwrap() {
                found = found.compose(&match step {
                    JointPart::Still(placement) => placement,
                    JointPart::Move(it) => it.placement(it.displacement(q).unwrap()),
                });
            }
            let (found, expected) = (found.to_homogeneous(), expected.to_homogeneous());
            let pairs = found.as_flattened().iter().zip(expected.as_flattened());
            for (x, y) in pairs {
                assert!((x - y).abs() < 1e-15, "{kind:?}: {found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn an_ellipsoid_is_refused() {
        assert!(steps(&JointKind::ellipsoid(Vec3::unit(0))).is_none());
    }
}
