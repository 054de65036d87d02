//! Axes and quaternions whose length is not one.

use super::case::{arm, is_only_reported, load, repaired, replaces};
use featherline_formats::description::Motion;

#[test]
fn an_axis_is_normalised() {
    let text = arm("continuous", "<axis xyz='0 0 -2.5'/>");
    let repairs = replaces("axis-length", &text, "'0 0 -2.5'", "'0 0 -1'");
    assert!(repairs.repairs[0].reason.contains("length 2.5"));
    assert_eq!(
        repairs.repairs[0].location.position.map(|it| it.line),
        Some(9)
    );
    let slanted = arm("continuous", "<axis xyz='3 0 4'/>");
    let (_, after) = repaired(&slanted);
    let Motion::Continuous { axis } = load(&after).description.joints[0].motion else {
        panic!("{after}");
    };
    assert!((axis.x - 0.6).abs() + axis.y.abs() + (axis.z - 0.8).abs() < 1e-15);
    // The robot moves as before.
    let after = arm("continuous", "<axis xyz='0 0 -1'/>");
    assert_eq!(load(&text).model, load(&after).model);
}

#[test]
fn an_axis_of_three_digits_stays() {
    is_only_reported(&arm("continuous", "<axis xyz='0.577 0.577 0.577'/>"));
    is_only_reported(&arm("continuous", "<axis xyz='0 0 1.0000001'/>"));
    // Nothing moves about it.
    is_only_reported(&arm("fixed", "<axis xyz='0 0 7'/>"));
}

#[test]
fn an_axis_of_length_zero_needs_a_choice() {
    is_only_reported(&arm("continuous", "<axis xyz='0 0 0'/>"));
}

#[test]
fn quaternions_are_normalised() {
    // MuJoCo itself normalises those of MJCF.
    let mjcf = "<mujoco><worldbody>
  <body quat='2 0 0 0'><joint/><geom size='0.1' quat='1 1 0 0'/></body>
</worldbody></mujoco>";
    is_only_reported(mjcf);
    let urdf = arm("continuous", "<origin quat_xyzw='0 0 0 0.5'/>");
    replaces("quaternion-length", &urdf, "'0 0 0 0.5'", "'0 0 0 1'");
}
