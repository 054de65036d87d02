//! Links of a URDF that the description has as something else.

use crate::description::{Description, Frame, Motion};
use crate::report::Report;
use featherline::model::FrameKind;
use featherline::spatial::Se3;
use std::collections::HashSet;

/// A link without mass, and a fixed joint that holds it, or that it holds another link by.
pub(super) struct AddedLink {
    pub(super) name: String,
    pub(super) joint_name: String,
    /// The fixed joint's frame in the parent link's.
    pub(super) placement: Se3<f64>,
    pub(super) parent: String,
    pub(super) child: String,
    /// The joint that moves it, whose child it carries.
    pub(super) carries: Option<usize>,
}

/// The links at joints that are not at the frames of their links, and those that frames become. A
/// frame without a name, or whose name is taken, is a loss.
pub(super) fn added_links(description: &Description, report: &mut Report<'_>) -> Vec<AddedLink> {
    let links = description.links.iter().map(|it| it.name.clone());
    let mut links: HashSet<String> = links.collect();
    let joints = description.joints.iter().map(|it| it.name.clone());
    let mut joints: HashSet<String> = joints.collect();
    // Frames keep their names.
    let frames = of_frames(description, &mut links, &mut joints, report);
    let mut added = Vec::new();
    for (i, joint) in description.joints.iter().enumerate() {
        if joint.motion == Motion::Fixed || joint.child_placement == Se3::identity() {
            continue;
        }
        let (child, joint_name) = (description.links[joint.child].name.clone(), &joint.name);
        let what = format!("the link `{child}`, whose frame is not at its joint `{joint_name}`");
        let writing = "a link without mass at the joint carries it";
        report.written_as(joint.source, what, writing);
        let name = unused(format!("{child}_carrier"), &mut links);
        added.push(AddedLink {
            name: name.clone(),
            joint_name: unused(format!("{child}_fixed"), &mut joints),
            placement: joint.child_placement,
            parent: name,
            child,
            carries: Some(i),
        });
    }
    added.extend(frames);
    added
}

/// The links that frames become. Their joints have the names of the frames of fixed joints that
/// are in the same places, or are named after the link.
fn of_frames(
    description: &Description,
    links: &mut HashSet<String>,
    joints: &mut HashSet<String>,
    report: &mut Report<'_>,
) -> Vec<AddedLink> {
    let (of_joints, frames): (Vec<&Frame>, Vec<&Frame>) = description
        .frames
        .iter()
        .partition(|it| it.kind == FrameKind::FixedJoint);
    let mut of_joints = of_joints.into_iter().peekable();
    let mut added = Vec::new();
    for frame in frames {
        let mut is_free = |name: &str| !name.is_empty() && links.insert(name.to_owned());
        let is_own = |it: &&Frame| it.link == frame.link && it.placement == frame.placement;
        let parent = description.links.get(frame.link);
        let Some(parent) = parent.filter(|_| is_free(&frame.name)) else {
            lacks(frame, report);
            continue;
        };
        let own = of_joints.next_if(is_own).map(|it| it.name.clone());
        let joint_name = own.unwrap_or_else(|| format!("{}_fixed", frame.name));
        added.push(AddedLink {
            name: frame.name.clone(),
            joint_name: unused(joint_name, joints),
            placement: frame.placement,
            parent: parent.name.clone(),
            child: frame.name.clone(),
            carries: None,
        });
    }
    for frame in of_joints {
        lacks(frame, report);
    }
    added
}

fn lacks(frame: &Frame, report: &mut Report<'_>) {
    report.lacks("URDF", frame.source, format!("the frame `{}`", frame.name));
}

/// A name that is not taken, which it then is.
fn unused(mut name: String, taken: &mut HashSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
