//! The words of options, which Python takes, too; angles that seem to be in degrees.

use crate::process::{Run, evaluate, file, json_lines, run, run_with};

fn simulate(arguments: &[&str]) -> Run {
    run(&[&["simulate"], arguments, &["--seconds", "0.01"]].concat())
}

fn done(arguments: &[&str]) -> Run {
    let run = simulate(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run
}

#[test]
fn methods_and_steps_have_the_words_of_python() {
    let of = |words: &[&str]| {
        let run = done(&[&["double_pendulum"], words].concat());
        json_lines(&run.out).remove(0)
    };
    let expected = of(&["--integrator", "runge-kutta-4", "--step", "0.002"]);
    assert_eq!(expected["integrator"], "Runge-Kutta 4");
    assert_eq!(of(&["--integrator", "rk4", "--step", "0.002"]), expected);
    assert_eq!(of(&["--method", "rk4", "--dt", "0.002"]), expected);
    assert_ne!(of(&["--method", "rk4", "--dt", "0.005"]), expected);
    done(&["double_pendulum", "--method", "semi-implicit-euler"]);
}

#[test]
fn misspelt_words_are_refused_with_the_likely_one() {
    for (arguments, meant) in [
        (["--integrator", "runge-kuta-4"], "'runge-kutta-4'"),
        (["--method", "rk-4"], "'rk4'"),
        (["--controller", "gravty"], "'gravity'"),
        (["--friction-law", "exakt"], "'exact'"),
        (["--impact-law", "reflection"], "'reflections'"),
        (["--mimic", "fre"], "'free'"),
        (["--integratr", "rk4"], "'--integrator'"),
    ] {
        let run = simulate(&[&["panda"], &arguments[..]].concat());
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(meant), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn quantities_have_the_letters_of_the_equations() {
    let answers = evaluate(&["panda", "--compute", "M,g,link_placements"], "");
    let names = evaluate(
        &["panda", "--compute", "mass_matrix,gravity,placements"],
        "",
    );
    assert_eq!(answers, names);
    assert_eq!(answers[0]["gravity"].as_array().map(Vec::len), Some(7));
}

#[test]
fn eval_takes_one_state_from_options() {
    let options = [
        "--q", "0.3,-0.2", "--v", "1,2", "--a", "3,4", "--tau", "5,6",
    ];
    let by_options = evaluate(&[&["double_pendulum"], &options[..]].concat(), "");
    let line = r#"{"q": [0.3, -0.2], "v": [1, 2], "a": [3, 4], "tau": [5, 6]}"#;
    let by_line = evaluate(
        &["double_pendulum", "--states", "-", "--compute", "all"],
        line,
    );
    for (key, value) in by_options[0].as_object().expect("an object") {
        assert_eq!(*value, by_line[0][key], "{key}");
    }
    for (arguments, reason) in [
        (
            &["--q", "1"][..],
            "--q has 1 entries where double_pendulum needs 2 (nq = 2)",
        ),
        (&["--tau", "1,2,3"], "--tau has 3 entries"),
        (&["--a", "nan,0"], "--a: entry 1 is not a finite number"),
        (&["--q", "0,0", "--random", "3"], "cannot be used with"),
        (&["--v", "0,0", "--states", "-"], "cannot be used with"),
        (&["--configuration", "home"], "has no named configurations"),
    ] {
        let run = run(&[&["eval", "double_pendulum"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn eval_takes_a_named_configuration() {
    let arm =
        "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom size='0.1' pos='0 0 -1'/>
        </body></worldbody><keyframe><key name='bent' qpos='0.5' qvel='2'/></keyframe></mujoco>";
    let arm = file("words_keyframe.xml", arm);
    let arm = arm.to_str().expect("the path is UTF-8");
    let named = evaluate(&[arm, "--configuration", "bent", "--compute", "state"], "");
    assert_eq!(named[0]["state"]["q"][0], 0.5);
    assert_eq!(named[0]["state"]["v"][0], 2.0);
    let misspelt = run(&["eval", arm, "--configuration", "bnet"]);
    let meant = "has no configuration `bnet`; did you mean `bent`?";
    assert!(misspelt.err.contains(meant), "{}", misspelt.err);
}

#[test]
fn json_is_a_format_of_every_command_that_has_formats() {
    for arguments in [
        &["info", "panda"][..],
        &["check", "panda"],
        &["eval", "panda"],
        &["simulate", "panda", "--seconds", "0.01"],
        &["system", "panda", "--known", "tau,no-external-forces"],
    ] {
        let run = run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        assert!(!json_lines(&run.out).is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_value_that_must_follow_an_equals_sign_is_refused_with_the_form() {
    for (value, form) in [
        (
            ["--limits", "panda_joint7:100,1"],
            "`--limits=panda_joint7:100,1`",
        ),
        (["--limits", "1e4,100"], "`--limits=1e4,100`"),
        (["--loops", "both"], "`--loops=both`"),
    ] {
        let run = simulate(&[&["panda"], &value[..]].concat());
        assert_eq!(run.code, 2, "{value:?}");
        assert!(run.err.contains(form), "{value:?}: {}", run.err);
    }
    // Another word that nothing takes has no such form.
    let other = simulate(&["panda", "--limits", "--assemble", "panda"]);
    assert!(!other.err.contains("follows `=`"), "{}", other.err);
}

#[test]
fn known_quantities_may_have_underscores() {
    let known = |word: &str| {
        let run = run(&["system", "panda", "--known", word, "--no-advice"]);
        assert_eq!(run.code, 0, "{word}: {}", run.err);
        run.out
    };
    assert_eq!(
        known("joint_forces,no_external_forces"),
        known("tau,no-external-forces")
    );
}

/// The doubts about degrees.
const DEGREES: &str = "this seems to be in degrees";

#[test]
fn angles_that_seem_to_be_in_degrees_are_doubted() {
    let run = done(&["double_pendulum", "--q", "90,-45"]);
    let says = "--q: joint `shoulder` is at 90 rad: angles are in radians, and this seems to be in \
                degrees (90 degrees are 1.5708 rad); so does the angle of another joint";
    assert!(run.err.contains(says), "{}", run.err);
    let goal = ["--controller", "pd", "--goal", "0,-45,0,-135,0,90,45"];
    let run = done(&[&["panda"], &goal[..]].concat());
    assert!(
        run.err
            .contains("--goal: joint `panda_joint2` is at -45 rad"),
        "{}",
        run.err
    );
    assert!(run.err.contains("of 3 other joints"), "{}", run.err);
    let q = run_eval(&["double_pendulum", "--q", "30,0"], "");
    assert!(q.err.contains(DEGREES), "{}", q.err);
    let quiet = run_eval(&["double_pendulum", "--q", "30,0", "--quiet"], "");
    assert_eq!(quiet.err, "");
    // Of many states, the first alone.
    let states = "{\"q\": [0, 0]}\n{\"q\": [90, 0]}\n{\"q\": [45, 0]}\n";
    let read = run_eval(&["double_pendulum", "--states", "-"], states);
    assert_eq!(read.err.matches(DEGREES).count(), 1, "{}", read.err);
    assert!(read.err.contains("line 2"), "{}", read.err);
}

fn run_eval(arguments: &[&str], input: &str) -> Run {
    let run = run_with(&[&["eval"], arguments].concat(), input);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run
}

#[test]
fn radians_are_not_doubted() {
    for arguments in [
        // Far beyond limits that nothing keeps, also in degrees, and nearly one turn.
        &["double_pendulum", "--q", "1000.5,0"][..],
        &["double_pendulum", "--q", "6,0"],
        &["panda", "--q", "0,-0.8,0,-2.4,0,1.6,0.8"],
        &["panda", "--q", "6,-0.8,0,-2.4,0,1.6,0.8"],
    ] {
        let run = run_eval(arguments, "");
        assert!(!run.err.contains(DEGREES), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn degrees_in_a_named_configuration_are_doubted() {
    let arm =
        "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom size='0.1' pos='0 0 -1'/>
        </body></worldbody><keyframe><key name='bent' qpos='90'/></keyframe></mujoco>";
    let arm = file("words_degrees.xml", arm);
    let arm = arm.to_str().expect("the path is UTF-8");
    let checked = run(&["check", arm, "--format", "json"]);
    assert_eq!(checked.code, 1, "{}", checked.out);
    assert!(
        checked.out.contains("\"code\":\"degrees\""),
        "{}",
        checked.out
    );
    let run = done(&[arm, "--configuration", "bent"]);
    assert!(
        run.err.contains("--configuration: joint `j` is at 90 rad"),
        "{}",
        run.err
    );
}

#[test]
fn degrees_in_a_scene_are_doubted() {
    let scene = "[[robot]]\nfile = 'ur5'\njoints = { shoulder_lift_joint = -90 }\n";
    let scene = file("words_degrees.toml", scene);
    let scene = scene.to_str().expect("the path is UTF-8");
    let checked = run(&["check", scene]);
    assert_eq!(checked.code, 1, "{}", checked.out);
    assert!(checked.out.contains("is at -90 rad"), "{}", checked.out);
    let run = done(&[scene]);
    assert!(run.err.contains("the start: joint `"), "{}", run.err);
    assert!(run.err.contains(DEGREES), "{}", run.err);
}
