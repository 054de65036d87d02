//! Compares SRDF files as we read them with what Pinocchio makes of them, which `formats/srdf.py`
//! writes.

use anyhow::{Context, Result};
use featherline::model::JointId;
use featherline_formats::{LoadOptions, Robot, Severity, load_with};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::process::ExitCode;

#[derive(Deserialize)]
struct Record {
    srdf: String,
    refused: Option<String>,
    #[serde(flatten)]
    numbers: Option<Numbers>,
}

#[derive(Deserialize)]
struct Numbers {
    urdf: String,
    floating: bool,
    /// The entries of q of each joint, by the name of the configuration and of the joint.
    configurations: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
    disabled: BTreeSet<(String, String)>,
    rotors: BTreeMap<String, [f64; 2]>,
}

fn main() -> Result<ExitCode> {
    let (mut agreed, mut differing, mut refused) = (0, 0, 0);
    println!("| SRDF | URDF | base | states | pairs | rotors | warnings | |");
    println!("|---|---|---|---|---|---|---|---|");
    for line in std::io::stdin().lock().lines() {
        let record: Record = serde_json::from_str(&line?).context("a line is no record")?;
        let name = short(&record.srdf);
        let Some(numbers) = record.numbers else {
            refused += 1;
            let reason = record.refused.unwrap_or_default();
            println!("| {name} | | | | | | | {reason} |");
            continue;
        };
        let options = LoadOptions::pinocchio()
            .floating_base(numbers.floating)
            .permissive(true);
        let robot = load_with(&numbers.urdf, &options)?;
        let of_urdf = robot.warnings.len();
        let robot = robot.with_srdf(&record.srdf)?;
        let doubts = robot.warnings[of_urdf..].iter();
        let doubts = doubts
            .filter(|it| it.severity() == Severity::Warning)
            .count();
        let differences = differences(&robot, &numbers);
        match differences.is_empty() {
            true => agreed += 1,
            false => differing += 1,
        }
        println!(
            "| {name} | {} | {} | {} | {} | {} | {doubts} | {} |",
            short(&numbers.urdf),
            if numbers.floating { "floats" } else { "fixed" },
            numbers.configurations.len(),
            numbers.disabled.len(),
            numbers.rotors.len(),
            differences.join("; "),
        );
    }
    println!("\n{agreed} agree, {differing} differ, {refused} have no URDF");
    Ok(match differing {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// The folder of a robot and the file's name.
fn short(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let from = parts.len().saturating_sub(3);
    parts[from..].join("/")
}

/// How a robot differs from what Pinocchio reads.
fn differences(robot: &Robot, expected: &Numbers) -> Vec<String> {
    let mut found = Vec::new();
    let model = &robot.model;
    let own = model.reference_configurations();
    if !own.keys().eq(expected.configurations.keys()) {
        found.push(format!("states {:?}", own.keys()));
    }
    for (name, joints) in &expected.configurations {
        let Some(q) = own.get(name) else { continue };
        let moving = model.joint_ids().filter(|&id| model.joint(id).nq > 0);
        if moving.count() != joints.len() {
            found.push(format!("joints of `{name}`"));
        }
        for (joint, values) in joints {
            let Ok(id) = model.joint_id(joint) else {
                found.push(format!("no joint `{joint}`"));
                continue;
            };
            let joint = model.joint(id);
            let mine = &q[joint.idx_q..joint.idx_q + joint.nq];
            if mine != values {
                found.push(format!("`{name}`, `{}`: {mine:?}", joint.name));
            }
        }
    }
    let mine = disabled(robot);
    for (pair, whose) in [
        (mine.difference(&expected.disabled), "more"),
        (expected.disabled.difference(&mine), "fewer"),
    ] {
        let pairs: Vec<_> = pair.collect();
        if let Some(first) = pairs.first() {
            found.push(format!("{} {whose} pairs: {first:?}", pairs.len()));
        }
    }
    let rotors: BTreeMap<String, [f64; 2]> = model
        .joint_ids()
        .map(|id| model.joint(id))
        .filter(|joint| joint.nv == 1 && joint.drive.rotor_inertia[0] != 0.0)
        .map(|joint| {
            let drive = &joint.drive;
            let rotor = [drive.rotor_inertia[0], drive.gear_ratio[0]];
            (joint.name.clone(), rotor)
        })
        .collect();
    if rotors != expected.rotors {
        found.push(format!("rotors {rotors:?}"));
    }
    found
}

/// The pairs of links with shapes, on different joints, that do not collide: Pinocchio has no
/// others.
fn disabled(robot: &Robot) -> BTreeSet<(String, String)> {
    let description = &robot.description;
    let has_shape = |link: usize| {
        let mut shapes = description.geometry.iter();
        shapes.any(|it| it.link == link && it.is_collision)
    };
    let joint = |link: usize| -> Option<JointId> {
        let body = robot.model.body_id(&description.links[link].name).ok()?;
        Some(robot.model.frame(body).joint)
    };
    let exclusions = description.contact_exclusions.iter();
    let pairs = exclusions.map(|it| it.links);
    let pairs = pairs.filter(|&[a, b]| has_shape(a) && has_shape(b) && joint(a) != joint(b));
    pairs
        .map(|links| {
            let [a, b] = links.map(|link| description.links[link].name.clone());
            if a < b { (a, b) } else { (b, a) }
        })
        .collect()
}
