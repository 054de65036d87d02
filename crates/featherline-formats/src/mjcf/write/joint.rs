//! Joints.

use super::moves::{Coordinate, Move, MoveKind};
use super::plan::Placed;
use super::{Attributes, Writer, named, vector};
use crate::description::{Joint, Setting, Source, Transmission};
use crate::mjcf::schema;
use crate::value::largest;
use crate::xml::{number, numbers};
use featherline::spatial::Vec3;

impl<'d> Writer<'d, '_, '_> {
    /// Writes the joints of a body.
    pub(super) fn joints(&mut self, body: usize) {
        let placed = std::mem::take(&mut self.plan.bodies[body].joints);
        // Those of one joint follow one another.
        let mut last = None;
        let mut count = 0;
        for it in &placed {
            let index = it.joint();
            count = if last == Some(index) { count + 1 } else { 0 };
            let name = self.names.joints[index][count].clone();
            match it {
                Placed::Free { joint } => self.free(*joint, &name),
                Placed::Move {
                    it,
                    axis,
                    anchor,
                    reference,
                    ..
                } => self.placed(index, &name, it, (*axis, *anchor), *reference),
            }
            if last != Some(index) {
                self.unbounded(index);
            }
            last = Some(index);
        }
        self.plan.bodies[body].joints = placed;
    }

    /// A free joint.
    fn free(&mut self, index: usize, name: &str) {
        let description = self.description;
        let joint = &description.joints[index];
        let (source, what) = (joint.source, format!("joint `{}`", joint.name));
        let mut attributes = named(name);
        let drive = self.drive(index, 0, 6);
        let start = self.plan.reference[index].as_deref();
        let has_spring = joint.drive.stiffness.iter().any(|it| *it != 0.0);
        if has_spring && start != Some(&joint.drive.spring_reference[..]) {
            self.lacks(source, format!("the rest of the spring of {what}"));
        }
        if joint.limits.effort.iter().any(|it| it.is_finite()) {
            self.lacks(source, format!("the effort limit of {what}"));
        }
        let mut settings = joint.settings.iter();
        let is_free = settings.all(|it| schema::has("body/freejoint", &it.name));
        let tag = match drive.is_empty() && is_free {
            true => "freejoint",
            false => "joint",
        };
        if tag == "joint" {
            attributes.push(("type", "free".to_owned()));
        }
        attributes.extend(drive);
        let path = format!("body/{tag}");
        self.fill(&mut attributes, &path, &joint.settings, &what, source);
        self.out.empty(tag, &attributes);
    }

    fn placed(
        &mut self,
        index: usize,
        name: &str,
        it: &Move,
        (axis, anchor): (Vec3<f64>, Vec3<f64>),
        reference: f64,
    ) {
        let description = self.description;
        let joint = &description.joints[index];
        let kind = match it.kind {
            MoveKind::Hinge => "hinge",
            MoveKind::Slide => "slide",
            MoveKind::Ball => "ball",
        };
        let mut attributes = named(name);
        attributes.push(("type", kind.to_owned()));
        if it.kind != MoveKind::Ball {
            attributes.push(("axis", vector(readable(axis))));
        }
        if anchor != Vec3::zero() {
            attributes.push(("pos", vector(anchor)));
        }
        if reference != 0.0 {
            attributes.push(("ref", number(reference)));
        }
        attributes.extend(self.range(joint, it, name));
        if let Some(degree) = it.degree {
            let count = if it.kind == MoveKind::Ball { 3 } else { 1 };
            attributes.extend(self.drive(index, degree, count));
            attributes.extend(self.spring(joint, it, name));
            attributes.extend(self.effort(joint, it, degree, name));
        }
        let what = format!("joint `{}`", joint.name);
        let path = "body/joint";
        self.fill(&mut attributes, path, &joint.settings, &what, joint.source);
        self.out.empty("joint", &attributes);
    }

    /// The range of a hinge or slide.
    fn range(&mut self, joint: &Joint, it: &Move, name: &str) -> Attributes<'d> {
        let limits = &joint.limits;
        let (first, count) = match it.coordinate {
            Coordinate::Entry(i) => (i, 1),
            Coordinate::Angle(i) => (i, 2),
            Coordinate::Quaternion(i) => (i, 4),
            // That of the angle which it follows.
            Coordinate::Multiple(..) => return Vec::new(),
        };
        let mut bounds = limits.lower.iter().zip(&limits.upper);
        let mut own = bounds.by_ref().skip(first).take(count);
        let is_bounded = |(lower, upper): &(&f64, &f64)| lower.is_finite() || upper.is_finite();
        let Some((lower, upper)) = own.find(is_bounded) else {
            return Vec::new();
        };
        if count > 1 {
            self.lacks(joint.source, format!("the limits of joint `{name}`"));
            return Vec::new();
        }
        if lower >= upper {
            // MuJoCo refuses them.
            let what = format!("the range of joint `{name}`, which is a single position,");
            self.lacks(joint.source, what);
            return Vec::new();
        }
        vec![
            ("limited", "true".to_owned()),
            ("range", numbers(&[*lower, *upper])),
        ]
    }

    /// Armature, damping, friction and stiffness of some degrees of freedom, which have one value
    /// each.
    fn drive(&mut self, index: usize, first: usize, count: usize) -> Attributes<'d> {
        let description = self.description;
        let joint = &description.joints[index];
        let drive = &joint.drive;
        let [of_armature, of_damping] = self.reflected(index);
        let degrees = first..first + count;
        let armature = (0..drive.armature.len()).map(|i| drive.reflected_inertia(i));
        let armature: Vec<f64> = armature.collect();
        let mut attributes = Vec::new();
        for (name, values, of_actuators) in [
            ("armature", &armature, of_armature),
            ("damping", &drive.damping, of_damping),
            ("frictionloss", &drive.friction, 0.0),
            ("stiffness", &drive.stiffness, 0.0),
        ] {
            let Some(&[value, ref others @ ..]) = values.get(degrees.clone()) else {
                continue;
            };
            if others.iter().any(|it| *it != value) {
                let of = format!("the {name} of joint `{}`", joint.name);
                let what = format!("{of}, which is another one for each degree of freedom,");
                self.lacks(joint.source, what);
                continue;
            }
            // That of actuators is stated with them; a polynomial begins with the value.
            let value = value - of_actuators;
            if value != 0.0 || Setting::find(&joint.settings, name).is_some() {
                attributes.push((name, number(value)));
            }
        }
        attributes
    }

    /// The armature and the damping that actuators add to those of a joint: they count with the
    /// squared gear ratio.
    fn reflected(&self, index: usize) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for actuator in &self.description.actuators {
            let on_it = [
                Transmission::Joint(index),
                Transmission::JointInParent(index),
            ];
            if !on_it.contains(&actuator.transmission) {
                continue;
            }
            let squared = actuator.gear[0] * actuator.gear[0];
            for (sum, name) in sum.iter_mut().zip(["armature", "damping"]) {
                // The damping of this one is the control's.
                let is_control = name == "damping" && actuator.kind == "damper";
                let stated = Setting::find(&actuator.settings, name).filter(|_| !is_control);
                let first = stated.and_then(|it| it.split_ascii_whitespace().next()?.parse().ok());
                *sum += squared * first.unwrap_or(0.0);
            }
        }
        sum
    }

    /// Where the spring is at rest.
    fn spring(&mut self, joint: &Joint, it: &Move, name: &str) -> Attributes<'d> {
        let drive = &joint.drive;
        let rest = &drive.spring_reference;
        if it.kind != MoveKind::Ball {
            let rest = it.displacement(rest).unwrap_or(0.0);
            let rest = Some(rest).filter(|it| *it != 0.0);
            return rest
                .map(|it| ("springref", number(it)))
                .into_iter()
                .collect();
        }
        let has_spring = drive.stiffness.iter().any(|it| *it != 0.0);
        let rest = it.coordinates(rest);
        if has_spring && rest.is_some_and(|it| it != [1.0, 0.0, 0.0, 0.0]) {
            let what = format!("the rest of the spring of joint `{name}`");
            self.lacks(joint.source, what);
        }
        Vec::new()
    }

    /// The greatest force of actuators on a hinge or slide.
    fn effort(&mut self, joint: &Joint, it: &Move, degree: usize, name: &str) -> Attributes<'d> {
        let effort = joint.limits.effort.get(degree);
        let stated = stated_effort(joint);
        let Some(&effort) = effort.filter(|it| it.is_finite()) else {
            let unlimited = stated.map(|_| ("actuatorfrclimited", "false".to_owned()));
            return unlimited.into_iter().collect();
        };
        if stated == Some(effort) {
            // A range that is not symmetric is in the words of the file.
            return Vec::new();
        }
        if it.kind == MoveKind::Ball || effort <= 0.0 {
            // MuJoCo refuses a range of zero.
            let what = match effort <= 0.0 {
                true => format!("the effort limit of joint `{name}`, which is 0,"),
                false => format!("the effort limit of joint `{name}`"),
            };
            self.lacks(joint.source, what);
            return Vec::new();
        }
        vec![
            ("actuatorfrclimited", "true".to_owned()),
            ("actuatorfrcrange", numbers(&[-effort, effort])),
        ]
    }

    /// Reports bounds that MJCF has none of.
    fn unbounded(&mut self, index: usize) {
        let joint = &self.description.joints[index];
        let source: Source = joint.source;
        for (what, values) in [
            ("velocity", &joint.limits.velocity),
            ("acceleration", &joint.limits.acceleration),
        ] {
            if values.iter().any(|it| it.is_finite()) {
                self.lacks(
                    source,
                    format!("the {what} limit of joint `{}`", joint.name),
                );
            }
        }
    }
}

/// The greatest force of actuators by the settings of a joint, if they state one that is in force.
fn stated_effort(joint: &Joint) -> Option<f64> {
    let range = Setting::find(&joint.settings, "actuatorfrcrange")?;
    let words = range.split_ascii_whitespace();
    let bounds: Vec<f64> = words.filter_map(|it| it.parse().ok()).collect();
    let is_in_force = Setting::find(&joint.settings, "actuatorfrclimited") != Some("false");
    match bounds[..] {
        [lower, upper] if is_in_force && lower < upper => Some(lower.abs().max(upper.abs())),
        _ => None,
    }
}

/// An axis as it is stated, unless it is so long or short that MuJoCo has no direction of it.
fn readable(axis: Vec3<f64>) -> Vec3<f64> {
    match (1e-3..1e3).contains(&largest(&axis.to_array())) {
        true => axis,
        false => axis.normalised(),
    }
}
