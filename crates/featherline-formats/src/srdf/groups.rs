//! Groups of joints: `<group>`.

use super::parts::{JointName, Parts};
use crate::description::{Description, Group, Motion};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault};
use crate::value::required_name;
use crate::warning::WarningCause;
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
            let first_line = first.map_or(0, |it| report.line(it.source));
            let name = shortened(name);
            let what = "groups";
            let cause = ErrorCause::DuplicateName {
                what,
                name,
                first_line,
            };
            report.left_out("the group", *fault(element.source(), cause));
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
        let group = members(element, parts, description, &above, report);
        let (mut group, joints) = group;
        group
            .name
            .clone_from(&description.semantics.groups[first + k].name);
        description.semantics.groups[first + k] = group;
        own.push(joints);
    }
    resolve(first, &own, description, report);
}

/// The members of a group, and its own joints.
fn members(
    element: Element<'_>,
    parts: &Parts,
    description: &Description,
    above: &[Option<usize>],
    report: &mut Report<'_>,
) -> (Group, Vec<usize>) {
    report.unused_except(element, &["name"], &["link", "joint", "chain", "group"]);
    let mut group = Group::new("");
    group.source = element.source();
    let mut joints = Vec::new();
    for child in element.children() {
        let outcome = match child.tag() {
            "link" => {
                report.unused_except(child, &["name"], &[]);
                parts.link(child, "name").map(|link| {
                    group.links.push(link);
                    joints.extend(above[link]);
                })
            }
            "joint" => {
                report.unused_except(child, &["name"], &[]);
                parts.joint(child, "name").map(|joint| match joint {
                    JointName::Joint(index) => joints.push(index),
                    JointName::Root => group.has_root = true,
                    JointName::Virtual(index) => group.virtual_joints.push(index),
                })
            }
            "group" => {
                report.unused_except(child, &["name"], &[]);
                let subgroup = parts.group(child, "name");
                subgroup.map(|index| group.subgroups.push(index))
            }
            "chain" => {
                report.unused_except(child, &["base_link", "tip_link"], &[]);
                chain(child, parts).map(|chain| {
                    group.chains.push(chain);
                    joints.extend(between(chain, description, above));
                })
            }
            _ => continue,
        };
        if let Err(fault) = outcome {
            let what = match child.tag() {
                "link" => "the link of the group",
                "joint" => "the joint of the group",
                "chain" => "the chain of the group",
                _ => "the subgroup",
            };
            report.left_out(what, *fault);
        }
    }
    (group, joints)
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
            open.extend(
                group
                    .subgroups
                    .iter()
                    .filter_map(|it| it.checked_sub(first)),
            );
            steps += 1 + own.len();
        }
        let source = description.semantics.groups[first + start].source;
        if steps > MAX_MEMBERS {
            let what = "members of groups";
            let limit = MAX_MEMBERS;
            let cause = ErrorCause::TooMany { what, limit };
            report.left_out("what groups contain", *fault(source, cause));
            return;
        }
        if contains_itself {
            let name = &description.semantics.groups[first + start].name;
            let what = format!("the group `{}` contains itself", shortened(name));
            let reading = "it has the joints of all groups that contain one another";
            report.warn(source, WarningCause::Simplified { what, reading });
        }
        joints.retain(|&joint| description.joints[joint].motion != Motion::Fixed);
        joints.sort_unstable();
        joints.dedup();
        description.semantics.groups[first + start].joints = joints;
    }
}
