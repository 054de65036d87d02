//! Groups, and the joints that they have.

use super::{clean, warning};

/// The names of the joints of the first group.
fn joints(inside: &str) -> Vec<String> {
    let robot = clean(inside);
    let description = &robot.description;
    let joints = description.semantics.groups[0].joints.iter();
    joints
        .map(|&i| description.joints[i].name.clone())
        .collect()
}

#[test]
fn a_group_has_the_joints_of_its_members() {
    for (members, expected) in [
        ("<joint name='elbow'/>", &["elbow"][..]),
        // The joint that moves the link; none for the root.
        ("<link name='upper'/><link name='base'/>", &["shoulder"]),
        // A fixed joint moves nothing.
        ("<joint name='wrist'/><link name='hand'/>", &[]),
        (
            "<chain base_link='base' tip_link='hand'/>",
            &["shoulder", "elbow"],
        ),
        (
            "<chain base_link='upper' tip_link='left'/>",
            &["elbow", "left_finger"],
        ),
        // The joints on the way, whichever end is named first.
        (
            "<chain base_link='left' tip_link='right'/>",
            &["left_finger", "right_finger"],
        ),
        (
            "<chain base_link='hand' tip_link='base'/>",
            &["shoulder", "elbow"],
        ),
        ("<chain base_link='base' tip_link='base'/>", &[]),
        (
            "<joint name='elbow'/><joint name='shoulder'/><joint name='elbow'/>",
            &["shoulder", "elbow"],
        ),
    ] {
        let found = joints(&format!("<group name='g'>{members}</group>"));
        assert_eq!(found, expected, "{members}");
    }
}

#[test]
fn a_group_has_the_joints_of_its_subgroups_wherever_they_stand() {
    let groups = "<group name='all'><group name='arm'/><group name='hand'/></group>
        <group name='arm'><chain base_link='base' tip_link='lower'/></group>
        <group name='hand'><group name='left'/></group>
        <group name='left'><joint name='left_finger'/></group>";
    assert_eq!(joints(groups), ["shoulder", "elbow", "left_finger"]);
    let robot = clean(groups);
    let semantics = &robot.description.semantics;
    assert_eq!(semantics.groups[0].subgroups, [1, 2]);
    assert_eq!(semantics.group("arm").unwrap().chains, [[0, 2]]);
    assert!(semantics.group("leg").is_none());
}

#[test]
fn groups_that_contain_one_another_are_a_warning_each() {
    let text = "<group name='a'><group name='b'/><joint name='elbow'/></group>
        <group name='b'><group name='a'/><joint name='shoulder'/></group>
        <group name='c'><group name='a'/></group>";
    let robot = super::with(text, &featherline_formats::LoadOptions::new());
    let shown: Vec<String> = robot.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(
        shown[0].contains("the group `a` contains itself"),
        "{shown:?}"
    );
    for group in &robot.description.semantics.groups {
        assert_eq!(group.joints, [0, 1], "{}", group.name);
    }
}

#[test]
fn a_long_chain_of_subgroups_ends() {
    let mut text = String::new();
    for i in 0..4000 {
        text += &format!(
            "<group name='g{i}'><group name='g{}'/><joint name='elbow'/></group>",
            i + 1
        );
    }
    let shown = warning(&(text + "<group name='g4000'/>"));
    assert!(shown.contains("members of groups"), "{shown}");
}

#[test]
fn joints_to_the_world_are_members_of_their_own() {
    let robot = clean(
        "<virtual_joint name='rail' type='planar' parent_frame='world' child_link='base'/>
         <group name='g'><joint name='rail'/><joint name='root_joint'/></group>",
    );
    let semantics = &robot.description.semantics;
    let group = &semantics.groups[0];
    assert_eq!(
        (&group.virtual_joints[..], group.has_root),
        (&[0][..], true)
    );
    assert!(group.joints.is_empty());
    let joint = &semantics.virtual_joints[0];
    assert_eq!((joint.kind.as_str(), joint.child), ("planar", 0));
}

#[test]
fn a_member_that_does_not_exist_is_left_out_with_the_most_similar_name() {
    for (members, says) in [
        (
            "<joint name='elbw'/>",
            "the joint of the group is left out: there is no joint `elbw`; did you mean `elbow`?",
        ),
        (
            "<link name='uper'/>",
            "there is no link `uper`; did you mean `upper`?",
        ),
        (
            "<group name='gg'/>",
            "there is no group `gg`; did you mean `g`?",
        ),
        (
            "<chain base_link='base' tip_link='hnad'/>",
            "there is no link `hnad`; did you mean `hand`?",
        ),
        (
            "<chain base_link='base'/>",
            "the attribute `tip_link` is missing",
        ),
        ("<joint/>", "the attribute `name` is missing"),
        ("<tool/>", "`<tool>` in `<group>` is not used"),
    ] {
        let shown = warning(&format!("\n<group name='g'>\n{members}</group>"));
        assert!(shown.contains(says), "{shown}");
        assert!(shown.starts_with("line 3, column "), "{shown}");
    }
    let shown = warning("<group name='g'/>\n<group name='g'><joint name='elbow'/></group>");
    assert!(
        shown.contains("two groups are named `g`; the first is in line 1"),
        "{shown}"
    );
}
