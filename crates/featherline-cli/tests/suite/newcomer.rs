//! The first commands of a new user.

use crate::process::{command, evaluate, file, json_lines, run, run_with, vector};
use serde_json::Value;
use std::path::PathBuf;

/// A path for a file of a test; `name` is unique among tests.
fn path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn keys(line: &Value) -> Vec<&str> {
    let object = line.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_quantity_has_one_name_in_every_command_and_is_found_by_its_others() {
    let line = &evaluate(&["panda", "--compute", "rnea,joint-forces,aba,crba"], "")[0];
    let mut found = keys(line);
    found.sort_unstable();
    assert_eq!(found, ["mass_matrix", "qdd", "tau"]);

    let program = path("newcomer.tau");
    let made = |name: &str| {
        let made = run(&["compile", "panda", "--quantity", name, "-o", &program]);
        assert_eq!(made.code, 0, "{}", made.err);
        std::fs::read(&program).expect("it was written")
    };
    let bytes = made("tau");
    assert_eq!(bytes, made("rnea"));
    assert_eq!(bytes, made("joint-forces"));

    let known = |word: &str| format!("{word},no-external-forces");
    let sample = r#"{"q": [0.1, 0.2], "v": [0, 0], "a": [1, 2]}"#;
    let solved = |word: &str, want: &str| {
        let solve = ["--solve", "-", "--cache", "none", "--search-changes", "10"];
        let known = known(word);
        let base = [
            "system",
            "double_pendulum",
            "--known",
            &known,
            "--want",
            want,
        ];
        let solved = run_with(&[&base[..], &solve].concat(), sample);
        assert_eq!(solved.code, 0, "{}{}", solved.out, solved.err);
        json_lines(&solved.out).remove(0)
    };
    let of_system = solved("qdd", "tau");
    assert_eq!(keys(&of_system)[1..], ["tau"]);
    assert_eq!(
        of_system["tau"],
        solved("joint-accelerations", "rnea")["tau"]
    );
    let of_eval = evaluate(
        &["double_pendulum", "--states", "-", "--compute", "tau"],
        sample,
    );
    let (a, b) = (vector(&of_system["tau"]), vector(&of_eval[0]["tau"]));
    assert!(
        a.iter()
            .zip(&b)
            .all(|(a, b)| (a - b).abs() < 1e-12 * b.abs().max(1.0))
    );
    assert!(solved("qdd", "tau:elbow")["tau:elbow"].is_array());
    let sensors = file("named.toml", "known = [\"qdd\", \"no-external-forces\"]\n");
    let sensors = sensors.to_str().expect("UTF-8");
    let diagnosed = run(&["system", "double_pendulum", "--sensors", sensors]);
    assert_eq!(json_lines(&diagnosed.out)[0]["solvable"], true);
}

#[test]
fn what_eval_writes_is_read_by_run_and_by_eval() {
    let random = ["eval", "panda", "--random", "3", "--compute", "tau"];
    let evaluated = run(&random);
    let lines = json_lines(&evaluated.out);
    assert!(lines.iter().all(|line| line["state"]["q"].is_array()));

    let program = path("newcomer_piped.tau");
    let made = run(&["compile", "panda", "--quantity", "tau", "-o", &program]);
    assert_eq!(made.code, 0, "{}", made.err);
    let piped = run_with(&["run", &program, "--states", "-"], &evaluated.out);
    assert_eq!(piped.code, 0, "{}", piped.err);
    let again = evaluate(
        &["panda", "--states", "-", "--compute", "tau"],
        &evaluated.out,
    );
    for ((line, by_program), again) in lines.iter().zip(json_lines(&piped.out)).zip(again) {
        assert_eq!(line["tau"], again["tau"]);
        let pairs = vector(&line["tau"])
            .into_iter()
            .zip(vector(&by_program["tau"]));
        for (a, b) in pairs {
            assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn what_other_commands_write_is_read_by_system() {
    let solve = |robot: &str, known: &str, lines: &str| {
        let known = format!("{known},no-external-forces");
        let base = ["system", robot, "--known", &known, "--solve", "-"];
        let options = ["--cache", "none", "--search-changes", "10"];
        let solved = run_with(&[&base[..], &options].concat(), lines);
        assert_eq!(solved.code, 0, "{}{}", solved.out, solved.err);
        json_lines(&solved.out)
    };
    let agree = |a: &Value, b: &Value| {
        let (a, b) = (vector(a), vector(b));
        assert!(
            a.iter()
                .zip(&b)
                .all(|(a, b)| (a - b).abs() < 1e-6 * b.abs().max(1.0))
        );
    };
    // An echoed state has q, v, a and tau, and results stand beside it.
    let evaluated = run(&["eval", "ur5", "--random", "3"]).out;
    let inverse = solve("ur5", "qdd", &evaluated);
    let forward = solve("ur5", "tau", &evaluated);
    for (line, (inverse, forward)) in json_lines(&evaluated)
        .iter()
        .zip(inverse.iter().zip(&forward))
    {
        agree(&inverse["tau"], &line["tau"]);
        agree(&forward["qdd"], &line["qdd"]);
    }
    // A recording has energies and objects of x, y, z.
    let record = path("for_system.jsonl");
    let done = run(&["simulate", "ur5", "--seconds", "0.02", "--record", &record]);
    assert_eq!(done.code, 0, "{}", done.err);
    let recorded = std::fs::read_to_string(&record).expect("it was written");
    let solved = solve("ur5", "tau", &recorded);
    assert_eq!(solved[2]["t"], json_lines(&recorded)[2]["t"]);
    // Random states of a program hold its inputs.
    let program = path("for_system.tau");
    assert_eq!(
        run(&["compile", "ur5", "--quantity", "tau", "-o", &program]).code,
        0
    );
    let ran = run(&["run", &program, "--random", "2"]).out;
    for (line, solved) in json_lines(&ran).iter().zip(solve("ur5", "qdd", &ran)) {
        agree(&solved["tau"], &line["tau"]);
    }
    // A missing input is still reported, and a misspelt field is named.
    let base = [
        "system",
        "ur5",
        "--known",
        "qdd,no-external-forces",
        "--solve",
        "-",
    ];
    let bad = run_with(
        &base,
        "{\"q\": [0,0,0,0,0,0], \"v\": [0,0,0,0,0,0], \"qddd\": [0]}",
    );
    assert_eq!(bad.code, 2);
    assert!(
        bad.out.contains("is missing, and `qddd` is ignored"),
        "{}",
        bad.out
    );
}

#[test]
fn reports_are_text_unless_json_is_asked_for() {
    for arguments in [
        &["eval", "double_pendulum"][..],
        &["info", "double_pendulum"],
        &["check", "double_pendulum"],
        &["simulate", "double_pendulum", "--seconds", "0.01"],
        &[
            "system",
            "double_pendulum",
            "--known",
            "tau,no-external-forces",
        ],
    ] {
        let report = |format: &[&str]| {
            let output = command(&[arguments, format].concat()).output();
            String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8")
        };
        let text = report(&[]);
        assert!(
            !text.is_empty() && !text.starts_with('{'),
            "{arguments:?}: {text}"
        );
        let json = report(&["--format", "jsonl"]);
        assert_eq!(json_lines(&json).len(), 1, "{arguments:?}: {json}");
    }
}

/// A robot of two hinges, each with the given limit.
fn two_hinges(limit: &str) -> String {
    let inertial = "<inertial><origin xyz='0 0 -0.5'/><mass value='1'/>\
                    <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>";
    let hinge = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='revolute'><origin xyz='0 0 -1'/><parent link='{parent}'/>\
             <child link='{child}'/><axis xyz='0 1 0'/>{limit}</joint>"
        )
    };
    format!(
        "<robot name='arm'><link name='base'/><link name='upper'>{inertial}</link>\
         <link name='lower'>{inertial}</link>{}{}</robot>",
        hinge("shoulder", "base", "upper"),
        hinge("elbow", "upper", "lower")
    )
}

#[test]
fn limits_of_zero_and_zero_are_reported() {
    let robot = two_hinges("<limit lower='0' upper='0' effort='1' velocity='1'/>");
    let robot = file("zero_range.urdf", &robot);
    let checked = run(&["check", robot.to_str().expect("UTF-8")]);
    assert_eq!(checked.code, 1, "{}", checked.out);
    for (joint, column) in [("shoulder", "1:"), ("elbow", "1:")] {
        let told = format!(
            "/joint[@name='{joint}']/limit: the limits are 0 and 0, so that the joint may not move"
        );
        let found = checked.out.lines().find(|line| line.contains(&told));
        let located = format!("zero_range.urdf:{column}");
        assert!(
            found.is_some_and(|line| line.contains(&located)),
            "{}",
            checked.out
        );
    }
    // Commands that compute with them warn once.
    let robot = robot.to_str().expect("UTF-8");
    for command in [
        &["eval", robot][..],
        &["simulate", robot, "--seconds", "0.01"],
    ] {
        let told = run(command).err;
        assert_eq!(told.matches("the limits are 0 and 0").count(), 1, "{told}");
        assert!(
            told.contains("(1 more of this kind; `featherline check "),
            "{told}"
        );
    }
    // A model file has no lines.
    let saved = path("zero_range.json");
    assert_eq!(run(&["info", robot, "--save", &saved, "-q"]).code, 0);
    let told = run(&["eval", &saved]).err;
    assert_eq!(
        told.matches("joint `shoulder`: the limits are 0 and 0")
            .count(),
        1,
        "{told}"
    );
    let checked = run(&["check", &saved]).out;
    assert!(
        checked.contains("joint `elbow`: the limits are 0 and 0"),
        "{checked}"
    );
    // A warning of the reader is not reported twice.
    let robot = two_hinges("<limit effort='1' velocity='1'/>");
    let robot = file("no_range.urdf", &robot);
    let checked = run(&["check", robot.to_str().expect("UTF-8")]);
    assert!(checked.out.contains("arm: 2 warnings"), "{}", checked.out);
}

#[test]
fn stops_have_a_stiffness_for_each_joint() {
    let robot = two_hinges("<limit lower='-0.1' upper='0.1' effort='1' velocity='9'/>");
    let robot = file("two_stops.urdf", &robot);
    let robot = robot.to_str().expect("UTF-8");
    let record = path("two_stops.csv");
    let greatest = |limits: &[&str]| {
        let base = [
            "simulate",
            robot,
            "--q",
            "0.09,0.09",
            "--v",
            "2,2",
            "--seconds",
            "1",
        ];
        let done = run(&[&base[..], &["--record", &record], limits].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        let mut greatest = [0.0_f64; 2];
        let mut reader = csv::Reader::from_path(&record).expect("it was written");
        for row in reader.deserialize::<Vec<f64>>() {
            let row = row.expect("numbers");
            for k in 0..2 {
                greatest[k] = greatest[k].max(row[1 + k].abs());
            }
        }
        greatest
    };
    let soft = greatest(&["--limits=500,20"]);
    let elbow = greatest(&["--limits=500,20", "--limits=elbow:20000,200"]);
    assert!(
        elbow[1] < 0.13 && soft[1] > elbow[1] + 0.02,
        "{soft:?} {elbow:?}"
    );
    let refused = run(&["simulate", robot, "--limits=elbw:1,1"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("did you mean `elbow`?"),
        "{}",
        refused.err
    );
}

#[test]
fn a_motion_that_diverges_names_the_stop_that_is_too_stiff() {
    let (q, v) = (["0"; 7].join(","), ["0.142857"; 7].join(","));
    let limits = [
        "simulate",
        "panda",
        "--q",
        &q,
        "--v",
        &v,
        "--seconds",
        "2",
        "--limits=1e4,100",
        "--passive=false",
    ];
    let diverged = run(&limits);
    assert_eq!(diverged.code, 2);
    let error = diverged.err.lines().last().expect("an error");
    // The last link has 6e-4 kg·m² about its axis, a thousandth of the others'.
    for words in [
        "the motion diverged at t = 1.",
        "the forces on joint `panda_joint7` are too stiff for Runge-Kutta 4 in steps of 0.001 s",
        "`--limits=panda_joint7:K,D`",
    ] {
        assert!(error.contains(words), "{error}");
    }
    // Stiffer stops would not help.
    assert!(!diverged.err.contains("yield less"), "{}", diverged.err);
    let soft = run(&[&limits[..], &["--limits=panda_joint7:100,1"]].concat());
    assert_eq!(soft.code, 0, "{}", soft.err);
}

#[test]
fn warnings_are_short_and_can_be_left_out() {
    let robot = two_hinges("");
    file("short_warnings.urdf", &robot);
    let info = |options: &[&str]| {
        let folder = env!("CARGO_TARGET_TMPDIR");
        let absolute = path("short_warnings.urdf");
        let output = command(&[&["info", &absolute], options].concat())
            .current_dir(folder)
            .output();
        String::from_utf8(output.expect("the binary runs").stderr).expect("UTF-8")
    };
    let told = info(&[]);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(
        told.starts_with("warning: short_warnings.urdf:1:"),
        "{told}"
    );
    assert!(told.contains("1 more of this kind"), "{told}");
    assert_eq!(info(&["--quiet"]), "");
}

#[test]
fn a_sound_robot_with_shapes_prints_no_noise() {
    let limit = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
    let robot =
        two_hinges(limit).replace("<link name='base'/>", "<link name='base'><paint/></link>");
    let robot = file("shapes.urdf", &robot);
    let robot = robot.to_str().expect("UTF-8");
    for command in [
        &["eval", robot][..],
        &["info", robot],
        &["simulate", robot, "--seconds", "0.01"],
    ] {
        assert_eq!(run(command).err, "", "{command:?}");
    }
    let checked = run(&["check", robot]);
    assert!(
        checked.out.contains("`<paint>` in `<link>` is not used"),
        "{}",
        checked.out
    );
    // Quiet, only problems are left.
    assert_eq!(run(&["check", robot, "--quiet"]).out, "");
    let doubtful =
        two_hinges("").replace("<link name='base'/>", "<link name='base'><paint/></link>");
    let doubtful = file("shapes_without_limits.urdf", &doubtful);
    let checked = run(&["check", "-q", doubtful.to_str().expect("UTF-8")]);
    assert_eq!(
        (checked.code, checked.out.lines().count()),
        (1, 2),
        "{}",
        checked.out
    );
    assert!(
        checked
            .out
            .lines()
            .all(|line| line.starts_with("warning[no-limit]: ")),
        "{}",
        checked.out
    );
}

#[test]
fn one_option_gives_the_conventions_of_pinocchio() {
    let robot = "<robot name='gripper'><link name='base'/><link name='wrist'/><link name='left'/>\
        <link name='right'/>\
        <joint name='turn' type='continuous'><parent link='base'/><child link='wrist'/></joint>\
        <joint name='b' type='prismatic'><parent link='wrist'/><child link='right'/>\
        <limit lower='0' upper='1' effort='1' velocity='1'/><mimic joint='a'/></joint>\
        <joint name='a' type='prismatic'><parent link='wrist'/><child link='left'/>\
        <limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>";
    let robot = file("pinocchio.urdf", robot);
    let robot = robot.to_str().expect("UTF-8");
    let of = |options: &[&str]| {
        let run = run(&[&["info", robot, "--json", "-q"], options].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        serde_json::from_str::<Value>(&run.out).expect("JSON")
    };
    let names = |info: &Value| -> Vec<String> {
        let joints = info["joints"].as_array().expect("a list").iter();
        joints
            .map(|joint| joint["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let (ours, theirs) = (of(&[]), of(&["--pinocchio"]));
    assert_eq!((&ours["nq"], &ours["nv"]), (&2.into(), &2.into()));
    assert_eq!((&theirs["nq"], &theirs["nv"]), (&4.into(), &3.into()));
    assert_eq!(names(&ours), ["turn", "b", "a"]);
    assert_eq!(names(&theirs), ["turn", "a", "b"]);
    let both = run(&["info", robot, "--pinocchio", "--mimic", "coupled"]);
    assert_eq!(both.code, 2);
}

#[test]
fn a_saved_model_is_read_by_every_command() {
    let saved = path("quadruped.json");
    assert_eq!(run(&["info", "quadruped", "--save", &saved]).code, 0);
    let line = |robot: &str| evaluate(&[robot, "--random", "1", "--compute", "tau,qdd"], "");
    assert_eq!(line("quadruped"), line(&saved));
    // A model has no groups of joints.
    let told = run(&["info", "quadruped"]).out;
    let told = told.lines().filter(|line| !line.starts_with("group "));
    assert!(told.eq(run(&["info", &saved]).out.lines()));
    assert_eq!(run(&["check", &saved]).code, 0);
    let moved = |robot: &str| {
        run(&[
            "simulate",
            robot,
            "--seconds",
            "0.05",
            "--integrator",
            "rk4",
        ])
        .out
    };
    assert_eq!(moved("quadruped"), moved(&saved));
    // Loops, which a URDF can't hold.
    let loops = path("four_bar.json");
    assert_eq!(run(&["info", "four_bar", "--save", &loops, "-q"]).code, 0);
    assert!(
        run(&["simulate", &loops, "--seconds", "0.05"])
            .out
            .contains("loop_gap\":")
    );

    let idle = run(&["info", &saved, "--floating-base"]);
    assert_eq!(idle.code, 2);
    assert!(idle.err.contains("read as it was saved"), "{}", idle.err);
    let text = std::fs::read_to_string(&saved).expect("it was written");
    let newer = text.replace("\"featherline_model\":1", "\"featherline_model\":9");
    let newer = file("newer.json", &newer);
    let refused = run(&["info", newer.to_str().expect("UTF-8")]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("newer.json: the file has version 9"),
        "{}",
        refused.err
    );
    assert_eq!(run(&["info", "panda", "--save", "panda.txt"]).code, 2);
    let cut = file(
        "cut.json",
        &text.replacen("\"gravity\":[", "\"gravity\":[x", 1),
    );
    let refused = run(&["eval", cut.to_str().expect("UTF-8")]).err;
    let column = text.find("\"gravity\":[").expect("a field") + 12;
    assert!(
        refused.contains(&format!("cut.json:1:{column}")),
        "{refused}"
    );
}

#[test]
fn recordings_may_be_lines_of_json() {
    let record = path("recorded.jsonl");
    let done = run(&["simulate", "panda", "--seconds", "0.1", "--record", &record]);
    assert_eq!(done.code, 0, "{}", done.err);
    let lines = json_lines(&std::fs::read_to_string(&record).expect("it was written"));
    assert_eq!(lines.len(), 11);
    assert_eq!(vector(&lines[10]["q"]).len(), 7);
    assert!(lines[10]["linear_momentum"]["x"].is_number());
}
