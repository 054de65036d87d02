//! Steps of a simulation.

use crate::calls::{Count, Robot};
use anyhow::Result;
use featherline::Model;
use featherline_bench_protocol::server::Call;
use featherline_bench_protocol::states::State;
use featherline_sim::integrator::forces::JointTorques;
use featherline_sim::integrator::{ForwardDynamics, Stepper, SymplecticEuler};
use std::hint::black_box;
use std::time::Instant;

/// The length of a step, in s.
const STEP: f64 = 1e-3;

/// All steps, to time them.
pub const STEPS: &[Call<Robot>] = &[Call {
    name: "euler_step",
    time_pass: |robot| {
        let (model, states) = robot.parts();
        let mut stepping = Stepping::new(model);
        let begin = Instant::now();
        for state in states {
            stepping.step(black_box(state))?;
            black_box(&stepping.v);
        }
        Ok(begin.elapsed().as_secs_f64() * 1e9 / states.len() as f64)
    },
    answer: |robot, index| {
        let (model, states) = robot.parts();
        let mut stepping = Stepping::new(model);
        stepping.step(&states[index])?;
        Ok(stepping.answer(model, &states[index]))
    },
}];

/// All steps, by name: they are not counted, because integrators work on doubles alone.
pub const NAMES: &[Count] = &[Count {
    name: "euler_step",
    count: None,
}];

struct Stepping<'m> {
    field: ForwardDynamics<'m, JointTorques>,
    stepper: SymplecticEuler<'m>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl<'m> Stepping<'m> {
    fn new(model: &'m Model) -> Self {
        let law = JointTorques::new(vec![0.0; model.nv()]);
        Self {
            field: ForwardDynamics::with_forces(model, law),
            stepper: SymplecticEuler::new(model),
            q: vec![0.0; model.nq()],
            v: vec![0.0; model.nv()],
        }
    }

    fn step(&mut self, state: &State) -> Result<()> {
        self.q.copy_from_slice(&state.q);
        self.v.copy_from_slice(&state.v);
        self.field.forces_mut().tau.copy_from_slice(&state.tau);
        let Self {
            field,
            stepper,
            q,
            v,
        } = self;
        Ok(stepper.step(field, 0.0, q, v, STEP)?)
    }

    /// The mean acceleration, then the configuration of joints with one freedom: a free joint's is
    /// integrated differently from library to library.
    fn answer(&self, model: &Model, state: &State) -> Vec<f64> {
        let changes = self.v.iter().zip(&state.v);
        let mut answer: Vec<f64> = changes.map(|(after, v)| (after - v) / STEP).collect();
        for joint in model.joints().iter().filter(|joint| joint.nv == 1) {
            answer.extend(&self.q[joint.idx_q..joint.idx_q + joint.nq]);
        }
        answer
    }
}
