//! Robots, written as MJCF and read again: a line of JSON for each file, for
//! `formats/round_trip.py`, which gives what is written to MuJoCo.

use anyhow::{Context, Result};
use clap::Parser;
use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::Model;
use featherline::random::{RandomSource, SplitMix64};
use featherline_formats::{Difference, LoadOptions, MimicJoints, Severity, load_with, mjcf, urdf};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Writes robots as MJCF, and reads them again.
#[derive(Parser)]
struct Arguments {
    /// The folder for what is written
    #[arg(long)]
    out: PathBuf,
    /// Random states of each robot
    #[arg(long, default_value_t = 20)]
    states: usize,
    /// The robots' files
    files: Vec<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    std::fs::create_dir_all(&arguments.out)?;
    for (i, file) in arguments.files.iter().enumerate() {
        let out = arguments.out.join(format!("{i}.xml"));
        let line = match record(file, &out, arguments.states) {
            Ok(line) => line,
            Err(error) => json!({"file": file, "failed": format!("{error:#}")}),
        };
        println!("{line}");
    }
    Ok(())
}

/// The result for a file: what is lost, how much each quantity differs, and our numbers.
fn record(file: &Path, out: &Path, states: usize) -> Result<Value> {
    let options = LoadOptions::new().mimic(MimicJoints::Free);
    let Ok(robot) = load_with(file, &options) else {
        return Ok(json!({"file": file, "refused": true}));
    };
    let folder = out.parent().context("the file is in a folder")?;
    let written = mjcf::to_string_beside(&robot.description, folder)?;
    std::fs::write(out, &written.text)?;
    let again = load_with(out, &options)?;
    let difference = Difference::of(&robot.model, &again.model, states)?;
    let quantities = difference.quantities.iter();
    let quantities: Vec<Value> = quantities
        .map(|it| json!([it.quantity, it.relative, it.at]))
        .collect();
    let lacks = difference.missing.iter();
    let lacks: Vec<String> = lacks
        .map(|it| format!("{} {} {}", it.what, it.name, it.is_in_first))
        .collect();
    let lost = written.warnings.iter();
    let lost = lost.filter(|it| it.severity() == Severity::Warning);
    let lost: Vec<String> = lost.map(|it| it.cause.to_string()).collect();
    Ok(json!({
        "file": file,
        "written": out,
        "is_mjcf": robot.description.links.first().is_some_and(|it| it.name == "world")
            && file.extension().is_some_and(|it| it == "xml"),
        "quantities": quantities,
        "missing": lacks,
        "lost": lost,
        "urdf": urdf_again(&robot, &again, states, &options),
        "joints": joints(&robot.model),
        "states": own_states(&robot.model, states)?,
    }))
}

/// The greatest difference of joint forces of a URDF that is written of the MJCF that is read
/// again; none where URDF has not the joints.
fn urdf_again(
    robot: &featherline_formats::Robot,
    again: &featherline_formats::Robot,
    states: usize,
    options: &LoadOptions,
) -> Option<f64> {
    let written = urdf::to_string(&again.description).ok()?;
    let third = featherline_formats::load_str_with(&written.text, options).ok()?;
    let difference = Difference::of(&robot.model, &third.model, states).ok()?;
    let mut quantities = difference.quantities.iter();
    Some(
        quantities
            .find(|it| it.quantity == "joint forces")?
            .relative,
    )
}

/// The name, the first entry of v, and the number of entries of each joint with one displacement.
fn joints(model: &Model) -> Vec<Value> {
    let joints = model.joints()[1..].iter();
    joints
        .map(|it| json!([it.name, it.idx_v, it.nv, is_simple(&it.kind)]))
        .collect()
}

fn is_simple(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Revolute { .. } | JointKind::Prismatic { .. }
    )
}

/// Random states, and the mass matrix and the bias force there, of a robot of hinges and slides.
fn own_states(model: &Model, states: usize) -> Result<Vec<Value>> {
    let mut random = SplitMix64::new(1);
    let mut out = Vec::new();
    if !model.joints()[1..].iter().all(|it| is_simple(&it.kind)) {
        return Ok(out);
    }
    let mut ws = Workspace::new(model);
    let zeros = vec![0.0; model.nv()];
    for _ in 0..states.min(5) {
        let mut draw = || -> Vec<f64> {
            let entries = 0..model.nv();
            entries.map(|_| 2.0 * random.uniform() - 1.0).collect()
        };
        let (q, v) = (draw(), draw());
        let bias = model.rnea(&mut ws, &q, &v, &zeros)?.to_vec();
        let mut mass = model.crba(&mut ws, &q)?.clone();
        mass.fill_lower_triangle_with_upper_triangle();
        out.push(json!({"q": q, "v": v, "bias": bias, "mass": mass.as_slice()}));
    }
    Ok(out)
}
