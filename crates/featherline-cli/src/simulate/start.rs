//! Where a simulation begins.

use super::SimulateArguments;
use crate::failure::Failure;
use crate::message::{note, warn};
use crate::robot::{grouped, grouped_of};
use crate::states::doubt_degrees;
use featherline::Model;
use featherline_constraint::{LoopError, LoopWorkspace};
use featherline_formats::Severity;
use featherline_sim::setup::{SetupWarning, Start};

/// The greatest opening of loops at a goal, in m or rad: that of numbers with five digits.
const REACHED: f64 = 1e-4;

/// Warns of angles that seem to be in degrees.
pub fn doubt(start: &Start<'_>, arguments: &SimulateArguments) {
    let state = &arguments.state;
    let of_start = match (&state.configuration, &state.q) {
        (Some(_), _) => "--configuration",
        (None, Some(_)) => "--q",
        (None, None) => "the start",
    };
    doubt_degrees(start.model, &start.q, of_start);
    if arguments.goal.is_some() {
        doubt_degrees(start.model, &start.goal, "--goal");
    }
}

/// Tells what acts otherwise than the robot's file says.
pub fn warn_of(start: &Start<'_>, arguments: &SimulateArguments) {
    let mut of_file = Vec::new();
    for warning in &start.warnings {
        if let SetupWarning::File(warning) = warning {
            of_file.push(warning.clone());
        } else if let SetupWarning::LeftOut(pairs) = warning {
            let others = match pairs.len() {
                1 => "",
                _ => ": `decision` in `--format jsonl` lists them",
            };
            warn(&format!("{warning}{others}"));
        } else if let SetupWarning::Falls(_) = warning {
            warn(&format!("{warning}: `--no-ground`"));
        } else {
            warn(&warning.to_string());
        }
    }
    let list = format!("{} --self-collision", arguments.robot.check_command());
    for message in grouped(&of_file, &list) {
        warn(&message);
    }
    for message in grouped_of(Severity::Note, &of_file, &list) {
        note(&message);
    }
}

/// A message with the changes of configuration and velocity by the assembly.
pub fn assembled(from: &Start<'_>, (q, v): (&[f64], &[f64])) -> Result<String, Failure> {
    let model = from.model;
    let (before, after) = (loop_gap(model, &from.q)?, loop_gap(model, q)?);
    let moved = model
        .difference(&from.q, q)
        .map_err(|error| Failure::State(error.to_string()))?;
    let gained: Vec<f64> = v.iter().zip(&from.v).map(|(to, from)| to - from).collect();
    let ((joint, way), (faster, speed)) = (most(model, &moved), most(model, &gained));
    if way == 0.0 && speed == 0.0 {
        return Ok(format!(
            "assembled: nothing moved, because the loops were open by {before:.1e} (m, rad) only"
        ));
    }
    let velocities = match speed {
        0.0 => String::new(),
        _ => format!(
            "; velocities changed to those that loops allow, that of joint `{faster}` most, by {speed:+.3e} (rad/s, m/s)"
        ),
    };
    Ok(format!(
        "assembled: joint `{joint}` moved most, by {way:+.3e} (rad, m); the loops were open by {before:.1e} (m, rad), and are \
         now by {after:.1e}{velocities}"
    ))
}

/// How far the loops are open in a configuration, in m and rad.
fn loop_gap(model: &Model, q: &[f64]) -> Result<f64, Failure> {
    let failed = |error: LoopError| Failure::Simulation(error.to_string());
    let mut ws = LoopWorkspace::new(model).map_err(failed)?;
    let still = vec![0.0; model.nv()];
    let gap = featherline_constraint::loop_gap(model, &mut ws, q, &still).map_err(failed)?;
    Ok(gap.position)
}

/// The joint with the largest entry of a tangent vector, and that entry.
fn most<'m>(model: &'m Model, tangent: &[f64]) -> (&'m str, f64) {
    let mut most = ("", 0.0_f64);
    for joint in model.joints() {
        for entry in &tangent[joint.idx_v..joint.idx_v + joint.nv] {
            if entry.abs() >= most.1.abs() {
                most = (&joint.name, *entry);
            }
        }
    }
    most
}

/// Why a goal can't be reached: loops are open there.
pub fn goal_beyond_loops(model: &Model, goal: &[f64]) -> Result<Option<String>, Failure> {
    if model.loop_joints().is_empty() {
        return Ok(None);
    }
    let gap = loop_gap(model, goal)?;
    Ok((gap > REACHED).then(|| {
        format!(
            "the loops are open by {gap:.1e} (m, rad) at the goal: the robot can't reach it, and rests between it and what the loops allow"
        )
    }))
}
