//! `simulate` with contact: the report at the end, recordings and charts.

use crate::process::{file, json_lines, run};
use serde_json::Value;
use std::path::PathBuf;

const G: f64 = 9.81;

fn summary(arguments: &[&str]) -> Value {
    let run = run(&[&["simulate"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    json_lines(&run.out).remove(0)
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_standing_robot_reports_four_feet_that_carry_its_weight() {
    let line = summary(&["quadruped", "--seconds", "2"]);
    let contact = &line["contact"];
    let forces = contact["forces"].as_array().expect("a list");
    assert_eq!(forces.len(), 4);
    assert!(forces.iter().all(|it| it["bodies"][0] == "world"));
    let sum: f64 = forces.iter().map(|it| number(&it["force"][2])).sum();
    let info: Value =
        serde_json::from_str(&run(&["info", "quadruped", "--json"]).out).expect("JSON");
    let weight = G * number(&info["total_mass"]);
    assert!((sum - weight).abs() < 1e-6 * weight, "{sum} {weight}");
    assert_eq!(contact["inexact_steps"], 0);
    assert!(number(&contact["penetration"]) < 1e-9);
    // The balance closes with what went elsewhere.
    let energy = &line["energy"];
    let gained = number(&energy[1]) - number(&energy[0]);
    let part = |name: &str| number(&contact[name]);
    let booked = part("drive_work") + part("force_work")
        - part("friction_loss")
        - part("impact_loss")
        - part("other_loss");
    assert!((gained - booked).abs() < 1e-9, "{gained} {booked}");
    let text = run(&[
        "simulate",
        "quadruped",
        "--seconds",
        "1",
        "--format",
        "text",
    ])
    .out;
    for words in [
        "all 1000 steps exact",
        "friction took",
        "force at the end on",
        "125.333",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// A double pendulum that whirls, in steps of 20 ms.
#[test]
fn energy_from_nothing_is_a_warning_and_a_number() {
    let start = ["--q", "1,0.5", "--v=4,-6", "--seconds", "2"];
    let simulate = [
        "simulate",
        "double_pendulum",
        "--integrator",
        "time-stepping",
    ];
    for (step, is_gained) in [("0.02", true), ("0.001", false)] {
        let run = run(&[&simulate[..], &start, &["--step", step]].concat());
        assert_eq!(
            run.err.contains("energy came from nothing"),
            is_gained,
            "{}",
            run.err
        );
        let line = json_lines(&run.out).remove(0);
        let said = line["warnings"].to_string();
        assert_eq!(
            said.contains("energy came from nothing"),
            is_gained,
            "{said}"
        );
        assert_eq!(
            number(&line["contact"]["energy_gain"]) > 0.1,
            is_gained,
            "{line}"
        );
    }
}

#[test]
fn a_ball_of_a_scene_gives_its_height_to_the_impact_and_has_no_second_ground() {
    let scene =
        "[ground]\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 2\nposition = [0, 0, 0.4]\n";
    let scene = file("falls.toml", scene);
    let line = summary(&[scene.to_str().expect("UTF-8"), "--seconds", "1"]);
    let contact = &line["contact"];
    let taken = number(&contact["impact_loss"]) + number(&contact["other_loss"]);
    let energy = |k: usize| line["energy"][k].as_f64().expect("a number");
    let lost = energy(0) - energy(1);
    assert!((taken - lost).abs() < 1e-9, "{line}");
    assert!((lost / (2.0 * G) - 0.3).abs() < 1e-9, "{line}");
    assert_eq!(contact["contacts"], 1);
    let text = run(&[
        "simulate",
        scene.to_str().expect("UTF-8"),
        "--seconds",
        "0.1",
        "--format",
        "text",
    ]);
    assert!(
        text.out.contains("nothing touches at the end"),
        "{}",
        text.out
    );
}

#[test]
fn charts_and_recordings_have_the_contacts() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (chart, record) = (folder.join("stands.svg"), folder.join("stands.jsonl"));
    let [plot, file] = [&chart, &record].map(|path| path.to_str().expect("UTF-8"));
    summary(&[
        "quadruped",
        "--seconds",
        "0.2",
        "--plot",
        plot,
        "--record",
        file,
    ]);
    let text = std::fs::read_to_string(&chart).expect("a chart");
    for panel in ["contact normal force [N]", "slip", "penetration [m]"] {
        assert!(text.contains(panel), "{panel}");
    }
    let rows = json_lines(&std::fs::read_to_string(&record).expect("a recording"));
    let last = &rows[rows.len() - 1];
    assert_eq!(last["contact_forces"].as_array().map(Vec::len), Some(4));
    let point = &last["contacts"][0];
    assert_eq!(point["bodies"][0], "world");
    assert!((number(&point["normal"]["z"]) - 1.0).abs() < 1e-12);
    // A robot that falls has no panels of contact.
    summary(&[
        "quadruped",
        "--no-ground",
        "--seconds",
        "0.2",
        "--plot",
        plot,
    ]);
    let text = std::fs::read_to_string(&chart).expect("a chart");
    assert!(!text.contains("contact"));
}

/// A cube that is thrown flat stays on the ground by the exact law, and lifts off by the convex
/// one, whether the scene or the argument says so.
#[test]
fn the_law_of_friction_is_that_of_the_argument_or_the_scene() {
    let scene = |law: &str| {
        let text = format!(
            "[contact]\nfriction_law = '{law}'\n[ground]\n[[body]]\nname = 'cube'\n\
             box = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.05]\nvelocity = [6, 0, 0, 0, 0, 0]\n"
        );
        file(&format!("law_{law}.toml"), &text)
    };
    let height = |scene: &PathBuf, more: &[&str]| {
        let record = scene.with_extension("jsonl");
        let own = [
            scene.to_str().expect("UTF-8"),
            "--seconds",
            "0.1",
            "--every",
            "0.1",
            "--record",
            record.to_str().expect("UTF-8"),
        ];
        summary(&[&own[..], more].concat());
        let rows = json_lines(&std::fs::read_to_string(&record).expect("the recording"));
        number(&rows.last().expect("rows")["q"][2])
    };
    let (exact, convex) = (scene("exact"), scene("convex"));
    for (file, more, lifts) in [
        (&exact, &[][..], false),
        (&exact, &["--friction-law", "convex"][..], true),
        (&convex, &[][..], true),
        (&convex, &["--friction-law", "exact"][..], false),
    ] {
        let found = height(file, more);
        assert_eq!(found > 0.06, lifts, "{file:?} {more:?}: {found}");
        assert!(lifts || (found - 0.05).abs() < 1e-6, "{found}");
    }
    let other = run(&[
        "simulate",
        "double_pendulum",
        "--integrator",
        "rk4",
        "--impact-law",
        "newton",
    ]);
    assert!(
        other.code != 0 && other.err.contains("no contacts"),
        "{}",
        other.err
    );
}
