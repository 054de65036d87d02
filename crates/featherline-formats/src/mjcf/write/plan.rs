//! Which bodies are written, and which joints each has.

use super::moves::{JointPart, Move, MoveKind, has_other_velocities, steps};
use crate::description::{Description, Inertial, Joint, Owner, Target, Transmission, Tree};
use crate::error::ErrorCause;
use crate::mjcf::keyframe::REFERENCE;
use crate::options::SiblingOrder;
use crate::report::{Outcome, Report, fault};
use featherline::joint::JointKind;
use featherline::model::FrameKind;
use featherline::spatial::{Mat3, Quaternion, Se3, Sym3, Vec3};

/// The most that a rotation may differ from none and still be rounding.
const ROUNDING: f64 = 1e-14;

/// A body, in the order of the file.
pub(super) struct Body {
    /// The index of the body that it is in; none for the world.
    pub(super) parent: Option<usize>,
    /// Its link; none for a body that carries one on a fixed placement.
    pub(super) link: Option<usize>,
    /// Its placement in its parent at the reference configuration.
    pub(super) placement: Se3<f64>,
    /// Its joints, one after the other.
    pub(super) joints: Vec<Placed>,
    /// The links without mass that its joints pass through.
    pub(super) between: Vec<usize>,
    /// The placement in the world of the input frame of a free joint.
    pub(super) base: Se3<f64>,
}

/// A joint of a body.
pub(super) enum Placed {
    /// A free joint.
    Free { joint: usize },
    /// A hinge, slide or ball, in the frame of the body at the reference configuration.
    Move {
        joint: usize,
        it: Move,
        axis: Vec3<f64>,
        anchor: Vec3<f64>,
        /// The coordinate at the reference configuration.
        reference: f64,
    },
}

impl Placed {
    /// The index of the joint that it is of.
    pub(super) fn joint(&self) -> usize {
        match self {
            Self::Free { joint } | Self::Move { joint, .. } => *joint,
        }
    }
}

/// Which bodies are written.
pub(super) struct Plan {
    /// The root, if it is the world.
    pub(super) world: Option<usize>,
    /// Bodies, each after the one that it is in.
    pub(super) bodies: Vec<Body>,
    /// The entries of q of each joint at the reference configuration, where they are given.
    pub(super) reference: Vec<Option<Vec<f64>>>,
}

/// Plans the bodies of a description.
pub(super) fn plan(description: &Description, report: &mut Report<'_>) -> Outcome<Plan> {
    let tree = Tree::new(description, SiblingOrder::Document, report)?;
    let mut children = vec![Vec::new(); description.links.len()];
    for (i, joint) in description.joints.iter().enumerate() {
        children[joint.parent].push(i);
    }
    let root_name = description.links[tree.root].name.as_str();
    let is_world = matches!(root_name, "world" | "universe");
    let mut planner = Planner {
        description,
        children,
        is_used: used(description),
        reference: reference(description),
        bodies: Vec::new(),
        fixed: vec![None; description.links.len()],
        body_of: vec![None; description.links.len()],
    };
    planner.fixed[tree.root] = Some(Se3::identity());
    if !is_world {
        planner.add(tree.root, None, Se3::identity(), Vec::new(), Vec::new());
    }
    let mut open: Vec<usize> = planner.children[tree.root].iter().rev().copied().collect();
    while let Some(joint) = open.pop() {
        let link = planner.joint(joint, report)?;
        open.extend(planner.children[link].iter().rev());
    }
    Ok(Plan {
        world: is_world.then_some(tree.root),
        bodies: planner.bodies,
        reference: planner.reference,
    })
}

struct Planner<'d> {
    description: &'d Description,
    /// The joints on each link.
    children: Vec<Vec<usize>>,
    /// Whether a link has mass, or anything refers to it.
    is_used: Vec<bool>,
    reference: Vec<Option<Vec<f64>>>,
    bodies: Vec<Body>,
    /// The placement in the world of each link that does not move.
    fixed: Vec<Option<Se3<f64>>>,
    /// The body of each link.
    body_of: Vec<Option<usize>>,
}

impl Planner<'_> {
    fn add(
        &mut self,
        link: usize,
        parent: Option<usize>,
        placement: Se3<f64>,
        joints: Vec<Placed>,
        between: Vec<usize>,
    ) {
        self.body_of[link] = Some(self.bodies.len());
        self.bodies.push(Body {
            parent,
            link: Some(link),
            placement,
            joints,
            between,
            base: Se3::identity(),
        });
    }

    /// Plans the body that a joint leads to; returns its link.
    fn joint(&mut self, index: usize, report: &mut Report<'_>) -> Outcome<usize> {
        let joint = &self.description.joints[index];
        let parent = self.body_of[joint.parent];
        if is_fixed(joint) {
            let placement = joint.placement.compose(&joint.child_placement);
            self.fixed[joint.child] = self.fixed[joint.parent].map(|it| it.compose(&placement));
            self.add(joint.child, parent, placement, Vec::new(), Vec::new());
            return Ok(joint.child);
        }
        if joint.motion.kind() == JointKind::FreeFlyer
            && let Some(in_world) = self.fixed[joint.parent]
        {
            self.free(index, &in_world, report);
            return Ok(joint.child);
        }
        let joints = &self.description.joints;
        let mut chain = self.chain(index);
        let mut placed = self.place(&chain, true)?;
        if chain.len() > 1 && placed.rotated_ball {
            chain.truncate(1);
            placed = self.place(&chain, true)?;
        }
        let link = joints[chain[chain.len() - 1]].child;
        let passed = &chain[..chain.len() - 1];
        let between: Vec<usize> = passed.iter().map(|&it| joints[it].child).collect();
        for &it in &chain {
            self.tell(it, report);
        }
        if !placed.rotated_ball {
            self.add(link, parent, placed.placement, placed.joints, between);
            return Ok(link);
        }
        // The axes of a ball are those of its body: the link is in a body of its own.
        let carrier = self.place(&chain, false)?;
        if carrier.rotated_ball {
            return Err(refused(joint));
        }
        let what = format!("the {} joint `{}`", joint.motion.name(), joint.name);
        let writing = "it moves a body of its own, on which the link is fixed";
        report.written_as(joint.source, what, writing);
        self.bodies.push(Body {
            parent,
            link: None,
            placement: carrier.placement,
            joints: carrier.joints,
            between,
            base: Se3::identity(),
        });
        let carrier = Some(self.bodies.len() - 1);
        self.add(link, carrier, joint.child_placement, Vec::new(), Vec::new());
        Ok(link)
    }

    /// A free joint: a body of the world, whose coordinates are its placement there.
    fn free(&mut self, index: usize, in_world: &Se3<f64>, report: &mut Report<'_>) {
        let joint = &self.description.joints[index];
        let before = in_world.compose(&joint.placement);
        if before != Se3::identity() || joint.child_placement != Se3::identity() {
            let what = format!("the floating joint `{}`", joint.name);
            let writing = "its coordinates are the placement of the link in the world";
            report.written_as(joint.source, what, writing);
        }
        let start = self.reference[index]
            .as_deref()
            .map_or_else(Se3::identity, free);
        let placement = before.compose(&start).compose(&joint.child_placement);
        let joints = vec![Placed::Free { joint: index }];
        self.add(joint.child, None, placement, joints, Vec::new());
        if let Some(body) = self.bodies.last_mut() {
            body.base = before;
        }
    }

    /// The joints of one body: those after the first are reached through links without mass, which
    /// nothing refers to. MuJoCo has no moving bodies without mass.
    fn chain(&self, first: usize) -> Vec<usize> {
        let joints = &self.description.joints;
        let mut chain = vec![first];
        // How many belong to the body: a fixed joint at the end does not.
        let mut count = 1;
        while let Some(&last) = chain.last() {
            let link = joints[last].child;
            let &[next] = &self.children[link][..] else {
                break;
            };
            if self.is_used[link] {
                break;
            }
            chain.push(next);
            if !is_fixed(&joints[next]) {
                count = chain.len();
            }
        }
        chain.truncate(count);
        chain
    }

    /// The joints of a chain in the frame of the last link, at the reference configuration.
    ///
    /// With the steps S of the chain, the placement of a link is ∏ S(q). A motion J between the
    /// steps A and X, A J(q) X, is B X⁻¹ J(q − r) X with the placement B = A J(r) X at the
    /// reference r: the same motion about the axis and the anchor that X⁻¹ takes there.
    fn place(&self, chain: &[usize], with_child: bool) -> Outcome<Chain> {
        let mut all = Vec::new();
        for &index in chain {
            let joint = &self.description.joints[index];
            all.push((index, JointPart::Still(joint.placement)));
            let own = steps(&joint.motion.kind()).ok_or_else(|| refused(joint))?;
            all.extend(own.into_iter().map(|step| (index, step)));
            if with_child {
                all.push((index, JointPart::Still(joint.child_placement)));
            }
        }
        let mut after = Se3::identity();
        let mut rotated_ball = false;
        let mut joints = Vec::new();
        for (index, step) in all.into_iter().rev() {
            let it = match step {
                JointPart::Still(placement) => {
                    after = placement.compose(&after);
                    continue;
                }
                JointPart::Move(it) => it,
            };
            let q = self.reference[index].as_deref();
            let reference = q.and_then(|q| it.displacement(q)).unwrap_or(0.0);
            let axis = turned_back(&after.rotation, it.axis);
            rotated_ball |= it.kind == MoveKind::Ball && is_turned(&after.rotation);
            let anchor = after.inverse_act_point(Vec3::zero());
            after = it.placement(reference).compose(&after);
            joints.push(Placed::Move {
                joint: index,
                it,
                axis,
                anchor,
                reference,
            });
        }
        joints.reverse();
        Ok(Chain {
            joints,
            placement: after,
            rotated_ball,
        })
    }

    /// Reports that a joint becomes several, or has other coordinates.
    fn tell(&self, index: usize, report: &mut Report<'_>) {
        let joint = &self.description.joints[index];
        let kind = joint.motion.kind();
        let steps = steps(&kind).unwrap_or_default();
        let count = steps
            .iter()
            .filter(|it| matches!(it, JointPart::Move(_)))
            .count();
        let writing = match has_other_velocities(&kind) {
            true => "it is written as hinges, slides and balls, whose velocities are others",
            false if count > 1 => "it is written as several joints, one after the other",
            false => return,
        };
        let what = format!("the {} joint `{}`", joint.motion.name(), joint.name);
        report.written_as(joint.source, what, writing);
    }
}

/// The placement that the entries of q of a free joint stand for.
pub(super) fn free(q: &[f64]) -> Se3<f64> {
    match *q {
        [x, y, z, a, b, c, d] => Se3::new(
            Quaternion::new(a, b, c, d).normalised().to_rotation(),
            Vec3::new(x, y, z),
        ),
        _ => Se3::identity(),
    }
}

/// The joints of a body.
struct Chain {
    joints: Vec<Placed>,
    /// The placement of the link in the parent.
    placement: Se3<f64>,
    /// Whether there is a ball whose axes are not those of the link.
    rotated_ball: bool,
}

fn refused(joint: &Joint) -> Box<crate::report::Fault> {
    let what = format!("the {} joint `{}`", joint.motion.name(), joint.name);
    let format = "MJCF";
    fault(joint.source, ErrorCause::NotExpressible { format, what })
}

fn is_turned(rotation: &Mat3<f64>) -> bool {
    let rows = rotation.to_rows();
    let entries = rows.iter().enumerate();
    let mut off = entries.flat_map(|(i, row)| {
        let entries = row.iter().enumerate();
        entries.map(move |(k, entry)| entry - f64::from(u8::from(i == k)))
    });
    off.any(|it| it.abs() > ROUNDING)
}

/// A vector in the rotated frame; as it is, where the rotation is none but for rounding.
fn turned_back(rotation: &Mat3<f64>, v: Vec3<f64>) -> Vec3<f64> {
    match is_turned(rotation) {
        true => rotation.transpose().mul_vec(v),
        false => v,
    }
}

/// The entries of q of each joint at the reference configuration.
fn reference(description: &Description) -> Vec<Option<Vec<f64>>> {
    let mut reference = vec![None; description.joints.len()];
    let named = description.configurations.iter();
    for configuration in named.filter(|it| it.name == REFERENCE) {
        for (joint, values) in &configuration.joints {
            if let Some(slot) = reference.get_mut(*joint) {
                *slot = Some(values.clone());
            }
        }
    }
    reference
}

/// Whether each link has mass, or anything refers to it.
fn used(description: &Description) -> Vec<bool> {
    let has_mass = |it: &Inertial| it.mass != 0.0 || it.moments != Sym3::zero();
    let links = description.links.iter();
    let mut used: Vec<bool> = links
        .map(|it| it.inertial.as_ref().is_some_and(has_mass))
        .collect();
    let mut mark = |link: usize| {
        if let Some(slot) = used.get_mut(link) {
            *slot = true;
        }
    };
    description.geometry.iter().for_each(|it| mark(it.link));
    let frames = description.frames.iter();
    // A fixed joint has no name in MJCF.
    let frames = frames.filter(|it| it.kind != FrameKind::FixedJoint);
    frames.for_each(|it| mark(it.link));
    for closing in &description.loops {
        mark(closing.predecessor.0);
        mark(closing.successor.0);
    }
    for kept in &description.kept {
        if let Owner::Link(link) = kept.owner {
            mark(link);
        }
    }
    for actuator in &description.actuators {
        // A frame marks its link above.
        if let Transmission::Link(link) = actuator.transmission {
            mark(link);
        }
    }
    for target in description.sensors.iter().flat_map(|it| &it.targets) {
        if let Target::Link(link) | Target::Subtree(link) = *target {
            mark(link);
        }
    }
    for exclusion in &description.contact_exclusions {
        exclusion.links.into_iter().for_each(&mut mark);
    }
    used
}

/// Whether a joint does not move.
pub(super) fn is_fixed(joint: &Joint) -> bool {
    joint.motion.kind() == JointKind::Fixed
}
