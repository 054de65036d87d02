//! Where a simulation begins.

use super::SimulateArguments;
use crate::failure::Failure;
use crate::robot::Robot;
use crate::states::{doubt_degrees, sized};
use featherline::Model;
use featherline_constraint::{LoopError, LoopWorkspace};

/// The greatest opening of loops at a goal, in m or rad: that of numbers with five digits.
const REACHED: f64 = 1e-4;

/// The state to begin with, and the goal of a controller.
pub struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Whether the simulation begins at a nearby state in which all loops are closed.
    pub assemble: bool,
    pub goal: Vec<f64>,
    /// Pairs of shapes that overlap there, and do not touch each other.
    pub left_out: Vec<[String; 2]>,
}

impl Start {
    /// The start of the arguments. Without `--q` and `--v` it is a named configuration: the one
    /// asked for, or the robot's [start](Robot::start). Of other robots it is the neutral
    /// configuration, with closed loops, and all coordinates have the same speed as far as loops
    /// allow, so that the furthest link rotates at about 1 rad/s.
    pub fn of(arguments: &SimulateArguments, robot: &Robot) -> Result<Self, Failure> {
        let model = &robot.model;
        let name = named(arguments, robot)?;
        let drawn = name.and_then(|name| model.reference_configurations().get(name));
        let states_velocity = name.filter(|name| *name != "closed");
        let velocity = states_velocity.and_then(|name| robot.velocity(name));
        let drawn = || {
            drawn
                .cloned()
                .unwrap_or_else(|| model.neutral_configuration())
        };
        let unasked = arguments.state.q.is_none() && arguments.state.v.is_none();
        let speed = if unasked {
            1.0 / longest_path(model)
        } else {
            0.0
        };
        let nq = format!("nq = {}", model.nq());
        let nv = format!("nv = {}", model.nv());
        let velocity = velocity.filter(|_| unasked);
        let moving = velocity.unwrap_or_else(|| vec![speed; model.nv()]);
        let (q, v) = (arguments.state.q.as_deref(), arguments.state.v.as_deref());
        Ok(Self {
            q: sized("--q", q, drawn(), model, &nq)?,
            v: sized("--v", v, moving, model, &nv)?,
            goal: sized("--goal", arguments.goal.as_deref(), drawn(), model, &nq)?,
            assemble: unasked || arguments.assemble,
            left_out: Vec::new(),
        })
    }

    /// Warns of angles that seem to be in degrees.
    pub fn doubt(&self, arguments: &SimulateArguments, model: &Model) {
        let state = &arguments.state;
        let of_start = match (&state.configuration, &state.q) {
            (Some(_), _) => "--configuration",
            (None, Some(_)) => "--q",
            (None, None) => "the start",
        };
        doubt_degrees(model, &self.q, of_start);
        if arguments.goal.is_some() {
            doubt_degrees(model, &self.goal, "--goal");
        }
    }
}

/// The name of the configuration to begin with: the one that was asked for, or the robot's.
fn named<'a>(
    arguments: &'a SimulateArguments,
    robot: &'a Robot,
) -> Result<Option<&'a str>, Failure> {
    let asked = arguments.state.named(&robot.model)?;
    Ok(asked.or_else(|| robot.start().map(|it| it.name.as_str())))
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

/// A message with the changes of configuration and velocity by the assembly.
pub fn assembled(model: &Model, from: &Start, (q, v): (&[f64], &[f64])) -> Result<String, Failure> {
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
