//! Links and joints that are no tree.

use super::case::{cases, check};
use featherline_formats::{ErrorCause as E, LoadOptions, load_str, load_str_with};

#[test]
fn links_and_joints_that_are_no_tree() {
    check(
        cases! {
            "two joints of one name": 3, E::DuplicateName { what: "joints", first_line: 2, .. },
                "robot/joint[@name='j']: two joints are named `j`",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>";
            "unknown parent": 2, E::UnknownLink { .. },
                "robot/joint[@name='j']/parent: there is no link `base_lnk`; did you mean `base_link`?",
                "<robot name='r'><link name='base_link'/><link name='b'/><joint name='j' type='fixed'>
        <parent link='base_lnk'/><child link='b'/></joint></robot>";
            "unknown child": 3, E::UnknownLink { suggestion: None, .. }, "there is no link `elsewhere`",
                "<robot name='r'><link name='a'/><joint name='j' type='fixed'>
<parent link='a'/>
<child link='elsewhere'/></joint></robot>";
            "a joint that connects a link with itself": 2, E::SelfJoint { .. }, "connects the link `b` with itself",
                "<robot name='r'><link name='a'/><link name='b'/>
<joint name='j' type='continuous'><parent link='b'/>
<child link='b'/></joint></robot>";
            "a link with two parents": 3, E::TwoParents { first_line: 2, .. },
                "the link `c` already is the child of joint `i` in line 2",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
<joint name='i' type='fixed'><parent link='a'/><child link='c'/></joint>
<joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint></robot>";
            "two joints between two links": 3, E::TwoParents { .. }, "closed loops need another format",
                "<robot name='r'><link name='a'/><link name='b'/>
<joint name='i' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
            "two roots": 3, E::TwoRoots { first_line: 2, .. },
                "the link `b` is no joint's child, and nor is `a` in line 2",
                "<robot name='r'>\n<link name='a'/>\n<link name='b'/></robot>";
            "three roots": 3, E::TwoRoots { .. }, "a robot has one root",
                "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'/></robot>";
            "a cycle without a root": 2, E::Cycle { .. }, "the joints form a cycle, which is connected to no root: i → j → i",
                "<robot name='r'><link name='a'/><link name='b'/>
<joint name='i' type='continuous'><parent link='a'/><child link='b'/></joint>
<joint name='j' type='continuous'><parent link='b'/><child link='a'/></joint></robot>";
            "a cycle beside a root": 3, E::Cycle { .. }, "connected to no root: i → j → i",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
<joint name='h' type='continuous'><parent link='a'/><child link='d'/></joint>
<joint name='i' type='continuous'><parent link='b'/><child link='c'/></joint>
<joint name='j' type='continuous'><parent link='c'/><child link='b'/></joint></robot>";
            "a tail on a cycle": 4, E::Cycle { .. }, "no root: i → k → i",
                "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
<joint name='h' type='fixed'><parent link='b'/><child link='d'/></joint>

<joint name='i' type='fixed'><parent link='b'/><child link='c'/></joint>
<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint></robot>";
            "a joint named as the world": 2, E::ReservedName { .. }, "reserved for the world",
                "<robot name='r'><link name='a'/><link name='b'/>
        <joint name='universe' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
        },
        12,
    );
}

#[test]
fn errors_of_links_and_joints_are_all_found_in_the_order_of_the_text() {
    let text = "<robot name='r'><link name='a'/>
<joint name='i' type='revolute'><parent link='a'/><child link='b'/><limit lower='1' upper='0'/></joint>
<link name='b'><inertial><mass value='nan'/></inertial></link>
<link name='c'><inertial/></link>
<joint name='j' type='hinge'><parent link='a'/><child link='c'/></joint></robot>";
    let error = load_str(text).unwrap_err();
    let all: Vec<_> = std::iter::once(&error).chain(error.others()).collect();
    let found: Vec<_> = all
        .iter()
        .map(|it| (it.location().position.unwrap().line, it.cause().code()))
        .collect();
    let expected = [
        (2, "empty-range"),
        (3, "not-finite"),
        (4, "missing-element"),
        (5, "unknown-joint-type"),
    ];
    assert_eq!(found, expected);
    // Each error that an option lifts names the option.
    assert!(all[0].to_string().contains("`permissive`"), "{}", all[0]);
    // They are not without bound.
    let joints: String = (0..100)
        .map(|k| format!("<joint name='j{k}' type='x'/>"))
        .collect();
    let many = load_str(&format!("<robot name='r'><link name='a'/>{joints}</robot>")).unwrap_err();
    assert_eq!(many.others().len(), 20);
}

#[test]
fn the_name_of_the_floating_base_is_reserved_where_there_is_one() {
    let text = "<robot name='r'><link name='a'/><link name='b'/>
<joint name='root_joint' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    assert!(load_str(text).is_ok());
    let error = load_str_with(text, &LoadOptions::default().floating_base(true)).unwrap_err();
    assert!(matches!(error.cause(), E::ReservedName { .. }), "{error}");
    assert_eq!(error.location().position.map(|p| p.line), Some(2));
    assert!(error.to_string().ends_with("; rename the joint"), "{error}");
    // Where it floats by that joint, the option is too much.
    let floats = text.replace("continuous", "floating");
    let error = load_str_with(&floats, &LoadOptions::default().floating_base(true)).unwrap_err();
    let remedy =
        "the file's base floats already: read it without `floating_base` (`--floating-base`)";
    assert!(error.to_string().ends_with(remedy), "{error}");
    let fixed = text.replace("continuous", "fixed");
    assert!(load_str_with(&fixed, &LoadOptions::default().floating_base(true)).is_ok());
}
