//! `featherline system --simulate` and `--solve`.

use crate::process::{close, file, json_lines, run, run_with, vector};
use serde_json::{Value, json};
use std::path::PathBuf;

pub const WRIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/panda-wrist.toml");

/// Inverse and forward dynamics of the same robot.
const INVERSE: [&str; 4] = [
    "system",
    "panda",
    "--known",
    "joint-accelerations,no-external-forces",
];

const FORWARD: [&str; 4] = [
    "system",
    "panda",
    "--known",
    "joint-forces,no-external-forces",
];

/// Searches that are over at once, and a folder of a test's own for what they find.
fn quick(folder: &str) -> [String; 4] {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let folder = folder.to_str().expect("the path is UTF-8").to_owned();
    ["--search", "0.2", "--cache", &folder].map(str::to_owned)
}

fn with<'a>(parts: &[&[&'a str]], cache: &'a [String]) -> Vec<&'a str> {
    let mut arguments: Vec<&str> = parts.concat();
    arguments.extend(cache.iter().map(String::as_str));
    arguments
}

/// Samples of a panda whose torques are computed.
fn samples(count: &str) -> String {
    let simulated = run(&[&INVERSE[..], &["--simulate", count, "--seed", "3"]].concat());
    assert_eq!(simulated.code, 0, "{}", simulated.err);
    simulated.out
}

/// Samples of a panda with a force sensor in its wrist.
pub fn wrist(count: &str) -> Vec<Value> {
    json_lines(&run(&["system", "panda", "--sensors", WRIST, "--simulate", count]).out)
}

#[test]
fn a_solution_is_what_eval_computes_and_solving_back_gives_what_was_known() {
    let samples = samples("40");
    let cache = quick("round-trip");
    let solved = run_with(&with(&[&INVERSE, &["--solve", "-"]], &cache), &samples);
    assert_eq!(solved.code, 0, "{}", solved.err);
    let solved = json_lines(&solved.out);
    let mut states = String::new();
    let mut forward = String::new();
    for (sample, solution) in json_lines(&samples).iter().zip(&solved) {
        let state = json!({"q": sample["q"], "v": sample["v"], "a": sample["qdd"]});
        states += &format!("{state}\n");
        let sample = json!({
            "q": sample["q"],
            "v": sample["v"],
            "joint-forces": solution["tau"],
        });
        forward += &format!("{sample}\n");
    }
    let computed = run_with(
        &["eval", "panda", "--states", "-", "--compute", "tau"],
        &states,
    );
    for (solution, computed) in solved.iter().zip(json_lines(&computed.out)) {
        close(
            "τ",
            &vector(&solution["tau"]),
            &vector(&computed["tau"]),
            1e-9,
        );
        assert!(solution["solver"]["backward_error"].as_f64() < Some(1e-13));
    }
    let back = run_with(&with(&[&FORWARD, &["--solve", "-"]], &cache), &forward);
    assert_eq!(back.code, 0, "{}", back.err);
    for (back, sample) in json_lines(&back.out).iter().zip(json_lines(&samples)) {
        let (found, given) = ("qdd", "qdd");
        close("q̈", &vector(&back[found]), &vector(&sample[given]), 1e-8);
        assert_eq!(back["solver"]["fell_back"], false, "{back}");
    }
}

#[test]
fn six_vectors_and_single_joints_can_be_wanted() {
    let samples = samples("2");
    let want = "joint-force:panda_joint2,transmitted-force:panda_joint1,acceleration:panda_joint1";
    let cache = quick("wanted");
    let solved = run_with(
        &with(&[&INVERSE, &["--solve", "-", "--want", want]], &cache),
        &samples,
    );
    assert_eq!(solved.code, 0, "{}", solved.err);
    for solution in json_lines(&solved.out) {
        assert_eq!(vector(&solution["tau:panda_joint2"]).len(), 1);
        // At the root, the robot accelerates upwards against gravity and presses on its stand.
        let acceleration = vector(&solution["acceleration:panda_joint1"]);
        close("a", &acceleration[..3], &[0.0, 0.0, 9.81], 1e-12);
        let force = vector(&solution["transmitted-force:panda_joint1"]);
        assert!(force[2] > 9.81 * 10.0, "{force:?}");
        assert!(solution["tau"].is_null());
    }
    let wrong = run(&[&INVERSE[..], &["--solve", "-", "--want", "torques"]].concat());
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("--want: there is no output `torques`"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_kept_plan_is_used_again_and_a_damaged_one_is_made_again() {
    let samples = samples("1");
    let cache = quick("kept");
    let folder = PathBuf::from(&cache[3]);
    // The folder of an earlier run of this test.
    let _ = std::fs::remove_dir_all(&folder);
    let solve = || {
        run_with(
            &with(&[&FORWARD, &["--solve", "-"]], &cache),
            &forward(&samples),
        )
    };
    let first = solve();
    assert_eq!(first.code, 0, "{}", first.err);
    for words in [
        "note: searched and compiled in",
        "operations a state; kept in",
    ] {
        assert!(first.err.contains(words), "{}", first.err);
    }
    let mut plans = std::fs::read_dir(&folder).expect("it was made");
    let plan = plans.next().expect("a plan").expect("readable").path();
    assert!(plans.next().is_none(), "one plan, and nothing else");
    let written = || std::fs::metadata(&plan).and_then(|about| about.modified());
    let before = written().expect("a time");
    let again = solve();
    assert_eq!((again.out, again.err.as_str()), (first.out.clone(), ""));
    assert_eq!(written().expect("a time"), before);

    let mut bytes = std::fs::read(&plan).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    for damaged in [&bytes[..], b"no plan", &[]] {
        std::fs::write(&plan, damaged).expect("writable");
        let repaired = solve();
        assert_eq!(repaired.code, 0);
        assert!(
            repaired.err.contains("warning: the plan kept in")
                && repaired.err.contains("made again"),
            "{}",
            repaired.err
        );
        assert_eq!(json_lines(&repaired.out).len(), 1);
        assert_eq!(solve().err, "");
    }
}

/// Samples of inverse dynamics as those of forward dynamics, with torques of no meaning.
fn forward(samples: &str) -> String {
    let line = |sample: &Value| {
        let torques = &sample["qdd"];
        format!(
            "{}\n",
            json!({"q": sample["q"], "v": sample["v"], "joint-forces": torques})
        )
    };
    json_lines(samples).iter().map(line).collect()
}

#[test]
fn without_a_folder_nothing_is_kept_and_a_folder_that_is_none_is_a_warning() {
    let samples = samples("1");
    let solve = |cache: &str| {
        let arguments = [
            &INVERSE[..],
            &["--solve", "-", "--search", "0.1", "--cache", cache],
        ];
        run_with(&arguments.concat(), &samples)
    };
    let nowhere = solve("none");
    assert_eq!(nowhere.code, 0, "{}", nowhere.err);
    assert!(!nowhere.err.contains("kept"), "{}", nowhere.err);
    let blocked = file("a-file-and-no-folder", "");
    let blocked = solve(blocked.to_str().expect("the path is UTF-8"));
    assert_eq!(blocked.code, 0, "{}", blocked.err);
    assert!(
        blocked.err.contains("choose another folder by --cache"),
        "{}",
        blocked.err
    );
    assert_eq!(blocked.out, nowhere.out);
}

#[test]
fn a_line_that_is_no_sample_has_its_error_for_an_answer() {
    let samples = samples("2");
    let (first, second) = samples.split_once('\n').expect("two lines");
    let input = format!("{first}\n{{\"q\": [1]}}\n\n{{\"speed\": 1}}\n{second}");
    let cache = quick("bad-lines");
    let solved = run_with(&with(&[&INVERSE, &["--solve", "-"]], &cache), &input);
    assert_eq!(solved.code, 2);
    for told in [
        "2 lines have no answer; the first: standard input, line 2, column",
        "`q` has 1 entries where panda needs 7",
    ] {
        assert!(solved.err.contains(told), "{}", solved.err);
    }
    let lines = json_lines(&solved.out);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1]["error"]["line"], 2);
    assert_eq!(lines[2]["error"]["column"], 12);
    let reason = lines[2]["error"]["reason"].as_str().expect("a text");
    assert!(reason.contains("`q` is missing; a sample has `t`, `q`, `v`, `qdd`"));
    assert!(lines[3]["tau"].is_array());
    let missing = run(&[&INVERSE[..], &["--solve", "no_such.jsonl"]].concat());
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("no_such.jsonl"), "{}", missing.err);
}

#[test]
fn what_is_not_square_can_not_be_solved() {
    let samples = run(&["system", "panda", "--sensors", WRIST, "--simulate", "1"]).out;
    let arguments = [
        "system",
        "panda",
        "--sensors",
        WRIST,
        "--solve",
        "-",
        "--cache",
        "none",
    ];
    let refused = run_with(&arguments, &samples);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("the system can't be solved")
            && refused
                .err
                .contains("see --estimate, which takes redundant rows, and --diagnose"),
        "{}",
        refused.err
    );
}

#[test]
fn what_was_found_is_drawn_and_tabled() {
    let picture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("torques.svg");
    let picture = picture.to_str().expect("the path is UTF-8");
    let samples: String = wrist("20")
        .iter()
        .map(|sample| format!("{sample}\n"))
        .collect();
    let arguments = [
        "system",
        "panda",
        "--sensors",
        WRIST,
        "--estimate",
        "-",
        "--want",
        "joint-force:panda_joint2,joint-force:panda_joint4",
        "--plot",
        picture,
        "--format",
        "table",
    ];
    let drawn = run_with(&arguments, &samples);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    for words in [
        "standard input, line 20",
        "τ of panda_joint4",
        "residuals in σ",
        "χ² =",
    ] {
        assert!(drawn.out.contains(words), "{words}: {}", drawn.out);
    }
    assert!(!drawn.out.contains("τ of panda_joint1"));
    let svg = std::fs::read_to_string(picture).expect("it was written");
    assert_eq!(svg.matches("<polygon").count(), 2);
    assert!(svg.contains("τ of panda_joint2") && svg.contains("τ of panda_joint4"));
}

#[test]
fn a_searched_order_is_counted_beside_the_others() {
    let cache = quick("counted");
    let counted = run(&with(&[&FORWARD, &["--count"]], &cache));
    assert_eq!(counted.code, 0, "{}", counted.err);
    let lines = json_lines(&counted.out);
    let total = |line: &Value| -> u64 {
        let operations = line["operations"].as_object().expect("an object");
        operations.values().filter_map(Value::as_u64).sum()
    };
    let named = |name: &str| {
        lines
            .iter()
            .find(|line| line["order"] == name)
            .expect("a row")
    };
    let searched = total(named("searched"));
    for line in lines.iter().filter(|line| !line["fill_in"].is_null()) {
        // The search begins with the general orders, and keeps the pivots of the neutral state from
        // vanishing.
        if ["markowitz", "amd", "colamd"].contains(&line["order"].as_str().expect("a name")) {
            assert!(searched <= 2 * total(line), "{line}");
        }
    }
    for line in &lines {
        // 18 unknowns for each of seven bodies, and two for each coordinate.
        assert_eq!(
            (&line["equations"], &line["unknowns"]),
            (&json!(140), &json!(140))
        );
    }
    // The program puts the equations together, too, and finds every unknown.
    let program = named("searched")["program"].as_object().expect("counts");
    assert!(program.values().filter_map(Value::as_u64).sum::<u64>() > searched);
    assert!(total(named("the check of a result")) > 0);
}

#[test]
fn a_search_by_changes_finds_the_same_order_each_time() {
    let search = |changes: &str| {
        let options = ["--count", "--orders", "aba", "--cache", "none"];
        let counted = run(&[&FORWARD[..], &options, &["--search-changes", changes]].concat());
        assert_eq!(counted.code, 0, "{}", counted.err);
        counted.out
    };
    let once = search("600");
    assert_eq!(search("600"), once);
    let operations = |out: &str| json_lines(out)[1]["operations"].clone();
    assert_ne!(operations(&search("0")), operations(&once), "it searches");
    let both = run(&[
        &FORWARD[..],
        &["--count", "--search", "1", "--search-changes", "1"],
    ]
    .concat());
    assert!(both.err.contains("cannot be used with"), "{}", both.err);
}

#[test]
fn a_singular_state_has_no_solution_but_a_reason() {
    // The force along a stretched arm is felt by no joint.
    let mut text = "known = [\"joint-accelerations\", \"no-external-forces\"]\n".to_owned();
    for (name, keys) in [
        (
            "point",
            "type = \"contact\"\nframe = \"tip\"\ncontact = \"point\"",
        ),
        (
            "side",
            "type = \"external-force\"\nframe = \"tip\"\ncomponents = [\"fy\"]\nsigma = 0.1",
        ),
        (
            "shoulder",
            "type = \"joint-force\"\njoint = \"shoulder\"\nsigma = 0.1",
        ),
        (
            "elbow",
            "type = \"joint-force\"\njoint = \"elbow\"\nsigma = 0.1",
        ),
    ] {
        text += &format!("[[sensor]]\nname = \"{name}\"\n{keys}\n");
    }
    let sensors = file("stretched.toml", &text);
    let sensors = sensors.to_str().expect("the path is UTF-8");
    let state = |q: [f64; 2], upper: f64| {
        let sample = json!({
            "q": q, "v": [0, 0], "joint-accelerations": [0, 0], "shoulder": upper, "elbow": 2.0 * upper, "side": 0,
        });
        format!("{sample}\n")
    };
    let arguments = [
        "system",
        "double_pendulum",
        "--sensors",
        sensors,
        "--solve",
        "-",
        "--cache",
        "none",
        "--search",
        "0.1",
    ];
    // Hanging straight down at rest is what no torques say, too.
    let states = state([0.3, 0.0], 1.0) + &state([0.3, 0.8], 1.0) + &state([0.0, 0.0], 0.0);
    let solved = run_with(&arguments, &states);
    assert_eq!(solved.code, 0, "{}", solved.err);
    assert!(
        solved.err.contains("2 states are singular"),
        "{}",
        solved.err
    );
    let lines = json_lines(&solved.out);
    assert!(lines[0]["external-force:elbow"].is_null(), "{}", lines[0]);
    assert!(
        lines[0]["errors"]["solution"]
            .to_string()
            .contains("singular")
    );
    assert_eq!(vector(&lines[1]["external-force:elbow"]).len(), 6);
    assert!(lines[1]["errors"].is_null() && lines[1]["solver"].is_object());
    // The knowns fit, and leave the force along the arm undetermined.
    assert!(lines[2]["errors"]["solution"].is_string(), "{}", lines[2]);
    let force = lines[2]["external-force:elbow"].as_array();
    let force = force.expect("most of it is determined");
    for (component, number) in force.iter().enumerate() {
        match component {
            2 => assert!(number.is_null(), "{force:?}"),
            _ => assert!(
                number.as_f64().is_some_and(|x| x.abs() < 1e-12),
                "{force:?}"
            ),
        }
    }
}

/// A wheel of 0.5 kg·m² about a vertical axis, with a tip of no mass on a second joint.
const MASSLESS_TIP: &str = r#"<robot name="tip">
  <link name="base"/>
  <link name="wheel"><inertial><mass value="2"/>
    <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.5"/></inertial></link>
  <link name="tip"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
  <joint name="loose" type="continuous"><parent link="wheel"/><child link="tip"/><axis xyz="0 0 1"/></joint>
</robot>"#;

#[test]
fn a_massless_tip_leaves_its_own_acceleration_open_and_no_other() {
    let robot = file("massless-tip.urdf", MASSLESS_TIP);
    let robot = robot.to_str().expect("the path is UTF-8");
    let known = ["--known", "tau,no-external-forces", "--want", "qdd"];
    let solve = ["--solve", "-", "--cache", "none", "--search", "0.1"];
    let arguments = [&["system", robot][..], &known, &solve].concat();
    let sample = json!({"q": [0.3, 0.1], "v": [0, 0], "tau": [1, 0]});
    let solved = run_with(&arguments, &format!("{sample}\n"));
    assert_eq!(solved.code, 0, "{}", solved.err);
    assert!(
        solved.err.contains("equations depend on each other"),
        "{}",
        solved.err
    );
    let line = &json_lines(&solved.out)[0];
    // 1 N·m on 0.5 kg·m².
    let wheel = line["qdd"][0].as_f64().expect("a number");
    assert!((wheel - 2.0).abs() < 1e-9, "{line}");
    assert!(line["qdd"][1].is_null(), "{line}");
    assert!(
        line["errors"]["solution"].to_string().contains("singular"),
        "{line}"
    );
    // No acceleration of nothing takes a torque.
    let sample = json!({"q": [0.3, 0.1], "v": [0, 0], "tau": [1, 1]});
    let refused = run_with(&arguments, &format!("{sample}\n"));
    assert!(
        refused.out.contains("what is known contradicts itself"),
        "{}",
        refused.out
    );
}

/// The error of a line of output, and the column that it names.
pub fn error(line: &Value) -> (String, usize) {
    let column = line["error"]["column"].as_u64().expect("a column") as usize;
    let reason = line["error"]["reason"].as_str().expect("a text");
    (reason.to_owned(), column)
}

#[test]
fn a_solution_that_overflows_is_not_called_singular() {
    let sample = |v: f64, torque: f64| {
        let (v, tau) = (vec![v; 7], vec![torque; 7]);
        json!({"q": vec![0.3; 7], "v": v, "joint-forces": tau}).to_string()
    };
    let harmless = json!({"q": vec![1e300; 7], "v": vec![1e200; 7], "joint-forces": vec![0.0; 7]});
    let input = [
        sample(0.0, 1.0),
        sample(0.0, 1e308),
        sample(1e200, 1.0),
        harmless.to_string(),
    ];
    let input = input.join("\n");
    let cache = quick("overflow");
    let run = run_with(&with(&[&FORWARD, &["--solve", "-"]], &cache), &input);
    assert_eq!(run.code, 2);
    let answers = json_lines(&run.out);
    assert!(answers[0]["qdd"].is_array());
    for (k, words) in [(1, "`tau`["), (2, "`v`["), (3, "`v`[")] {
        let (reason, column) = error(&answers[k]);
        assert!(
            reason.contains(words) && reason.contains("too large"),
            "{reason}"
        );
        assert!(column > 1, "{column}");
        assert_eq!(answers[k]["error"]["line"], k + 1);
    }
    assert!(!run.out.contains("singular"), "{}", run.out);
}

#[test]
fn a_line_that_is_no_sample_keeps_no_other_from_being_drawn() {
    let picture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("in-spite.svg");
    let picture = picture.to_str().expect("the path is UTF-8");
    let mut lines: Vec<String> = wrist("5").iter().map(Value::to_string).collect();
    lines.insert(2, "{}".to_owned());
    let base = ["system", "panda", "--sensors", WRIST, "--estimate", "-"];
    let options = ["--want", "joint-force:panda_joint2", "--plot", picture];
    let drawn = run_with(&[&base[..], &options].concat(), &lines.join("\n"));
    assert_eq!(drawn.code, 2, "{}", drawn.err);
    let svg = std::fs::read_to_string(picture).expect("it was written");
    std::fs::remove_file(picture).expect("it is there");
    assert_eq!(svg.matches("<polygon").count(), 1);
}

#[test]
fn an_accelerometer_on_the_world_serves_every_command() {
    let sensors = file(
        "base-imu.toml",
        "known = [\"joint-accelerations\", \"no-external-forces\"]\n[[sensor]]\nname = \"base\"\ntype = \"accelerometer\"\n\
         frame = \"panda_link0\"\nsigma = 0.01\n",
    );
    let sensors = sensors.to_str().expect("the path is UTF-8");
    let base = ["system", "panda", "--sensors", sensors];
    let diagnosed = run(&[&base[..], &["--diagnose", "--format", "table"]].concat());
    assert_eq!(diagnosed.code, 0, "{}", diagnosed.err);
    assert!(
        diagnosed.out.contains("3 equations are redundant"),
        "{}",
        diagnosed.out
    );
    let counted = run(&[&base[..], &["--count"]].concat());
    assert_eq!(counted.code, 0, "{}", counted.err);
    let simulated = run(&[&base[..], &["--simulate", "3"]].concat());
    for sample in json_lines(&simulated.out) {
        let reading = vector(&sample["base"]);
        // Six deviations: less than one of 10⁸ is farther off by chance.
        for (found, expected) in reading.iter().zip([0.0, 0.0, 9.81]) {
            assert!((found - expected).abs() < 0.06, "{reading:?}");
        }
    }
    let picture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("base-imu.svg");
    let picture = picture.to_str().expect("the path is UTF-8");
    let estimate = [
        "--estimate",
        "-",
        "--want",
        "joint-forces",
        "--plot",
        picture,
    ];
    let estimated = run_with(&[&base[..], &estimate].concat(), &simulated.out);
    assert_eq!(estimated.code, 0, "{}", estimated.err);
    assert!(std::fs::remove_file(picture).is_ok());
    for answer in json_lines(&estimated.out) {
        assert_eq!(
            answer["residuals"]["base"].as_array().map(Vec::len),
            Some(3)
        );
        assert_eq!(answer["largest"]["outlier"], false);
    }
}
