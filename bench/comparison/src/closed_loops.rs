//! Forward dynamics of robots with closed loops.
//!
//! featherline's one call stands beside both of Pinocchio's.

use crate::calls::{Count, Robot};
use anyhow::Result;
use featherline::Model;
use featherline_bench_protocol::server::Call;
use featherline_bench_protocol::states::State;
use featherline_constraint::loop_dynamics;
use featherline_constraint::{LoopWorkspace, Stabilisation};
use std::hint::black_box;
use std::time::Instant;

/// All calls, to time them.
pub const LOOPS: &[Call<Robot>] = &[
    Call {
        name: NAMES[0].name,
        time_pass,
        answer,
    },
    Call {
        name: NAMES[1].name,
        time_pass,
        answer,
    },
];

/// All calls, by name: they are not counted, because closed loops are solved in doubles alone.
pub const NAMES: &[Count] = &[
    Count {
        name: "constraint_dynamics",
        count: None,
    },
    Count {
        name: "loop_constrained_aba",
        count: None,
    },
];

fn time_pass(robot: &mut Robot) -> Result<f64> {
    let (model, states) = robot.parts();
    let mut ws = LoopWorkspace::new(model)?;
    let begin = Instant::now();
    for state in states {
        black_box(accelerations(black_box(model), &mut ws, state)?);
    }
    Ok(begin.elapsed().as_secs_f64() * 1e9 / states.len() as f64)
}

fn answer(robot: &mut Robot, index: usize) -> Result<Vec<f64>> {
    let (model, states) = robot.parts();
    let mut ws = LoopWorkspace::new(model)?;
    Ok(accelerations(model, &mut ws, &states[index])?.to_vec())
}

fn accelerations<'w>(model: &Model, ws: &'w mut LoopWorkspace, state: &State) -> Result<&'w [f64]> {
    let State { q, v, tau, .. } = state;
    let dynamics = loop_dynamics(model, ws, q, v, tau, &[], &Stabilisation::NONE)?;
    Ok(dynamics.accelerations)
}
