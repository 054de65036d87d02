//! The model of a description.

use super::floating::ROOT_JOINT;
use super::inertias::{check_inertias, inertias};
use super::mimic::laws;
use super::tree::Tree;
use super::{Configuration, Description, Disabled, Joint, Motion, Source};
use crate::error::ErrorCause;
use crate::options::{Continuous, LoadOptions, MimicJoints, MissingInertia};
use crate::report::{Fault, Outcome, Report, fault};
use crate::suggestion::similar;
use crate::warning::WarningCause;
use crate::xml::shortened;
use featherline::joint::JointKind;
use featherline::model::{
    Drive, FrameKind, JointHandle, JointSpec, Limits, Model, ModelBuilder, ModelError, ModelWarning,
};
use featherline::spatial::Se3;
use std::collections::HashMap;

/// The name of the world, which the model has as its first joint.
const UNIVERSE: &str = "universe";

impl Description {
    /// Builds the model; warnings go to the report.
    pub(crate) fn assemble(
        &self,
        options: &LoadOptions,
        report: &mut Report<'_>,
    ) -> Outcome<Model> {
        let description = self;
        let tree = Tree::new(description, options.sibling_order, report)?;
        check_kept_joints(description, options)?;
        check_reserved_names(description, options)?;
        let inertias = inertias(description, options, report)?;
        let mut builder = ModelBuilder::new(&description.name);
        builder.permit_impossible_inertias(options.permissive);
        if let Some(gravity) = description.gravity {
            builder.gravity(gravity);
        }
        let base = if options.floating_base {
            let root = JointSpec::new(ROOT_JOINT, ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
            builder.add_joint(root)
        } else {
            ModelBuilder::UNIVERSE
        };
        // For each link the joint that moves it, and its placement in that joint's output frame.
        let mut place = vec![(base, Se3::identity()); description.links.len()];
        let mut handles: Vec<Option<JointHandle>> = vec![None; description.joints.len()];
        let add_body = |builder: &mut ModelBuilder, link: usize, (joint, placement)| {
            let name = &description.links[link].name;
            builder.add_body(joint, name, placement, inertias[link]);
        };
        add_body(&mut builder, tree.root, place[tree.root]);
        for &i in &tree.joints {
            let joint = &description.joints[i];
            let (carrier, in_carrier) = place[joint.parent];
            let placement = in_carrier.compose(&joint.placement);
            place[joint.child] = match kind(joint, options) {
                None => {
                    builder.add_frame(carrier, &joint.name, placement, FrameKind::FixedJoint);
                    (carrier, placement.compose(&joint.child_placement))
                }
                Some(kind) => {
                    let handle = builder.add_joint(spec(
                        joint,
                        carrier,
                        kind,
                        placement,
                        description.disabled,
                    ));
                    handles[i] = Some(handle);
                    (handle, joint.child_placement)
                }
            };
            add_body(&mut builder, joint.child, place[joint.child]);
        }
        if options.missing_inertia == MissingInertia::Refuse {
            let carriers: Vec<JointHandle> = place.iter().map(|(carrier, _)| *carrier).collect();
            check_inertias(description, &carriers)?;
        }
        for frame in &description.frames {
            description.check_index(&frame.name, "link", frame.link, frame.source)?;
            let (carrier, in_carrier) = place[frame.link];
            let placement = in_carrier.compose(&frame.placement);
            builder.add_frame(carrier, &frame.name, placement, frame.kind);
        }
        let carriers = description.carriers();
        let is_moved = |link: usize| {
            let has_carrier = carriers.get(link).is_some_and(Option::is_some);
            has_carrier && place[link].0 == ModelBuilder::UNIVERSE
        };
        for closing in &description.loops {
            if is_moved(closing.predecessor.0) || is_moved(closing.successor.0) {
                // The pull of a moved body is no loop of the model.
                continue;
            }
            let end = |(link, placement): &(usize, Se3<f64>)| -> Outcome<(JointHandle, Se3<f64>)> {
                description.check_index(&closing.name, "link", *link, closing.source)?;
                let (carrier, in_carrier) = place[*link];
                Ok((carrier, in_carrier.compose(placement)))
            };
            let ends = (end(&closing.predecessor)?, end(&closing.successor)?);
            builder.close_loop(&closing.name, closing.kind.clone(), ends.0, ends.1);
        }
        if options.mimic == MimicJoints::Coupled {
            for (i, law) in laws(description)?.into_iter().enumerate() {
                let Some(law) = law else { continue };
                if let (Some(mimic_joint), Some(source)) = (handles[i], handles[law.source]) {
                    builder.mimic(mimic_joint, source, law.ratio, law.offset);
                }
            }
        }
        let parts = Parts::of(description);
        let built = builder.build().map_err(|error| refused(error, &parts))?;
        for warning in built.warnings {
            if let ModelWarning::MimicJumps {
                mimic,
                mimicked,
                ratio,
            } = warning
            {
                let source = parts.joint(&mimic).unwrap_or(description.source);
                let cause = ErrorCause::MimicTurns {
                    mimic,
                    mimicked,
                    ratio,
                };
                return Err(fault(source, cause));
            }
            #[expect(clippy::wildcard_enum_match_arm, reason = "others are about no part")]
            let source = match &warning {
                ModelWarning::TriangleInequality { body, .. }
                | ModelWarning::InertiaNotPositive { body, .. }
                | ModelWarning::NegativeMass { body, .. }
                | ModelWarning::NegativeMoment { body, .. }
                | ModelWarning::MasslessInertia { body }
                | ModelWarning::PointMass { body, .. } => parts.moments(body),
                ModelWarning::TooLarge {
                    kind: "body", name, ..
                } => parts.moments(name),
                ModelWarning::TooLarge { name, .. } => {
                    parts.joint(name).or_else(|| parts.moments(name))
                }
                ModelWarning::MovesNothing { joint }
                | ModelWarning::ContradictoryLimits { mimic: joint, .. } => parts.joint(joint),
                _ => None,
            };
            let source = source.unwrap_or(description.source);
            report.warn(source, WarningCause::Model(warning));
        }
        let mut model = built.model;
        for configuration in &description.configurations {
            let q = description.entries(configuration, &model)?;
            let named = model.with_reference_configuration(&configuration.name, q);
            model = named.map_err(|error| fault(configuration.source, ErrorCause::Model(error)))?;
        }
        Ok(model)
    }

    /// The entries of q of a named configuration in a model of this description.
    pub(crate) fn entries(
        &self,
        configuration: &Configuration,
        model: &Model,
    ) -> Outcome<Vec<f64>> {
        let mut q = model.neutral_configuration();
        if let (Some(placement), Ok(id)) = (configuration.root, model.joint_id(ROOT_JOINT))
            && !self.joints.iter().any(|it| it.name == ROOT_JOINT)
            && model.joint(id).kind == JointKind::FreeFlyer
        {
            let at = model.joint(id).idx_q;
            q[at..at + 7].copy_from_slice(&placement);
        }
        for (index, values) in &configuration.joints {
            self.check_index(&configuration.name, "joint", *index, configuration.source)?;
            let name = &self.joints[*index].name;
            let Ok(id) = model.joint_id(name) else {
                continue;
            };
            let joint = model.joint(id);
            let own = &mut q[joint.idx_q..joint.idx_q + joint.nq];
            match (&joint.kind, &values[..]) {
                // Given by the angle, kept by its cosine and sine.
                (JointKind::RevoluteUnbounded { .. }, &[angle]) if joint.nq == 2 => {
                    own.copy_from_slice(&[angle.cos(), angle.sin()]);
                }
                (JointKind::Revolute { .. }, &[cos, sin]) if joint.nq == 1 => {
                    own[0] = sin.atan2(cos)
                }
                _ if own.len() == values.len() => own.copy_from_slice(values),
                // A mimic joint has no entries of its own.
                _ if joint.mimic.is_some() => {}
                _ => {
                    let cause = ErrorCause::Model(ModelError::Length {
                        joint: name.clone(),
                        what: "configuration",
                        expected: joint.nq,
                        found: values.len(),
                    });
                    return Err(fault(configuration.source, cause));
                }
            }
        }
        Ok(q)
    }

    pub(crate) fn check_link(&self, link: usize, joint: &Joint) -> Outcome<()> {
        self.check_index(&joint.name, "link", link, joint.source)
    }

    /// Fails if a part refers to a link or joint that does not exist.
    fn check_index(
        &self,
        owner: &str,
        what: &'static str,
        index: usize,
        source: Source,
    ) -> Outcome<()> {
        let count = match what {
            "link" => self.links.len(),
            _ => self.joints.len(),
        };
        if index < count {
            return Ok(());
        }
        let cause = ErrorCause::NoSuchPart {
            owner: format!("`{}`", shortened(owner)),
            what,
            index,
            count,
        };
        Err(fault(source, cause))
    }
}

fn check_kept_joints(description: &Description, options: &LoadOptions) -> Outcome<()> {
    let fixed = || {
        let joints = description.joints.iter();
        joints.filter(|joint| joint.motion == Motion::Fixed)
    };
    for name in &options.kept_fixed_joints {
        if !fixed().any(|joint| joint.name == *name) {
            let cause = ErrorCause::NoFixedJoint {
                suggestion: similar(name, fixed().map(|joint| joint.name.as_str())),
                known: fixed().map(|joint| joint.name.clone()).collect(),
                name: shortened(name),
            };
            return Err(fault(description.source, cause));
        }
    }
    Ok(())
}

fn check_reserved_names(description: &Description, options: &LoadOptions) -> Outcome<()> {
    for joint in &description.joints {
        let meaning = match joint.name.as_str() {
            _ if kind(joint, options).is_none() => continue,
            UNIVERSE => "the world",
            ROOT_JOINT if options.floating_base => "the joint that moves the floating base",
            _ => continue,
        };
        let remedy = match (joint.name.as_str(), &joint.motion) {
            (ROOT_JOINT, Motion::Floating) => {
                "the file's base floats already: read it without `floating_base` (`--floating-base`)"
            }
            _ => "rename the joint",
        };
        let cause = ErrorCause::ReservedName {
            name: joint.name.clone(),
            meaning,
            remedy,
        };
        return Err(fault(joint.source, cause));
    }
    Ok(())
}

/// The kind of joint of the model; none for a joint that makes one body of its links.
fn kind(joint: &Joint, options: &LoadOptions) -> Option<JointKind> {
    let is_kept = || options.kept_fixed_joints.contains(&joint.name);
    match joint.motion {
        Motion::Fixed if !is_kept() => None,
        Motion::Continuous { axis } if options.continuous == Continuous::CosSin => {
            Some(JointKind::revolute_unbounded(axis))
        }
        Motion::Fixed
        | Motion::Revolute { .. }
        | Motion::Continuous { .. }
        | Motion::Prismatic { .. }
        | Motion::Planar { .. }
        | Motion::Floating
        | Motion::Other(_) => Some(joint.motion.kind()),
    }
}

fn spec(
    joint: &Joint,
    parent: JointHandle,
    kind: JointKind,
    placement: Se3<f64>,
    disabled: Disabled,
) -> JointSpec {
    let (mut limits, mut drive) = (joint.limits.clone(), disabled.left_of(&joint.drive));
    if let JointKind::RevoluteUnbounded { .. } = kind
        && limits.lower.len() == 1
    {
        // The cosine and sine of a continuous joint have no range, and neither has its angle.
        let free = Limits::unbounded(kind.nq(), kind.nv());
        (limits.lower, limits.upper) = (free.lower, free.upper);
        drive.spring_reference = match drive.spring_reference[..] {
            [angle] => vec![angle.cos(), angle.sin()],
            _ => Drive::none(&kind).spring_reference,
        };
    }
    JointSpec::new(&joint.name, parent, kind)
        .placement(placement)
        .limits(limits)
        .drive(drive)
}

/// Links and joints by their names, for messages of the model's builder.
struct Parts<'d> {
    description: &'d Description,
    links: HashMap<&'d str, usize>,
    joints: HashMap<&'d str, usize>,
}

impl<'d> Parts<'d> {
    fn of(description: &'d Description) -> Self {
        let links = description.links.iter().enumerate();
        let joints = description.joints.iter().enumerate();
        Self {
            description,
            links: links.map(|(i, link)| (link.name.as_str(), i)).collect(),
            joints: joints.map(|(i, joint)| (joint.name.as_str(), i)).collect(),
        }
    }

    /// Where a link's moments are, or the link.
    fn moments(&self, link: &str) -> Option<Source> {
        let link = &self.description.links[*self.links.get(link)?];
        Some(link.inertial.as_ref().map_or(link.source, |it| it.source))
    }

    fn joint(&self, joint: &str) -> Option<Source> {
        Some(self.description.joints[*self.joints.get(joint)?].source)
    }
}

/// The place of what a model refuses.
fn refused(error: ModelError, parts: &Parts<'_>) -> Box<Fault> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are about no part")]
    let source = match &error {
        ModelError::InertiaNotPositive { body, .. } => parts.moments(body),
        // The inertia of a joint is what its links sum up to: one of them is too large.
        ModelError::NotFinite { name, .. }
        | ModelError::Negative { name, .. }
        | ModelError::NotARotation { name }
        | ModelError::DuplicateName { name, .. } => {
            parts.joint(name).or_else(|| parts.moments(name))
        }
        ModelError::Kind { joint: name, .. }
        | ModelError::Length { joint: name, .. }
        | ModelError::EmptyRange { joint: name, .. }
        | ModelError::BadMimic { joint: name, .. } => parts.joint(name),
        _ => None,
    };
    let is_permissible = matches!(error, ModelError::InertiaNotPositive { .. });
    let cause = if let ModelError::InertiaNotPositive { moment, .. } = error {
        ErrorCause::InertiaNotPositive { moment }
    } else {
        ErrorCause::Model(error)
    };
    let mut fault = fault(source.unwrap_or(parts.description.source), cause);
    fault.is_permissible = is_permissible;
    fault
}
