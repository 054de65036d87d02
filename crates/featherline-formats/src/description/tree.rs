//! The tree of links and joints.

use super::{Description, Joint};
use crate::error::ErrorCause;
use crate::options::SiblingOrder;
use crate::report::{Fault, Outcome, Report, fault};
use crate::xml::shortened;
use std::collections::HashSet;

/// The tree of links and joints, by their indices in the description.
pub(crate) struct Tree {
    pub(crate) root: usize,
    /// All joints, depth-first: a joint comes after the one that leads to its parent link.
    pub(crate) joints: Vec<usize>,
}

impl Tree {
    pub(crate) fn new(
        description: &Description,
        order: SiblingOrder,
        report: &Report<'_>,
    ) -> Outcome<Self> {
        let (links, joints) = (&description.links, &description.joints);
        if links.is_empty() {
            return Err(fault(description.source, ErrorCause::NoLinks));
        }
        let mut above: Vec<Option<usize>> = vec![None; links.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
        for (i, joint) in joints.iter().enumerate() {
            for link in [joint.parent, joint.child] {
                description.check_link(link, joint)?;
            }
            if joint.parent == joint.child {
                let link = shortened(&links[joint.child].name);
                return Err(fault(joint.source, ErrorCause::SelfJoint { link }));
            }
            if let Some(first) = above[joint.child].replace(i) {
                let first = &joints[first];
                let cause = ErrorCause::TwoParents {
                    link: shortened(&links[joint.child].name),
                    first_joint: shortened(&first.name),
                    first_line: report.line(first.source),
                };
                return Err(fault(joint.source, cause));
            }
            below[joint.parent].push(i);
        }
        if order == SiblingOrder::Alphabetical {
            for siblings in &mut below {
                siblings.sort_by_key(|&i| &joints[i].name);
            }
        }
        let root = root(description, &above, report)?;
        let mut depth_first = Vec::with_capacity(joints.len());
        let mut open: Vec<usize> = below[root].iter().rev().copied().collect();
        while let Some(i) = open.pop() {
            depth_first.push(i);
            open.extend(below[joints[i].child].iter().rev());
        }
        if depth_first.len() < joints.len() {
            // The ancestors of a joint that is not connected to the root form a cycle.
            let mut reached = vec![false; joints.len()];
            for &i in &depth_first {
                reached[i] = true;
            }
            let lost = reached.iter().position(|&r| !r).unwrap_or(0);
            return Err(cycle(lost, joints, &above));
        }
        Ok(Self {
            root,
            joints: depth_first,
        })
    }
}

/// The one link that is not the child of a joint.
fn root(description: &Description, above: &[Option<usize>], report: &Report<'_>) -> Outcome<usize> {
    let mut roots = (0..above.len()).filter(|&link| above[link].is_none());
    let (first, second) = (roots.next(), roots.next());
    match (first, second) {
        (Some(root), None) => Ok(root),
        (Some(first), Some(second)) => {
            let (first, second) = (&description.links[first], &description.links[second]);
            let cause = ErrorCause::TwoRoots {
                first: shortened(&first.name),
                first_line: report.line(first.source),
                second: shortened(&second.name),
            };
            Err(fault(second.source, cause))
        }
        (None, _) => Err(cycle(0, &description.joints, above)),
    }
}

/// The cycle above a joint that is not connected to a root.
fn cycle(start: usize, joints: &[Joint], above: &[Option<usize>]) -> Box<Fault> {
    let mut ring = ring(start, |i| above[joints[i].parent]);
    // Found from child to parent, reported from parent to child.
    ring[1..].reverse();
    let cause = ErrorCause::Cycle {
        joints: ring_names(&ring, joints),
    };
    fault(joints[ring[0]].source, cause)
}

/// The members of the cycle that the steps from an index lead into, in the order of the steps, the
/// least index first.
pub(super) fn ring(start: usize, step: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut here = start;
    while seen.insert(here)
        && let Some(next) = step(here)
    {
        here = next;
    }
    let mut ring = vec![here];
    while let Some(next) = step(ring[ring.len() - 1])
        && next != here
    {
        ring.push(next);
    }
    let least = (0..ring.len()).min_by_key(|&i| ring[i]).unwrap_or(0);
    ring.rotate_left(least);
    ring
}

/// The most joints of a ring that a message names.
const SHOWN: usize = 8;

/// The names of the joints of a ring, the first one again at the end; long rings are cut.
pub(super) fn ring_names(ring: &[usize], joints: &[Joint]) -> Vec<String> {
    let mut names: Vec<String> = ring
        .iter()
        .take(SHOWN)
        .map(|&i| shortened(&joints[i].name))
        .collect();
    if ring.len() > SHOWN {
        names.push("…".to_owned());
    }
    names.push(names[0].clone());
    names
}
