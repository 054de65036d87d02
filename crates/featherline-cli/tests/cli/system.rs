//! `featherline system`.

use crate::process::{json_lines, run};

const FEET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../robots/humanoid-feet.toml"
);

#[test]
fn load_cells_under_the_feet_are_diagnosed_in_words() {
    let run = run(&[
        "system",
        "humanoid",
        "--sensors",
        FEET,
        "--diagnose",
        "--format",
        "table",
    ]);
    assert_eq!(run.code, 1, "{}", run.err);
    for words in [
        "NOT SOLVABLE",
        "Remark 5",
        "equation 24",
        "ADVICE",
        "six-axis external force at left_sole",
    ] {
        assert!(
            run.out.contains(words),
            "`{words}` is missing in\n{}",
            run.out
        );
    }
}

#[test]
fn a_diagnosis_is_one_line_of_json() {
    let run = run(&["system", "humanoid", "--sensors", FEET]);
    let lines = json_lines(&run.out);
    assert_eq!(lines.len(), 1);
    let record = &lines[0];
    assert_eq!(record["solvable"], false);
    assert_eq!(record["equations"], record["unknowns"]);
    assert_eq!(record["configurations"][0]["open"], 3);
}

#[test]
fn what_is_known_can_be_said_in_words() {
    let solved = run(&[
        "system",
        "panda",
        "--known",
        "joint-forces,no-external-forces",
    ]);
    assert_eq!(solved.code, 0, "{}", solved.err);
    assert_eq!(json_lines(&solved.out)[0]["solvable"], true);
    let open = run(&[
        "system",
        "panda",
        "--known",
        "no-external-forces",
        "--no-advice",
    ]);
    assert_eq!(open.code, 1, "{}", open.err);
    let wrong = run(&["system", "panda", "--known", "everything"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong
            .err
            .contains("there is no known quantity `everything`"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_fault_in_the_sensors_has_a_place() {
    let wrong = run(&["system", "panda", "--sensors", FEET]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("humanoid-feet.toml: line 13, column 9"),
        "{}",
        wrong.err
    );
}

#[test]
fn the_matrix_is_drawn() {
    let path = std::env::temp_dir().join(format!("featherline-spy-{}.svg", std::process::id()));
    let file = path.to_str().expect("a path in UTF-8");
    let drawn = run(&[
        "system",
        "panda",
        "--known",
        "joint-accelerations,no-external-forces",
        "--spy",
        file,
    ]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    let picture = std::fs::read_to_string(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it is there");
    assert!(
        picture.contains("140 blocks, the largest of 1\n"),
        "{}",
        &picture[..400]
    );
}

#[test]
fn elimination_is_counted_in_every_order_that_there_is() {
    let known = "joint-accelerations,no-external-forces";
    let run = run(&["system", "panda", "--known", known, "--count"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = json_lines(&run.out);
    assert_eq!(lines.len(), 9);
    let total = |line: &serde_json::Value| {
        let operations = &line["operations"];
        operations["additions"].as_u64().unwrap() + operations["multiplications"].as_u64().unwrap()
    };
    // Inverse dynamics is forward substitution: nothing fills in, and no order does more or less.
    for line in &lines {
        if line["reason"].is_null() {
            assert_eq!(line["fill_in"], 0, "{line}");
            assert_eq!(total(line), total(&lines[0]), "{line}");
        }
    }
    assert_eq!(lines[0]["order"], "rnea");
    assert!(lines[0]["reason"].is_null());
}

#[test]
fn an_order_that_does_not_fit_says_why() {
    let known = "joint-forces,no-external-forces";
    let run = run(&[
        "system", "panda", "--known", known, "--count", "--format", "table",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let reason = "rnea is no order of this system: the acceleration of coordinate 0 is not known";
    assert!(run.out.contains(reason), "{}", run.out);
    assert!(run.out.contains(" aba "), "{}", run.out);
}

#[test]
fn what_has_no_inverse_is_not_counted() {
    let run = run(&["system", "panda", "--count"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--diagnose"), "{}", run.err);
}
