//! Limits of joints, and joints that depend on others.

use super::case::{arm, codes, is_only_reported, load, repaired, replaces};
use featherline_formats::load_str;
use featherline_formats::repair::{RepairOptions, Repairs, propose_str};

#[test]
fn limits_the_wrong_way_round_change_places() {
    let text = arm(
        "revolute",
        "<limit lower='1.5' upper='-1.5' effort='1' velocity='1'/>",
    );
    replaces(
        "empty-range",
        &text,
        "lower='1.5' upper='-1.5'",
        "lower='-1.5' upper='1.5'",
    );
    // A limit that is not given is 0.
    let half = arm("revolute", "<limit lower='1.5' effort='1' velocity='1'/>");
    let (_, after) = repaired(&half);
    assert!(
        after.contains("lower='0' effort='1' velocity='1' upper=\"1.5\"/>"),
        "{after}"
    );
    let mjcf =
        "<mujoco><worldbody><body><joint limited='true' range='90 -90'/><geom size='0.1'/></body>
</worldbody></mujoco>";
    replaces("empty-range", mjcf, "'90 -90'", "'-90 90'");
}

#[test]
fn a_revolute_joint_without_limits_is_continuous_as_it_was_read() {
    let text = arm("revolute", "");
    replaces("no-limit", &text, "'revolute'", "'continuous'");
    let after = arm("continuous", "");
    assert_eq!(load(&text).model, load(&after).model);
    // A slide that goes on for ever needs a choice.
    is_only_reported(&arm("prismatic", ""));
}

#[test]
fn limits_that_need_a_choice_are_only_reported() {
    for limit in [
        "lower='-1' upper='1' effort='0' velocity='0'",
        "lower='-1' upper='1'",
        "lower='0' upper='0' effort='1' velocity='1'",
        "effort='1' velocity='1'",
    ] {
        is_only_reported(&arm("revolute", &format!("<limit {limit}/>")));
    }
}

#[test]
fn a_mimicked_joint_is_named_if_one_name_is_clearly_meant_and_reported_otherwise() {
    let hand = |name: &str| {
        format!(
            "<robot name='hand'><link name='palm'/><link name='a'/><link name='b'/><link name='c'/>
  <joint name='grip' type='continuous'><parent link='palm'/><child link='a'/></joint>
  <joint name='wrist1' type='continuous'><parent link='palm'/><child link='b'/></joint>
  <joint name='wrist2' type='continuous'><parent link='palm'/><child link='c'/>
    <mimic joint='{name}' multiplier='2'/> <!-- left -->
  </joint></robot>"
        )
    };
    let near = replaces("unknown-mimicked", &hand("gripp"), "'gripp'", "'grip'");
    let reason = &near.repairs[0].reason;
    assert!(
        reason.contains("name `grip`, which is the most similar"),
        "{reason}"
    );
    // Not the joint itself, which is as near.
    replaces("unknown-mimicked", &hand("wrist3"), "'wrist3'", "'wrist1'");
    // Two are as near, and none is similar.
    let two = hand("finger3")
        .replace("wrist1", "finger1")
        .replace("'grip'", "'finger4'");
    is_only_reported(&two);
    is_only_reported(&hand("no_such"));
    is_only_reported(&arm("continuous", "<mimic joint='no_such'/>"));
}

#[test]
fn joints_that_mimic_one_another_in_a_circle_are_only_reported() {
    let text = arm("continuous", "<mimic joint='hinge'/>");
    is_only_reported(&text);
    let repairs = propose_str(&text, &RepairOptions::new()).expect("it is text");
    assert_eq!(
        repairs.outcome.expect_err("a circle").cause().code(),
        "mimic-cycle"
    );
}

#[test]
fn a_constraint_of_a_joint_that_does_not_exist_is_removed() {
    let text = "<mujoco><worldbody><body><joint name='a'/><geom size='0.1'/></body></worldbody>
  <equality>
    <joint joint1='a' joint2='no_such'/>
  </equality>
</mujoco>";
    replaces(
        "unknown-name",
        text,
        "    <joint joint1='a' joint2='no_such'/>\n",
        "",
    );
    // Other references to it are a choice.
    let motor = text
        .replace("equality", "actuator")
        .replace("<joint joint1='a' joint2=", "<motor joint=");
    is_only_reported(&motor);
}

#[test]
fn a_constraint_stays_where_another_name_may_be_meant() {
    let text = "<mujoco><worldbody><body><joint name='left'/><geom size='0.1'/></body></worldbody>
  <equality><joint joint1='left' joint2='leftt'/></equality></mujoco>";
    is_only_reported(text);
}

#[test]
fn repairs_of_several_problems_uncover_one_another() {
    let text = arm(
        "Revolute",
        "<axis xyz='0 2 0'/> <limit lower='1' upper='0' effort='1' velocity='1'/> <dynamics dampng='1'/>",
    );
    let (repairs, after) = repaired(&text);
    let mut found = codes(&repairs);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "axis-length",
            "empty-range",
            "misspelt-attribute",
            "unknown-joint-type"
        ]
    );
    let expected = arm(
        "revolute",
        "<axis xyz='0 1 0'/> <limit lower='0' upper='1' effort='1' velocity='1'/> <dynamics damping='1'/>",
    );
    assert_eq!(after, expected);
    // The text after each repair; every one adds its own.
    let count = repairs.repairs.len();
    assert_eq!(repairs.text(0, 0), text);
    assert_eq!(repairs.text(0, count), after);
    for k in 0..count {
        assert_ne!(repairs.text(0, k), repairs.text(0, k + 1));
    }
}

#[test]
fn a_mimicked_joint_without_its_prefix_is_named() {
    let text = "<robot name='hands'>
  <link name='base'/> <link name='a'/> <link name='b'/> <link name='c'/> <link name='d'/>
  <joint name='left_q1' type='continuous'><parent link='base'/><child link='a'/></joint>
  <joint name='left_q2' type='continuous'><parent link='a'/><child link='b'/>
    <mimic joint='q1'/></joint>
  <joint name='right_q1' type='continuous'><parent link='base'/><child link='c'/></joint>
  <joint name='right_q3' type='continuous'><parent link='c'/><child link='d'/></joint>
</robot>";
    let reason = |repairs: &Repairs| repairs.repairs[0].reason.clone();
    let near = replaces("unknown-mimicked", text, "joint='q1'", "joint='left_q1'");
    assert!(
        reason(&near).contains("name `left_q1`"),
        "{}",
        reason(&near)
    );
    let error = load_str(text).expect_err("it names no joint").to_string();
    let says = "to mimic; did you mean `left_q1`?; `featherline check --fix` names it if no other is as near, and with \
                the option `permissive` the joint moves freely";
    assert!(error.ends_with(says), "{error}");
    // One joint alone has the name's end.
    let other = text.replace("'q1'", "'q3'");
    replaces(
        "unknown-mimicked",
        &other,
        "<mimic joint='q3'",
        "<mimic joint='right_q3'",
    );
    // A joint of another hand is not meant: two are as near.
    is_only_reported(&text.replace("left_q2", "middle"));
}
