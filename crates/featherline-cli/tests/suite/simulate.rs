//! `simulate`: motions, plots, and what is refused.

use crate::process::{Run, close, json_lines, run, vector};
use crate::recordings::read_csv;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

pub fn simulate(arguments: &[&str]) -> Run {
    run(&[&["simulate"], arguments].concat())
}

/// Simulates, and gives the summary.
pub fn summary(arguments: &[&str]) -> Value {
    let run = simulate(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    json_lines(&run.out).remove(0)
}

pub fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

/// A path for a file of a test; `name` is unique among tests.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub fn refused(arguments: &[&str], reason: &str) {
    let run = simulate(arguments);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
    assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    let line = summary(&[
        "double_pendulum",
        "--seconds",
        "20",
        "--q",
        "2,1",
        "--step",
        "0.002",
        "--integrator",
        "runge-kutta-4",
    ]);
    assert_eq!(line["robot"], "double_pendulum");
    assert_eq!(line["samples"], 2001);
    // Fourth order: rates of some ten a second in steps of 2 ms, over 10,000 steps.
    assert!(number(&line, "peak_relative_energy_error") < 1e-5, "{line}");
    assert!(number(&line, "energy_drift").abs() < 1e-6);
    assert!(line["linear_momentum_error"].is_null() && line["loop_gap"].is_null());
    // A method of first order does worse, and one that follows a tolerance does as it is told.
    let start = [
        "double_pendulum",
        "--seconds",
        "20",
        "--q",
        "2,1",
        "--step",
        "0.002",
        "--integrator",
    ];
    let of = |name: &str| {
        let line = summary(&[&start[..], &[name]].concat());
        number(&line, "peak_relative_energy_error")
    };
    assert!(of("symplectic-euler") > 100.0 * of("runge-kutta-4"));
    assert!(of("dormand-prince") < 1e-6);
    assert!(of("variational") < 1e-2 && of("implicit-midpoint") < 1e-2);
}

#[test]
fn a_platform_on_legs_keeps_its_loops() {
    let run = simulate(&[
        "stewart",
        "--loops",
        "--controller",
        "pd",
        "--seconds",
        "0.5",
        "--step",
        "0.005",
        "--format",
        "table",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    for part in [
        "stewart: 0.5 s by time stepping",
        "energy from",
        "loop error",
        "loop joint",
        "at worst at t [s]",
    ] {
        assert!(run.out.contains(part), "{}", run.out);
    }
    for how in ["--loops", "--loops=both", "--loops=stabilisation"] {
        let line = summary(&[
            "stewart",
            how,
            "--controller",
            "gravity",
            "--seconds",
            "0.2",
            "--step",
            "0.002",
        ]);
        let gap = number(&line, "loop_gap");
        let loops = line["loops"].as_array().expect("a list");
        assert_eq!(loops.len(), 6);
        let worst = |key: &str| loops.iter().map(|own| number(own, key)).fold(0.0, f64::max);
        assert!(loops.iter().all(|own| number(own, "t") <= 0.2));
        assert!(worst("position") <= gap && gap <= worst("position").hypot(worst("angle")) + 1e-15);
        assert!(loops.iter().all(|own| own["joint"].is_string()));
        let most = if how == "--loops=stabilisation" {
            1e-4
        } else {
            1e-10
        };
        assert!(gap < most, "{how}: {gap}");
    }
}

#[test]
fn a_linkage_moves_by_the_variational_integrator_in_maximal_coordinates() {
    let arguments = [
        "four_bar",
        "--integrator",
        "maximal-variational",
        "--step",
        "0.005",
        "--seconds",
        "5",
    ];
    let line = summary(&arguments);
    assert!(number(&line, "loop_gap") < 1e-10, "{line}");
    assert!(number(&line, "peak_relative_energy_error") < 1e-2, "{line}");
    assert!(line["loop_condition"].is_null());
    let table = simulate(&[&arguments[..], &["--format", "table"]].concat());
    assert!(table.out.contains("loop error"), "{}", table.out);
    refused(
        &["four_bar", "--integrator", "variational"],
        "maximal coordinates",
    );
}

#[test]
fn a_robot_in_free_flight_keeps_its_momentum() {
    let line = summary(&[
        "quadruped",
        "--seconds",
        "0.5",
        "--step",
        "0.002",
        "--integrator",
        "rk4",
    ]);
    assert!(number(&line, "linear_momentum_error") < 1e-6, "{line}");
    assert!(number(&line, "angular_momentum_error") < 1e-6);
    let line = summary(&[
        "quadruped",
        "--seconds",
        "0.5",
        "--step",
        "0.005",
        "--integrator",
        "variational",
    ]);
    assert!(number(&line, "linear_momentum_error") < 1e-10, "{line}");
    // About its centre of mass, second order.
    assert!(number(&line, "angular_momentum_error") < 1e-3);
}

#[test]
fn a_long_fall_leaves_the_energy_of_the_limbs_its_digits() {
    // After 1000 s the centre of mass has 3.5 GJ, the limbs 0.2 J.
    let v = ["0.0625"; 38].join(",");
    let line = summary(&[
        "humanoid",
        "--v",
        &v,
        "--seconds",
        "1000",
        "--every",
        "0.5",
        "--step",
        "0.01",
        "--integrator",
        "variational",
        "--passive=false",
    ]);
    assert_eq!(line["energy_scale_is_inner"], true);
    // Of second order, without drift: what it is over ten seconds as well.
    assert!(number(&line, "peak_relative_energy_error") < 1e-3, "{line}");
    assert!(number(&line, "center_energy_error") < 1e-9, "{line}");
    let [error, scale] =
        ["linear_momentum_error", "linear_momentum_scale"].map(|key| number(&line, key));
    assert!(error < 1e-10 * scale, "{line}");
    assert!(number(&line, "angular_momentum_error") < 1e-9, "{line}");
}

#[test]
fn an_energy_that_does_not_stay_is_told_where_nothing_acts() {
    let long = [
        "--step",
        "0.3",
        "--every",
        "0.3",
        "--seconds",
        "3.3",
        "--integrator",
        "rk4",
    ];
    let pendulum = [&["double_pendulum", "--q", "3,0"], &long[..]].concat();
    let line = summary(&pendulum);
    assert_eq!(line["energy_should_stay"], true);
    assert!(number(&line, "peak_relative_energy_error") > 1.0, "{line}");
    let said = simulate(&pendulum).err;
    assert!(said.contains("Take steps half as long"), "{said}");
    assert!(
        said.contains(line["warnings"][0].as_str().expect("a warning")),
        "{said}"
    );
    for linkage in [
        &[
            "four_bar",
            "--step",
            "0.05",
            "--every",
            "0.05",
            "--seconds",
            "100",
        ][..],
        &[
            "six_bar",
            "--step",
            "0.02",
            "--every",
            "0.02",
            "--integrator",
            "symplectic-euler",
        ],
    ] {
        let line = summary(linkage);
        assert!(
            line["warnings"]
                .to_string()
                .contains("which no force explains"),
            "{line}"
        );
    }
    // Where a controller works, the energy need not stay.
    let line = summary(&["double_pendulum", "--controller", "pd", "--seconds", "1"]);
    assert_eq!(line["energy_should_stay"], false);
    assert!(!line["warnings"].to_string().contains("energy"), "{line}");
}

#[test]
fn proportional_derivative_control_goes_to_its_goal() {
    let file = path("to_goal.csv");
    let name = file.to_str().expect("UTF-8");
    let goal = "0.5,-1";
    summary(&[
        "double_pendulum",
        "--controller",
        "pd",
        "--goal",
        goal,
        "--q",
        "0,0",
        "--record",
        name,
    ]);
    let mut reader = csv::Reader::from_path(&file).expect("it was written");
    let last = reader
        .deserialize::<Vec<f64>>()
        .last()
        .expect("rows")
        .expect("numbers");
    close("q", &last[1..3], &[0.5, -1.0], 1e-3);
}

#[test]
fn a_plot_has_a_panel_for_each_thing_to_be_kept() {
    let file = path("four_bar_plot.svg");
    let name = file.to_str().expect("UTF-8");
    summary(&["four_bar", "--seconds", "0.5", "--plot", name]);
    let text = fs::read_to_string(&file).expect("it was drawn");
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
    for title in [
        "four_bar: energy",
        "four_bar: momentum",
        "four_bar: loop error",
    ] {
        assert!(text.contains(title), "{title}");
    }
}

#[test]
fn bad_arguments_are_answered() {
    let pendulum = |more: &[&'static str]| [&["double_pendulum"], more].concat();
    refused(
        &pendulum(&["--step", "-0.01"]),
        "`--step` is -0.01, where a positive number is expected",
    );
    refused(&pendulum(&["--every", "0"]), "a positive number is needed");
    refused(
        &pendulum(&["--seconds", "-5"]),
        "the length of the simulation is -5",
    );
    refused(
        &pendulum(&["--tolerance", "0", "--integrator", "dormand-prince"]),
        "tolerance",
    );
    refused(
        &pendulum(&["--integrator", "runge-kuta-4"]),
        "runge-kutta-4",
    );
    refused(&pendulum(&["--controller", "lqr"]), "gravity");
    refused(
        &pendulum(&["--controller", "pd", "--frequency", "-1"]),
        "`--frequency` is -1, where a positive number is expected",
    );
    refused(
        &pendulum(&["--q", "1"]),
        "--q has 1 entries where double_pendulum needs 2 (nq = 2)",
    );
    refused(&pendulum(&["--v", "1,2,3"]), "--v has 3 entries");
    refused(
        &pendulum(&["--goal", "1", "--controller", "pd"]),
        "--goal has 1 entries",
    );
    refused(&pendulum(&["--q", "1,x"]), "`x` is no number");
    refused(
        &pendulum(&["--q", "1,NaN"]),
        "--q: entry 2 is not a finite number",
    );
    refused(&pendulum(&["--loops"]), "has no loops");
    refused(
        &pendulum(&["--record", "motion.txt"]),
        "csv, jsonl, parquet, mcap",
    );
    refused(
        &pendulum(&["--record", "/nowhere/motion.csv"]),
        "can't write /nowhere/motion.csv",
    );
    refused(&pendulum(&["--plot", "motion.png"]), "svg");
    refused(&["four_bar", "--integrator", "variational"], "trees only");
    refused(&["four_bar", "--floating-base"], "through the world");
    refused(&["four_bars"], "did you mean `four_bar`");
}

#[test]
fn an_open_loop_is_refused_and_can_be_assembled() {
    let open = ["four_bar", "--q", "0.4,0,0", "--seconds", "0.1"];
    refused(&open, "`--assemble` begins at a state nearby");
    let assembled = [&open[..], &["--assemble"]].concat();
    let line = summary(&assembled);
    assert!(number(&line, "loop_gap") < 1e-10);
    // How far it was off, and how far it moved.
    let said = simulate(&assembled).err;
    let words = [
        "assembled: joint `",
        "moved most, by",
        "open by",
        "and are now by",
    ];
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

#[test]
fn what_loops_make_of_velocities_and_goals_is_told() {
    let thrown = [
        "four_bar",
        "--assemble",
        "--v",
        "12,0,0",
        "--seconds",
        "0.01",
    ];
    let said = simulate(&thrown).err;
    // From 12, 0, 0 to some 15.5, -17.0, 4.5.
    assert!(
        said.contains("velocities changed to those that loops allow") && said.contains("-1.7"),
        "{said}"
    );
    let goal = |goal: &str| {
        let line = summary(&[
            "four_bar",
            "--controller",
            "pd",
            "--goal",
            goal,
            "--seconds",
            "0.1",
        ]);
        line["warnings"].to_string()
    };
    assert!(goal("1,0,0").contains("can't reach it"));
    let drawn = summary(&["four_bar", "--controller", "pd", "--seconds", "0.1"]);
    assert!(
        !drawn["warnings"].to_string().contains("reach it"),
        "{drawn}"
    );
}

#[test]
fn a_motion_that_diverges_says_when_and_where_and_keeps_what_was_recorded() {
    let file = path("diverged.csv");
    let name = file.to_str().expect("UTF-8");
    // A controller that is much too fast for its steps.
    let arguments = [
        "panda",
        "--integrator",
        "runge-kutta-4",
        "--controller",
        "pd",
        "--frequency",
        "100",
        "--no-effort-limits",
        "--step",
        "0.05",
        "--every",
        "0.05",
        "--record",
        name,
    ];
    refused(&arguments, "the motion diverged at t = ");
    let (_, rows) = read_csv(&file);
    assert!(!rows.is_empty() && rows.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn linkages_are_described_with_their_loops() {
    let info: Value = serde_json::from_str(&run(&["info", "stewart", "--json"]).out).expect("JSON");
    let loops = info["loop_joints"].as_array().expect("a list");
    assert_eq!(loops.len(), 6);
    assert_eq!(loops[0]["type"], "spherical");
    assert!(run(&["info", "four_bar"]).out.contains("closes a loop"));
    let line = &crate::process::evaluate(&["delta", "--compute", "tau"], "")[0];
    assert_eq!(vector(&line["tau"]).len(), 21);
}
