//! `featherline info`, and how robots are found.

use crate::process::{file, run};
use serde_json::{Value, json};

fn info(arguments: &[&str]) -> Value {
    let run = run(&[&["info", "--json"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    serde_json::from_str(&run.out).expect("the output is JSON")
}

fn sizes(arguments: &[&str]) -> (u64, u64) {
    let info = info(arguments);
    (
        info["nq"].as_u64().expect("a number"),
        info["nv"].as_u64().expect("a number"),
    )
}

#[test]
fn embedded_robots_have_their_base_unless_told_otherwise() {
    for (robot, joints, floats) in [
        ("double_pendulum", 2, false),
        ("ur5", 6, false),
        ("panda", 7, false),
        ("hand", 17, false),
        ("quadruped", 12, true),
        ("humanoid", 32, true),
        ("snake", 100, false),
        ("tapered_chain", 10, false),
        ("tapered_chain_30", 30, false),
    ] {
        let size = |floats| {
            if floats {
                (joints + 7, joints + 6)
            } else {
                (joints, joints)
            }
        };
        assert_eq!(sizes(&[robot]), size(floats), "{robot}");
        let other = if floats {
            "--fixed-base"
        } else {
            "--floating-base"
        };
        assert_eq!(sizes(&[robot, other]), size(!floats), "{robot}");
    }
}

#[test]
fn joints_are_described_in_the_order_of_coordinates() {
    let info = info(&["hand"]);
    let joints = info["joints"].as_array().expect("a list");
    assert_eq!(joints.len(), 21);
    let (mut idx_q, mut idx_v) = (0, 0);
    for joint in joints {
        let entry = |key: &str| joint[key].as_u64().expect("a number");
        let source = joint["mimic"]["source"].as_str();
        match joints.iter().find(|j| j["name"].as_str() == source) {
            None => {
                assert_eq!((entry("idx_q"), entry("idx_v")), (idx_q, idx_v));
                assert_eq!((entry("nq"), entry("nv")), (1, 1));
            }
            Some(source) => {
                assert_eq!((entry("nq"), entry("nv")), (0, 0));
                assert_eq!(
                    (&joint["idx_q"], &joint["idx_v"]),
                    (&source["idx_q"], &source["idx_v"])
                );
            }
        }
        idx_q += entry("nq");
        idx_v += entry("nv");
    }
    assert_eq!(
        (Some(idx_q), Some(idx_v)),
        (info["nq"].as_u64(), info["nv"].as_u64())
    );
    let names: Vec<&Value> = joints.iter().map(|j| &j["name"]).collect();
    for joint in joints {
        assert!(joint["parent"].is_null() || names.contains(&&joint["parent"]));
        assert_eq!(joint["type"], "revolute");
    }
}

#[test]
fn bodies_and_frames_are_listed() {
    let info = info(&["panda"]);
    let names = |key: &str| -> Vec<&str> {
        let list = info[key].as_array().expect("a list");
        list.iter()
            .map(|f| f["name"].as_str().expect("a name"))
            .collect()
    };
    let links: Vec<String> = (0..9).map(|k| format!("panda_link{k}")).collect();
    assert_eq!(names("bodies"), links);
    assert!(
        links
            .iter()
            .all(|link| names("frames").contains(&link.as_str()))
    );
    assert!(names("frames").contains(&"panda_joint8"));
    // The masses of links 1 to 7 by Gaz et al. 2019, as the file has them; the base does not move.
    let mass = 4.970684 + 0.646926 + 3.228604 + 3.587895 + 1.225946 + 1.666555 + 7.35522e-1;
    assert!((info["total_mass"].as_f64().expect("a number") - mass).abs() < 1e-12);
    assert_eq!(info["gravity"], json!([0.0, 0.0, -9.81]));
    assert_eq!(info["joints"][0]["limits"]["velocity"], json!([2.175]));
    assert_eq!(info["joints"][0]["limits"]["acceleration"], json!([null]));
}

/// Two branches out of alphabetical order; the first mimics the second, which is continuous.
const BRANCHES: &str = r#"<robot name="branches">
  <link name="base"/> <link name="left"/> <link name="right"/>
  <joint name="z" type="revolute">
    <parent link="base"/> <child link="left"/> <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic joint="a" multiplier="2" offset="0.25"/>
  </joint>
  <joint name="a" type="continuous"> <parent link="base"/> <child link="right"/> </joint>
</robot>"#;

#[test]
fn options_of_the_reader_take_effect() {
    let path = file("branches.urdf", BRANCHES);
    let robot = path.to_str().expect("the path is UTF-8");
    assert_eq!(sizes(&[robot]), (1, 1));
    assert_eq!(sizes(&[robot, "--mimic", "free"]), (2, 2));
    assert_eq!(sizes(&[robot, "--continuous", "cos-sin"]), (2, 1));
    assert_eq!(
        sizes(&[robot, "--continuous", "cos-sin", "--mimic", "free"]),
        (3, 2)
    );
    assert_eq!(sizes(&[robot, "--floating-base"]), (8, 7));
    let first = |arguments: &[&str]| info(arguments)["joints"][0]["name"].clone();
    assert_eq!(first(&[robot]), "z");
    assert_eq!(first(&[robot, "--sibling-order", "alphabetical"]), "a");
    let mimic = &info(&[robot])["joints"][0]["mimic"];
    assert_eq!(mimic, &json!({"source": "a", "ratio": 2.0, "offset": 0.25}));
}

#[test]
fn the_tree_shows_joints_bodies_and_limits() {
    let run = run(&["info", "panda"]);
    assert_eq!(run.code, 0);
    for text in [
        "panda: 7 joints, nq 7, nv 7",
        "panda_joint1 → panda_link1",
        "revolute z",
        "[-3.0718, -0.0698] rad, 2.175 rad/s, 87 N·m",
        "· panda_link8",
    ] {
        assert!(run.out.contains(text), "{text}\n{}", run.out);
    }
}

#[test]
fn branches_are_drawn_and_chains_are_not_indented() {
    let hand = run(&["info", "hand"]).out;
    let marks = |mark: &str| {
        hand.lines()
            .filter(|line| line.trim_start().starts_with(mark))
            .count()
    };
    assert_eq!((marks("├─"), marks("└─")), (4, 1));
    assert!(hand.contains("= 0.66667 · index_pip_flexion"), "{hand}");
    let snake = run(&["info", "snake"]).out;
    assert!(snake.lines().all(|line| line.chars().count() < 100));
}

#[test]
fn a_file_goes_before_an_embedded_robot() {
    let folder = file("shadow.urdf", "").with_file_name("shadowing");
    std::fs::create_dir_all(&folder).expect("the folder is writable");
    std::fs::write(folder.join("panda"), BRANCHES).expect("the folder is writable");
    let output = crate::process::command(&["info", "panda"])
        .current_dir(&folder)
        .output();
    let output = output.expect("the binary runs");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("branches:"));
}

#[test]
fn robots_that_do_not_exist_are_named() {
    let misspelt = run(&["info", "humnoid"]);
    assert_eq!(misspelt.code, 2);
    assert!(
        misspelt.err.contains("did you mean `humanoid`?"),
        "{}",
        misspelt.err
    );
    assert!(misspelt.err.contains("snake"), "{}", misspelt.err);
    let missing = run(&["info", "robots/nowhere.urdf"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing
            .err
            .contains("robots/nowhere.urdf: the file can't be read"),
        "{}",
        missing.err
    );
}

#[test]
fn warnings_of_the_reader_go_to_standard_error() {
    let path = file(
        "unnamed.urdf",
        "<robot><link name=\"l\"><paint/></link></robot>",
    );
    let run = run(&["info", path.to_str().expect("UTF-8"), "--json"]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("unnamed.urdf:1:1: "), "{}", run.err);
    assert!(run.err.contains("the robot has no name"), "{}", run.err);
    // Notes are left to `check`.
    assert!(!run.err.contains("paint"), "{}", run.err);
    serde_json::from_str::<Value>(&run.out).expect("the output is JSON alone");
}
