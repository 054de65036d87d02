//! Names that two parts have.

use super::case::{INERTIAL, codes, load, repaired};
use featherline_formats::Severity;

fn chain(names: [&str; 3], joints: [&str; 2]) -> String {
    let [base, upper, lower] = names.map(|it| format!("<link name='{it}'>{INERTIAL}</link>"));
    let [a, b] = joints;
    format!(
        "<robot name='r'>\n  {base}\n  {upper}\n  {lower}\n  \
         <joint name='{a}' type='continuous'><parent link='base'/><child link='upper'/></joint>\n  \
         <joint name='{b}' type='continuous'><parent link='upper'/><child link='lower'/></joint>\n  \
         </robot>"
    )
}

#[test]
fn the_second_of_two_joints_gets_a_suffix() {
    let text = chain(["base", "upper", "lower"], ["hinge", "hinge"]);
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["duplicate-name"]);
    let names: Vec<String> = load(&after)
        .description
        .joints
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["hinge", "hinge_2"]);
    assert_eq!(repairs.repairs[0].severity, Severity::Error);
    assert!(repairs.repairs[0].reason.contains("`hinge_2`"));
}

#[test]
fn a_suffix_that_is_taken_is_not_given() {
    let text = chain(["base", "upper", "lower"], ["hinge", "hinge"]);
    let text = text.replace(
        "</robot>",
        "<joint name='hinge_2' type='fixed'><parent link='lower'/><child link='tip'/></joint>\
         <joint name='hinge' type='fixed'><parent link='lower'/><child link='end'/></joint>\
         <link name='tip'/><link name='end'/></robot>",
    );
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["duplicate-name"; 2]);
    let names: Vec<String> = load(&after)
        .description
        .joints
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["hinge", "hinge_3", "hinge_2", "hinge_4"]);
}

#[test]
fn references_keep_the_first() {
    let text = chain(["base", "upper", "lower"], ["hinge", "hinge"]);
    let text = text.replace(
        "</robot>",
        "<link name='finger'/><joint name='second' type='continuous'><parent link='base'/>\
         <child link='finger'/><mimic joint='hinge'/></joint></robot>",
    );
    let (_, after) = repaired(&text);
    let description = load(&after).description;
    let mimic = description.joints[2].mimic.as_ref().expect("it mimics");
    assert_eq!(
        (mimic.joint, description.joints[1].name.as_str()),
        (0, "hinge_2")
    );
}

#[test]
fn a_copy_is_removed_with_its_line() {
    let text = chain(["base", "upper", "lower"], ["a", "b"]);
    let link = format!("  <link name='lower'>{INERTIAL}</link>\n");
    let doubled = text.replacen(&link, &format!("{link}{link}"), 1);
    assert_ne!(doubled, text);
    let (repairs, after) = repaired(&doubled);
    assert_eq!(codes(&repairs), ["duplicate-name"]);
    assert_eq!(after, text);
}

#[test]
fn names_in_mjcf_are_told_apart() {
    let text = "<mujoco><worldbody>
  <body name='a'><joint name='j'/><geom size='0.1'/>
    <body name='b' pos='1 0 0'><joint name='j'/><geom size='0.1'/></body></body>
</worldbody></mujoco>";
    let (repairs, after) = repaired(text);
    assert_eq!(codes(&repairs), ["duplicate-name"]);
    assert!(
        after.contains("<body name='b' pos='1 0 0'><joint name='j_2'/>"),
        "{after}"
    );
}
