//! Running the binary.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The result of a run: exit code, output and errors.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_featherline"));
    command.args(arguments);
    command
}

/// The arguments with `--format jsonl`, if the command writes text without it.
fn as_json<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let has = |option| arguments.contains(&option);
    let is_text = match arguments.first() {
        Some(&"eval" | &"simulate") => true,
        // Samples are JSON anyway, with a picture alone there is no report, and a format would hide
        // that `--seed` lacks `--simulate`.
        Some(&"system") => ["--simulate", "--spy", "--spy-of", "--seed"]
            .iter()
            .all(|&own| !has(own)),
        // Without states, a program is described.
        Some(&"run") => has("--states") || has("--random"),
        _ => false,
    };
    let format: &[&str] = if is_text && !has("--format") {
        &["--format", "jsonl"]
    } else {
        &[]
    };
    [arguments, format].concat()
}

/// Runs the binary with an empty standard input; reports are lines of JSON unless a format is
/// given.
pub fn run(arguments: &[&str]) -> Run {
    run_with(arguments, "")
}

/// [`run`] with a text on its standard input.
pub fn run_with(arguments: &[&str], input: &str) -> Run {
    let mut child = command(&as_json(arguments))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    let input = input.to_owned();
    // From another thread: a child that does not read all of its input must not block the test.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    // A child that refuses its input may be gone before all is written.
    let _ = writer.join().expect("the writer does not panic");
    Run {
        code: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("the output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("the errors are UTF-8"),
    }
}

/// Evaluates, and gives the lines of output.
pub fn evaluate(arguments: &[&str], input: &str) -> Vec<Value> {
    let run = run_with(&[&["eval"], arguments].concat(), input);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    json_lines(&run.out)
}

pub fn json_lines(text: &str) -> Vec<Value> {
    let line = |line| serde_json::from_str(line).expect("a line is JSON");
    text.lines().map(line).collect()
}

/// Evaluates random states.
pub fn evaluate_random(robot: &str, count: usize, compute: &str) -> Vec<Value> {
    let count = count.to_string();
    let arguments = [
        robot,
        "--random",
        &count,
        "--seed",
        "3",
        "--compute",
        compute,
    ];
    evaluate(&arguments, "")
}

/// Writes a file for a test; `name` is unique among tests.
pub fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the target folder is writable");
    path
}

/// A link `arm` of one kilogram, which swings about a hinge on the link `base`; on it, a robot's
/// other parts.
pub fn robot_with_arm(name: &str, ixx: f64, others: &str) -> String {
    format!(
        r#"<robot name="{name}">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 -0.5"/> <mass value="1"/>
      <inertia ixx="{ixx}" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  {others}
</robot>"#
    )
}

pub fn vector(value: &Value) -> Vec<f64> {
    let entries = value.as_array().expect("an array");
    entries
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

pub fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value
        .as_array()
        .expect("an array of rows")
        .iter()
        .map(vector)
        .collect()
}

pub fn times(matrix: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, v)).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

/// Fails unless two vectors agree within a tolerance relative to the greatest entry (or to one).
pub fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * scale,
            "{what}[{k}]: found {f}, expected {e}"
        );
    }
}
