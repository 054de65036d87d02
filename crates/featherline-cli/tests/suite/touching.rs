//! `simulate`: a ground and friction of the command line, and what is said of shapes that touch.

use crate::process::{Run, file, json_lines, run};
use serde_json::Value;

const G: f64 = 9.81;

fn simulate(arguments: &[&str]) -> Run {
    run(&[&["simulate"], arguments].concat())
}

/// The line of a simulation, what it says besides, and q at its end.
fn simulated(robot: &str, arguments: &[&str]) -> (Value, String, Vec<f64>) {
    let record = std::path::Path::new(robot).with_extension("jsonl");
    let own = [robot, "--record", record.to_str().expect("UTF-8")];
    let run = simulate(&[&own[..], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    let rows = json_lines(&std::fs::read_to_string(&record).expect("the recording"));
    let q = crate::process::vector(&rows.last().expect("rows")["q"]);
    (json_lines(&run.out).remove(0), run.err, q)
}

fn refused(arguments: &[&str], reasons: &[&str]) {
    let run = simulate(arguments);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
    for reason in reasons {
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
}

/// A pendulum of 0.5 m with a ball of radius 0.05 m at its end, without limits.
fn pendulum() -> String {
    let text = "<robot name='pendulum'><link name='base'/>
        <link name='rod'><inertial><origin xyz='0.5 0 0'/><mass value='1'/>
        <inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>
        <collision><origin xyz='0.5 0 0'/><geometry><sphere radius='0.05'/></geometry></collision>
        </link>
        <joint name='hinge' type='continuous'><parent link='base'/><child link='rod'/>
        <axis xyz='0 1 0'/></joint></robot>";
    let path = file("touching_pendulum.urdf", text);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_robot_with_a_fixed_base_falls_on_the_ground_that_is_asked_for() {
    // The ball's centre rests 0.05 m above the ground: sin q = 0.25/0.5. The step in which it
    // arrives ends where the gap is closed to rounding.
    let (line, _, q) = simulated(
        &pendulum(),
        &["--ground", "-0.3", "--q", "0", "--seconds", "1"],
    );
    assert!((q[0].sin() - 0.5).abs() < 1e-9, "{q:?}");
    assert_eq!(line["contact"]["contacts"], 1, "{line}");
    // Without a ground it passes there.
    let (_, _, q) = simulated(&pendulum(), &["--q", "0", "--seconds", "0.5"]);
    assert!(q[0] > 1.0, "{q:?}");
}

#[test]
fn a_floating_robot_is_put_on_the_ground_that_is_asked_for() {
    let line = |ground: &[&str]| {
        let run = simulate(&[&["quadruped", "--seconds", "0.1"], ground].concat());
        json_lines(&run.out).remove(0)
    };
    let (low, high) = (line(&[]), line(&["--ground", "2"]));
    let energy = |line: &Value| line["energy"][0].as_f64().expect("a number");
    let info: Value =
        serde_json::from_str(&run(&["info", "quadruped", "--json"]).out).expect("JSON");
    let mass = info["total_mass"].as_f64().expect("a number");
    // Two metres higher.
    assert!((energy(&high) - energy(&low) - 2.0 * mass * G).abs() < 1e-9);
    assert_eq!(high["contact"]["forces"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_friction_of_all_contacts_is_that_of_the_argument() {
    let scene = "[ground]\nfriction = 0.9\n[[body]]\nname = 'cube'\nbox = [0.1, 0.1, 0.1]\n\
                 position = [0, 0, 0.05]\nvelocity = [2, 0, 0, 0, 0, 0]\n";
    let scene = file("touching_cube.toml", scene);
    let scene = scene.to_str().expect("UTF-8");
    for mu in [0.0, 0.1] {
        let given = mu.to_string();
        let (_, _, q) = simulated(scene, &["--friction", &given, "--seconds", "0.5"]);
        // v after the step k is v₀ − k h μ g, and n = 500 steps of h = 1 ms follow it.
        let (h, n) = (1e-3, 500.0);
        let expected = 2.0 * h * n - mu * G * h * h * n * (n + 1.0) / 2.0;
        assert!((q[0] - expected).abs() < 1e-9, "{q:?}, {expected}");
    }
}

#[test]
fn a_ground_and_friction_without_effect_or_sense_are_refused() {
    refused(&["panda", "--friction", "-1"], &["not below zero"]);
    refused(&["panda", "--friction", "nan"], &["finite number"]);
    refused(&["panda", "--ground", "inf"], &["finite height"]);
    refused(
        &["panda", "--ground", "0", "--no-ground"],
        &["--ground", "--no-ground"],
    );
    refused(
        &["four_bar", "--ground", "0"],
        &["`--ground` changes nothing", "no link that moves", "file"],
    );
    refused(
        &["four_bar", "--friction", "1"],
        &["`--friction` changes nothing", "nothing can touch"],
    );
    for option in ["--ground", "--friction"] {
        refused(
            &["panda", option, "1", "--integrator", "rk4"],
            &[option, "runge-kutta-4 has no contacts"],
        );
    }
}

#[test]
fn notes_of_meshes_are_one_line_with_the_command_that_lists_them() {
    let notch = include_str!("../../../featherline-formats/tests/suite/scene/files/notch.obj");
    file("touching_notch.obj", notch);
    let body = |name: &str, x: f64| {
        format!("[[body]]\nname = '{name}'\nmesh = 'touching_notch.obj'\nposition = [{x}, 0, 1]\n")
    };
    let text = format!("[ground]\n{}{}", body("one", 0.0), body("two", 3.0));
    let scene = file("touching_notches.toml", &text);
    let scene = scene.to_str().expect("UTF-8");
    let (_, said, _) = simulated(scene, &["--seconds", "0.01"]);
    assert_eq!(said.matches("is not convex").count(), 1, "{said}");
    let command = format!("featherline check {scene} --self-collision");
    let more = format!("(1 more of this kind; `{command}` lists both)");
    assert!(said.contains("note:") && said.contains(&more), "{said}");
    // At the place of the body.
    assert!(said.contains("touching_notches.toml:2:1"), "{said}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let listed = run(&[&words[..], &["--samples", "10"]].concat()).out;
    assert_eq!(listed.matches("is not convex").count(), 2, "{listed}");
    assert!(listed.contains("touching_notches.toml:6:1"), "{listed}");
}

#[test]
fn pairs_that_always_overlap_are_listed_in_json() {
    // Hands that turn about a cart at 0.15 m, within the sum of the radii.
    let hand = |name: &str, z: f64| {
        format!(
            "<body pos='0 0 {z}'><joint axis='0 1 0'/><geom size='0.02' mass='1'/><body pos='0.15 0 0'>
             <joint axis='0 1 0'/><geom name='{name}' size='0.1' mass='1'/></body></body>"
        )
    };
    let text = format!(
        "<mujoco><worldbody><body><joint type='slide'/><geom name='cart' size='0.2'/>{}{}</body>
         </worldbody></mujoco>",
        hand("left", 0.0),
        hand("right", 0.05)
    );
    let robot = file("touching_hands.xml", &text);
    let (line, said, _) = simulated(robot.to_str().expect("UTF-8"), &["--seconds", "0.001"]);
    let pairs = serde_json::json!([["cart", "left"], ["cart", "right"]]);
    assert_eq!(line["decision"]["left_out"], pairs);
    for words in [
        "`cart` and `left`, and one pair more",
        "`decision`",
        "jsonl",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn what_overlaps_deeply_at_the_start_is_said() {
    let ball = |name: &str, x: f64| {
        format!("[[body]]\nname = '{name}'\nsphere = 0.1\nposition = [{x}, 0, 1]\n")
    };
    let scene = file(
        "touching_balls.toml",
        &[ball("a", 0.0), ball("b", 0.15)].concat(),
    );
    let (line, said, _) = simulated(scene.to_str().expect("UTF-8"), &["--seconds", "0.01"]);
    assert_eq!(line["decision"]["left_out"], serde_json::json!([]));
    assert!(said.contains("`a` and `b` overlap by 5.00e-2 m"), "{said}");
}
