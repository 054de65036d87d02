//! The model of a URDF's tree.

use super::mimic::laws;
use super::read::{Bounds, Description, Joint, Motion};
use super::report::{Fault, Outcome, Report, fault};
use super::tree::{Tree, similar};
use super::{Continuous, MimicJoints, UrdfErrorCause, UrdfOptions, UrdfWarningCause};
use crate::xml::{Element, shortened};
use featherline::joint::JointKind;
use featherline::model::{
    FrameKind, JointHandle, JointSpec, Limits, Model, ModelBuilder, ModelError, ModelWarning,
};
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};

/// The name of the joint that moves a floating base.
const ROOT_JOINT: &str = "root_joint";
/// The name of the world, which the model has as its first joint.
const UNIVERSE: &str = "universe";

/// Builds the model; warnings go to the report.
pub(super) fn assemble<'a>(
    description: &Description<'a>,
    tree: &Tree<'a>,
    options: &UrdfOptions,
    report: &mut Report<'_>,
) -> Outcome<Model> {
    check_kept_joints(description, tree, options)?;
    check_reserved_names(description, options)?;
    let mut builder = ModelBuilder::new(description.name);
    let base = if options.floating_base {
        let root = JointSpec::new(ROOT_JOINT, ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
        builder.add_joint(root)
    } else {
        ModelBuilder::UNIVERSE
    };
    // For each link the joint that moves it, and its placement in that joint's output frame.
    let mut place = vec![(base, Se3::identity()); description.links.len()];
    let mut handles: Vec<Option<JointHandle>> = vec![None; description.joints.len()];
    add_body(&mut builder, description, tree.root, place[tree.root]);
    for &i in &tree.joints {
        let joint = &description.joints[i];
        let (parent, child) = tree.ends[i];
        let (carrier, in_carrier) = place[parent];
        let placement = in_carrier.compose(&joint.origin);
        place[child] = match kind(joint, options) {
            None => {
                builder.add_frame(carrier, joint.name, placement, FrameKind::FixedJoint);
                (carrier, placement)
            }
            Some(kind) => {
                let handle = builder.add_joint(spec(joint, carrier, kind, placement));
                handles[i] = Some(handle);
                (handle, Se3::identity())
            }
        };
        add_body(&mut builder, description, child, place[child]);
    }
    if options.mimic == MimicJoints::Coupled {
        for (i, law) in laws(description, tree)?.into_iter().enumerate() {
            let Some(law) = law else { continue };
            if let (Some(mimic_joint), Some(source)) = (handles[i], handles[law.source]) {
                builder.mimic(mimic_joint, source, law.ratio, law.offset);
            }
        }
    }
    let built = builder
        .build()
        .map_err(|error| refused(error, description, tree))?;
    for warning in built.warnings {
        if let ModelWarning::MimicJumps {
            mimic,
            mimicked,
            ratio,
        } = warning
        {
            let element = joint_of(&mimic, description, tree).unwrap_or(description.root);
            let cause = UrdfErrorCause::MimicTurns {
                mimic,
                mimicked,
                ratio,
            };
            return Err(fault(element, cause));
        }
        let element = match &warning {
            ModelWarning::TriangleInequality { body, .. }
            | ModelWarning::InertiaNotPositive { body, .. }
            | ModelWarning::MasslessInertia { body }
            | ModelWarning::PointMass { body, .. } => moments_of(body, description, tree),
            ModelWarning::TooLarge {
                kind: "body", name, ..
            } => moments_of(name, description, tree),
            ModelWarning::TooLarge { name, .. } => {
                joint_of(name, description, tree).or_else(|| moments_of(name, description, tree))
            }
            ModelWarning::MovesNothing { joint }
            | ModelWarning::ContradictoryLimits { mimic: joint, .. } => {
                joint_of(joint, description, tree)
            }
            _ => None,
        };
        let element = element.unwrap_or(description.root);
        report.warn(element, UrdfWarningCause::Model(warning));
    }
    Ok(built.model)
}

fn check_kept_joints(
    description: &Description<'_>,
    tree: &Tree<'_>,
    options: &UrdfOptions,
) -> Outcome<()> {
    for name in &options.kept_fixed_joints {
        let joint = tree.joint_named.get(name.as_str());
        if joint.is_none_or(|&i| description.joints[i].motion != Motion::Fixed) {
            let fixed = description.joints.iter();
            let fixed = fixed.filter(|joint| joint.motion == Motion::Fixed);
            let cause = UrdfErrorCause::NoFixedJoint {
                suggestion: similar(name, fixed.map(|joint| joint.name)),
                name: shortened(name),
            };
            return Err(fault(description.root, cause));
        }
    }
    Ok(())
}

fn check_reserved_names(description: &Description<'_>, options: &UrdfOptions) -> Outcome<()> {
    for joint in &description.joints {
        let meaning = match joint.name {
            _ if kind(joint, options).is_none() => continue,
            UNIVERSE => "the world",
            ROOT_JOINT if options.floating_base => "the joint that moves the floating base",
            _ => continue,
        };
        let name = joint.name.to_owned();
        return Err(fault(
            joint.element,
            UrdfErrorCause::ReservedName { name, meaning },
        ));
    }
    Ok(())
}

fn add_body(
    builder: &mut ModelBuilder,
    description: &Description<'_>,
    link: usize,
    (joint, placement): (JointHandle, Se3<f64>),
) {
    let link = &description.links[link];
    let inertia = link
        .inertial
        .as_ref()
        .map_or_else(Inertia::zero, |inertial| inertial.value);
    builder.add_body(joint, link.name, placement, inertia);
}

/// The kind of joint of the model; none for a joint that makes one body of its links.
fn kind(joint: &Joint<'_>, options: &UrdfOptions) -> Option<JointKind> {
    let is_kept = || options.kept_fixed_joints.iter().any(|k| k == joint.name);
    Some(match joint.motion {
        Motion::Fixed if is_kept() => JointKind::Fixed,
        Motion::Fixed => return None,
        Motion::Revolute(axis) => JointKind::revolute(axis),
        Motion::Continuous(axis) => match options.continuous {
            Continuous::Angle => JointKind::revolute(axis),
            Continuous::CosSin => JointKind::revolute_unbounded(axis),
        },
        Motion::Prismatic(axis) => JointKind::prismatic(axis),
        Motion::Floating => JointKind::FreeFlyer,
        Motion::Planar(normal) => return Some(planar(normal)),
    })
}

/// Motion in the plane with a normal: the model's motion in the xy plane, rotated there, and the
/// child rotated back.
fn planar(normal: Vec3<f64>) -> JointKind {
    let turn = z_to(normal);
    if turn == Mat3::identity() {
        return JointKind::Planar;
    }
    let there = Se3::from_rotation(turn);
    let parts = [
        (there, JointKind::Planar),
        (there.inverse(), JointKind::Fixed),
    ];
    // A composite of at least one part always exists.
    JointKind::composite(parts).unwrap_or(JointKind::Planar)
}

/// The smallest rotation that takes z to a direction; for −z, by π about x.
fn z_to(direction: Vec3<f64>) -> Mat3<f64> {
    let unit = direction.normalised();
    let sin = unit.x.hypot(unit.y);
    if sin == 0.0 {
        let half_turn = Mat3::from_axis_sin_cos(Vec3::unit(0), 0.0, -1.0);
        return if unit.z > 0.0 {
            Mat3::identity()
        } else {
            half_turn
        };
    }
    let axis = Vec3::new(-unit.y / sin, unit.x / sin, 0.0);
    Mat3::from_axis_sin_cos(axis, sin, unit.z)
}

fn spec(joint: &Joint<'_>, parent: JointHandle, kind: JointKind, placement: Se3<f64>) -> JointSpec {
    let mut limits = Limits::unbounded(kind.nq(), kind.nv());
    if joint.motion.has_one_displacement() {
        let Bounds {
            lower,
            upper,
            velocity,
            effort,
        } = joint.bounds;
        // The (cos, sin) of a continuous joint has no range, and neither has its angle.
        limits.lower.fill(lower);
        limits.upper.fill(upper);
        limits.velocity.fill(velocity);
        limits.effort.fill(effort);
    }
    JointSpec::new(joint.name, parent, kind)
        .placement(placement)
        .limits(limits)
        .damping(joint.damping)
        .friction(joint.friction)
}

fn moments_of<'a>(
    link: &str,
    description: &Description<'a>,
    tree: &Tree<'a>,
) -> Option<Element<'a>> {
    let link = &description.links[*tree.link_named.get(link)?];
    Some(
        link.inertial
            .as_ref()
            .map_or(link.element, |inertial| inertial.moments),
    )
}

fn joint_of<'a>(
    joint: &str,
    description: &Description<'a>,
    tree: &Tree<'a>,
) -> Option<Element<'a>> {
    Some(description.joints[*tree.joint_named.get(joint)?].element)
}

/// The element of what a model refuses.
fn refused(error: ModelError, description: &Description<'_>, tree: &Tree<'_>) -> Box<Fault> {
    let link = |name: &str| moments_of(name, description, tree);
    let joint = |name: &str| joint_of(name, description, tree);
    let element = match &error {
        ModelError::InertiaNotPositive { body, .. } => link(body),
        // The inertia of a joint is what its links sum up to: one of them is too large.
        ModelError::NotFinite { name, .. }
        | ModelError::Negative { name, .. }
        | ModelError::NotARotation { name }
        | ModelError::DuplicateName { name, .. } => joint(name).or_else(|| link(name)),
        ModelError::Kind { joint: name, .. }
        | ModelError::Length { joint: name, .. }
        | ModelError::EmptyRange { joint: name, .. }
        | ModelError::BadMimic { joint: name, .. } => joint(name),
        _ => None,
    };
    let cause = match error {
        ModelError::InertiaNotPositive { moment, .. } => {
            UrdfErrorCause::InertiaNotPositive { moment }
        }
        other => UrdfErrorCause::Model(other),
    };
    fault(element.unwrap_or(description.root), cause)
}
