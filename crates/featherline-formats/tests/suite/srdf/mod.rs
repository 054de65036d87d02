//! SRDFs, read and written.

mod broken;
mod groups;
mod states;
mod whole;
mod write;

use featherline_formats::{LoadOptions, Robot, load_str_with};

/// A robot with a branch, a mimic joint, a continuous, a planar and a fixed joint.
pub const ROBOT: &str = "<robot name='r'>
  <link name='base'/> <link name='upper'/> <link name='lower'/> <link name='hand'/>
  <link name='left'/> <link name='right'/> <link name='cart'/>
  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>
    <limit lower='-2' upper='2' effort='1' velocity='1'/></joint>
  <joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/></joint>
  <joint name='wrist' type='fixed'><parent link='lower'/><child link='hand'/></joint>
  <joint name='left_finger' type='continuous'><parent link='hand'/><child link='left'/></joint>
  <joint name='right_finger' type='continuous'><parent link='hand'/><child link='right'/>
    <mimic joint='left_finger' multiplier='-1'/></joint>
  <joint name='floor' type='planar'><parent link='base'/><child link='cart'/><axis xyz='0 0 1'/></joint>
</robot>";

/// The robot with what an SRDF of some elements says.
pub fn with(inside: &str, options: &LoadOptions) -> Robot {
    let robot = load_str_with(ROBOT, options).unwrap();
    let before = robot.warnings.len();
    let text = format!("<robot name='r'>{inside}</robot>");
    let mut robot = robot.with_srdf_str(&text).unwrap();
    robot.warnings.drain(..before);
    robot
}

/// [`with`], for an SRDF without mistakes.
pub fn clean(inside: &str) -> Robot {
    let robot = with(inside, &LoadOptions::new());
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    robot
}

/// The one warning of an SRDF.
pub fn warning(inside: &str) -> String {
    let warnings = with(inside, &LoadOptions::new()).warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let shown = warnings[0].to_string();
    assert!(shown.len() < 400 && !shown.contains('\n'), "{shown}");
    shown
}
