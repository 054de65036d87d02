//! States of groups, which are configurations of the robot.

use super::{ROBOT, clean, warning, with};
use featherline_formats::{Continuous, LoadOptions, MimicJoints, Severity, load_str_with};

/// A state `s` of a group, with joints.
fn state(joints: &str) -> String {
    format!("<group name='g'/><group_state name='s' group='g'>{joints}</group_state>")
}

#[test]
fn joints_that_a_state_does_not_name_are_neutral() {
    let robot = clean(&state("<joint name='elbow' value='0.5'/>"));
    // shoulder, elbow, left finger, and x, y, cos, sin of the cart.
    let q = &robot.model.reference_configurations()["s"];
    assert_eq!(q, &[0.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(robot.description.semantics.states[0].group, Some(0));
    // The description makes the same configuration for a model of other options.
    let options = LoadOptions::new().continuous(Continuous::CosSin);
    let other = robot.description.robot(&options).unwrap().model;
    let q = &other.reference_configurations()["s"];
    assert_eq!((q.len(), q[1], q[2]), (9, 0.5_f64.cos(), 0.5_f64.sin()));
}

#[test]
fn a_turn_is_an_angle_or_its_cosine_and_sine_whatever_the_model_has() {
    for continuous in [Continuous::Angle, Continuous::CosSin] {
        let options = LoadOptions::new().continuous(continuous);
        for (value, angle) in [
            ("-0.6435011087932844", None),
            ("0.8 -0.6", Some([0.8, -0.6])),
        ] {
            let text = state(&format!("<joint name='elbow' value='{value}'/>"));
            let robot = with(&text, &options);
            assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
            let q = &robot.model.reference_configurations()["s"];
            let [cos, sin] = angle.unwrap_or([0.8, -0.6]);
            let error = match continuous {
                Continuous::Angle => (q[1] - f64::atan2(sin, cos)).abs(),
                Continuous::CosSin => (q[1] - cos).abs() + (q[2] - sin).abs(),
            };
            assert!(error < 1e-15, "{value}: {q:?}");
        }
    }
}

#[test]
fn a_planar_joint_has_an_angle_or_its_cosine_and_sine() {
    for value in ["1 2 0.5", "1 2 0.8775825618903728 0.479425538604203"] {
        let robot = clean(&state(&format!("<joint name='floor' value='{value}'/>")));
        let q = &robot.model.reference_configurations()["s"][3..];
        let expected = [1.0, 2.0, 0.5_f64.cos(), 0.5_f64.sin()];
        let near = q.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(near, "{q:?}");
    }
}

#[test]
fn the_joint_of_a_floating_base_has_a_position_and_a_quaternion() {
    let text = state("<joint name='root_joint' value='1 2 3 0 0 1 0'/>");
    let floating = LoadOptions::new().floating_base(true);
    let robot = with(&text, &floating);
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    let q = &robot.model.reference_configurations()["s"];
    assert_eq!(q[..7], [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0]);
    // A fixed base has no place for it: that is no mistake.
    let fixed = with(&text, &LoadOptions::new());
    assert_eq!(fixed.warnings.len(), 1);
    assert_eq!(fixed.warnings[0].severity(), Severity::Note);
    assert!(fixed.warnings[0].to_string().contains("floating base"));
    for (value, says) in [
        ("1 2 3", "`value` has 3 numbers where 7 are needed"),
        (
            "1 2 3 0 0 0.5 0",
            "the quaternion in `value` has length 0.5",
        ),
    ] {
        let text = state(&format!("<joint name='root_joint' value='{value}'/>"));
        let shown = with(&text, &floating).warnings.remove(0).to_string();
        assert!(shown.contains(says), "{shown}");
    }
}

#[test]
fn a_mimic_joint_follows_and_a_value_that_contradicts_it_is_a_warning() {
    let both = |right: &str| {
        state(&format!(
            "<joint name='right_finger' value='{right}'/><joint name='left_finger' value='0.25'/>"
        ))
    };
    let agrees = with(&both("-0.25"), &LoadOptions::new());
    assert_eq!(agrees.warnings.len(), 1);
    assert_eq!(agrees.warnings[0].severity(), Severity::Note);
    let shown = warning(&both("0.25"));
    let says = "joint `right_finger` mimics `left_finger`, which puts it at -0.25; the value 0.25 is not used";
    assert!(shown.contains(says), "{shown}");
    // A mimic joint that moves freely has a value of its own.
    let free = with(&both("0.25"), &LoadOptions::new().mimic(MimicJoints::Free));
    assert!(free.warnings.is_empty(), "{:?}", free.warnings);
    assert_eq!(
        free.model.reference_configurations()["s"][2..4],
        [0.25, 0.25]
    );
}

#[test]
fn a_value_with_a_mistake_is_left_out_and_the_others_stay() {
    for (joint, says) in [
        (
            "<joint name='elbw' value='1'/>",
            "the value of the joint is left out: there is no joint `elbw`; did you mean `elbow`?",
        ),
        (
            "<joint name='elbow' value='1 2 3'/>",
            "has 3 numbers where 1 are needed",
        ),
        (
            "<joint name='elbow' value=''/>",
            "has 0 numbers where 1 are needed",
        ),
        (
            "<joint name='elbow' value='1,5'/>",
            "has `1,5` where a number is needed",
        ),
        ("<joint name='elbow' value='inf'/>", "not a finite number"),
        (
            "<joint name='elbow' value='0.5 0.5'/>",
            "the cosine and sine in `value` has length",
        ),
        ("<joint name='elbow'/>", "the attribute `value` is missing"),
        (
            "<joint name='wrist' value='1'/>",
            "the value of a fixed joint is not used",
        ),
    ] {
        let text = state(&format!("{joint}<joint name='shoulder' value='1.5'/>"));
        let robot = with(&text, &LoadOptions::new());
        assert_eq!(robot.warnings.len(), 1, "{:?}", robot.warnings);
        let shown = robot.warnings[0].to_string();
        assert!(shown.contains(says), "{shown}");
        let q = &robot.model.reference_configurations()["s"];
        assert_eq!(q[..2], [1.5, 0.0], "{joint}");
    }
}

#[test]
fn a_robot_begins_in_its_home() {
    let home = "<group_state name='home' group='g'><joint name='elbow' value='1'/></group_state>";
    let text = format!("<group name='g'><joint name='elbow'/></group>{home}");
    let robot = with(&text, &LoadOptions::new());
    assert_eq!(robot.start().map(|it| it.name.as_str()), Some("home"));
    let other = with(&text.replace("'home'", "'rest'"), &LoadOptions::new());
    assert!(other.start().is_none());
    // The reference configuration of MJCF comes first, as in MuJoCo.
    let hinge = "<mujoco><worldbody><body><joint name='a'/><geom size='1'/></body></worldbody>
        <keyframe><key name='home' qpos='1'/></keyframe></mujoco>";
    let robot = featherline_formats::load_str(hinge).unwrap();
    assert_eq!(robot.start().map(|it| it.name.as_str()), Some("qpos0"));
}

#[test]
fn states_of_one_name_are_told_apart_by_their_groups() {
    let text = "<group name='arm'/><group name='hand'/>
        <group_state name='home' group='arm'><joint name='elbow' value='1'/></group_state>
        <group_state name='home' group='hand'><joint name='elbow' value='2'/></group_state>
        <group_state name='home' group='hand'/>";
    let robot = with(text, &LoadOptions::new());
    let names: Vec<&String> = robot.model.reference_configurations().keys().collect();
    assert_eq!(names, ["hand/home", "hand/home_", "home"]);
    assert_eq!(robot.warnings.len(), 2);
    let states = &robot.description.semantics.states;
    assert_eq!(
        (states[1].name.as_str(), states[1].configuration.as_str()),
        ("home", "hand/home")
    );
    assert_eq!(robot.model.reference_configurations()["home"][1], 1.0);
    // The state of a group that does not exist is a state all the same, as in Pinocchio.
    let robot = with("<group_state name='s' group='arm'/>", &LoadOptions::new());
    assert!(
        robot.warnings[0]
            .to_string()
            .contains("there is no group `arm`")
    );
    assert_eq!(robot.model.reference_configurations().len(), 1);
}

#[test]
fn an_srdf_may_be_added_to_a_robot_that_was_saved() {
    let model = load_str_with(ROBOT, &LoadOptions::new().floating_base(true))
        .unwrap()
        .model;
    let saved = featherline_formats::Robot::from_model(model);
    let text = "<robot name='r'><group name='g'><chain base_link='base' tip_link='hand'/></group>
        <group_state name='s' group='g'><joint name='root_joint' value='0 0 1 0 0 0 1'/></group_state>
        <disable_collisions link1='upper' link2='hand'/></robot>";
    let robot = saved.with_srdf_str(text).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    assert_eq!(robot.model.reference_configurations()["s"][2], 1.0);
    // The hand is a frame of the lower arm there.
    assert_eq!(
        robot.description.contact_exclusions[0]
            .links
            .map(|i| robot.description.links[i].name.clone()),
        ["upper", "lower"]
    );
}

#[test]
fn a_state_outside_the_limits_is_a_warning() {
    let shown = warning(&state("<joint name='shoulder' value='2.5'/>"));
    let says = "the state puts joint `shoulder` at 2.5, outside its limits [-2, 2]";
    assert!(shown.ends_with(says), "{shown}");
    // It is the state all the same; printed figures are at the limit.
    let robot = with(
        &state("<joint name='shoulder' value='-2.5'/>"),
        &LoadOptions::new(),
    );
    assert_eq!(robot.model.reference_configurations()["s"][0], -2.5);
    clean(&state(
        "<joint name='shoulder' value='2.0005'/><joint name='elbow' value='50'/>",
    ));
}
