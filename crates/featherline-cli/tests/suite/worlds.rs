//! Worlds of MJCF, scenes of parts that say little, and robots that nothing holds.

use crate::process::{file, json_lines, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A floor, a box on it and a ball above; the ball is thrown in a keyframe.
const WORLD: &str = "<mujoco model='world'>
  <worldbody>
    <geom name='floor' type='plane' size='5 5 1'/>
    <body name='box' pos='-1 0 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.5'/></body>
    <body name='ball' pos='1 0.5 2'><freejoint/><geom size='0.1' mass='2'/></body>
  </worldbody>
  <keyframe><key name='thrown' qpos='-1 0 0.05 1 0 0 0 0 0 1 0.5 0 0 0.5'
    qvel='0 0 0 0 0 0 3 0 0 0 0 0'/></keyframe>
</mujoco>";

/// A file in a folder of these tests.
fn written(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("worlds");
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    file(&format!("worlds/{name}"), text)
}

/// The rows of a recording, and the summary and what was said besides.
fn recorded(path: &Path, arguments: &[&str]) -> (Vec<Value>, Value, String) {
    let record = path.with_extension("jsonl");
    let (path, record) = (
        path.to_str().expect("UTF-8"),
        record.to_str().expect("UTF-8"),
    );
    let run = run(&[&["simulate", path, "--record", record], arguments].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let rows = json_lines(&std::fs::read_to_string(record).expect("the recording"));
    (rows, json_lines(&run.out).remove(0), run.err)
}

fn numbers(value: &Value) -> Vec<f64> {
    let all = value.as_array().expect("a list").iter();
    all.map(|it| it.as_f64().expect("a number")).collect()
}

/// The box rests and the ball falls from where the file puts it, as in MuJoCo.
#[test]
fn a_world_of_mjcf_begins_in_its_reference_configuration() {
    let world = written("falls.xml", WORLD);
    let (rows, summary, said) = recorded(&world, &["--seconds", "0.5", "--every", "0.5"]);
    let begins = numbers(&rows[0]["q"]);
    assert_eq!(begins[..3], [-1.0, 0.0, 0.05]);
    assert_eq!(begins[7..10], [1.0, 0.5, 2.0]);
    assert!(numbers(&rows[0]["v"]).iter().all(|v| *v == 0.0));
    let ends = numbers(&rows[1]["q"]);
    // Gaps of 1e-9 m are closed within rounding.
    assert!((ends[2] - 0.05).abs() < 1e-8, "{ends:?}");
    // z = z₀ − g t²/2, to the order of the step.
    assert!((ends[9] - (2.0 - 9.81 * 0.125)).abs() < 5e-3, "{ends:?}");
    let forces = summary["contact"]["forces"].as_array().expect("a list");
    let [weight] = &forces[..] else {
        panic!("{forces:?}")
    };
    assert!(
        (numbers(&weight["force"])[2] - 0.5 * 9.81).abs() < 1e-6,
        "{forces:?}"
    );
    assert!(!said.contains("overlap"), "{said}");
}

#[test]
fn a_keyframe_that_is_named_is_where_a_simulation_begins_with_its_velocity() {
    let world = written("thrown.xml", WORLD);
    let named = ["--configuration", "thrown", "--seconds", "0.1"];
    let (rows, _, _) = recorded(&world, &named);
    let (q, v) = (numbers(&rows[0]["q"]), numbers(&rows[0]["v"]));
    assert_eq!(q[7..10], [0.0, 0.0, 1.0]);
    // The quaternion (w, x, y, z) = (0.5, 0, 0, 0.5) is a quarter turn about z, so that x of the
    // world is −y of the ball.
    for (found, expected) in v[6..9].iter().zip([0.0, -3.0, 0.0]) {
        assert!((found - expected).abs() < 1e-15, "{v:?}");
    }
    let other = run(&[
        "simulate",
        world.to_str().expect("UTF-8"),
        "--configuration",
        "trown",
    ]);
    assert_eq!(other.code, 2, "{}", other.err);
    assert!(
        other.err.contains("did you mean `thrown`?"),
        "{}",
        other.err
    );
    assert!(other.err.contains("`qpos0`"), "{}", other.err);
}

#[test]
fn the_only_part_of_a_scene_may_be_called_like_the_world() {
    written("world.xml", WORLD);
    let scene = written("scene.toml", "[[robot]]\nfile = 'world.xml'\n");
    let (rows, _, _) = recorded(&scene, &["--seconds", "0.01"]);
    assert_eq!(numbers(&rows[0]["q"])[7..10], [1.0, 0.5, 2.0]);
}

/// The calves of the quadruped do not reach zero, its neutral configuration.
#[test]
fn a_robot_of_a_scene_begins_within_its_limits_and_is_held_there() {
    // Its URDF alone names no configuration.
    let text = featherline_robots::by_name("quadruped").expect("a robot of the program");
    written("neutral_quadruped.urdf", text);
    let scene = "[ground]\n[[robot]]\nfile = 'neutral_quadruped.urdf'\nbase = 'floating'\n\
                 position = [0, 0, 0.35]\n";
    let scene = written("quadruped.toml", scene);
    let (rows, summary, said) = recorded(&scene, &["--seconds", "2"]);
    let info = run(&["info", "quadruped", "--json"]).out;
    let info: Value = serde_json::from_str(&info).expect("JSON");
    for row in [&rows[0], rows.last().expect("rows")] {
        let q = numbers(&row["q"]);
        for joint in info["joints"].as_array().expect("a list") {
            let index = joint["idx_q"].as_u64().expect("an index") as usize;
            let bound = |name: &str| joint["limits"][name][0].as_f64();
            let (lower, upper) = (bound("lower"), bound("upper"));
            if let (1, Some(lower), Some(upper)) = (joint["nq"].as_u64().unwrap_or(0), lower, upper)
            {
                // Limits are kept to the tolerance of a step.
                assert!(
                    (lower - 1e-6..=upper + 1e-6).contains(&q[index]),
                    "{joint} {q:?}"
                );
            }
        }
    }
    // It stands, and falls by some millimetres; a drive that pulled at a limit for ever took 27 J.
    let lost = summary["contact"]["drive_work"].as_f64();
    let lost = lost.expect("a number");
    assert!(lost.abs() < 1.0, "{summary}");
    assert!(
        numbers(&rows.last().expect("rows")["q"])[2] > 0.3,
        "{summary}"
    );
    assert!(!said.contains("beyond"), "{said}");
}

#[test]
fn a_robot_without_collision_shapes_is_said_to_fall() {
    let stone = "<robot name='stone'><link name='stone'><inertial><mass value='1'/>
        <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
    let stone = written("stone.urdf", stone);
    let stone = stone.to_str().expect("UTF-8");
    let falls = ["simulate", stone, "--floating-base", "--seconds", "0.1"];
    let run_falls = run(&falls);
    assert_eq!(run_falls.code, 0, "{}", run_falls.err);
    for words in ["`stone` has no collision shapes", "--no-ground"] {
        assert!(run_falls.err.contains(words), "{}", run_falls.err);
    }
    let silent = run(&[&falls[..], &["--no-ground"]].concat());
    assert_eq!((silent.code, silent.err.as_str()), (0, ""));
    assert_eq!(json_lines(&silent.out).len(), 1);
}

/// Slides along z and x that springs, motors and dampers drive.
const DRIVEN: &str = "<mujoco model='driven'>
  <option timestep='0.005'/>
  <worldbody>
    <body><joint name='lift' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/></body>
    <body pos='1 0 0'><joint name='push' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body>
    <body pos='2 0 0'><joint name='cart' type='slide' axis='0 1 0'/><geom size='0.1' mass='2'/></body>
    <body pos='3 0 0'><joint name='ball' type='ball'/><geom size='0.1' mass='2'/></body>
  </worldbody>
  <tendon><fixed name='both'><joint joint='push' coef='1'/><joint joint='cart' coef='1'/></fixed></tendon>
  <actuator>
    <position joint='lift' kp='1000' kv='100' forcerange='-50 50'/>
    <motor joint='push' gear='3' ctrlrange='-1 1'/>
    <velocity joint='cart' kv='50'/>
    <motor name='pulls' tendon='both'/>
    <muscle name='flexes' joint='cart' lengthrange='0 1'/>
    <motor name='turns' joint='ball'/>
  </actuator>
  <keyframe><key name='go' qpos='0 0 0 1 0 0 0' ctrl='0.02 5 0.4 0 0 0'/></keyframe>
</mujoco>";

#[test]
fn actuators_of_mjcf_drive_their_joints() {
    let driven = written("driven.xml", DRIVEN);
    let (rows, summary, said) = recorded(&driven, &["--seconds", "2", "--every", "0.5"]);
    // The step is the file's.
    assert_eq!(summary["contact"]["steps"], 400, "{summary}");
    let q = numbers(&rows.last().expect("rows")["q"]);
    // With the control 0, q = −m g / kp; time constants are 0.1 s and less.
    assert!((q[0] + 2.0 * 9.81 / 1000.0).abs() < 1e-6, "{q:?}");
    assert_eq!(q[1..3], [0.0, 0.0]);
    assert!(
        said.contains("`flexes`") && said.contains("1 more"),
        "{said}"
    );
    let path = driven.to_str().expect("UTF-8");
    let check = run(&["check", path]);
    for words in ["`flexes`", "`turns`"] {
        assert!(check.out.contains(words), "{}", check.out);
    }

    let named = ["--seconds", "1", "--every", "0.5", "--configuration", "go"];
    let (rows, _, _) = recorded(&driven, &named);
    let end = rows.last().expect("rows");
    let (q, v) = (numbers(&end["q"]), numbers(&end["v"]));
    // A motor's control is kept in its range: v = 3 N · 1 s / 2 kg, exactly by any step.
    assert!((v[1] - 1.5).abs() < 1e-12, "{v:?}");
    // (1 + h kv / m)⁻²⁰⁰ is rounding.
    assert!((v[2] - 0.4).abs() < 1e-9, "{v:?}");
    assert!((q[0] - (0.02 - 2.0 * 9.81 / 1000.0)).abs() < 1e-4, "{q:?}");

    let limp = ["--seconds", "0.1", "--controller", "none"];
    let (rows, _, said) = recorded(&driven, &limp);
    let fallen = numbers(&rows.last().expect("rows")["q"])[0];
    // z = −g t²/2, to the order of the step.
    assert!((fallen + 0.5 * 9.81 * 0.01).abs() < 3e-3, "{fallen}");
    assert_eq!(said, "");
}

/// 50 N are 5 N short of the weight of a mass that a spring would hold.
#[test]
fn actuators_keep_their_force_range() {
    let heavy = DRIVEN.replace(
        "axis='0 0 1'/><geom size='0.1' mass='2'",
        "axis='0 0 1'/><geom size='0.1' mass='6'",
    );
    let heavy = written("heavy.xml", &heavy);
    let (rows, _, _) = recorded(&heavy, &["--seconds", "1", "--every", "0.5"]);
    let half = numbers(&rows[1]["v"])[0];
    let whole = numbers(&rows[2]["v"])[0];
    // From some millimetres on the force is 50 N.
    let expected = -(9.81 - 50.0 / 6.0) * 0.5;
    assert!((whole - half - expected).abs() < 1e-9, "{half} {whole}");
}

#[test]
fn a_robot_that_begins_in_the_ground_is_a_warning() {
    let buried = written(
        "buried.toml",
        "[ground]\n[[robot]]\nname = 'go'\nfile = 'quadruped'\n",
    );
    let (_, _, said) = recorded(&buried, &["--seconds", "0.01", "--format", "jsonl"]);
    let depth = said
        .split("m inside `ground`")
        .next()
        .and_then(|it| it.split_whitespace().last());
    // The feet are 0.29 m below the hips, and have a radius of some centimetres.
    let depth: f64 = depth.expect("a depth").parse().expect("a number");
    assert!(
        said.contains("`go/") && (0.29..0.35).contains(&depth),
        "{said}"
    );
    let text = format!("[ground]\n[[robot]]\nfile = 'quadruped'\nposition = [0, 0, {depth}]\n");
    let standing = written("standing.toml", &text);
    let (_, _, said) = recorded(&standing, &["--seconds", "0.01", "--format", "jsonl"]);
    assert!(!said.contains("inside"), "{said}");
}
