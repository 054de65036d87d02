//! Options of robot files: SRDF, xacro, strict, permissive, missing inertia.

use crate::process::{file, robot_with_arm, run};
use serde_json::Value;

const HINGE: &str =
    "<joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/></joint>";

fn arm(name: &str, ixx: f64) -> String {
    let text = robot_with_arm("arm", ixx, HINGE);
    file(name, &text).display().to_string()
}

#[test]
fn an_srdf_is_shown_by_info_and_its_states_are_configurations() {
    let robot = arm("semantics.urdf", 0.1);
    let srdf = file(
        "semantics.srdf",
        "<robot name='arm'><group name='whole'><joint name='hinge'/></group>
         <group name='nothing'/>
         <group_state name='bent' group='whole'><joint name='hinge' value='0.5'/></group_state>
         <end_effector name='tip' parent_link='arm' group='whole'/></robot>",
    );
    let srdf = srdf.display().to_string();
    let text = run(&["info", &robot, "--srdf", &srdf]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let lines: Vec<&str> = text.out.lines().rev().take(4).collect();
    let expected = [
        "end effector tip (group whole) on arm",
        "group nothing: no joint that moves",
        "group whole: hinge",
        "configurations: bent",
    ];
    assert_eq!(lines, expected, "{}", text.out);
    let json = run(&["info", &robot, "--srdf", &srdf, "--json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["reference_configurations"]["bent"][0], 0.5);
    assert_eq!(json["groups"][0]["joints"][0], "hinge");
    assert_eq!(json["end_effectors"][0]["parent"], "arm");
    // Without one, nothing is said.
    assert!(!run(&["info", &robot]).out.contains("group"));
}

#[test]
fn a_mistake_in_an_srdf_is_a_warning_in_its_line_and_an_error_if_strict() {
    let robot = arm("semantics_mistake.urdf", 0.1);
    let text = "<robot name='arm'>\n<passive_joint name='hing'/></robot>";
    let srdf = file("mistake.srdf", text).display().to_string();
    let arguments = ["eval", &robot, "--srdf", &srdf, "--compute", "tau"];
    let warned = run(&arguments);
    assert_eq!(warned.code, 0, "{}", warned.err);
    let says = "mistake.srdf:2:16: robot/passive_joint[@name='hing']: the passive joint is left out: there is no joint \
                `hing`; did you mean `hinge`?";
    assert!(warned.err.contains(says), "{}", warned.err);
    let strict = run(&[&arguments[..], &["--strict"]].concat());
    assert_eq!(strict.code, 2);
    assert!(strict.err.contains("mistake.srdf:2:16"), "{}", strict.err);
    assert!(strict.err.contains("`strict`"), "{}", strict.err);
}

#[test]
fn a_robot_that_no_body_is_like_needs_permission() {
    let robot = arm("impossible.urdf", -0.1);
    let refused = run(&["info", &robot]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("check --fix"), "{}", refused.err);
    let read = run(&["info", &robot, "--permissive"]);
    assert_eq!(read.code, 0);
    assert!(
        read.err.contains("a principal moment is -0.1"),
        "{}",
        read.err
    );
    for command in ["eval", "simulate"] {
        let more: &[&str] = match command {
            "simulate" => &["--seconds", "0.01"],
            _ => &["--compute", "tau,mass_matrix"],
        };
        let run = run(&[&[command, &robot, "--permissive"], more].concat());
        assert!(run.code <= 2, "{command}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{}", run.err);
    }
}

#[test]
fn arguments_of_xacro_are_given_by_name() {
    let text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arg name='link' default='a'/>
        <link name='$(arg link)'/></robot>";
    let robot = file("arguments.xacro", text).display().to_string();
    for (arguments, name) in [
        (&[][..], "· a"),
        (&["--xacro", "link:=b"], "· b"),
        (&["--xacro", "link=b"], "· b"),
    ] {
        let run = run(&[&["info", robot.as_str()], arguments].concat());
        assert!(run.out.contains(name), "{}{}", run.out, run.err);
    }
    let wrong = run(&["info", &robot, "--xacro", "link"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("NAME:=VALUE"), "{}", wrong.err);
}

#[test]
fn missing_inertias_follow_from_shapes_or_are_refused() {
    let text = format!(
        "<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='1 1 1'/></geometry>
         </collision></link>{HINGE}</robot>"
    );
    let robot = file("missing_inertia.urdf", &text).display().to_string();
    let mass = |what: &str| {
        let run = run(&["info", &robot, "--json", "--missing-inertia", what]);
        let json: Value = serde_json::from_str(&run.out).unwrap();
        json["total_mass"].as_f64().unwrap()
    };
    for (what, expected) in [("zero", 0.0), ("shapes", 1000.0), ("shapes:2.5", 2.5)] {
        assert!((mass(what) - expected).abs() < 1e-9, "{what}");
    }
    let refused = run(&["info", &robot, "--missing-inertia", "refuse"]);
    assert!(
        refused.code == 2 && refused.err.contains("`arm` moves"),
        "{}",
        refused.err
    );
    for wrong in ["shape", "shapes:-1", "shapes:x"] {
        let wrong = run(&["info", &robot, "--missing-inertia", wrong]);
        assert!(
            wrong.code == 2 && wrong.err.contains("shapes:DENSITY"),
            "{}",
            wrong.err
        );
    }
}

#[test]
fn a_saved_model_has_no_options_of_its_file_but_takes_an_srdf() {
    let robot = arm("saved.urdf", 0.1);
    let saved = file("saved_semantics.json", "").display().to_string();
    assert_eq!(run(&["info", &robot, "--save", &saved]).code, 0);
    let text = "<robot name='arm'><group name='g'/><group_state name='s' group='g'/></robot>";
    let srdf = file("saved.srdf", text).display().to_string();
    let run_with = run(&["info", &saved, "--srdf", &srdf]);
    assert!(
        run_with.out.contains("configurations: s"),
        "{}",
        run_with.err
    );
    let idle = run(&["info", &saved, "--permissive"]);
    assert!(
        idle.code == 2 && idle.err.contains("changes nothing"),
        "{}",
        idle.err
    );
}
