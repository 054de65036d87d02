//! Groups of joints: `<group>`.

use super::parts::{JointName, Parts};
use crate::description::{Description, Group, Motion, Source};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault};
use crate::value::required_name;
use crate::xml::{Element, shortened};

/// The most joints of all groups together, joints of subgroups counted each time.
const MAX_MEMBERS: usize = 1 << 22;

/// Reads all groups: names first, because a subgroup may come later.
pub(super) fn read(
    elements: &[Element<'_>],
    parts: &mut Parts,
    description: &mut Description,
    report: &mut Report<'_>,
) {
    let mut named = Vec::new();
    for &element in elements {
        let name = match required_name(element, "name") {
            Ok(name) => name,
            Err(fault) => {
                report.left_out("the group", *fault);
                continue;
            }
        };
        let groups = &mut description.semantics.groups;
        if !parts.add_group(name, groups.len()) {
            let first = groups.iter().find(|it| it.name == name);
            let first = first.map_or_else(Source::default, |it| it.source);
            let fault = report.duplicate_name("groups", name, element.source(), first);
            report.left_out("the group", *fault);
            continue;
        }
        let mut group = Group::new(name);
        group.source = element.source();
        groups.push(group);
        named.push(element);
    }
    // The joint above each link.
    let mut above = vec![None; description.links.len()];
    for (i, joint) in description.joints.iter().enumerate() {
        if let Some(slot) = above.get_mut(joint.child) {
            *slot = Some(i);
        }
    }
    let first = description.semantics.groups.len() - named.len();
    let mut own = Vec::new();
    for (k, &element) in named.iter().enumerate() {
        let mut group = std::mem::take(&mut description.semantics.groups[first + k]);
        own.push(members(
            element,
            parts,
            description,
            &above,
            &mut group,
            report,
        ));
        description.semantics.groups[first + k] = group;
    }
    resolve(first, &own, description, report);
}

/// Gives a group its members; returns its own joints.
fn members(
    element: Element<'_>,
    parts: &Parts,
    description: &Description,
    above: &[Option<usize>],
    group: &mut Group,
    report: &mut Report<'_>,
) -> Vec<usize> {
    report.unused_except(element, &["name"], &["link", "joint", "chain", "group"]);
    let mut joints = Vec::new();
    for child in element.children() {
        let attributes: &[&str] = match child.tag() {
            "chain" => &["base_link", "tip_link"],
            _ => &["name"],
        };
        let (what, outcome) = match child.tag() {
            "link" => {
                let link = parts.link(child, "name").map(|link| {
                    group.links.push(link);
                    joints.extend(above[link]);
                });
                ("the link of the group", link)
            }
            "joint" => {
                let joint = parts.joint(child, "name").map(|joint| match joint {
                    JointName::Joint(index) => joints.push(index),
                    JointName::Root => group.has_root = true,
                    JointName::Virtual(index) => group.virtual_joints.push(index),
                });
                ("the joint of the group", joint)
            }
            "group" => {
                let subgroup = parts.group(child, "name");
                (
                    "the subgroup",
                    subgroup.map(|index| group.subgroups.push(index)),
                )
            }
            "chain" => {
                let chain = chain(child, parts).map(|chain| {
                    group.chains.push(chain);
                    joints.extend(between(chain, description, above));
                });
                ("the chain of the group", chain)
            }
            _ => continue,
        };
        report.unused_except(child, attributes, &[]);
        if let Err(fault) = outcome {
            report.left_out(what, *fault);
        }
    }
    joints
}

fn chain(element: Element<'_>, parts: &Parts) -> Outcome<[usize; 2]> {
    Ok([
        parts.link(element, "base_link")?,
        parts.link(element, "tip_link")?,
    ])
}

/// The joints on the way from one link to another.
fn between(ends: [usize; 2], description: &Description, above: &[Option<usize>]) -> Vec<usize> {
    let to_root = |mut link: usize| {
        let mut way = Vec::new();
        while let Some(joint) = above[link] {
            way.push(joint);
            link = description.joints[joint].parent;
            // A description that is no tree has no root.
            if way.len() > above.len() {
                break;
            }
        }
        way
    };
    let [mut base, mut tip] = ends.map(to_root);
    while let (Some(a), Some(b)) = (base.last(), tip.last())
        && a == b
    {
        base.pop();
        tip.pop();
    }
    base.extend(tip.into_iter().rev());
    base
}

/// Gives each group its joints and those of its subgroups.
fn resolve(
    first: usize,
    own: &[Vec<usize>],
    description: &mut Description,
    report: &mut Report<'_>,
) {
    let mut steps = 0;
    for start in 0..own.len() {
        let mut seen = vec![false; own.len()];
        let mut joints: Vec<usize> = Vec::new();
        let mut open = vec![start];
        let mut contains_itself = false;
        while let Some(here) = open.pop() {
            let Some(own) = own.get(here) else { continue };
            if std::mem::replace(&mut seen[here], true) {
                continue;
            }
            joints.extend(own);
            let group = &description.semantics.groups[first + here];
            contains_itself |= group.subgroups.contains(&(first + start));
            let subgroups = group.subgroups.iter();
            open.extend(subgroups.filter_map(|it| it.checked_sub(first)));
            steps += 1 + own.len();
        }
        let source = description.semantics.groups[first + start].source;
        if steps > MAX_MEMBERS {
            let (what, limit) = ("members of groups", MAX_MEMBERS);
            let cause = ErrorCause::TooMany { what, limit };
            report.left_out("what groups contain", *fault(source, cause));
            return;
        }
        if contains_itself {
            let name = &description.semantics.groups[first + start].name;
            let what = format!("the group `{}` contains itself", shortened(name));
            let reading = "it has the joints of all groups that contain one another";
            report.simplified(source, what, reading);
        }
        joints.retain(|&joint| description.joints[joint].motion != Motion::Fixed);
        joints.sort_unstable();
        joints.dedup();
        description.semantics.groups[first + start].joints = joints;
    }
}
