//! Mimic joints, and the joints that they mimic in the end.

use super::tree::{ring, ring_names};
use super::{Description, Joint, Mimic};
use crate::error::ErrorCause;
use crate::report::{Fault, Outcome, fault};
use std::collections::HashSet;

/// The position of a mimic joint: q = `ratio` · q_source + `offset`.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub(super) source: usize,
    pub(super) ratio: f64,
    pub(super) offset: f64,
}

/// The most memory for mimic joints, in numbers. Each joint between a mimic joint and the mimicked
/// joint carries the mimicked joint's coordinate through the articulated-body recursion, in a
/// square matrix.
const MAX_COUPLED: usize = 1 << 28;

/// The law of each mimic joint with respect to a joint that has its own coordinate: chains are
/// composed, each part of them once, so that the cost is linear.
pub(super) fn laws(description: &Description) -> Outcome<Vec<Option<Law>>> {
    let joints = &description.joints;
    let mut direct = Vec::with_capacity(joints.len());
    for joint in joints {
        direct.push(match &joint.mimic {
            Some(mimic) => Some(Law {
                source: source(joint, mimic, joints)?,
                ratio: mimic.ratio,
                offset: mimic.offset,
            }),
            None => None,
        });
    }
    let mut laws: Vec<Option<Law>> = vec![None; joints.len()];
    for start in 0..joints.len() {
        // Up the chain to a joint with its own coordinate or a known law, and down again.
        let mut chain = Vec::new();
        let mut here = start;
        while let (None, Some(law)) = (laws[here], direct[here]) {
            chain.push((here, law));
            here = law.source;
            if chain.len() > joints.len() {
                return Err(circle(here, joints, &direct));
            }
        }
        let mut above = laws[here].unwrap_or(Law {
            source: here,
            ratio: 1.0,
            offset: 0.0,
        });
        for (mimic_joint, law) in chain.into_iter().rev() {
            above = Law {
                source: above.source,
                ratio: law.ratio * above.ratio,
                offset: law.ratio * above.offset + law.offset,
            };
            laws[mimic_joint] = Some(above);
        }
    }
    check_size(&laws, joints)?;
    Ok(laws)
}

fn check_size(laws: &[Option<Law>], joints: &[Joint]) -> Outcome<()> {
    let mimicked: HashSet<usize> = laws.iter().flatten().map(|law| law.source).collect();
    let limit = (MAX_COUPLED / joints.len().max(1)).isqrt();
    let mut mimic_joints = joints.iter().filter_map(|joint| joint.mimic.as_ref());
    match mimic_joints.next() {
        Some(first) if mimicked.len() > limit => {
            let mimicked = mimicked.len();
            let cause = ErrorCause::TooManyMimicked { mimicked, limit };
            Err(fault(first.source, cause))
        }
        _ => Ok(()),
    }
}

/// The joint that a mimic joint mimics; both must have one degree of freedom.
fn source(mimic_joint: &Joint, mimic: &Mimic, joints: &[Joint]) -> Outcome<usize> {
    let cause = match joints.get(mimic.joint) {
        None => ErrorCause::NoSuchPart {
            owner: format!("mimic joint `{}`", mimic_joint.name),
            what: "joint",
            index: mimic.joint,
            count: joints.len(),
        },
        Some(_) if !mimic_joint.motion.has_one_displacement() => ErrorCause::MimicFreedom {
            kind: mimic_joint.motion.name(),
            role: "mimic another",
        },
        Some(source) if !source.motion.has_one_displacement() => ErrorCause::MimicFreedom {
            kind: source.motion.name(),
            role: "be mimicked",
        },
        Some(_) => return Ok(mimic.joint),
    };
    Err(fault(mimic.source, cause))
}

fn circle(start: usize, joints: &[Joint], direct: &[Option<Law>]) -> Box<Fault> {
    let ring = ring(start, |i| direct[i].map(|law| law.source));
    let first = &joints[ring[0]];
    let mimic = first.mimic.as_ref().map(|mimic| mimic.source);
    let cause = ErrorCause::MimicCycle {
        joints: ring_names(&ring, joints),
    };
    fault(mimic.unwrap_or(first.source), cause)
}
