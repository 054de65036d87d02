//! `featherline system`: what is asked and what is told is named as people name it.

use crate::process::{file, json_lines, run, run_with, vector};
use serde_json::{Value, json};

const NOTHING_ACTS: [&str; 4] = ["system", "double_pendulum", "--known", "no-external-forces"];

/// A link on a hinge about z, of a mass and a moment of inertia.
fn hinge(name: &str, mass: f64, inertia: f64) -> String {
    let inertial = match mass {
        0.0 => String::new(),
        _ => format!(
            r#"<inertial><mass value="{mass}"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>"#
        ),
    };
    let text = format!(
        r#"<robot name="m"><link name="base"/><link name="x">{inertial}</link><joint name="j" type="revolute"><parent link="base"/><child
        link="x"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#
    );
    let path = file(name, &text);
    path.to_str().expect("UTF-8").to_owned()
}

fn solve(robot: &str) -> crate::process::Run {
    let forward = ["--known", "joint-forces,no-external-forces", "--solve", "-"];
    let options = ["--cache", "none", "--search-changes", "10"];
    let line = r#"{"q": 0, "v": 0, "joint-forces": 1}"#;
    run_with(&[&["system", robot], &forward[..], &options].concat(), line)
}

#[test]
fn what_is_open_is_named_along_the_axes_that_are_asked_for() {
    let diagnosed = run(&[&NOTHING_ACTS[..], &["--diagnose", "--format", "jsonl"]].concat());
    assert_eq!(diagnosed.code, 1, "{}", diagnosed.err);
    let record = &json_lines(&diagnosed.out)[0];
    // The last configuration is a random one.
    let open = record["configurations"].as_array().expect("some");
    let open = open[open.len() - 1]["undetermined"].clone();
    let open: Vec<String> = serde_json::from_value(open).expect("words");
    // The joint turns about y.
    assert!(
        open.contains(&"a of shoulder, about y".to_owned()),
        "{open:?}"
    );
    assert!(
        !open.contains(&"a of shoulder, about z".to_owned()),
        "{open:?}"
    );
    let line = r#"{"q": [0.1, 0.2], "v": [0, 0]}"#;
    let refused = [&NOTHING_ACTS[..], &["--estimate", "-", "--prior", "none"]].concat();
    let refused = run_with(&refused, line);
    let reason = json_lines(&refused.out)[0]["error"]["reason"].clone();
    let reason = reason.as_str().expect("a reason");
    assert!(
        open.iter()
            .any(|word| reason.contains(&format!("do not determine {word},"))),
        "{reason}"
    );
}

#[test]
fn every_order_can_be_asked_for_by_a_word() {
    let count = |options: &[&str]| {
        let known = ["--known", "joint-forces,no-external-forces", "--count"];
        let counted = run(&[&["system", "double_pendulum"], &known[..], options].concat());
        assert_eq!(counted.code, 0, "{}", counted.err);
        counted.out
    };
    assert_eq!(count(&["--orders", "all"]), count(&[]));
}

#[test]
fn contacts_with_an_error_are_tested_beside_sensors() {
    let sensors = r#"
        known = ["joint-accelerations", "external-force:shoulder"]
        [[sensor]]
        name = "skin"
        type = "external-force"
        frame = "tip"
        sigma = 0.1
        [[sensor]]
        name = "foot"
        type = "contact"
        frame = "tip"
        contact = "point"
        sigma = 0.1
        [[sensor]]
        name = "floor"
        type = "contact"
        frame = "tip"
        contact = "slippery"
    "#;
    let path = file("contact_with_an_error.toml", sensors);
    let line = json!({
        "q": [0, 0], "v": [0, 0], "joint-accelerations": [0, 0], "external-force:shoulder": [0, 0, 0, 0, 0, 0],
        "skin": [0, 0, 3, 1, 0, 0],
    });
    let path = path.to_str().expect("UTF-8");
    let estimate = [
        "system",
        "double_pendulum",
        "--sensors",
        path,
        "--estimate",
        "-",
    ];
    let done = run_with(
        &[&estimate[..], &["--format", "jsonl"]].concat(),
        &line.to_string(),
    );
    assert_eq!(done.code, 0, "{}", done.err);
    let estimate = &json_lines(&done.out)[0];
    // The skin reads a moment of ten deviations, which the contact excludes: both could be wrong.
    let moment = vector(&estimate["residuals"]["foot"])[0].abs();
    assert!((moment - 10.0 / 2.0_f64.sqrt()).abs() < 1e-6, "{moment}");
    assert_eq!(estimate["sensors"]["foot"]["degrees_of_freedom"], 3.0);
    assert!(estimate["sensors"]["skin"].is_object());
    // Exact sensors are not tested.
    assert_eq!(estimate["sensors"].get("floor"), None);
}

#[test]
fn what_can_not_be_solved_is_named() {
    let massless = solve(&hinge("massless.urdf", 0.0, 0.0));
    assert_eq!(massless.code, 2);
    assert!(
        massless
            .err
            .contains("τ = Sᵀ f of j can't be met together with the others"),
        "{}",
        massless.err
    );
    assert!(!massless.err.contains("column"), "{}", massless.err);
}

#[test]
fn light_links_have_accelerations_as_large_as_they_are() {
    let light = solve(&hinge("light.urdf", 1e-9, 1e-15));
    assert_eq!(light.code, 0, "{}{}", light.out, light.err);
    let found = vector(&json_lines(&light.out)[0]["qdd"])[0];
    // τ / I, with a few roundings.
    assert!((found / 1e15 - 1.0).abs() < 1e-14, "{found}");
}

#[test]
fn words_that_contradict_each_other_are_named() {
    let known = "joint-accelerations,joint-forces,no-external-forces";
    let line = json!({
        "q": [0.1, 0.2], "v": [0, 0], "joint-accelerations": [1, 2], "joint-forces": [3, 100],
    });
    let estimate = [
        "system",
        "double_pendulum",
        "--known",
        known,
        "--estimate",
        "-",
    ];
    let refused = run_with(&estimate, &line.to_string());
    let answer: &Value = &json_lines(&refused.out)[0];
    let reason = answer["error"]["reason"].as_str().expect("a reason");
    for word in ["`qdd`", "`tau`"] {
        assert!(reason.contains(word), "{reason}");
    }
    assert!(!reason.contains("equations of motion of"), "{reason}");
}
