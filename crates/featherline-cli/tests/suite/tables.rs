//! Output for people.

use crate::process::{file, run, run_with};

#[test]
fn a_table_names_joints_links_and_units() {
    let run = run(&[
        "eval",
        "panda",
        "--random",
        "2",
        "--format",
        "table",
        "--compute",
        "all",
    ]);
    assert_eq!(run.code, 0);
    for text in [
        "panda · random 1 of 2, seed 0",
        "panda · random 2 of 2, seed 0",
        "panda_joint7",
        "panda_link8",
        "q [rad]",
        "tau [N·m]",
        "qdd [rad/s²]",
        "kinetic_energy",
        "mass_matrix_inverse",
        "rnea",
    ] {
        assert!(run.out.contains(text), "{text}\n{}", run.out);
    }
}

#[test]
fn numbers_stand_right_aligned_under_their_headings() {
    let run = run(&[
        "eval",
        "panda",
        "--random",
        "1",
        "--format",
        "table",
        "--compute",
        "mass_matrix",
    ]);
    let start = run.out.find("mass_matrix").expect("the title stands there");
    let lines: Vec<&str> = run.out[start..].lines().skip(1).take(8).collect();
    let width = |line: &str| line.chars().count();
    assert!(
        lines.iter().all(|line| width(line) == width(lines[0])),
        "{lines:?}"
    );
}

#[test]
fn mixed_units_and_quaternions_have_their_own_columns() {
    let run = run(&[
        "eval",
        "quadruped",
        "--format",
        "table",
        "--compute",
        "gravity",
    ]);
    for text in ["root_joint.qw", "root_joint.rx", "unit", "configuration"] {
        assert!(run.out.contains(text), "{text}\n{}", run.out);
    }
}

#[test]
fn wide_matrices_are_broken_into_blocks() {
    let run = run(&[
        "eval",
        "humanoid",
        "--format",
        "table",
        "--compute",
        "mass_matrix",
    ]);
    let widest = run.out.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|w| w <= 120), "{widest:?}");
    assert!(run.out.matches("mass_matrix").count() > 1);
}

#[test]
fn what_has_no_value_is_explained() {
    let text = r#"<robot name="r"><link name="base"/><link name="tip"/>
      <joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>"#;
    let path = file("massless.urdf", text);
    let robot = path.to_str().expect("the path is UTF-8");
    let run = run_with(
        &[
            "eval",
            robot,
            "--states",
            "-",
            "--format",
            "table",
            "--compute",
            "qdd,tau",
        ],
        "{}",
    );
    assert_eq!(run.code, 0);
    assert!(
        run.out.contains("qdd: none; the mass matrix is singular"),
        "{}",
        run.out
    );
    assert!(run.out.contains("line 1"), "{}", run.out);
}

#[test]
fn operations_are_counted_once_and_lines_that_are_no_states_are_named() {
    let run = run_with(
        &["eval", "panda", "--states", "-", "--format", "table"],
        "{}\n{\"q\":[1]}\n{}\n",
    );
    assert_eq!(run.code, 2);
    assert_eq!(run.out.matches("qdd [rad/s²]").count(), 2);
    let [(at, _)] = run
        .out
        .match_indices("operation_counts")
        .collect::<Vec<_>>()[..]
    else {
        panic!("{}", run.out);
    };
    let table = run.out[at..].split("\n\n").next().expect("a table");
    for algorithm in ["rnea", "crba", "aba", "ltdl"] {
        let row = table
            .lines()
            .find(|l| l.trim_start().starts_with(algorithm));
        let numbers = row.expect("a row").split_whitespace().skip(1);
        assert_eq!(
            numbers.filter(|n| n.parse::<u64>().is_ok()).count(),
            6,
            "{table}"
        );
    }
    assert!(
        run.out.contains("not a state: line 2: `q` has 1 entries"),
        "{}",
        run.out
    );
}
