//! Dynamics of robots whose feet, or whose hand, are held.

use crate::calls::{Count, Robot};
use anyhow::{Context, Result, bail};
use featherline::Model;
use featherline::spatial::{Se3, Vec3};
use featherline_bench_protocol::server::Call;
use featherline_bench_protocol::states::State;
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, FrameConstraintKind, constrained_dynamics,
    constrained_dynamics_derivatives, impulse_dynamics,
};
use nalgebra::DMatrixView;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// A frame that is held: its joint, its origin there, and how many rows it has.
struct Frame(&'static str, [f64; 3], usize);

/// Which frames of which robots are held.
const HELD: &[(&str, &[Frame])] = &[
    ("panda", &[Frame("panda_joint7", [0.0, 0.0, 0.107], 6)]),
    (
        "solo12",
        &[
            Frame("FL_KFE", [0.0, 0.0, -0.16], 3),
            Frame("FR_KFE", [0.0, 0.0, -0.16], 3),
            Frame("HL_KFE", [0.0, 0.0, -0.16], 3),
            Frame("HR_KFE", [0.0, 0.0, -0.16], 3),
        ],
    ),
    (
        "g1",
        &[
            Frame("left_ankle_roll_joint", [0.0, 0.0, -0.03], 6),
            Frame("right_ankle_roll_joint", [0.0, 0.0, -0.03], 6),
        ],
    ),
    (
        "talos_reduced",
        &[
            Frame("leg_left_6_joint", [0.0, 0.0, -0.1], 6),
            Frame("leg_right_6_joint", [0.0, 0.0, -0.1], 6),
        ],
    ),
    (
        "icub",
        &[
            Frame("l_ankle_roll", [0.0, 0.0, 0.0], 6),
            Frame("r_ankle_roll", [0.0, 0.0, 0.0], 6),
        ],
    ),
];

/// The lines of a robot's file NAME.held, which every contender reads: joint, origin, rows. None
/// for a robot of which nothing is held.
pub fn lines(robot: &str) -> Option<String> {
    let (_, frames) = HELD.iter().find(|(name, _)| *name == robot)?;
    let mut text = String::new();
    for Frame(joint, [x, y, z], rows) in *frames {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{joint} {x} {y} {z} {rows}");
    }
    Some(text)
}

/// How many rows a robot has.
pub fn rows(robot: &str) -> usize {
    let found = HELD.iter().find(|(name, _)| *name == robot);
    found.map_or(0, |(_, frames)| frames.iter().map(|f| f.2).sum())
}

/// Reads what of a robot is held, if there is a file of it.
pub(crate) fn read(path: &Path, model: &Model) -> Result<Option<ConstraintWorkspace>> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(None);
    };
    let mut constraints = Vec::new();
    for line in text.lines() {
        let [joint, origin @ .., rows] = &line.split(' ').collect::<Vec<_>>()[..] else {
            bail!("{}: malformed line `{line}`", path.display());
        };
        let origin = origin
            .iter()
            .map(|x| x.parse())
            .collect::<Result<Vec<f64>, _>>()?;
        let [x, y, z] = origin[..] else {
            bail!("{}: malformed line `{line}`", path.display());
        };
        let kind = match *rows {
            "3" => FrameConstraintKind::Point,
            _ => FrameConstraintKind::Frame,
        };
        let frame = Se3::from_translation(Vec3::new(x, y, z));
        constraints.push(FrameConstraint::new(kind, model.joint_id(joint)?, frame));
    }
    Ok(Some(ConstraintWorkspace::new(model, &constraints)?))
}

/// Makes the table of calls: what is timed, and then the numbers of its result.
macro_rules! calls {
    ($($name:literal: ($model:ident, $ws:ident, $state:ident) $run:expr =>
        ($result:ident, $out:ident) $read:expr;)*) => {
        /// All calls, to time them.
        pub const HELD_CALLS: &[Call<Robot>] = &[$(Call {
            name: $name,
            time_pass: |robot| {
                let (model, states, held) = robot.held_parts();
                let ws = held.context("nothing is held")?;
                let begin = Instant::now();
                for state in states {
                    let ($model, $ws, $state): (&Model, &mut ConstraintWorkspace, &State) =
                        (black_box(model), &mut *ws, state);
                    black_box($run?);
                }
                Ok(begin.elapsed().as_secs_f64() * 1e9 / states.len() as f64)
            },
            answer: |robot, index| {
                let (model, states, held) = robot.held_parts();
                let ws = held.context("nothing is held")?;
                let ($model, $ws, $state): (&Model, &mut ConstraintWorkspace, &State) =
                    (model, ws, &states[index]);
                let $result = $run?;
                let mut $out = Vec::new();
                $read;
                Ok($out)
            },
        }),*];

        /// All calls, by name: they are not counted, because they are made for doubles alone.
        pub const NAMES: &[Count] = &[$(Count { name: $name, count: None }),*];
    };
}

calls! {
    "constrained_dynamics": (model, ws, state)
            constrained_dynamics(model, ws, &state.q, &state.v, &state.tau, &[]) =>
        (found, out) {
            out.extend(found.accelerations);
            out.extend(found.multipliers);
        };
    "constrained_dynamics_derivatives": (model, ws, state)
            constrained_dynamics_derivatives(model, ws, &state.q, &state.v, &state.tau, &[]) =>
        (by, out) {
            for matrix in [by.dq, by.dv, by.dtau] {
                push(matrix.as_view(), &mut out);
            }
            for matrix in [by.multipliers_dq, by.multipliers_dv, by.multipliers_dtau] {
                push(matrix, &mut out);
            }
        };
    "impulse_dynamics": (model, ws, state)
            impulse_dynamics(model, ws, &state.q, &state.v, 0.3) =>
        (found, out) {
            out.extend(found.velocities);
            out.extend(found.multipliers);
        };
}

fn push(matrix: DMatrixView<'_, f64>, out: &mut Vec<f64>) {
    for row in matrix.row_iter() {
        out.extend(row.iter());
    }
}
