//! `featherline convert`: the new file, and the report on what it kept.

use crate::process::{file, robot_with_arm, run};

fn output(name: &str) -> String {
    let path = file(name, "");
    path.to_str().expect("the path is UTF-8").to_owned()
}

#[test]
fn embedded_robots_become_the_same_urdf_and_model_file() {
    for robot in ["panda", "quadruped", "hand"] {
        for extension in ["urdf", "json"] {
            let path = output(&format!("{robot}.{extension}"));
            let run = run(&["convert", robot, &path]);
            assert_eq!(run.code, 0, "{}{}", run.out, run.err);
            assert!(run.out.contains("the same robot"), "{}", run.out);
            assert!(run.out.contains("mass matrix"), "{}", run.out);
        }
    }
}

#[test]
fn what_a_urdf_can_not_express_is_named_or_refused() {
    let lost = output("four_bar.urdf");
    let loops = run(&["convert", "four_bar", &lost]);
    assert_eq!(loops.code, 1, "{}{}", loops.out, loops.err);
    assert!(loops.out.contains("loop joint"), "{}", loops.out);
    assert!(loops.out.contains("not all of the robot"), "{}", loops.out);
    let balls = run(&["convert", "delta", &output("delta.urdf")]);
    assert_eq!(balls.code, 2, "{}{}", balls.out, balls.err);
    assert!(balls.err.contains("URDF has no type for"), "{}", balls.err);
}

#[test]
fn the_report_is_json_on_request() {
    let run = run(&["convert", "ur5", &output("ur5.urdf"), "--format", "jsonl"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["is_same"], true);
    let quantities = report["quantities"].as_array().unwrap();
    assert!(quantities.iter().any(|it| it["quantity"] == "joint forces"));
}

#[test]
fn neither_an_unknown_format_nor_the_robot_itself_is_written() {
    let unknown = run(&["convert", "panda", "panda.sdf"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("urdf, or json"), "{}", unknown.err);
    let text = robot_with_arm("r", 0.1, "");
    let path = file("itself.urdf", &text);
    let path = path.to_str().unwrap();
    let itself = run(&["convert", path, path]);
    assert_eq!(itself.code, 2, "{}", itself.out);
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}
