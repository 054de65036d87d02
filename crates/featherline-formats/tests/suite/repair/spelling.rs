//! Attributes and types that are misspelt.

use super::case::{INERTIAL, arm, codes, is_only_reported, load, repaired, replaces};
use featherline_formats::load_str;
use featherline_formats::repair::{RepairOptions, propose_str};

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
fn elements_that_can_mean_only_one_are_renamed() {
    let rod = |inertial: &str| {
        let shape = "<collision><geometry><box size='0.1 0.1 1'/></geometry></collision>";
        arm("continuous", "<axis xyz='0 1 0'/>").replace(INERTIAL, &format!("{inertial}{shape}"))
    };
    // A name that keeps the file from being read: the mass that is stated stays, though there are
    // shapes.
    let text = rod(&INERTIAL.replace("<mass value='1'/>", "<mas value='1'/>"));
    replaces("misspelt-element", &text, "<mas ", "<mass ");
    let error = load_str(&text).expect_err("there is no mass").to_string();
    let says = "`<mass>` is missing, and `<mas>` is not used; write `mass` if that is meant";
    assert!(error.ends_with(says), "{error}");
    let text = rod(&INERTIAL.replace("<inertia ", "<inerta "));
    replaces("misspelt-element", &text, "<inerta ", "<inertia ");
    // A name that does not; the warning has the repair.
    let text = rod(&INERTIAL.replace("<origin ", "<orgin "));
    let repairs = replaces("misspelt-element", &text, "<orgin ", "<origin ");
    let warnings = load(&text).warnings;
    assert_eq!(warnings[0].cause.code(), "misspelt-element");
    assert_eq!(warnings[0].location, repairs.repairs[0].location);
    let text = arm("continuous", "<axes xyz='0 1 0'/>");
    replaces("misspelt-element", &text, "<axes ", "<axis ");
    // Both tags, and what is in it in the next round.
    let text = rod(
        "<inertal><mas value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertal >",
    );
    let (repairs, after) = repaired(&text);
    assert_eq!(codes(&repairs), ["misspelt-element"; 2]);
    let expected = text
        .replace("inertal", "inertial")
        .replace("<mas ", "<mass ");
    assert_eq!(after, expected);
    let mjcf =
        "<mujoco><worldbody><body><joint/><goem size='0.1'></goem></body></worldbody></mujoco>";
    let (repairs, after) = repaired(mjcf);
    assert_eq!(codes(&repairs), ["misspelt-element"]);
    assert_eq!(after, mjcf.replace("goem", "geom"));
}

#[test]
fn what_a_misspelt_element_says_is_not_replaced() {
    // Limits that are misspelt are limits, also where they lack something.
    let text = arm("revolute", "<limt lower='-1' upper='1'/>");
    replaces("misspelt-element", &text, "<limt ", "<limit ");
    // One that does not fit the element that may be meant is reported, and nothing fills its place.
    for (old, new) in [
        ("<mass value='1'/>", "<mas grams='1'/>"),
        ("<mass value='1'/>", "<mas value='1'><kg/></mas>"),
        ("<mass value='1'/>", "<mas value='1'/><mas value='2'/>"),
    ] {
        let shape = "<visual><geometry><sphere radius='1'/></geometry></visual>";
        let text = arm("continuous", "").replace("<inertial>", &format!("{shape}<inertial>"));
        is_only_reported(&text.replace(old, new));
    }
    // There is one already; nor in an element of another program.
    is_only_reported(&arm("continuous", "<axis xyz='0 0 1'/><axes xyz='0 1 0'/>"));
    is_only_reported(&arm("continuous", "<gazebo><orgin xyz='0 1 0'/></gazebo>"));
}

#[test]
fn repairs_of_errors_that_stand_beside_one_another_are_proposed_together() {
    // The zero axis needs a choice, the mass does not.
    let text = arm("continuous", "<axis xyz='0 0 0'/>").replace("value='1'", "value='1,5'");
    let error = load_str(&text).expect_err("it has errors");
    let found: Vec<_> = error.others().iter().map(|it| it.cause().code()).collect();
    assert_eq!(
        (error.cause().code(), &found[..]),
        ("not-a-number", &["zero-axis"][..])
    );
    let repairs = propose_str(&text, &RepairOptions::new()).expect("it is text");
    assert_eq!(codes(&repairs), ["not-a-number"]);
    let left = repairs.outcome.expect_err("an axis is missing");
    assert_eq!((left.cause().code(), left.others().len()), ("zero-axis", 0));
    // A repair of the second, while the first stays.
    let text = text.replace("1,5", "nan").replace("0 0 0", "0 0,5 0");
    let repairs = propose_str(&text, &RepairOptions::new()).expect("it is text");
    assert!(
        codes(&repairs).contains(&"not-a-number"),
        "{:#?}",
        repairs.repairs
    );
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
