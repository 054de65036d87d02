//! Compiled programs: made, described and run.

use crate::process::{
    command, evaluate, evaluate_random, file, json_lines, matrix, run, run_with, vector,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compiles into a file whose name is unique among tests; returns what was printed.
fn compile(name: &str, arguments: &[&str]) -> (String, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = path.to_str().expect("the path is UTF-8").to_owned();
    let made = run(&[&["compile"], arguments, &["--output", &path]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    (path, made.out)
}

/// Lines with these keys of states.
fn lines(states: &[Value], keys: &[&str]) -> String {
    let line = |state: &Value| {
        let entries = keys.iter().map(|&key| (key.to_owned(), state[key].clone()));
        format!("{}\n", Value::Object(entries.collect()))
    };
    states.iter().map(line).collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        // A program sums in another order than the kernel.
        assert!((x - y).abs() < 1e-9 * scale, "{x} {y}");
    }
}

#[test]
fn a_program_gives_what_eval_gives() {
    for (robot, quantity, keys, output, same) in [
        ("panda", "rnea", &["q", "v", "a"][..], "tau", "tau"),
        ("panda", "aba", &["q", "v", "tau"], "qdd", "qdd"),
        ("quadruped", "crba", &["q"], "mass_matrix", "mass_matrix"),
        ("quadruped", "com", &["q"], "com", "com"),
        (
            "ur5",
            "jacobian:tool0:aligned",
            &["q"],
            "jacobian",
            "jacobian:tool0:aligned",
        ),
    ] {
        let name = format!("{robot}-{output}.program");
        let (path, _) = compile(&name, &[robot, "--quantity", quantity, "--fma"]);
        let expected = evaluate_random(robot, 40, &format!("state,{same}"));
        let states: Vec<Value> = expected.iter().map(|line| line["state"].clone()).collect();
        let done = run_with(&["run", &path, "--states", "-"], &lines(&states, keys));
        assert_eq!(done.code, 0, "{}", done.err);
        let found = json_lines(&done.out);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let flat = |value: &Value| match value[0].is_array() {
                true => matrix(value).concat(),
                false => vector(value),
            };
            assert_close(&flat(&found[output]), &flat(&expected[same]));
        }
    }
}

#[test]
fn the_table_has_textbook_kernel_and_program() {
    let (_, table) = compile("counted.program", &["panda", "--quantity", "rnea"]);
    let row = |name: &str| -> Vec<u64> {
        let line = table
            .lines()
            .find(|line| line.contains(name))
            .expect("the row is there");
        line.split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    // 93 · 7 − 108 and 81 · 7 − 100
    assert_eq!(row("textbook")[..2], [543, 467]);
    let (kernel, program) = (row("kernel, traced"), row("program"));
    assert!(program[6] <= kernel[6], "{table}");
    // Seven angles, but for the first: its axis is vertical, so that no torque depends on it.
    assert_eq!(program[4], 6, "{table}");
    // A tree has no formula.
    let (_, table) = compile("tree.program", &["quadruped", "--quantity", "rnea"]);
    assert!(!table.contains("textbook") && table.contains("kernel, traced"));
}

#[test]
fn a_program_describes_itself() {
    let (path, _) = compile(
        "described.program",
        &["double_pendulum", "--quantity", "crba"],
    );
    let described = run(&["run", &path]);
    assert_eq!(described.code, 0);
    for word in [
        "mass_matrix of double_pendulum",
        "mass_matrix",
        "2 × 2",
        "instructions",
    ] {
        assert!(described.out.contains(word), "{word}: {}", described.out);
    }
}

#[test]
fn a_program_is_named_as_it_was_asked_for() {
    let (_, told) = compile("named.program", &["double_pendulum", "--quantity", "tau"]);
    assert!(told.starts_with("tau of double_pendulum\n"), "{told}");
    let (path, told) = compile(
        "aliased.program",
        &["double_pendulum", "--quantity", "rnea"],
    );
    assert!(
        told.starts_with("rnea (tau) of double_pendulum\n"),
        "{told}"
    );
    let described = run(&["run", &path, "--format", "jsonl"]).out;
    let described = &json_lines(&described)[0];
    assert_eq!(described["name"], "tau of double_pendulum");
    assert_eq!(described["inputs"][2], json!({"name": "a", "size": [2]}));
}

#[test]
fn answers_are_tables_unless_json_is_asked_for() {
    let (path, _) = compile("tables.program", &["double_pendulum", "--quantity", "crba"]);
    let states = "{\"q\": [0, 0.5]}\n{\"q\": [0]}\n";
    let answered =
        |format: &str| run_with(&["run", &path, "--states", "-", "--format", format], states);
    let text = answered("text");
    assert_eq!(text.code, 2);
    let mut lines = text.out.lines();
    let title = "mass_matrix of double_pendulum · standard input, line 1";
    assert_eq!(lines.next(), Some(title));
    let rows: Vec<Vec<f64>> = lines
        .skip(2)
        .take(2)
        .map(|row| {
            row.split_whitespace()
                .map(|x| x.parse().expect("a number"))
                .collect()
        })
        .collect();
    let exact = matrix(&json_lines(&answered("jsonl").out)[0]["mass_matrix"]);
    for (rounded, exact) in rows.concat().iter().zip(exact.concat()) {
        assert!((rounded - exact).abs() < 1e-4 * exact.abs(), "{}", text.out);
    }
    assert!(text.out.contains("no answer: line 2"), "{}", text.out);
    // Random states come back with what was drawn.
    let drawn = run(&["run", &path, "--random", "2", "--seed", "3"]).out;
    assert!(
        json_lines(&drawn)
            .iter()
            .all(|line| line["state"]["q"].is_array())
    );
}

#[test]
fn random_states_come_back_with_their_seed() {
    let (path, _) = compile(
        "random.program",
        &["double_pendulum", "--quantity", "gravity"],
    );
    let drawn = |seed| run(&["run", &path, "--random", "1500", "--seed", seed]).out;
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
    assert_eq!(json_lines(&drawn("1")).len(), 1500);
}

#[test]
fn a_line_that_is_no_state_has_its_error_for_an_answer() {
    let (path, _) = compile("lines.program", &["double_pendulum", "--quantity", "bias"]);
    let input = concat!(
        "{\"q\": [0, 0], \"v\": [0, 0]}\n",
        "{\"q\": [0, 0]}\n",
        "{\"q\": [0, 0], \"v\": [0]}\n",
        "{\"q\": [0, 0], \"v\": [0, 0], \"w\": []}\n",
        "{\"q\": [0, 0], \"q\": [0, 0]}\n",
        "\n",
        "{\"v\": [0, 0], \"q\": [0, 0]}\n",
    );
    let done = run_with(&["run", &path, "--states", "-"], input);
    assert_eq!(done.code, 2);
    assert!(
        done.err
            .contains("3 lines have no answer; the first: standard input, line 2")
    );
    let answers = json_lines(&done.out);
    let reason = |i: usize| {
        answers[i]["error"]["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(reason(1), "`v` is missing; the program takes `q`, `v`");
    assert_eq!(reason(2), "`v` has 1 entries where the program needs 2");
    // Fields that the program does not need are ignored.
    assert_eq!(answers[3], answers[0]);
    assert_eq!(reason(4), "duplicate field `q`");
    assert_eq!(answers[4]["error"]["line"], json!(5));
    assert_eq!(answers[0], answers[5]);
    assert_eq!(vector(&answers[0]["bias"]).len(), 2);
}

#[test]
fn an_overflow_is_an_error_at_the_number_behind_it() {
    let (path, _) = compile(
        "overflow.program",
        &["double_pendulum", "--quantity", "bias"],
    );
    let input = concat!(
        "{\"q\": [0, 1], \"v\": [1, 2]}\n",
        "\n",
        "{\"q\": [1e308, 1], \"v\": [1e300, 0]}\n",
        "{\"q\": [0, 1]}\n",
        "{\"q\": [0, 1], \"v\": [2, 1]}\n",
    );
    let done = run_with(&["run", &path, "--states", "-"], input);
    assert_eq!(done.code, 2);
    // In the order of the lines; the angle is larger, but has a sine.
    let summary = "2 lines have no answer; the first: standard input, line 3, column 29: `bias[0]` is not finite";
    assert!(done.err.contains(summary), "{}", done.err);
    let answers = json_lines(&done.out);
    let error = &answers[1]["error"];
    let place = (error["line"].as_u64(), error["column"].as_u64());
    assert_eq!(place, (Some(3), Some(29)));
    let reason = error["reason"].as_str().expect("a reason");
    assert!(reason.contains("`v`[0] = 1e300 is too large"), "{reason}");
    assert_eq!(answers[2]["error"]["line"], json!(4));
    for finite in [&answers[0], &answers[3]] {
        assert_eq!(vector(&finite["bias"]).len(), 2);
    }
}

#[test]
fn what_the_robot_has_no_result_for_is_null_with_its_reason() {
    let (path, _) = compile("no-result.program", &["quadruped", "--quantity", "gravity"]);
    let mut state = evaluate_random("quadruped", 1, "state")[0]["state"]["q"].clone();
    for entry in 3..7 {
        state[entry] = json!(0.0);
    }
    let line = json!({ "q": state }).to_string();
    let done = run_with(&["run", &path, "--states", "-"], &line);
    let answer = &json_lines(&done.out)[0];
    assert_eq!((done.code, &answer["gravity"]), (0, &Value::Null));
    assert!(
        answer["errors"]["gravity"]
            .as_str()
            .is_some_and(|why| why.contains("no result in this state"))
    );
}

#[test]
fn what_can_not_be_done_is_said() {
    let refused = |arguments: &[&str]| {
        let done = run(arguments);
        assert_eq!(done.code, 2, "{arguments:?}");
        done.err
    };
    let quantity = |name| refused(&["compile", "panda", "--quantity", name, "--output", "x"]);
    // The snake's first link is hinged to a root without mass.
    let floating = [
        "compile",
        "snake",
        "--floating-base",
        "--quantity",
        "aba",
        "--output",
        "x",
    ];
    assert!(refused(&floating).contains("the mass matrix is singular"));
    assert!(quantity("rnae").contains("did you mean `rnea`?"));
    assert!(quantity("jacobian:nowhere:local").contains("nowhere"));
    let nowhere = [
        "compile",
        "panda",
        "--quantity",
        "com",
        "--output",
        "no/such/folder/x",
    ];
    assert!(refused(&nowhere).contains("can't write the program to `no/such/folder/x`"));
    assert!(refused(&["run", "no_such.program"]).contains("can't read the program"));
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(refused(&["run", manifest]).contains("no compiled program"));
}

#[test]
fn a_program_tells_which_of_its_inputs_are_quaternions() {
    let (path, _) = compile("floating.program", &["quadruped", "--quantity", "bias"]);
    let program = std::fs::read(&path).expect("it was written");
    let program = featherline_compile::Program::from_bytes(&program).expect("a program");
    let units: Vec<_> = program
        .inputs()
        .iter()
        .flat_map(|port| &port.units)
        .collect();
    assert_eq!((units.len(), units[0]), (1, &(3..7)));
    let answers = json_lines(&run(&["run", &path, "--random", "20"]).out);
    assert!(answers.iter().all(|line| line["bias"].is_array()));
}

#[test]
fn what_is_written_has_a_name() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("named");
    std::fs::create_dir_all(&folder).expect("a folder of the tests");
    for arguments in [
        &["compile", "panda", "--quantity", "rnea", "--output", "-"][..],
        &["system", "panda", "--spy", "-"],
        &["system", "panda", "--estimate", "-", "--plot", "-"],
        &["simulate", "panda", "--seconds", "0.01", "--plot", "-"],
        &["simulate", "panda", "--seconds", "0.01", "--record", "-"],
    ] {
        let refused = command(arguments).current_dir(&folder).output();
        let refused = refused.expect("the program runs");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(
            error.contains("standard output has other results"),
            "{error}"
        );
    }
    let mut files = std::fs::read_dir(&folder).expect("it is there");
    assert!(files.next().is_none());
}

/// A file with a robot of one hinge.
fn hinge(file: &str, name: &str) -> String {
    let text = format!(
        "<robot name='{name}'><link name='base'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' \
         ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='base'/><child link='a'/>\
         <axis xyz='0 0 1'/></joint></robot>"
    );
    let path = crate::process::file(file, &text);
    path.to_str().expect("the path is UTF-8").to_owned()
}

#[test]
fn names_in_programs_are_shown_and_not_obeyed() {
    let robot = hinge("turned_name.urdf", "a&#x202E;b");
    let (path, _) = compile("turned_name.program", &[&robot, "--quantity", "rnea"]);
    let described = run(&["run", &path]);
    assert_eq!(described.code, 0, "{}", described.err);
    assert!(!described.out.contains('\u{202e}'), "{}", described.out);
    assert!(described.out.contains("\\u{202e}"), "{}", described.out);
}

#[test]
fn a_number_stands_for_an_array_of_one() {
    let robot = hinge("one_number.urdf", "hinge");
    let (path, _) = compile("one_number.program", &[&robot, "--quantity", "rnea"]);
    let answers = |line: &str| {
        let done = run_with(&["run", &path, "--states", "-"], line);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        done.out
    };
    assert_eq!(
        answers(r#"{"q": 0.3, "v": 1, "a": [2]}"#),
        answers(r#"{"q": [0.3], "v": [1], "a": [2]}"#)
    );
    let null = r#"{"q": null, "v": 1, "a": 2}"#;
    let refused = run_with(&["run", &path, "--states", "-"], null);
    assert!(refused.out.contains("`q` is null"), "{}", refused.out);
}

#[test]
fn a_matrix_of_one_column_is_a_matrix() {
    let robot = r#"<robot name="hinge"><link name="base"/>
      <link name="arm"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"#;
    let robot = file("one_column.urdf", robot);
    let robot = robot.to_str().expect("the path is UTF-8");
    let state = json!({ "q": [0.3], "v": [0.1], "a": [0.0], "tau": [0.0] });
    for (quantity, key) in [
        ("crba", "mass_matrix"),
        ("mass_matrix_inverse", "mass_matrix_inverse"),
    ] {
        let name = format!("one_column_{quantity}.program");
        let (path, _) = compile(&name, &[robot, "--quantity", quantity]);
        let q = json!({ "q": state["q"] }).to_string();
        let done = run_with(&["run", &path, "--states", "-"], &q);
        assert_eq!(done.code, 0, "{}", done.err);
        let found = matrix(&json_lines(&done.out)[0][key]);
        let expected = evaluate(
            &[robot, "--states", "-", "--compute", key],
            &state.to_string(),
        );
        let expected = matrix(&expected[0][key]);
        assert_eq!(found.len(), expected.len(), "{quantity}");
        assert_close(&found.concat(), &expected.concat());
        let described = run(&["run", &path]);
        let size = format!("{} × 1", expected.len());
        assert!(described.out.contains(&size), "{}", described.out);
    }
}
