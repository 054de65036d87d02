//! Another body as the base.

use super::Surgery;
use super::carried::Rule;
use super::draft::Draft;
use super::error::SurgeryError;
use crate::joint::JointKind;
use crate::joint::reverse::{Law, ReversedPart};
use crate::model::{Drive, Joint, JointId, Limits, Model};
use crate::spatial::Se3;
use std::ops::Range;

impl Model {
    /// The robot on the same free-flyer, which carries another of its bodies: the one that `body`
    /// moves.
    ///
    /// Joints between the two bodies are reversed: each moves the body that carried it. Their axes
    /// change direction, so that angles, displacements, limits and drives stay what they are; all
    /// names stay. Frames stay where they are in their bodies, but for the frames of reversed
    /// joints, which are the joints' new output frames. Motions, momenta and energies are the same:
    /// another choice of coordinates. Cost O(n).
    ///
    /// The reverse of a cylindrical, revolute, prismatic or helical joint, bounded or not, has the
    /// same coordinates. That of a translation has them with the other sign; that of a universal
    /// joint, of angles about z, y, x, and of an ellipsoid that is a sphere, in reversed order, as
    /// have the parts of a composite. Planar and spherical joints and free-flyers have those of the
    /// inverse placement; their axes then turn against each other, and limits and drives that
    /// depend on the axes have no equal.
    ///
    /// For a robot that is fixed in the world, [`append`](Self::append) it to a free-flyer, and
    /// [`lock`](Self::lock) that one afterwards.
    ///
    /// # Errors
    /// [`SurgeryError::NotFloating`] if something else than a free-flyer holds the body's root;
    /// [`SurgeryError::NoReverse`] for an ellipsoid on the way; [`SurgeryError::NotReversible`] for
    /// limits, drives and friction as above; [`SurgeryError::Universe`]; [`SurgeryError::Input`]
    /// for a joint of another model.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3, Vec3};
    ///
    /// // Two cubes with a hinge between them.
    /// let mut builder = ModelBuilder::new("pair");
    /// let free = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    /// let base = builder.add_joint(free);
    /// let cube = Inertia::cuboid(1.0, Vec3::new(0.1, 0.1, 0.1));
    /// builder.add_body(base, "first", Se3::identity(), cube);
    /// let edge = Se3::from_translation(Vec3::new(0.1, 0.0, 0.0));
    /// let hinge = JointSpec::new("hinge", base, JointKind::revolute_z()).placement(edge);
    /// let hinge = builder.add_joint(hinge);
    /// builder.add_body(hinge, "second", Se3::identity(), cube);
    /// let model = builder.build()?.model;
    ///
    /// let other = model.reroot(model.joint_id("hinge")?)?;
    /// let base = other.model.joint_id("base")?;
    /// assert_eq!(other.model.frame(other.model.body_id("second")?).joint, base);
    ///
    /// // The base is now where the hinge is, and the hinge is as far open as it was.
    /// let q = other.carried.configuration(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5])?;
    /// assert_eq!((q[0], q[7]), (0.1, 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reroot(&self, body: JointId) -> Result<Surgery, SurgeryError> {
        self.check_joint(body)?;
        if body == JointId::UNIVERSE {
            return Err(SurgeryError::Universe { what: "the base" });
        }
        let mut path: Vec<usize> = self.support(body).map(JointId::index).collect();
        path.reverse();
        self.check_floating(path[0])?;

        // For each joint the one that carries its body in the new model, and where the body's new
        // frame is in its old one.
        let count = self.joints().len();
        let mut carriers: Vec<(usize, Se3<f64>)> =
            (0..count).map(|i| (i, Se3::identity())).collect();
        let mut reversed = Vec::new();
        for step in path.windows(2) {
            let joint = &self.joints()[step[1]];
            let Some(reverse) = joint.kind.reversed() else {
                return Err(SurgeryError::NoReverse {
                    joint: joint.name.clone(),
                    kind: joint.kind.name(),
                });
            };
            // M⁻¹ X⁻¹ = before M' after X⁻¹: the parent's new frame is at X after⁻¹.
            let frame = joint.placement.compose(&reverse.after.inverse());
            carriers[step[0]] = (step[1], frame);
            reversed.push((step[1], reverse));
        }
        carriers[body.index()] = (path[0], Se3::identity());

        let mut draft = Draft::of(self);
        let inertia = |old: usize| {
            let frame = &carriers[old].1;
            self.joints()[old].inertia.inverse_transformed_by(frame)
        };
        let carry = |joint: &mut JointId, placement: &mut Se3<f64>| {
            let (carrier, frame) = &carriers[joint.index()];
            if path.contains(&joint.index()) {
                *joint = JointId(*carrier);
                *placement = frame.inverse_compose(placement);
            }
        };
        for draft in draft.present() {
            if !path.contains(&draft.from.1) {
                carry(&mut draft.joint.parent, &mut draft.joint.placement);
            }
        }
        for draft in &mut draft.frames {
            let frame = &mut draft.frame;
            let owner = frame.joint;
            if frame.is_of_joint(self.joint(owner)) {
                // The joint's own frame is its output frame, whatever it moves.
                continue;
            }
            carry(&mut frame.joint, &mut frame.placement);
        }
        for draft in &mut draft.loops {
            let closing = &mut draft.closing;
            carry(&mut closing.predecessor, &mut closing.predecessor_placement);
            carry(&mut closing.successor, &mut closing.successor_placement);
        }
        if let Some(base) = &mut draft.joints[path[0]] {
            base.joint.inertia = inertia(body.index());
            base.rule = Rule::Base(path.clone());
        }
        for (i, reverse) in reversed {
            let Some(new) = &mut draft.joints[i] else {
                continue;
            };
            let (carrier, frame) = &carriers[i];
            let was = self.joint(JointId(i));
            let joint = &mut new.joint;
            joint.parent = JointId(*carrier);
            joint.placement = frame.inverse_compose(&reverse.before);
            joint.inertia = inertia(was.parent.index());
            joint.kind = reverse.kind;
            (joint.limits, joint.drive) = reversed_parameters(was, &reverse.parts)?;
            new.rule = Rule::Reversed(reverse.parts);
        }
        Surgery::of(draft, self)
    }

    /// Fails unless a joint leaves a robot free, and nothing about it depends on its body.
    fn check_floating(&self, root: usize) -> Result<(), SurgeryError> {
        let joint = &self.joints()[root];
        if joint.kind != JointKind::FreeFlyer {
            return Err(SurgeryError::NotFloating {
                root: joint.name.clone(),
                kind: joint.kind.name(),
            });
        }
        check_independent(joint, &(0..joint.kind.nq()), &(0..joint.kind.nv()), false)
    }
}

/// Limits and drive of a joint's reverse.
fn reversed_parameters(
    joint: &Joint,
    parts: &[ReversedPart],
) -> Result<(Limits, Drive), SurgeryError> {
    let (was_limits, was) = (&joint.limits, &joint.drive);
    let mut limits = Limits::unbounded(0, 0);
    let mut drive = Drive::none(&JointKind::Fixed);
    for part in parts {
        if part.law == Law::Inverse {
            let alike = part.kind == JointKind::Spherical;
            check_independent(joint, &part.q, &part.v, alike)?;
        }
        let backwards = part.law == Law::Backwards;
        let take = |from: &[f64], range: &Range<usize>, to: &mut Vec<f64>| {
            let own = from[range.clone()].iter().copied();
            if backwards {
                to.extend(own.rev());
            } else {
                to.extend(own);
            }
        };
        if part.law == Law::Negated {
            // −upper ≤ −q ≤ −lower
            limits
                .lower
                .extend(was_limits.upper[part.q.clone()].iter().map(|x| -x));
            limits
                .upper
                .extend(was_limits.lower[part.q.clone()].iter().map(|x| -x));
        } else {
            take(&was_limits.lower, &part.q, &mut limits.lower);
            take(&was_limits.upper, &part.q, &mut limits.upper);
        }
        take(&was_limits.velocity, &part.v, &mut limits.velocity);
        take(&was_limits.effort, &part.v, &mut limits.effort);
        take(&was_limits.acceleration, &part.v, &mut limits.acceleration);
        take(&was.armature, &part.v, &mut drive.armature);
        take(&was.rotor_inertia, &part.v, &mut drive.rotor_inertia);
        take(&was.gear_ratio, &part.v, &mut drive.gear_ratio);
        take(&was.damping, &part.v, &mut drive.damping);
        take(&was.friction, &part.v, &mut drive.friction);
        take(&was.stiffness, &part.v, &mut drive.stiffness);
        let mut rest = vec![0.0; part.q.len()];
        part.configuration(&was.spring_reference, &mut rest);
        drive.spring_reference.extend(rest);
    }
    Ok((limits, drive))
}

/// Fails if limits or drive depend on the directions of a joint's axes: on all of them, or, where
/// equal parameters of all axes are the same in any directions, on their differences.
fn check_independent(
    joint: &Joint,
    q: &Range<usize>,
    v: &Range<usize>,
    alike: bool,
) -> Result<(), SurgeryError> {
    let Joint { limits, drive, .. } = joint;
    let bounds = [
        (&limits.lower, q),
        (&limits.upper, q),
        (&limits.velocity, v),
        (&limits.effort, v),
        (&limits.acceleration, v),
    ];
    let fail = |what| {
        Err(SurgeryError::NotReversible {
            joint: joint.name.clone(),
            what,
        })
    };
    let bounded = |(values, range): &(&Vec<f64>, &Range<usize>)| {
        values[(*range).clone()].iter().any(|x| x.is_finite())
    };
    if bounds.iter().any(bounded) {
        return fail("a limit");
    }
    let reflected: Vec<f64> = v.clone().map(|d| drive.reflected_inertia(d)).collect();
    let parameters = [
        ("the armature", &reflected[..], alike),
        ("the damping", &drive.damping[v.clone()], alike),
        ("the spring", &drive.stiffness[v.clone()], alike),
        ("the friction", &drive.friction[v.clone()], false),
    ];
    for (what, values, may_be_alike) in parameters {
        let expected = if may_be_alike { values[0] } else { 0.0 };
        if values.iter().any(|x| *x != expected) {
            return fail(what);
        }
    }
    Ok(())
}
