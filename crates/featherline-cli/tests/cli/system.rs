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
