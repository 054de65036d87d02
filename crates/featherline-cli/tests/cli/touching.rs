//! `simulate`: what is said of shapes that touch.

use crate::process::{Run, file, json_lines, run};
use serde_json::Value;

fn simulate(arguments: &[&str]) -> Run {
    run(&[&["simulate"], arguments].concat())
}

/// The line of a simulation, what it says besides, and q at its end.
fn simulated(robot: &str, arguments: &[&str]) -> (Value, String, Vec<f64>) {
    let record = std::path::Path::new(robot).with_extension("jsonl");
    let own = [robot, "--record", record.to_str().expect("UTF-8")];
    let run = simulate(&[&own[..], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    let rows = json_lines(&std::fs::read_to_string(&record).expect("the recording"));
    let q = crate::process::vector(&rows.last().expect("rows")["q"]);
    (json_lines(&run.out).remove(0), run.err, q)
}

#[test]
fn notes_of_meshes_are_one_line_with_the_command_that_lists_them() {
    let notch = include_str!("../../../featherline-formats/tests/scene/files/notch.obj");
    file("touching_notch.obj", notch);
    let body = |name: &str, x: f64| {
        format!("[[body]]\nname = '{name}'\nmesh = 'touching_notch.obj'\nposition = [{x}, 0, 1]\n")
    };
    let text = format!("[ground]\n{}{}", body("one", 0.0), body("two", 3.0));
    let scene = file("touching_notches.toml", &text);
    let scene = scene.to_str().expect("UTF-8");
    let (_, said, _) = simulated(scene, &["--seconds", "0.01"]);
    assert_eq!(said.matches("is not convex").count(), 1, "{said}");
    let command = format!("featherline check {scene} --self-collision");
    let more = format!("(1 more of this kind; `{command}` lists both)");
    assert!(said.contains("note:") && said.contains(&more), "{said}");
    // At the place of the body.
    assert!(said.contains("touching_notches.toml:2:1"), "{said}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let listed = run(&[&words[..], &["--samples", "10"]].concat()).out;
    assert_eq!(listed.matches("is not convex").count(), 2, "{listed}");
    assert!(listed.contains("touching_notches.toml:6:1"), "{listed}");
}

#[test]
fn pairs_that_overlap_at_the_start_are_listed_in_json() {
    let ball = |name: &str, x: f64| {
        format!("[[body]]\nname = '{name}'\nsphere = 0.1\nposition = [{x}, 0, 1]\n")
    };
    let text = [ball("a", 0.0), ball("b", 0.15), ball("c", 0.3)].concat();
    let scene = file("touching_balls.toml", &text);
    let scene = scene.to_str().expect("UTF-8");
    let (line, said, _) = simulated(scene, &["--seconds", "0.01"]);
    assert_eq!(
        line["left_out"],
        serde_json::json!([["a", "b"], ["b", "c"]])
    );
    for words in ["`a` and `b`, and one pair more", "`left_out`", "jsonl"] {
        assert!(said.contains(words), "{said}");
    }
}
