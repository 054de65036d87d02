//! All other elements.

use super::{ROBOT, clean, warning, with};
use featherline_formats::{LoadOptions, Severity, load_str, srdf};

/// The pairs of links that do not collide, by their names.
fn excluded(inside: &str) -> Vec<String> {
    let robot = with(inside, &LoadOptions::new());
    let links = &robot.description.links;
    let exclusions = robot.description.contact_exclusions.iter();
    let name = |pair: [usize; 2]| pair.map(|i| links[i].name.as_str()).join(" ");
    exclusions.map(|it| name(it.links)).collect()
}

#[test]
fn pairs_that_do_not_collide_are_contact_exclusions() {
    let robot = clean("<disable_collisions link1='upper' link2='base' reason='Adjacent'/>");
    let exclusion = &robot.description.contact_exclusions[0];
    assert_eq!(
        (exclusion.links, exclusion.reason.as_str()),
        ([1, 0], "Adjacent")
    );
    // A second time, in either order, is not used; a link with itself is a mistake.
    let pair = "<disable_collisions link1='upper' link2='base'/>";
    let again = "<disable_collisions link1='base' link2='upper'/>";
    assert_eq!(excluded(&format!("{pair}{again}")), ["upper base"]);
    let shown = warning("<disable_collisions link1='base' link2='base'/>");
    assert!(shown.contains("both links are the same"), "{shown}");
    let shown = warning("\n<disable_collisions link1='base' link2='uper'/>");
    let says = "line 2, column 34: robot/disable_collisions: the pair of links is left out: there is no link `uper`; \
                did you mean `upper`?";
    assert_eq!(shown, says);
}

#[test]
fn a_link_that_collides_with_none_by_default_may_collide_with_some() {
    let pairs = excluded(
        "<disable_default_collisions link='base'/>
         <enable_collisions link1='upper' link2='base'/>",
    );
    let expected = [
        "base lower",
        "base hand",
        "base left",
        "base right",
        "base cart",
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn end_effectors_passive_joints_spheres_and_properties_are_kept() {
    let robot = clean(
        "<group name='arm'/><group name='grip'/>
         <end_effector name='gripper' parent_link='lower' group='grip' parent_group='arm'/>
         <end_effector name='tool' parent_link='hand' group='grip' parent_group=''/>
         <passive_joint name='elbow'/>
         <link_sphere_approximation link='hand'><sphere center='1 2 3' radius='0.5'/></link_sphere_approximation>
         <joint_property joint_name='elbow' property_name='speed' value='slow'/>",
    );
    let semantics = &robot.description.semantics;
    let gripper = &semantics.end_effectors[0];
    assert_eq!(
        (gripper.parent, gripper.group, gripper.parent_group),
        (2, Some(1), Some(0))
    );
    assert_eq!(semantics.end_effectors[1].parent_group, None);
    assert_eq!(semantics.passive_joints, [1]);
    let (center, radius) = semantics.spheres[0].spheres[0];
    assert_eq!((center.to_array(), radius), ([1.0, 2.0, 3.0], 0.5));
    let property = &semantics.joint_properties[0];
    assert_eq!(
        (property.name.as_str(), property.value.as_str()),
        ("speed", "slow")
    );
}

#[test]
fn rotors_are_part_of_the_drives() {
    let robot =
        clean("<rotor_params><joint name='elbow' mass='1e-5' gear_ratio='100.'/></rotor_params>");
    let elbow = robot.model.joint(robot.model.joint_id("elbow").unwrap());
    assert!((elbow.drive.reflected_inertia(0) - 0.1).abs() < 1e-15);
    assert_eq!(robot.description.joints[1].drive.gear_ratio, [100.0]);
    for (inside, says) in [
        (
            "<joint name='elbow' mass='-1' gear_ratio='1'/>",
            "`mass` is -1; it can't be negative",
        ),
        (
            "<joint name='floor' mass='1' gear_ratio='1'/>",
            "does not have one degree of freedom",
        ),
        (
            "<joint name='elbow' mass='1'/>",
            "the attribute `gear_ratio` is missing",
        ),
        (
            "<joint name='elbow' mass='1' gear_ratio='1'/><joint name='elbow' mass='1' gear_ratio='1'/>",
            "the joint has a rotor already",
        ),
    ] {
        let shown = warning(&format!("<rotor_params>{inside}</rotor_params>"));
        assert!(
            shown.contains("the rotor is left out") && shown.contains(says),
            "{shown}"
        );
    }
}

#[test]
fn other_elements_are_kept_as_they_are_written() {
    let robot = with(
        "<specificities><feet size='2'/></specificities>",
        &LoadOptions::new(),
    );
    assert_eq!(robot.warnings[0].severity(), Severity::Note);
    let kept = &robot.description.kept[0];
    assert_eq!((kept.format, kept.tag.as_str()), ("SRDF", "specificities"));
    assert_eq!(kept.text, "<specificities><feet size='2'/></specificities>");
}

#[test]
fn what_is_no_srdf_is_an_error() {
    for (text, says) in [
        (ROBOT, "this is a URDF, and no SRDF"),
        (
            "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arm/></robot>",
            "this SRDF is written in xacro",
        ),
        ("<mujoco/>", "the root element is `<mujoco>`"),
        ("", "there is nothing here to read"),
        ("<robot name='r'><group>", "cut off"),
    ] {
        let error = load_str(ROBOT).unwrap().with_srdf_str(text).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.location().position.is_some(), "{error}");
    }
    let missing = load_str(ROBOT)
        .unwrap()
        .with_srdf("no/such.srdf")
        .unwrap_err();
    assert!(missing.to_string().starts_with("no/such.srdf"), "{missing}");
}

#[test]
fn an_srdf_is_no_robot() {
    let error = load_str("<robot name='r'>\n<group name='g'/></robot>").unwrap_err();
    assert!(error.to_string().contains("`with_srdf`"), "{error}");
}

#[test]
fn an_srdf_of_another_robot_is_a_note() {
    let robot = load_str(ROBOT).unwrap();
    let described = srdf::load_str("<robot name='other'/>", &robot.description).unwrap();
    assert_eq!(described.warnings.len(), 1);
    assert_eq!(described.warnings[0].severity(), Severity::Note);
}

#[test]
fn names_of_another_robot_are_one_warning_a_kind() {
    let pairs: String = (1..=20)
        .map(|k| {
            format!(
                "<disable_collisions link1='limb_{k}' link2='limb_{}'/>\n",
                k + 1
            )
        })
        .collect();
    let shown = warning(&pairs);
    let says = "none of the 21 links that are named here is there: `limb_1`, `limb_2`, `limb_3`, …; what refers to them \
                is left out (20 times, first here)";
    assert!(shown.ends_with(says), "{shown}");
    // A name that is misspelt throughout.
    let pairs = ["base", "upper", "hand"]
        .map(|it| format!("<disable_collisions link1='{it}' link2='lowr'/>"));
    let shown = warning(&pairs.concat());
    let says = "there is no link `lowr` (did you mean `lower`?); what refers to it is left out (3 times, first here)";
    assert!(shown.ends_with(says), "{shown}");
    // Some of them.
    let group =
        "<group name='g'><joint name='elbow'/><joint name='arm_a'/><joint name='arm_b'/></group>";
    let shown = warning(group);
    assert!(
        shown.contains("2 of the 3 joints that are named here are not there: `arm_a`"),
        "{shown}"
    );
}
