//! The tree of links and joints: references between them, resolved.

use super::read::{Description, Joint, Reference};
use super::report::{Fault, Outcome, Report, fault};
use super::{SiblingOrder, UrdfErrorCause};
use crate::xml::{Element, shortened};
use std::collections::{HashMap, HashSet};

/// The tree of links and joints, by their indices in the description.
pub(super) struct Tree<'a> {
    pub(super) root: usize,
    /// All joints, depth-first: a joint comes after the one that leads to its parent link.
    pub(super) joints: Vec<usize>,
    /// Parent link and child link of each joint.
    pub(super) ends: Vec<(usize, usize)>,
    pub(super) link_named: HashMap<&'a str, usize>,
    pub(super) joint_named: HashMap<&'a str, usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        description: &Description<'a>,
        order: SiblingOrder,
        report: &Report<'_>,
    ) -> Outcome<Self> {
        let (links, joints) = (&description.links, &description.joints);
        if links.is_empty() {
            return Err(fault(description.root, UrdfErrorCause::NoLinks));
        }
        let link_named = index("links", links.iter().map(|l| (l.name, l.element)), report)?;
        let joint_named = index("joints", joints.iter().map(|j| (j.name, j.element)), report)?;
        let mut ends = Vec::with_capacity(joints.len());
        let mut above: Vec<Option<usize>> = vec![None; links.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
        for (i, joint) in joints.iter().enumerate() {
            let parent = find(joint.parent, &link_named)?;
            let child = find(joint.child, &link_named)?;
            if parent == child {
                let link = shortened(joint.child.name);
                return Err(fault(
                    joint.child.element,
                    UrdfErrorCause::SelfJoint { link },
                ));
            }
            if let Some(first) = above[child].replace(i) {
                let first = &joints[first];
                let cause = UrdfErrorCause::TwoParents {
                    link: shortened(joint.child.name),
                    first_joint: shortened(first.name),
                    first_line: report.line(first.element),
                };
                return Err(fault(joint.child.element, cause));
            }
            below[parent].push(i);
            ends.push((parent, child));
        }
        if order == SiblingOrder::Alphabetical {
            for siblings in &mut below {
                siblings.sort_by_key(|&i| joints[i].name);
            }
        }
        let root = root(description, &above, &ends, report)?;
        let mut depth_first = Vec::with_capacity(joints.len());
        let mut open: Vec<usize> = below[root].iter().rev().copied().collect();
        while let Some(i) = open.pop() {
            depth_first.push(i);
            open.extend(below[ends[i].1].iter().rev());
        }
        if depth_first.len() < joints.len() {
            // The ancestors of a joint that is not connected to the root form a cycle.
            let mut reached = vec![false; joints.len()];
            for &i in &depth_first {
                reached[i] = true;
            }
            let lost = reached.iter().position(|&r| !r).unwrap_or(0);
            return Err(cycle(lost, joints, &above, &ends));
        }
        Ok(Self {
            root,
            joints: depth_first,
            ends,
            link_named,
            joint_named,
        })
    }
}

/// The indices of things by their names, which must differ.
fn index<'a>(
    what: &'static str,
    items: impl Iterator<Item = (&'a str, Element<'a>)>,
    report: &Report<'_>,
) -> Outcome<HashMap<&'a str, usize>> {
    let mut named: HashMap<&str, (usize, Element<'_>)> = HashMap::new();
    for (i, (name, element)) in items.enumerate() {
        if let Some((_, first)) = named.insert(name, (i, element)) {
            let cause = UrdfErrorCause::DuplicateName {
                what,
                name: shortened(name),
                first_line: report.line(first),
            };
            return Err(fault(element, cause));
        }
    }
    Ok(named.into_iter().map(|(name, (i, _))| (name, i)).collect())
}

fn find(reference: Reference<'_>, links: &HashMap<&str, usize>) -> Outcome<usize> {
    links.get(reference.name).copied().ok_or_else(|| {
        let cause = UrdfErrorCause::UnknownLink {
            name: shortened(reference.name),
            suggestion: similar(reference.name, links.keys().copied()),
        };
        fault(reference.element, cause)
    })
}

/// Names longer than this are not compared for similarity: the cost grows with the square of the
/// length.
const MAX_COMPARED: usize = 200;

/// The known name that is most similar to one that is not known, if any is.
pub(super) fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    if name.len() > MAX_COMPARED {
        return None;
    }
    let scored = known
        .filter(|other| other.len() <= MAX_COMPARED)
        .map(|other| (strsim::jaro_winkler(name, other), other));
    // Of names that are as similar, the first in alphabetical order: a table of names has no order
    // of its own.
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    (best.0 > 0.8).then(|| best.1.to_owned())
}

/// The one link that is not the child of a joint.
fn root(
    description: &Description<'_>,
    above: &[Option<usize>],
    ends: &[(usize, usize)],
    report: &Report<'_>,
) -> Outcome<usize> {
    let mut roots = (0..above.len()).filter(|&link| above[link].is_none());
    let (first, second) = (roots.next(), roots.next());
    match (first, second) {
        (Some(root), None) => Ok(root),
        (Some(first), Some(second)) => {
            let (first, second) = (&description.links[first], &description.links[second]);
            let cause = UrdfErrorCause::TwoRoots {
                first: shortened(first.name),
                first_line: report.line(first.element),
                second: shortened(second.name),
            };
            Err(fault(second.element, cause))
        }
        (None, _) => Err(cycle(0, &description.joints, above, ends)),
    }
}

/// The cycle above a joint that is not connected to a root.
fn cycle(
    start: usize,
    joints: &[Joint<'_>],
    above: &[Option<usize>],
    ends: &[(usize, usize)],
) -> Box<Fault> {
    let mut ring = ring(start, |i| above[ends[i].0]);
    // Found from child to parent, reported from parent to child.
    ring[1..].reverse();
    let cause = UrdfErrorCause::Cycle {
        joints: ring_names(&ring, joints),
    };
    fault(joints[ring[0]].element, cause)
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
pub(super) fn ring_names(ring: &[usize], joints: &[Joint<'_>]) -> Vec<String> {
    let mut names: Vec<String> = ring
        .iter()
        .take(SHOWN)
        .map(|&i| shortened(joints[i].name))
        .collect();
    if ring.len() > SHOWN {
        names.push("…".to_owned());
    }
    names.push(names[0].clone());
    names
}
