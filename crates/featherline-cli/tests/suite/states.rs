//! Where states come from, and what is wrong with those that are refused.

use crate::process::{command, evaluate, evaluate_random, file, json_lines, run, run_with, vector};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

const STATE: [&str; 4] = ["double_pendulum", "--compute", "state", "--states"];

fn states(input: &str) -> Vec<Value> {
    let lines = evaluate(&[&STATE[..], &["-"]].concat(), input);
    lines
        .into_iter()
        .map(|line| line["state"].clone())
        .collect()
}

#[test]
fn what_is_missing_is_neutral_or_zero() {
    let read = states("{}\n{\"q\":[0.5,-1],\"tau\":[1,2]}\n");
    for key in ["q", "v", "a", "tau"] {
        assert_eq!(vector(&read[0][key]), [0.0, 0.0]);
    }
    assert_eq!(vector(&read[1]["q"]), [0.5, -1.0]);
    assert_eq!(vector(&read[1]["v"]), [0.0, 0.0]);
    assert_eq!(vector(&read[1]["tau"]), [1.0, 2.0]);
    let quadruped = evaluate(&["quadruped", "--compute", "state"], "");
    assert_eq!(
        vector(&quadruped[0]["state"]["q"])[..7],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    );
}

#[test]
fn numbers_come_through_to_the_last_bit() {
    let q = [
        0.1 + 0.2,
        f64::from_bits(1),
        -1.0 / 3.0,
        f64::MAX,
        1e-300,
        2.0_f64.sqrt(),
    ];
    for pair in q.chunks(2) {
        let line = serde_json::json!({ "q": pair }).to_string();
        let found = vector(&states(&line)[0]["q"]);
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(pair), "{line}");
    }
}

#[test]
fn empty_lines_carriage_returns_and_a_missing_last_newline_are_fine() {
    let read = states("\n{\"q\":[1,2]}\r\n   \n\r\n{\"q\":[3,4]}");
    assert_eq!(read.len(), 2);
    assert_eq!(vector(&read[1]["q"]), [3.0, 4.0]);
    assert!(states("").is_empty());
    assert_eq!(states("\u{feff}{}\n").len(), 1);
}

#[test]
fn files_are_read_too() {
    let path = file("states.jsonl", "{\"v\":[1,2]}\n{\"v\":[3,4]}\n");
    let path = path.to_str().expect("the path is UTF-8");
    let lines = evaluate(&[&STATE[..], &[path]].concat(), "");
    assert_eq!(vector(&lines[1]["state"]["v"]), [3.0, 4.0]);
    let run = run(&["eval", "panda", "--states", "no_such.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("can't read states from `no_such.jsonl`"),
        "{}",
        run.err
    );
}

#[test]
fn a_bad_line_is_answered_by_its_error_and_the_others_by_theirs() {
    for (bad, reason) in [
        (
            "{\"qd\": [1, 2]}",
            "line 4, column 5: unknown field `qd`, expected one of `q`, `v`, `a`, `tau`",
        ),
        (
            "{\"q\": [1, 2, 3]}",
            "line 4: `q` has 3 entries where double_pendulum needs 2 (nq = 2)",
        ),
        (
            "{\"a\": [1]}",
            "line 4: `a` has 1 entries where double_pendulum needs 2 (nv = 2)",
        ),
        (
            "{\"v\": [1, NaN]}",
            "line 4, column 11: expected value: the numbers of a state are finite",
        ),
        ("{\"v\": [1, 1e400]}", "the numbers of a state are finite"),
        ("{\"v\": null}", "invalid type: null, expected a sequence"),
        ("{\"v\": [1, 2}", "line 4, column 12: expected `,` or `]`"),
        (
            "[[0, 0]]",
            "line 4, column 1: a state is an object {…} with any of q, v, a, tau, external_forces, forces_in",
        ),
        (
            "q: 1",
            "line 4, column 1: a state is an object {…} with any of q, v, a, tau, external_forces, forces_in",
        ),
    ] {
        let input = format!("{{}}\n\n{{}}\n{bad}\n{{\"q\":[3,4]}}\n");
        let run = run_with(&[&["eval"], &STATE[..], &["-"]].concat(), &input);
        assert_eq!(run.code, 2, "{bad}");
        let lines = json_lines(&run.out);
        assert_eq!(lines.len(), 4, "{bad}");
        for good in [0, 1, 3] {
            assert!(lines[good]["error"].is_null() && lines[good]["state"].is_object());
        }
        assert_eq!(vector(&lines[3]["state"]["q"]), [3.0, 4.0]);
        let answer = lines[2].as_object().expect("an object");
        assert_eq!(answer.len(), 1, "{bad}");
        let error = &answer["error"];
        let column = error["column"].as_u64().map(|c| format!(", column {c}"));
        let told = format!(
            "line {}{}: {}",
            error["line"],
            column.unwrap_or_default(),
            error["reason"].as_str().expect("a text")
        );
        assert!(told.contains(reason), "{told}");
        assert!(
            run.err.contains(&format!("error: standard input, {told}")),
            "{}",
            run.err
        );
    }
}

#[test]
fn many_bad_lines_are_counted() {
    let input = "{}\n{\"q\":[1]}\nx\n{}\n\n[]\n";
    let run = run_with(&[&["eval"], &STATE[..], &["-"]].concat(), input);
    assert_eq!(run.code, 2);
    let errors: Vec<_> = json_lines(&run.out)
        .iter()
        .map(|line| line["error"]["line"].as_u64())
        .collect();
    assert_eq!(errors, [None, Some(2), Some(3), None, Some(6)]);
    let expected = "3 lines have no answer; the first: standard input, line 2: `q` has 1 entries";
    assert!(run.err.contains(expected), "{}", run.err);
}

#[test]
fn what_overflows_is_told_with_the_number_behind_it() {
    let input = "{}\n{\"v\": [1, -1e200]}\n{}\n";
    let arguments = ["eval", "double_pendulum", "--states", "-"];
    let run = run_with(
        &[&arguments[..], &["--compute", "com,bias,tau"]].concat(),
        input,
    );
    assert_eq!(run.code, 2);
    let summary = "standard input, line 2, column 16: `bias` is not finite";
    assert!(run.err.contains(summary), "{}", run.err);
    assert!(run.err.contains("`v`[1] = -1e200"), "{}", run.err);
    // Quantities that do not depend on it are present.
    let lines = json_lines(&run.out);
    assert!(lines[1]["com"].is_array() && lines[1]["bias"].is_null());
    assert!(lines[1]["errors"]["tau"].is_string());
    assert!(lines[0]["bias"].is_array() && lines[2]["bias"].is_array());
}

#[test]
fn a_larger_number_that_does_no_harm_is_not_blamed() {
    // An angle has a sine, however large it is; and `com` does not depend on velocities.
    let input = concat!(
        "{\"q\": [1e308, 0], \"v\": [1, 1e200]}\n",
        "{\"q\": [1e308, 0], \"a\": [0, 1e305], \"tau\": [1e306, 0], \"v\": [1e200, 1e180]}\n",
        "{\"q\": [1e308, 0], \"v\": [1, 1]}\n",
    );
    let arguments = ["eval", "double_pendulum", "--states", "-"];
    let run = run_with(&[&arguments[..], &["--compute", "bias"]].concat(), input);
    assert_eq!(run.code, 2);
    let first =
        "standard input, line 1, column 32: `bias` is not finite: `v`[1] = 1e200 is too large";
    assert!(run.err.contains(first), "{}", run.err);
    assert!(json_lines(&run.out)[2]["bias"].is_array());
    let (_, second) = input.split_once('\n').expect("lines");
    let run = run_with(&[&arguments[..], &["--compute", "bias"]].concat(), second);
    assert!(run.err.contains("`v`[0] = 1e200"), "{}", run.err);
}

const HEAVY: &str = r#"<robot name="heavy"><link name="base"/>
    <link name="bob"><inertial><origin xyz="1 0 0"/><mass value="2e307"/>
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"#;

#[test]
fn a_robot_whose_figures_are_too_large_is_blamed_itself() {
    let path = file("too-heavy.urdf", HEAVY);
    let robot = path.to_str().expect("the path is UTF-8");
    let run = run_with(
        &["eval", robot, "--states", "-", "--compute", "tau"],
        "{\"v\": [2]}\n",
    );
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("masses or lengths of the robot"),
        "{}",
        run.err
    );
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let path = file("latin1.jsonl", "");
    std::fs::write(&path, b"{}\n{\"q\": [0, 0], \"v\xe9\": 1}\n{}\n")
        .expect("the folder is writable");
    let run = run(&[&["eval"], &STATE[..], &[path.to_str().expect("UTF-8")]].concat());
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("line 2, column 17: the text is not UTF-8"),
        "{}",
        run.err
    );
    let lines = json_lines(&run.out);
    assert_eq!(lines[1]["error"]["column"], 17);
    assert!(lines[2]["state"].is_object());
}

#[test]
fn a_quaternion_of_length_zero_is_no_rotation() {
    let line = "{\"q\": [0,0,0, 0,0,0,0, 0,0,0, 0,0,0, 0,0,0, 0,0,0]}";
    let lines = evaluate(
        &["quadruped", "--states", "-", "--compute", "tau,com"],
        line,
    );
    assert!(lines[0]["tau"].is_null() && lines[0]["com"].is_null());
    let reason = lines[0]["errors"]["tau"].as_str().expect("a reason");
    assert!(reason.contains("`root_joint`"), "{reason}");
}

#[test]
fn random_states_lie_within_the_limits_and_repeat() {
    let info: Value = serde_json::from_str(&run(&["info", "panda", "--json"]).out).expect("JSON");
    let lines = evaluate_random("panda", 200, "state");
    assert_eq!(lines.len(), 200);
    let mut least = f64::INFINITY;
    for line in &lines {
        for (k, joint) in info["joints"]
            .as_array()
            .expect("a list")
            .iter()
            .enumerate()
        {
            let bound = |key: &str| vector(&joint["limits"][key])[0];
            let entry = |key: &str| vector(&line["state"][key])[k];
            assert!((bound("lower")..=bound("upper")).contains(&entry("q")));
            assert!(entry("v").abs() <= bound("velocity"));
            assert!(entry("tau").abs() <= bound("effort"));
        }
        least = least.min(vector(&line["state"]["q"])[0]);
    }
    // 200 draws come near the ends.
    assert!(least < -2.7, "{least}");
    assert_eq!(lines, evaluate_random("panda", 200, "state"));
    assert_eq!(lines[..5], evaluate_random("panda", 5, "state"));
    let other = evaluate(
        &[
            "panda",
            "--random",
            "5",
            "--seed",
            "4",
            "--compute",
            "state",
        ],
        "",
    );
    assert_ne!(lines[..5], other);
}

#[test]
fn answers_come_before_the_input_ends() {
    let mut child = command(&[
        "eval",
        "double_pendulum",
        "--states",
        "-",
        "--compute",
        "gravity",
        "--format",
        "jsonl",
    ])
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
    let (answers, received) = mpsc::channel();
    // From another thread, so that a binary that waits for more input fails the test instead of
    // blocking it.
    let reader = std::thread::spawn(move || {
        for line in stdout.lines() {
            let _ = answers.send(line.expect("the output is UTF-8"));
        }
    });
    let mut lines = Vec::new();
    for k in 0..3 {
        writeln!(stdin, "{{\"q\": [{k}, 0]}}").expect("the binary reads");
        lines.extend(received.recv_timeout(Duration::from_secs(20)));
    }
    drop(stdin);
    assert!(child.wait().expect("the binary ends").success());
    reader.join().expect("the reader does not panic");
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.starts_with("{\"gravity\":[")));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = command(&["eval", "panda", "--random", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().expect("it was piped");
    stdout.read_exact(&mut first).expect("the binary writes");
    drop(stdout);
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}
