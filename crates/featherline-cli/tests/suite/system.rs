//! `featherline system`.

use crate::process::{json_lines, run};

const FEET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../robots/humanoid-feet.toml"
);

#[test]
fn a_forgotten_word_is_advised_as_it_is_typed() {
    for (robot, known) in [("panda", "joint-forces"), ("snake", "joint-accelerations")] {
        let table = ["system", robot, "--known", known, "--format", "table"];
        let told = run(&table);
        assert_eq!(told.code, 1, "{}", told.err);
        let (_, advice) = told.out.split_once("ADVICE").expect("advice");
        let first = advice.lines().nth(1).expect("a set");
        assert_eq!(first, "  - --known no-external-forces", "{robot}");
        let told = run(&["system", robot, "--known", known, "--format", "jsonl"]);
        let answer = &json_lines(&told.out)[0];
        assert_eq!(answer["advice"][0][0], "--known no-external-forces");
    }
}

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
fn patterns_of_the_robot_are_printed_and_drawn() {
    let printed = run(&["system", "panda", "--spy-of", "mass-matrix"]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    let mut lines = printed.out.lines();
    assert_eq!(
        lines.next(),
        Some("panda: 7 coordinates: 28 of 28 elements of the lower triangle")
    );
    assert_eq!(lines.next(), Some("■ ■ ■ ■ ■ ■ ■"));
    // Four legs of three joints on a floating base: a leg has no element with another one.
    let printed = run(&["system", "quadruped", "--spy-of", "ltdl"]);
    let last = printed
        .out
        .lines()
        .rfind(|line| !line.is_empty())
        .expect("a row");
    assert_eq!(last, "■ ■ ■ ■ ■ ■ · · · · · · · · · ■ ■ ■");
    assert!(printed.out.contains("117 of 171"), "{}", printed.out);
    assert!(
        printed.out.contains("first step touches 45 of 171"),
        "{}",
        printed.out
    );
    let path = std::env::temp_dir().join(format!("featherline-kkt-{}.svg", std::process::id()));
    let file = path.to_str().expect("a path in UTF-8");
    let drawn = run(&["system", "four_bar", "--spy-of", "kkt", "--spy", file]);
    assert_eq!((drawn.code, &drawn.out[..]), (0, ""), "{}", drawn.err);
    let picture = std::fs::read_to_string(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it is there");
    assert!(picture.starts_with("<svg") && picture.contains("of the diagonal"));
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
            assert_eq!(line["program"], lines[0]["program"], "{line}");
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
    for reason in [
        "rnea is no order of this system",
        "panda_joint1",
        "needs every joint acceleration as a known",
    ] {
        assert!(run.out.contains(reason), "{}", run.out);
    }
    assert!(run.out.contains(" aba "), "{}", run.out);
}

#[test]
fn of_what_is_not_square_the_estimate_is_counted() {
    let wrist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/panda-wrist.toml");
    let run = run(&["system", "panda", "--sensors", wrist, "--count"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines = json_lines(&run.out);
    let [estimate, check] = &lines[..] else {
        panic!("{}", run.out)
    };
    let count = |line: &serde_json::Value, kind| line["operations"][kind].as_u64();
    // Both put the same equations together; the estimate solves them.
    assert_eq!(count(estimate, "sin_cos"), count(check, "sin_cos"));
    let [estimate, check] = [estimate, check].map(|line| count(line, "multiplications"));
    assert!(estimate > check && check > Some(0), "{}", run.out);
}

#[test]
fn orders_of_what_is_not_square_are_refused() {
    let wrist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/panda-wrist.toml");
    for option in [["--search", "1"], ["--orders", "aba"]] {
        let count = ["system", "panda", "--sensors", wrist, "--count"];
        let run = run(&[&count[..], &option].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
        assert!(run.err.contains(option[0]), "{}", run.err);
    }
}

/// The valid search times, as the message states them.
const SECONDS: &str = "a number of seconds from 0 to 1e9";

#[test]
fn an_option_without_what_it_is_for_is_refused() {
    let base = [
        "system",
        "panda",
        "--known",
        "joint-forces,no-external-forces",
    ];
    let deeds = [
        &["--diagnose"][..],
        &["--count"],
        &["--solve", "no_such.jsonl"],
        &["--estimate", "no_such.jsonl"],
        &["--simulate", "1"],
        &[],
    ];
    // Options, and the deeds that they are for.
    for (options, fitting) in [
        (
            ["--want", "nonsense"],
            &["--count", "--solve", "--estimate"][..],
        ),
        (["--plot", "x.svg"], &["--solve", "--estimate"]),
        (["--search", "1"], &["--count", "--solve"]),
        (["--search-changes", "1"], &["--count", "--solve"]),
        (["--cache", "none"], &["--solve"]),
        (["--prior", "1"], &["--estimate"]),
        (["--seed", "1"], &["--simulate"]),
        (["--orders", "aba"], &["--count"]),
    ] {
        for deed in deeds
            .iter()
            .filter(|deed| deed.first().is_none_or(|d| !fitting.contains(d)))
        {
            let refused = run(&[&base[..], &options, deed].concat());
            assert_eq!(
                (refused.code, refused.out.as_str()),
                (2, ""),
                "{options:?} {deed:?}"
            );
            let told = [
                "required arguments were not provided",
                "cannot be used with",
            ];
            assert!(
                told.iter().any(|words| refused.err.contains(words)),
                "{}",
                refused.err
            );
        }
    }
    for (options, words) in [
        (
            &["--count", "--orders", "abba"][..],
            "a similar value exists: 'aba'",
        ),
        (&["--count", "--no-advice"], "cannot be used with"),
        (
            &["--simulate", "1", "--format", "table"],
            "cannot be used with",
        ),
        (&["--count", "--search", "nan"], SECONDS),
        (&["--count", "--search", "1e300"], SECONDS),
        (&["--count", "--search=-1"], SECONDS),
        (&["--count", "--search", "soon"], SECONDS),
        (
            &["--estimate", "no_such.jsonl", "--prior", "1e-160"],
            "between 1e-153 and 1e153",
        ),
    ] {
        let refused = run(&[&base[..], options].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{options:?}");
        assert!(refused.err.contains(words), "{options:?}: {}", refused.err);
    }
    assert!(!std::path::Path::new("x.svg").exists());
}

#[test]
fn a_word_that_is_said_twice_is_named_once() {
    let refused = run(&["system", "panda", "--known", "joint-forces,joint-forces"]);
    assert_eq!(refused.code, 2);
    let told = "error: --known: `tau` is given twice. Give it once\n";
    assert_eq!(refused.err, told);
}

#[test]
fn words_that_say_the_same_or_the_contrary_are_refused() {
    for (robot, known, pair) in [
        (
            "panda",
            "joint-accelerations,joint-acceleration:panda_joint2",
            ["qdd", "qdd:panda_joint2"],
        ),
        (
            "panda",
            "no-external-forces,external-forces",
            ["no-external-forces", "external-forces"],
        ),
        ("humanoid", "free-base,joint-forces", ["free-base", "tau"]),
        (
            "humanoid",
            "joint-force:root_joint,free-base",
            ["tau:root_joint", "free-base"],
        ),
    ] {
        let refused = run(&["system", robot, "--known", known]);
        assert_eq!(refused.code, 2, "{known}");
        let told = format!("`{}` and `{}`", pair[0], pair[1]);
        assert!(refused.err.contains(&told), "{known}: {}", refused.err);
    }
    // In a file and on the command line, too.
    let both = run(&[
        "system",
        "humanoid",
        "--sensors",
        FEET,
        "--known",
        "joint-accelerations",
    ]);
    assert_eq!(both.code, 2);
    assert!(
        both.err.contains("--known: `qdd` is given twice"),
        "{}",
        both.err
    );
    let fixed = run(&["system", "panda", "--known", "free-base"]);
    assert!(fixed.err.contains("nothing floats freely"), "{}", fixed.err);
}

#[test]
fn a_word_of_its_own_goes_before_what_is_said_of_all_others() {
    let asked = |known: &str| {
        let run = run(&["system", "panda", "--known", known, "--simulate", "1"]);
        assert_eq!(run.code, 0, "{}", run.err);
        json_lines(&run.out).remove(0)
    };
    let own = "external-force:panda_joint7";
    let before = asked(&format!("joint-accelerations,{own},no-external-forces"));
    let after = asked(&format!("joint-accelerations,no-external-forces,{own}"));
    assert_eq!(before, after);
    assert_eq!(before[own].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_force_sensor_sits_in_a_fixed_joint_that_is_kept() {
    let text = "known = [\"joint-accelerations\", \"no-external-forces\"]\n[[sensor]]\nname = \"wrist\"\n\
                type = \"force-torque\"\nframe = \"panda_joint8\"\nsigma = 0.1\n";
    let sensors = crate::process::file("kept-joint.toml", text);
    let sensors = sensors.to_str().expect("the path is UTF-8");
    let base = ["system", "panda", "--sensors", sensors];
    let refused = run(&base);
    assert_eq!(refused.code, 2);
    for words in ["line 5, column 9", "--keep-fixed-joint panda_joint8"] {
        assert!(refused.err.contains(words), "{}", refused.err);
    }
    let kept = run(&[&base[..], &["--keep-fixed-joint", "panda_joint8"]].concat());
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert_eq!(json_lines(&kept.out)[0]["solvable"], true);
    let misspelt = run(&["info", "panda", "--keep-fixed-joint", "panda_joint88"]);
    assert_eq!(misspelt.code, 2);
    assert!(
        misspelt.err.contains("did you mean `panda_joint8`"),
        "{}",
        misspelt.err
    );
    let generated = run(&["info", "snake", "--keep-fixed-joint", "x"]);
    assert_eq!(generated.code, 2);
    assert!(
        generated.err.contains("all of its joints move"),
        "{}",
        generated.err
    );
}

#[test]
fn a_picture_alone_is_not_a_diagnosis_but_a_format_asks_for_one() {
    let path = std::env::temp_dir().join(format!("featherline-spy-2-{}.svg", std::process::id()));
    let file = path.to_str().expect("a path in UTF-8");
    let base = ["system", "panda", "--spy", file];
    assert_eq!(run(&base).out, "");
    let told = run(&[&base[..], &["--format", "jsonl", "--no-advice"]].concat());
    assert_eq!(json_lines(&told.out).len(), 1);
    std::fs::remove_file(&path).expect("it is there");
}
