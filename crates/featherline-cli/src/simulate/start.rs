//! Where a simulation begins.

use super::SimulateArguments;
use crate::failure::Failure;
use featherline::Model;
use featherline::loops::{LoopError, LoopWorkspace};

/// The state to begin with, and the goal of a controller.
pub struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Whether a state nearby is meant in which all loops are closed.
    pub assemble: bool,
    pub goal: Vec<f64>,
}

impl Start {
    /// What was asked for. Nothing asked for is the configuration in which the robot was drawn, with every coordinate moving
    /// at the same speed as far as loops let it, so that together they turn the furthest link at some 1 rad/s.
    pub fn of(arguments: &SimulateArguments, model: &Model) -> Result<Self, Failure> {
        let drawn = model.reference_configurations().get("closed");
        let drawn = || {
            drawn
                .cloned()
                .unwrap_or_else(|| model.neutral_configuration())
        };
        let unasked = arguments.q.is_none() && arguments.v.is_none();
        let speed = if unasked {
            1.0 / longest_path(model)
        } else {
            0.0
        };
        let nq = format!("nq = {}", model.nq());
        let nv = format!("nv = {}", model.nv());
        Ok(Self {
            q: sized("--q", &arguments.q, drawn, model, &nq)?,
            v: sized("--v", &arguments.v, || vec![speed; model.nv()], model, &nv)?,
            goal: sized("--goal", &arguments.goal, drawn, model, &nq)?,
            assemble: unasked || arguments.assemble,
        })
    }
}

/// How many coordinates there are from the world to the furthest link; at least one.
fn longest_path(model: &Model) -> f64 {
    let mut paths = vec![0; model.joints().len()];
    for id in model.joint_ids() {
        let joint = model.joint(id);
        paths[id.index()] = paths[joint.parent.index()] + joint.nv;
    }
    paths.into_iter().max().unwrap_or(0).max(1) as f64
}

/// How far assembly moved the robot from where it was put, in a sentence.
pub fn assembled(model: &Model, from: &[f64], to: &[f64]) -> Result<String, Failure> {
    let failed = |error: LoopError| Failure::Simulation(error.to_string());
    let mut ws = LoopWorkspace::new(model).map_err(failed)?;
    let still = vec![0.0; model.nv()];
    let mut gap = |q: &[f64]| model.loop_gap(&mut ws, q, &still).map_err(failed);
    let (before, after) = (gap(from)?.position, gap(to)?.position);
    let moved = model
        .difference(from, to)
        .map_err(|error| Failure::State(error.to_string()))?;
    let mut most = (0.0_f64, "");
    for joint in model.joints() {
        for way in &moved[joint.idx_v..joint.idx_v + joint.nv] {
            if way.abs() >= most.0.abs() {
                most = (*way, &joint.name);
            }
        }
    }
    Ok(format!(
        "assembled: joint `{}` moved most, by {:+.3e} (rad, m); the loops were open by {before:.1e} (m, rad) and are by {after:.1e}",
        most.1, most.0
    ))
}

/// The numbers that were given, if they are as many as are needed.
fn sized(
    option: &str,
    given: &Option<Vec<f64>>,
    missing: impl FnOnce() -> Vec<f64>,
    model: &Model,
    size: &str,
) -> Result<Vec<f64>, Failure> {
    let missing = missing();
    let Some(values) = given else {
        return Ok(missing);
    };
    if let Some(k) = values.iter().position(|x| !x.is_finite()) {
        return Err(Failure::State(format!(
            "{option}: entry {} is not a finite number",
            k + 1
        )));
    }
    if values.len() == missing.len() {
        return Ok(values.clone());
    }
    Err(Failure::State(format!(
        "{option} has {} entries where {} needs {} ({size}); `featherline info` tells which belongs to which joint",
        values.len(),
        model.name(),
        missing.len()
    )))
}
