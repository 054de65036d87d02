//! Sentences of commands: one thing and several, nothing and infinity.

use crate::process::{command, file, json_lines, robot_with_arm, run, run_with};

/// The text that a command writes.
fn text(arguments: &[&str]) -> String {
    let output = command(arguments).output().expect("the binary runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn one_thing_is_in_the_singular() {
    let hinge = r#"<joint name="hinge" type="revolute">
        <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="0.5" upper="1" effort="10" velocity="3"/></joint>"#;
    let robot = file("one_joint.urdf", &robot_with_arm("one", 0.1, hinge));
    let robot = robot.to_str().expect("UTF-8");
    assert!(text(&["info", robot]).starts_with("one: 1 joint, nq 1, nv 1, "));
    let beyond = run(&["simulate", robot, "--seconds", "0.1", "--integrator", "rk4"]).err;
    let told = "1 joint coordinate went beyond its limits (it began there), first at t = 0 s";
    assert!(beyond.contains(told), "{beyond}");
    let open = text(&["system", robot]);
    assert!(
        open.contains("not determined: 1 joint force τ, 6 components of external forces, 1 joint acceleration q̈"),
        "{open}"
    );
}

#[test]
fn a_simulation_of_no_time_reports_no_drift() {
    for robot in ["panda", "quadruped"] {
        let told = text(&["simulate", robot, "--seconds", "0", "-q"]);
        assert!(
            told.contains("only the start was sampled, with an energy of "),
            "{told}"
        );
        assert!(!told.contains("drift") && !told.contains("error"), "{told}");
    }
    let told = text(&[
        "simulate",
        "panda",
        "--seconds",
        "0.1",
        "-q",
        "--integrator",
        "rk4",
    ]);
    assert!(
        told.ends_with("; momentum is not conserved, because the base is fixed\n"),
        "{told}"
    );
}

#[test]
fn too_many_steps_are_not_infinitely_many() {
    let told = run(&["simulate", "panda", "--seconds", "1e9", "--step", "1e-300"]).err;
    assert!(
        told.contains("so that 1e9 s need more than 1e12 of them"),
        "{told}"
    );
    assert!(!told.contains("inf"), "{told}");
}

#[test]
fn pinocchios_conventions_are_refused_where_no_urdf_is_read() {
    for robot in ["snake", "four_bar", "humanoid_40"] {
        let refused = run(&["info", robot, "--pinocchio"]);
        assert_eq!(refused.code, 2, "{robot}");
        let told =
            format!("`--pinocchio` changes nothing here: `{robot}` is generated and no URDF");
        assert!(refused.err.contains(&told), "{}", refused.err);
    }
    assert_eq!(run(&["info", "panda", "--pinocchio"]).code, 0);
}

#[test]
fn a_body_is_named_by_its_link_in_requests_and_samples() {
    let solve = ["--solve", "-", "--cache", "none", "--search-changes", "10"];
    let sample = |key: &str| {
        format!(r#"{{"q": [0.1, 0.2], "v": [0, 0], "tau": [1, 2], "{key}": [0, 0, 3, 0, 0, 0]}}"#)
    };
    let solved = |known: &str, key: &str, want: &str| {
        let known = format!("tau,{known},unknown-external-force:shoulder,qdd:shoulder");
        let sample = sample(key).replace("\"tau\"", "\"qdd:shoulder\": 1, \"tau\"");
        let base = [
            "system",
            "double_pendulum",
            "--known",
            &known,
            "--want",
            want,
        ];
        let run = run_with(&[&base[..], &solve].concat(), &sample);
        (run.out, run.err)
    };
    // The problem need not be solvable for its words to be read.
    let by_link = solved(
        "external-force:lower_rod",
        "external-force:lower_rod",
        "acceleration:tip",
    );
    let by_joint = solved(
        "external-force:elbow",
        "external-force:elbow",
        "acceleration:elbow",
    );
    assert_eq!(by_link, by_joint);
    assert!(!by_link.1.contains("no joint"), "{}", by_link.1);
    let misspelt = solved(
        "external-force:elbow",
        "external-force:elbow",
        "external-force:lower_rd",
    );
    assert!(
        misspelt.1.contains("did you mean `lower_rod`?"),
        "{}",
        misspelt.1
    );
    // A sample may have the name that was given, or the joint's.
    let base = ["system", "double_pendulum", "--known"];
    let known = ["tau,external-force:lower_rod,external-force:shoulder"];
    let both = sample("external-force:shoulder")
        .replace('}', ", \"external-force:lower_rod\": [1, 0, 0, 0, 0, 0]}");
    let run = run_with(&[&base[..], &known, &solve].concat(), &both);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(json_lines(&run.out)[0]["qdd"].is_array());
}
