//! Attributes and types that are misspelt.

use super::case::{arm, is_only_reported, load, replaces};

#[test]
fn attributes_that_can_mean_only_one_are_renamed() {
    let text = arm(
        "revolute",
        "<limit lower='-1' upper='1' effort='1' veloctiy='1'/>",
    );
    let repairs = replaces("misspelt-attribute", &text, "veloctiy=", "velocity=");
    assert!(
        repairs.repairs[0]
            .reason
            .contains("no attribute `veloctiy`")
    );
    // Also one that keeps the file from being read.
    let text = text
        .replace("veloctiy", "velocity")
        .replace("value='1'", "Value='1'");
    replaces("misspelt-attribute", &text, "Value=", "value=");
    let mjcf = "<mujoco><worldbody><body><joint dampng='0.5'/><geom size='0.1'/></body>
</worldbody></mujoco>";
    replaces("misspelt-attribute", mjcf, "dampng=", "damping=");
}

#[test]
fn attributes_that_may_be_meant_stay() {
    // There already is the other one; another meaning; another namespace.
    for limit in [
        "lower='-1' upper='1' effort='1' velocity='1' velocty='2'",
        "lower='-1' upper='1' effort='1' velocity='1' stiffness='2'",
        "lower='-1' upper='1' effort='1' velocity='1' acceleration='2'",
    ] {
        is_only_reported(&arm("revolute", &format!("<limit {limit}/>")));
    }
    let custom = arm("fixed", "<gazebo mu='1' Lower='2'/>");
    is_only_reported(&custom);
}

#[test]
fn a_misspelt_type_of_joint_is_replaced() {
    let text = arm("Continuous", "");
    replaces("unknown-joint-type", &text, "'Continuous'", "'continuous'");
    is_only_reported(&arm("hinge", ""));
}

#[test]
fn a_misspelt_attribute_of_mjcf_is_reported_and_repaired_at_one_place() {
    let text = "<mujoco><worldbody><body><joint dampng='0.5'/><geom size='0.1'/></body></worldbody></mujoco>";
    let repairs = replaces("misspelt-attribute", text, "dampng=", "damping=");
    let warnings = load(text).warnings;
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert_eq!(warning.cause.code(), repairs.repairs[0].code);
    assert_eq!(warning.location, repairs.repairs[0].location);
}

#[test]
fn commas_are_decimal_points_or_blanks() {
    let text = arm("continuous", "<origin xyz='0,5 0 1,25'/>");
    replaces("not-a-number", &text, "'0,5 0 1,25'", "'0.5 0 1.25'");
    for separated in ["0, 0, 1", "0,0,1"] {
        let text = arm("continuous", &format!("<axis xyz='{separated}'/>"));
        let (old, new) = (format!("'{separated}'"), "'0 0 1'");
        let repairs = replaces("not-a-number", &text, &old, new);
        assert!(repairs.repairs[0].reason.contains("blanks between them"));
    }
    is_only_reported(&arm("continuous", "<axis xyz='0, north'/>"));
}
