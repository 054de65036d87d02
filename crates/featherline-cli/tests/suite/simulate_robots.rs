//! `simulate`: what embedded robots do when nothing is said, and what joint limits hold.

use crate::process::{file, json_lines, run};
use serde_json::Value;
use std::path::PathBuf;

fn summary(arguments: &[&str]) -> Value {
    let run = run(&[&["simulate"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    json_lines(&run.out).remove(0)
}

/// The least and the greatest value of each column of a recording, by name.
fn ranges(name: &str, arguments: &[&str]) -> Vec<(String, f64, f64)> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let record = ["--record", file.to_str().expect("UTF-8")];
    summary(&[arguments, &record].concat());
    let mut reader = csv::Reader::from_path(&file).expect("it was written");
    let names: Vec<String> = reader
        .headers()
        .expect("names")
        .iter()
        .map(str::to_owned)
        .collect();
    let mut ranges: Vec<_> = names
        .into_iter()
        .map(|n| (n, f64::INFINITY, f64::NEG_INFINITY))
        .collect();
    for row in reader.deserialize::<Vec<f64>>() {
        for (range, value) in ranges.iter_mut().zip(row.expect("numbers")) {
            (range.1, range.2) = (range.1.min(value), range.2.max(value));
        }
    }
    ranges
}

#[test]
fn every_embedded_robot_moves_for_ten_seconds() {
    for robot in featherline_robots::names() {
        let line = summary(&[robot]);
        assert_eq!(line["samples"], 1001, "{robot}");
    }
}

#[test]
fn a_delta_robot_passes_its_singular_configurations() {
    // Loop closure does not determine the motion in the directions that are free there; a gap
    // remains along them, and is shown.
    for integrator in ["runge-kutta-4", "dormand-prince"] {
        let line = summary(&["delta", "--integrator", integrator]);
        let number = |key: &str| line[key].as_f64().expect("a number");
        assert!(
            number("loop_gap") < 1e-6 && number("loop_condition") > 1e6,
            "{line}"
        );
    }
}

#[test]
fn bodies_pass_where_a_parallelogram_is_flat_and_it_is_told() {
    let line = summary(&["parallelogram", "--integrator", "maximal-variational"]);
    let number = |key: &str| line[key].as_f64().expect("a number");
    // The step's own error, by its square in the step; the loop closes to rounding.
    assert!(number("peak_relative_energy_error") < 1e-3, "{line}");
    assert!(number("loop_gap") < 1e-12, "{line}");
    let told = line["warnings"].to_string();
    assert!(
        told.contains("the loops were singular, or very nearly, at t = "),
        "{line}"
    );
}

#[test]
fn where_a_linkage_can_not_go_on_the_reason_is_said() {
    for (arguments, words) in [
        (
            &[
                "delta",
                "--integrator",
                "maximal-variational",
                "--step",
                "0.003",
            ][..],
            [
                "stays open, and closing it does not determine the motion of joint",
                "a singularity of the loop",
                "keep the robot away",
            ],
        ),
        (
            &[
                "six_bar",
                "--integrator",
                "symplectic-euler",
                "--step",
                "0.001",
            ],
            ["is open by", "are not singular there", "Take a smaller one"],
        ),
    ] {
        let run = run(&[&["simulate"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.out);
        for word in words {
            assert!(run.err.contains(word), "{arguments:?}: {}", run.err);
        }
    }
}

#[test]
fn limits_hold_the_strokes_of_a_platform() {
    let start = [
        "stewart",
        "--loops",
        "--seconds",
        "1",
        "--integrator",
        "rk4",
    ];
    let strokes = |name: &str, more: &[&str]| {
        let ranges = ranges(name, &[&start[..], more].concat());
        let sliders = ranges
            .iter()
            .filter(|range| range.0.starts_with("q.slider"));
        sliders.fold(0.0_f64, |most, range| most.max(-range.1).max(range.2))
    };
    // It falls from 0.6 m; legs can't be shorter by more than 0.15 m. At 2 m/s a stop of critical
    // damping yields by v T/e, which is 15 mm for the 20 ms of 20 steps; its ramp of 1 mm and the
    // load add some.
    assert!(strokes("falls.csv", &[]) > 0.25);
    let held = strokes("held.csv", &["--limits"]);
    assert!((0.15..0.175).contains(&held), "{held}");
    // Stops of given stiffness yield less, or more.
    let hard = strokes("hard.csv", &["--limits=1e5,1e3"]);
    let soft = strokes("soft.csv", &["--limits=500,50"]);
    assert!(hard < 0.16 && soft > held, "{hard} {soft}");
}

#[test]
fn joints_beyond_their_limits_are_told() {
    let said = |arguments: &[&str]| {
        let warnings = &summary(arguments)["warnings"];
        let all = warnings.as_array().expect("a list").iter();
        let mut of_limits = all.filter_map(|w| w.as_str().filter(|w| w.contains("beyond ")));
        of_limits.next().map(str::to_owned)
    };
    // A platform that nobody holds, and one that stops hold.
    let fallen = said(&["stewart", "--loops", "--integrator", "rk4"]).expect("a warning");
    for words in ["joint `slider_", "first at t = ", "`--limits` adds stops"] {
        assert!(fallen.contains(words), "{fallen}");
    }
    let hard = ["stewart", "--loops", "--seconds", "1", "--limits=1e5,1e3"];
    assert_eq!(said(&hard), None);
    // Stops of the step's own stiffness let arms go further than their robot's would.
    let arm = said(&["ur5", "--limits"]);
    assert!(arm.is_none_or(|arm| arm.contains("half the step makes them four times as stiff")));
    // Four knees are drawn straight, where they can't be.
    let q = format!("0,0,0.35,0,0,0,1,{}", ["0"; 12].join(","));
    let straight = ["quadruped", "--q", &q, "--limits", "--seconds", "0.1"];
    let start = said(&straight).expect("a warning");
    for words in [
        "4 joint coordinates went",
        "(4 of them began there)",
        "first at t = 0 s",
        "by 0.916",
    ] {
        assert!(start.contains(words), "{start}");
    }
}

/// Where a robot is in the end, by its recording.
fn end(name: &str, arguments: &[&str]) -> Vec<f64> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = file.to_str().expect("a path in UTF-8");
    let _ = summary(&[arguments, &["--every", "0.1", "--record", path]].concat());
    let mut reader = csv::Reader::from_path(&file).expect("it was written");
    let rows = reader.deserialize::<Vec<f64>>();
    rows.last().expect("a row").expect("numbers")
}

#[test]
fn forces_and_projection_together_leave_a_method_its_order() {
    let common = ["four_bar", "--seconds", "1"];
    let by = |name: &str, more: &[&str]| end(name, &[&common[..], more].concat());
    let tight = ["--integrator", "dormand-prince", "--tolerance", "1e-12"];
    let exact = by("exact.csv", &tight);
    for keeping in ["both", "stabilisation"] {
        let option = format!("--loops={keeping}");
        let errors = ["0.002", "0.001"].map(|step| {
            let name = format!("{keeping}_{step}.csv");
            let found = by(&name, &[&option, "--step", step]);
            (1..4)
                .map(|k| (found[k] - exact[k]).abs())
                .fold(0.0, f64::max)
        });
        // Of fourth order sixteen times, of first order twice.
        assert!(errors[0] > 12.0 * errors[1], "{keeping}: {errors:?}");
    }
}

#[test]
fn motions_that_may_not_be_the_robots_are_told() {
    let slide = |dynamics: &str| {
        let text = format!(
            r#"<robot name="slide"><link name="world"/><link name="mass"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01"
            izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="rail" type="prismatic"><parent link="world"/>
            <child link="mass"/><axis xyz="0 0 1"/><limit lower="-0.1" upper="9" effort="1" velocity="1"/>{dynamics}</joint></robot>"#
        );
        file(&format!("slide_{}.urdf", dynamics.len()), &text)
    };
    let rubs = slide(r#"<dynamics damping="0" friction="100"/>"#);
    let damped = slide(r#"<dynamics damping="1e6"/>"#);
    let [rubs, damped] = [&rubs, &damped].map(|path| path.to_str().expect("a path in UTF-8"));
    for (arguments, words) in [
        (
            &[rubs, "--integrator", "runge-kutta-4"][..],
            "damp joint `rail` at 1.0e4 1/s",
        ),
        (
            &[damped, "--integrator", "implicit-midpoint"],
            "at 1.0e6 1/s, and the implicit midpoint rule",
        ),
        (
            &[
                rubs,
                "--limits=1e8,1e4",
                "--integrator",
                "implicit-midpoint",
            ],
            "joint `rail` oscillate at 1.0e4 rad/s",
        ),
        (
            &["delta", "--integrator", "symplectic-euler"],
            "the loops were singular, or very nearly, at t = ",
        ),
    ] {
        let run = run(&[
            &["simulate"],
            arguments,
            &["--seconds", "2", "--format", "jsonl"],
        ]
        .concat());
        assert!(
            run.err.contains("warning:") && run.err.contains(words),
            "{}",
            run.err
        );
        if run.code == 0 {
            let warnings = &json_lines(&run.out)[0]["warnings"];
            assert!(
                warnings[0]
                    .as_str()
                    .is_some_and(|told| told.contains(words)),
                "{warnings}"
            );
        }
    }
    // Stops of a joint's own yield, and no more is said of them.
    let line = summary(&["panda", "--limits", "--passive=false"]);
    let warnings = line["warnings"].as_array().expect("a list");
    let of_limits = |w: &Value| w.as_str().is_some_and(|w| w.contains("beyond "));
    assert!(warnings.iter().all(of_limits), "{line}");
}

#[test]
fn a_scene_has_its_own_ground_alone() {
    let scene = "[ground]\nslope = 0.4\nfriction = 1\n[[body]]\nname = 'block'\nbox = [0.2, 0.2, 0.1]\n\
                 position = [0.0194709, 0, 0.0460531]\nrpy = [0, 0.4, 0]\n";
    let path = file("slope.toml", scene);
    let path = path.to_str().expect("UTF-8");
    let line = summary(&[path, "--seconds", "1"]);
    assert_eq!(line["contact"]["contacts"], 4, "{line}");
    let energy = |k: usize| line["energy"][k].as_f64().expect("a number");
    // It rests: its lower edge is below the height of zero, where there is nothing.
    assert!((energy(0) - energy(1)).abs() < 1e-4, "{line}");
}

#[test]
fn what_begins_in_the_ground_is_pushed_out() {
    let legs = ["0,0.75,-1.5"; 4].join(",");
    // Two millimetres below where it stands.
    let q = format!("0,0,0.3106,0,0,0,1,{legs}");
    let line = summary(&["quadruped", "--q", &q, "--seconds", "1"]);
    assert_eq!(line["contact"]["contacts"], 4, "{line}");
    assert_eq!(line["contact"]["inexact_steps"], 0, "{line}");
}
