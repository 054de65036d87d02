//! Physically impossible data are an error; doubtful data that occur in real files are a warning.

use super::loop_joint::validate_loops;
use super::mimic_limits::mimic_limits;
use super::{Frame, Joint, LoopJoint, Mimic, ModelData, ModelError, ModelWarning};
use crate::joint::ORTHONORMAL;
use crate::joint::configuration::Group;
use crate::spatial::{Inertia, Se3, Vec3};
use std::collections::{BTreeMap, HashSet};

/// Rounding of printed figures: smaller violations, beside the largest moment, are not reported.
const PRINTED_ROUNDING: f64 = 1e-6;
/// Radius of gyration, in m, below which a body is a point: printed figures leave as much.
const POINT: f64 = 1e-6;
/// Figures beyond this overflow in products: in kg and m it is beyond a galaxy.
const LARGEST: f64 = 1e50;
/// How far the squared length of a written quaternion or (cos, sin) pair may be from one: figures
/// of three digits. Algorithms take any length but zero.
const PRINTED_LENGTH: f64 = 1e-3;

/// Checks what builders and surgery make of a model, and names what is doubtful; `bodies` are those
/// with figures of their own.
pub(super) fn validate<'a>(
    data: &'a ModelData,
    bodies: impl Iterator<Item = (&'a str, &'a Inertia<f64>)>,
    are_any_inertias_permitted: bool,
) -> Result<Vec<ModelWarning>, ModelError> {
    let (joints, loops) = (&data.joints, &data.loop_joints);
    validate_loops(joints, loops)?;
    validate_values(data)?;
    check_lumped_inertias(joints, are_any_inertias_permitted)?;
    let mut warnings = joints_that_move_nothing(joints);
    warnings.extend(joints_that_repeat_motions(joints));
    warnings.extend(mimic_limits(joints).1);
    warnings.extend(mimic_joints_that_jump(joints));
    warnings.extend(figures_too_large(bodies, joints, loops, &data.frames));
    Ok(warnings)
}

/// Checks one body's inertia; that of the bodies fixed together, `lumped`, alone is impossible.
pub(super) fn check_inertia(
    body: &str,
    inertia: &Inertia<f64>,
    lumped: &Inertia<f64>,
) -> Result<Option<ModelWarning>, ModelError> {
    check_inertia_is_finite(body, inertia)?;
    check_sign("the mass", body, inertia.mass)?;
    let moments = inertia.principal_moments();
    let body = body.to_owned();
    if is_negative(&moments, inertia.mass) {
        let moment = moments[0];
        check_inertia_is_finite(&body, lumped)?;
        return if is_negative(&lumped.principal_moments(), lumped.mass) {
            Err(ModelError::InertiaNotPositive { body, moment })
        } else {
            Ok(Some(ModelWarning::InertiaNotPositive { body, moment }))
        };
    }
    let point = POINT * POINT * inertia.mass;
    if moments[2] <= point && inertia.mass > 0.0 {
        let mass = inertia.mass;
        Ok(Some(ModelWarning::PointMass { body, mass }))
    } else if moments[2] > 0.0 && inertia.mass == 0.0 {
        Ok(Some(ModelWarning::MasslessInertia { body }))
    } else if moments[0] + moments[1] < moments[2] - PRINTED_ROUNDING * moments[2] {
        Ok(Some(ModelWarning::TriangleInequality { body, moments }))
    } else {
        Ok(None)
    }
}

/// Whether the least of the principal moments is below zero by more than printed figures explain.
fn is_negative(moments: &[f64; 3], mass: f64) -> bool {
    moments[0] < -PRINTED_ROUNDING * moments[2].abs() - POINT * POINT * mass
}

/// The warning of an inertia that no body has, where such are permitted.
pub(super) fn permitted(error: ModelError) -> Result<ModelWarning, ModelError> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no figures")]
    match error {
        ModelError::Negative { name, value, .. } => Ok(ModelWarning::NegativeMass {
            body: name,
            mass: value,
        }),
        ModelError::InertiaNotPositive { body, moment } => {
            Ok(ModelWarning::NegativeMoment { body, moment })
        }
        other => Err(other),
    }
}

/// Checks the inertias of all moving bodies; that they are finite, where any are permitted.
pub(super) fn check_lumped_inertias(
    joints: &[Joint],
    are_any_permitted: bool,
) -> Result<(), ModelError> {
    for joint in &joints[1..] {
        match are_any_permitted {
            true => check_inertia_is_finite(&joint.name, &joint.inertia)?,
            false => check_lumped_inertia(joint)?,
        }
    }
    Ok(())
}

/// Checks the inertia of a moving body with everything that is fixed to it.
fn check_lumped_inertia(joint: &Joint) -> Result<(), ModelError> {
    let (name, inertia) = (&joint.name, &joint.inertia);
    check_inertia_is_finite(name, inertia)?;
    check_sign("the mass moved by joint", name, inertia.mass)?;
    let moments = inertia.principal_moments();
    if is_negative(&moments, inertia.mass) {
        return Err(ModelError::InertiaNotPositive {
            body: name.clone(),
            moment: moments[0],
        });
    }
    Ok(())
}

fn check_inertia_is_finite(name: &str, inertia: &Inertia<f64>) -> Result<(), ModelError> {
    let mut moments = inertia.rotational.to_elements().into_iter();
    let is_finite = inertia.mass.is_finite() && inertia.com.is_finite();
    check_finite(
        "the inertia",
        name,
        is_finite && moments.all(f64::is_finite),
    )
}

fn check_finite(what: &'static str, name: &str, is_finite: bool) -> Result<(), ModelError> {
    if is_finite {
        return Ok(());
    }
    let name = name.to_owned();
    Err(ModelError::NotFinite { what, name })
}

/// Fails if a value is negative.
fn check_sign(what: &'static str, name: &str, value: f64) -> Result<(), ModelError> {
    if value < 0.0 {
        let name = name.to_owned();
        return Err(ModelError::Negative { what, name, value });
    }
    Ok(())
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|x| x.is_finite())
}

/// Names the joints that move no inertia, leaves of the massless part only.
pub(super) fn joints_that_move_nothing(joints: &[Joint]) -> Vec<ModelWarning> {
    let mut moves = vec![false; joints.len()];
    let mut warnings = Vec::new();
    let mut below_warned = vec![false; joints.len()];
    for i in (1..joints.len()).rev() {
        let joint = &joints[i];
        let r = &joint.inertia.rotational;
        let drives = (0..joint.kind.nv()).all(|d| joint.drive.reflected_inertia(d) > 0.0);
        moves[i] |= joint.inertia.mass > 0.0 || r.trace() > 0.0;
        if !moves[i] && !drives && joint.mimic.is_none() && joint.nv > 0 && !below_warned[i] {
            warnings.push(ModelWarning::MovesNothing {
                joint: joint.name.clone(),
            });
            below_warned[i] = true;
        }
        let p = joint.parent.index();
        moves[p] |= moves[i];
        below_warned[p] |= below_warned[i];
    }
    warnings.reverse();
    warnings
}

/// Names the mimic joints whose position the cosine and sine of the source do not determine:
/// prismatic joints, and revolute joints whose ratio is no integer.
fn mimic_joints_that_jump(joints: &[Joint]) -> Vec<ModelWarning> {
    let mut warnings = Vec::new();
    for joint in joints {
        let Some(Mimic { source, ratio, .. }) = joint.mimic else {
            continue;
        };
        let source = &joints[source.index()];
        let is_function = if joint.kind.is_periodic() {
            ratio.fract() == 0.0
        } else {
            ratio == 0.0
        };
        if source.kind.group() == Group::So2 && !is_function {
            warnings.push(ModelWarning::MimicJumps {
                mimic: joint.name.clone(),
                mimicked: source.name.clone(),
                ratio,
            });
        }
    }
    warnings
}

/// Names the figures of bodies, joints and frames whose products overflow.
pub(super) fn figures_too_large<'a>(
    bodies: impl Iterator<Item = (&'a str, &'a Inertia<f64>)>,
    joints: &[Joint],
    loops: &[LoopJoint],
    frames: &[Frame],
) -> Vec<ModelWarning> {
    let mut warnings = Vec::new();
    let mut judge = |what, kind, name: &str, value: f64| {
        if value.abs() > LARGEST {
            warnings.push(ModelWarning::TooLarge {
                what,
                kind,
                name: name.to_owned(),
                value,
            });
        }
    };
    for (name, inertia) in bodies {
        judge("the mass", "body", name, inertia.mass);
        let com = inertia.com.max_norm();
        judge("the centre of mass", "body", name, com);
        let [xx, _, _, yy, _, zz] = inertia.rotational.to_elements();
        let moment = Vec3::new(xx, yy, zz).max_norm();
        judge("the rotational inertia", "body", name, moment);
    }
    for Joint {
        name,
        kind,
        placement,
        mimic,
        drive,
        ..
    } in joints
    {
        let distance = placement.translation.max_norm();
        judge("the placement", "joint", name, distance);
        judge("a length", "joint", name, kind.largest_length());
        for degree in 0..kind.nv() {
            let reflected = drive.reflected_inertia(degree);
            judge("the reflected inertia", "joint", name, reflected);
        }
        if let Some(law) = mimic {
            judge("the mimic ratio", "joint", name, law.ratio);
            judge("the mimic offset", "joint", name, law.offset);
        }
    }
    for closing in loops {
        for end in [&closing.predecessor_placement, &closing.successor_placement] {
            let distance = end.translation.max_norm();
            judge("the placement", "joint", &closing.name, distance);
        }
        let length = closing.kind.largest_length();
        judge("a length", "joint", &closing.name, length);
    }
    for frame in frames {
        let distance = frame.placement.translation.max_norm();
        judge("the placement", "frame", &frame.name, distance);
    }
    warnings
}

/// Names the joints whose degrees of freedom are redundant without an armature.
fn joints_that_repeat_motions(joints: &[Joint]) -> Vec<ModelWarning> {
    let mut warnings = Vec::new();
    for joint in joints {
        let degrees: Vec<usize> = (0..joint.kind.nv())
            .filter(|&d| joint.drive.reflected_inertia(d) == 0.0)
            .collect();
        let independent = joint.kind.independent_motions(&degrees);
        if independent < degrees.len() {
            warnings.push(ModelWarning::DependentMotions {
                joint: joint.name.clone(),
                degrees: degrees.len(),
                independent,
            });
        }
    }
    warnings
}

/// Checks that indices form a depth-first tree and fit the kinds of the joints.
pub(super) fn validate_structure(joints: &[Joint], frames: &[Frame]) -> Result<(), ModelError> {
    let damaged = |joint, reason| Err(ModelError::Damaged { joint, reason });
    if joints.first() != Some(&Joint::universe()) {
        return damaged(0, "the first joint is not the universe");
    }
    // The path from the root to the joint before: in depth-first order, each parent lies on it.
    let mut path = vec![0];
    let (mut idx_q, mut idx_v) = (0, 0);
    for (i, joint) in joints.iter().enumerate().skip(1) {
        let parent = joint.parent.index();
        while path.last().is_some_and(|&top| top != parent) {
            path.pop();
        }
        if path.is_empty() {
            return damaged(i, "its parent does not precede it in depth-first order");
        }
        path.push(i);
        match &joint.mimic {
            None => {
                if (joint.idx_q, joint.idx_v) != (idx_q, idx_v)
                    || (joint.nq, joint.nv) != (joint.kind.nq(), joint.kind.nv())
                {
                    return damaged(
                        i,
                        "its coordinates do not stand after those of the joint before",
                    );
                }
                idx_q += joint.nq;
                idx_v += joint.nv;
            }
            Some(mimic) => {
                let Some(source) = joints.get(mimic.source.index()) else {
                    return damaged(i, "it mimics a joint that does not exist");
                };
                if source.mimic.is_some()
                    || mimic.source.index() == i
                    || !source.kind.has_one_displacement()
                {
                    return damaged(i, "it mimics a joint that can't be mimicked");
                }
                if !joint.kind.has_one_displacement()
                    || (joint.nq, joint.nv) != (0, 0)
                    || (joint.idx_q, joint.idx_v) != (source.idx_q, source.idx_v)
                {
                    return damaged(
                        i,
                        "its coordinates are not those of the joint that it mimics",
                    );
                }
            }
        }
    }
    match frames.iter().position(|f| f.joint.index() >= joints.len()) {
        Some(frame) => damaged(frame, "a frame is carried by a joint that does not exist"),
        None => Ok(()),
    }
}

/// Checks all numbers and names, but inertias.
pub(super) fn validate_values(data: &ModelData) -> Result<(), ModelError> {
    check_gravity(data.gravity)?;
    let mut names = HashSet::new();
    for joint in &data.joints {
        if !names.insert(joint.name.as_str()) {
            return Err(ModelError::DuplicateName {
                kind: "joints",
                name: joint.name.clone(),
            });
        }
    }
    let mut names = HashSet::new();
    for frame in &data.frames {
        if !names.insert((frame.name.as_str(), frame.kind)) {
            return Err(ModelError::DuplicateName {
                kind: "frames of one kind",
                name: frame.name.clone(),
            });
        }
        check_placement(&frame.name, &frame.placement)?;
    }
    for joint in &data.joints[1..] {
        check_placement(&joint.name, &joint.placement)?;
        check_limits(joint)?;
        check_drive(joint)?;
        joint.kind.check().map_err(|source| ModelError::Kind {
            joint: joint.name.clone(),
            source,
        })?;
        let m = joint.mimic.map_or([0.0; 2], |m| [m.ratio, m.offset]);
        check_finite("the mimic law", &joint.name, all_finite(&m))?;
    }
    check_configurations(&data.joints, &data.reference_configurations)
}

/// Checks the lengths and values of named configurations.
pub(super) fn check_configurations(
    joints: &[Joint],
    configurations: &BTreeMap<String, Vec<f64>>,
) -> Result<(), ModelError> {
    let expected = joints.iter().map(|j| j.nq).sum();
    for (name, q) in configurations {
        if q.len() != expected {
            return Err(ModelError::ConfigurationLength {
                name: name.clone(),
                expected,
                found: q.len(),
            });
        }
        check_finite("the reference configuration", name, all_finite(q))?;
        for joint in joints {
            check_rotation_length(joint, &q[joint.idx_q..joint.idx_q + joint.nq], || {
                format!("reference configuration `{name}`")
            })?;
        }
    }
    Ok(())
}

/// Checks that the quaternions and (cos, sin) pairs of a joint's configuration stand for rotations.
/// A mimic joint has none.
fn check_rotation_length(
    joint: &Joint,
    q: &[f64],
    what: impl Fn() -> String,
) -> Result<(), ModelError> {
    if q.is_empty() || joint.kind.is_normalised(q, PRINTED_LENGTH) {
        return Ok(());
    }
    Err(ModelError::NotNormalised {
        what: what(),
        joint: joint.name.clone(),
    })
}

pub(super) fn check_gravity(gravity: Vec3<f64>) -> Result<(), ModelError> {
    check_finite("the gravity", "universe", gravity.is_finite())
}

pub(super) fn check_placement(name: &str, placement: &Se3<f64>) -> Result<(), ModelError> {
    check_finite("the placement", name, placement.is_finite())?;
    if !placement.rotation.is_rotation(ORTHONORMAL) {
        return Err(ModelError::NotARotation {
            name: name.to_owned(),
        });
    }
    Ok(())
}

fn check_length(
    what: &'static str,
    joint: &Joint,
    expected: usize,
    found: usize,
) -> Result<(), ModelError> {
    if expected == found {
        Ok(())
    } else {
        Err(ModelError::Length {
            what,
            joint: joint.name.clone(),
            expected,
            found,
        })
    }
}

fn check_limits(joint: &Joint) -> Result<(), ModelError> {
    let (nq, nv) = (joint.kind.nq(), joint.kind.nv());
    let limits = &joint.limits;
    check_length("the lower limit", joint, nq, limits.lower.len())?;
    check_length("the upper limit", joint, nq, limits.upper.len())?;
    for (what, values) in [
        ("the velocity limit", &limits.velocity),
        ("the effort limit", &limits.effort),
        ("the acceleration limit", &limits.acceleration),
    ] {
        check_length(what, joint, nv, values.len())?;
        for &value in values {
            check_finite(what, &joint.name, !value.is_nan())?;
            check_sign(what, &joint.name, value)?;
        }
    }
    for (&lower, &upper) in limits.lower.iter().zip(&limits.upper) {
        let is_number = !lower.is_nan() && !upper.is_nan();
        check_finite("the position limit", &joint.name, is_number)?;
        if lower > upper {
            return Err(ModelError::EmptyRange {
                joint: joint.name.clone(),
                lower,
                upper,
            });
        }
    }
    Ok(())
}

pub(super) fn check_drive(joint: &Joint) -> Result<(), ModelError> {
    let drive = &joint.drive;
    for (what, values, may_be_negative) in [
        ("the armature", &drive.armature, false),
        ("the rotor inertia", &drive.rotor_inertia, false),
        ("the gear ratio", &drive.gear_ratio, true),
        ("the damping", &drive.damping, false),
        ("the friction", &drive.friction, false),
        ("the stiffness", &drive.stiffness, false),
    ] {
        check_length(what, joint, joint.kind.nv(), values.len())?;
        for &value in values {
            check_finite(what, &joint.name, value.is_finite())?;
            if !may_be_negative {
                check_sign(what, &joint.name, value)?;
            }
        }
    }
    let (what, reference) = ("the spring reference", &drive.spring_reference);
    check_length(what, joint, joint.kind.nq(), reference.len())?;
    check_finite(what, &joint.name, all_finite(reference))?;
    check_rotation_length(joint, reference, || what.to_owned())
}
