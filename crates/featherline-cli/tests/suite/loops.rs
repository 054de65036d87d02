//! Robots with closed loops: their sparse system, and what commands that see the spanning tree
//! alone say of them.

use crate::process::{json_lines, run, run_with};

const LINKAGES: [(&str, &str); 3] = [
    ("four_bar", "`four_bar` has a closed loop (one loop joint)"),
    ("delta", "`delta` has closed loops (6 loop joints)"),
    ("stewart", "`stewart` has closed loops (6 loop joints)"),
];

/// Forward dynamics.
fn system<'a>(robot: &'a str, deed: &[&'a str]) -> Vec<&'a str> {
    let known = ["--known", "joint-forces,no-external-forces"];
    [&["system", robot][..], &known, deed].concat()
}

/// Samples of a robot whose loops stay closed.
fn samples(robot: &str) -> String {
    let simulated = run(&system(robot, &["--simulate", "3"]));
    assert_eq!(simulated.code, 0, "{}", simulated.err);
    simulated.out
}

#[test]
fn the_system_of_a_robot_with_loops_knows_them() {
    for (robot, loops) in [("four_bar", 1), ("delta", 6), ("stewart", 6)] {
        let samples = samples(robot);
        let solved = run_with(
            &system(robot, &["--solve", "-", "--cache", "none"]),
            &samples,
        );
        assert_eq!(solved.code, 0, "{}", solved.err);
        let estimated = run_with(&system(robot, &["--estimate", "-"]), &samples);
        assert_eq!(estimated.code, 0, "{}", estimated.err);
        let lines = json_lines(&solved.out);
        assert_eq!(lines.len(), 3);
        for (solved, estimated) in lines.iter().zip(json_lines(&estimated.out)) {
            let (found, mean) = (&solved["qdd"], &estimated["qdd"]["mean"]);
            let numbers = |value: &serde_json::Value| -> Vec<f64> {
                let values = value.as_array().expect("an array").iter();
                values.map(|x| x.as_f64().expect("determined")).collect()
            };
            // Two ways of solving, which lose the digits of the loops' condition.
            for (a, b) in numbers(found).iter().zip(numbers(mean)) {
                assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{robot}: {a} {b}");
            }
            let object = solved.as_object().expect("an object");
            let forces = object.keys().filter(|key| key.starts_with("loop-force:"));
            assert_eq!(forces.count(), loops, "{robot}");
        }
        let counted = run(&system(robot, &["--count", "--orders", "markowitz,aba"]));
        assert_eq!(counted.code, 0, "{}", counted.err);
        let counts = json_lines(&counted.out);
        let of = |order: &str| {
            let mut counts = counts.iter();
            counts
                .find(|count| count["order"] == order)
                .expect("it was asked for")
        };
        let is_regular = robot != "four_bar";
        assert_eq!(
            of("markowitz")["operations"].is_object(),
            is_regular,
            "{robot}"
        );
        let reason = of("aba")["reason"].as_str().expect("an order of trees");
        assert!(reason.contains("closed loops"), "{reason}");
        let cut = run(&system(robot, &["--cut-loops"]));
        assert_eq!(cut.code, 0, "{}", cut.err);
        assert_eq!(json_lines(&cut.out)[0]["solvable"], true);
    }
    let idle = run(&["system", "panda", "--cut-loops"]);
    assert_eq!(idle.code, 2);
    assert!(
        idle.err.contains("`panda` has no closed loops"),
        "{}",
        idle.err
    );
}

#[test]
fn what_loops_repeat_is_said_and_the_rest_is_solved() {
    let diagnosed = run(&system("four_bar", &["--diagnose"]));
    assert_eq!(diagnosed.code, 1, "{}", diagnosed.err);
    let record = &json_lines(&diagnosed.out)[0];
    assert_eq!(record["solvable"], false);
    assert_eq!(record["solvable_but_for_loop_forces"], true);
    assert_eq!(record["redundant_equations"], 3);
    let report = record["report"].as_str().expect("words");
    assert!(report.contains("REDUNDANT LOOP CONSTRAINTS"), "{report}");
    let whole = run(&system("delta", &["--diagnose"]));
    assert_eq!(
        (whole.code, &json_lines(&whole.out)[0]["solvable"]),
        (0, &true.into())
    );
    for format in ["jsonl", "table"] {
        let deed = ["--solve", "-", "--format", format];
        let solved = run_with(&system("four_bar", &deed), &samples("four_bar"));
        assert_eq!(solved.code, 0, "{}", solved.err);
        assert!(
            solved.err.contains("loop constraints are redundant"),
            "{}",
            solved.err
        );
        if format == "table" {
            assert!(solved.out.contains("not determined"), "{}", solved.out);
            assert!(solved.out.contains("3 directions open"), "{}", solved.out);
            continue;
        }
        for line in json_lines(&solved.out) {
            let (_, force) = line
                .as_object()
                .and_then(|line| line.iter().find(|(key, _)| key.starts_with("loop-force:")))
                .expect("a loop");
            let open = force
                .as_array()
                .expect("six")
                .iter()
                .filter(|x| x.is_null());
            assert_eq!(open.count(), 3);
        }
    }
}

#[test]
fn a_sample_whose_loops_are_open_is_no_sample() {
    for (robot, q) in [("four_bar", "[0.4, 0, 0]"), ("four_bar", "[0, 0, 0.001]")] {
        let line = format!(r#"{{"q": {q}, "v": [0, 0, 0], "joint-forces": [0, 0, 0]}}"#);
        for deed in [
            &["--solve", "-", "--cache", "none"][..],
            &["--estimate", "-"],
        ] {
            let answered = run_with(&system(robot, deed), &line);
            assert_ne!(answered.code, 0);
            let said = answered.out + &answered.err;
            assert!(
                said.contains("the loops are not closed: the frames of loop joint"),
                "{said}"
            );
        }
    }
}

#[test]
fn what_is_computed_of_the_spanning_tree_is_said_to_be() {
    let program = std::env::temp_dir().join(format!("featherline-{}.tree", std::process::id()));
    let program = program.to_str().expect("UTF-8").to_owned();
    for (robot, loops) in LINKAGES {
        for arguments in [
            &["eval", robot, "--compute", "com"][..],
            &["compile", robot, "--quantity", "aba", "--output", &program],
        ] {
            let done = run(arguments);
            assert_eq!(done.code, 0, "{arguments:?}: {}", done.err);
            let told = format!(
                "warning: {loops}: what is computed is its spanning tree, with open loops; `featherline simulate {robot}` and \
                 `eval {robot} --compute maximal_dynamics` keep them closed, and so does `loop_dynamics` in Rust and Python\n"
            );
            assert_eq!(done.err, told, "{arguments:?}");
        }
        let checked = run(&["check", robot]);
        assert_eq!(checked.code, 0, "{}", checked.out);
        let told = format!("note: {loops}: what is computed is its spanning tree");
        assert!(checked.out.contains(&told), "{}", checked.out);
    }
    std::fs::remove_file(program).expect("it was written");
    // Of a tree, nothing is said.
    assert_eq!(run_with(&["eval", "panda", "--compute", "com"], "").err, "");
}
