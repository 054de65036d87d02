//! Named configurations, groups and end effectors.

use crate::robot::Robot;
use serde::Serialize;
use std::io::{self, Write};

/// A group of joints.
#[derive(Serialize)]
pub struct Group<'a> {
    name: &'a str,
    joints: Vec<&'a str>,
}

/// An end effector.
#[derive(Serialize)]
pub struct EndEffector<'a> {
    name: &'a str,
    parent: &'a str,
    group: Option<&'a str>,
}

/// The groups of a robot, with the names of their joints.
pub fn groups(robot: &Robot) -> Vec<Group<'_>> {
    let description = &robot.description;
    let groups = description.semantics.groups.iter();
    groups
        .map(|group| {
            let joints = group.joints.iter();
            let names = joints.map(|&index| description.joints[index].name.as_str());
            Group {
                name: &group.name,
                joints: names.collect(),
            }
        })
        .collect()
}

/// The end effectors of a robot.
pub fn end_effectors(robot: &Robot) -> Vec<EndEffector<'_>> {
    let description = &robot.description;
    let groups = &description.semantics.groups;
    let effectors = description.semantics.end_effectors.iter();
    effectors
        .map(|effector| EndEffector {
            name: &effector.name,
            parent: &description.links[effector.parent].name,
            group: effector.group.map(|index| groups[index].name.as_str()),
        })
        .collect()
}

/// Writes a line for each, after an empty one.
pub fn write(out: &mut impl Write, robot: &Robot) -> io::Result<()> {
    let mut lines = Vec::new();
    let configurations = robot.model.reference_configurations().keys();
    let names: Vec<&str> = configurations.map(String::as_str).collect();
    if !names.is_empty() {
        lines.push(format!("configurations: {}", names.join(", ")));
    }
    for group in groups(robot) {
        let joints = match group.joints.is_empty() {
            true => "no joint that moves".to_owned(),
            false => group.joints.join(", "),
        };
        lines.push(format!("group {}: {joints}", group.name));
    }
    for effector in end_effectors(robot) {
        let group = effector
            .group
            .map_or(String::new(), |group| format!(" (group {group})"));
        lines.push(format!(
            "end effector {}{group} on {}",
            effector.name, effector.parent
        ));
    }
    if !lines.is_empty() {
        writeln!(out, "\n{}", lines.join("\n"))?;
    }
    Ok(())
}
