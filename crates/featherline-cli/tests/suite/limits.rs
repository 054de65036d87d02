//! Inputs without an end, or without a meaning.
#![cfg(unix)]

use crate::process::{Run, file, json_lines, run, run_with};
use std::process::{Command, Stdio};

/// Runs the binary with at most 3 GB of memory, so that a test that fails leaves the machine alone.
fn run_in_little_memory(arguments: &[&str]) -> Run {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_featherline"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary ends");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_file_without_an_end_is_refused() {
    const ENDLESS: &str = "/dev/zero";
    let program = file("endless.program", "");
    let program = program.to_str().expect("UTF-8");
    let compile = ["compile", "double_pendulum", "--quantity", "bias", "-o"];
    assert_eq!(run(&[&compile[..], &[program]].concat()).code, 0);
    let known = ["--known", "joint-forces,no-external-forces"];
    let solve = [&["system", "panda"], &known[..]].concat();
    for arguments in [
        &["system", "panda", "--sensors", ENDLESS][..],
        &["eval", "panda", "--states", ENDLESS],
        &["run", ENDLESS],
        &["run", program, "--states", ENDLESS],
        &["info", ENDLESS],
        &["check", ENDLESS],
        &[&solve[..], &["--estimate", ENDLESS]].concat(),
        &[&solve[..], &["--solve", ENDLESS, "--cache", "none"]].concat(),
    ] {
        let refused = run_in_little_memory(arguments);
        assert_eq!(refused.code, 2, "{arguments:?}: {}", refused.err);
        assert!(
            (refused.out + &refused.err).contains("more than"),
            "{arguments:?}"
        );
    }
}

#[test]
fn sensors_that_are_no_text_are_refused_with_the_place() {
    let path = file("no-text.toml", "");
    std::fs::write(&path, b"known = [\"\xff\"]").expect("writable");
    let refused = run(&[
        "system",
        "panda",
        "--sensors",
        path.to_str().expect("UTF-8"),
    ]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("byte 11 is not UTF-8"),
        "{}",
        refused.err
    );
}

#[test]
fn long_lines_are_read_as_long_as_they_are_lines() {
    // Longer than any buffer, and far from the limit.
    let line = format!("{{\"v\": [1,{} 2]}}\n", " ".repeat(1 << 20));
    let arguments = [
        "eval",
        "double_pendulum",
        "--states",
        "-",
        "--compute",
        "com",
    ];
    let read = run_with(&arguments, &line.repeat(3));
    assert_eq!(read.code, 0, "{}", read.err);
    assert_eq!(json_lines(&read.out).len(), 3);
}

#[test]
fn an_angle_of_which_no_digit_is_left_is_warned_of_once() {
    let state = r#"{"q": [0.5, 1e308], "v": [0, 0]}"#;
    let known = ["--known", "joint-accelerations,no-external-forces"];
    let sample = r#"{"q": [0.5, 1e308], "v": [0, 0], "joint-accelerations": [0, 0]}"#;
    let system = ["system", "double_pendulum"];
    let estimate = [&system[..], &known, &["--estimate", "-"]].concat();
    for (arguments, line) in [
        (&["eval", "double_pendulum", "--states", "-"][..], state),
        (&estimate, sample),
    ] {
        let run = run_with(arguments, &format!("{line}\n{line}\n"));
        assert_eq!(run.code, 0, "{}", run.err);
        let told = "line 1, column 17: `q`[1] = 1e308 rad is no angle: numbers of that size lie 2e292 rad apart";
        assert_eq!(run.err.matches("is no angle").count(), 1, "{}", run.err);
        assert!(run.err.contains(told), "{}", run.err);
        let moderate = line.replace("1e308", "1e5");
        assert_eq!(run_with(arguments, &moderate).err, "");
    }
    // A length may be as large as it likes.
    let slider = concat!(
        r#"<robot name="slider"><link name="base"/><link name="bob"><inertial><mass value="1"/>"#,
        r#"<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"#,
        r#"<joint name="slide" type="prismatic"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>"#,
        r#"<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#
    );
    let slider = file("slider.urdf", slider);
    let slider = slider.to_str().expect("UTF-8");
    let far = run_with(
        &["eval", slider, "--states", "-", "--compute", "mass_matrix"],
        "{\"q\": [1e30]}",
    );
    assert_eq!((far.code, far.err.as_str()), (0, ""));
}

#[test]
fn a_terminal_obeys_no_key_of_a_state() {
    let arguments = ["eval", "panda", "--states", "-"];
    let refused = run_with(&arguments, "{\"\\u001b[31mred\": 1}\n");
    assert_eq!(refused.code, 2);
    assert!(!refused.err.contains('\u{1b}'), "{:?}", refused.err);
    assert!(refused.err.contains("`\\u{1b}[31mred`"), "{}", refused.err);
    let long = run_with(&arguments, &format!("{{\"{}\": 1}}\n", "k".repeat(1 << 20)));
    assert!(long.err.len() < 10_000 && long.out.len() < 10_000);
}
