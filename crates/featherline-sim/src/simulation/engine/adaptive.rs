//! Steps that follow a tolerance, with projection on the loops.

use super::acceleration::Acceleration;
use super::{Engine, EventDetector, Motion, Result, SimulationError, Steps, TotalForce};
use crate::integrator::{DenseOutput, DormandPrince, Stability};
use std::ops::ControlFlow;

/// Where loops are singular, constraints cease to be independent and become so again, and
/// accelerations jump: no step is short enough for a tolerance. A step is made there whatever its
/// error, in which the fastest joint moves by this much, in rad and m: more than twice the reach of
/// such places ([`LoopDynamics::redundant`](featherline_constraint::LoopDynamics)).
const FORCED_STEP_MOTION: f64 = 2e-4;

/// No forced step is longer, in s.
const LONGEST_FORCED_STEP: f64 = 1e-3;

/// More forced steps than the way out of a singularity takes.
const MOST_FORCED_STEPS: usize = 1000;

/// Dormand and Prince's method with the accelerations that it integrates.
pub(in super::super) struct Adaptive<'m> {
    pub method: Box<DormandPrince<'m>>,
    pub acceleration: Acceleration<'m>,
}

impl<'m> Engine<'m> for Adaptive<'m> {
    fn step(&mut self, motion: &mut Motion<'m>, steps: &mut Steps) -> Result<bool> {
        let until = steps.end;
        let (mut may_pass, mut forced_steps, mut forced) = (false, 0, None);
        loop {
            let after_step = |dense: &mut DenseOutput<'_>| {
                if !motion.events.is_empty() {
                    let (begin, end) = (dense.begin(), dense.end());
                    let (q, v) = dense.at(end)?;
                    may_pass = motion.events.look(end, q, v)?;
                    motion.events.begin.t = begin;
                }
                steps.made += 1;
                Ok(if may_pass {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            };
            let settle = |t: f64, q: &mut [f64], v: &mut [f64]| {
                let (loops, warnings) = (&mut motion.loops, &mut motion.warnings);
                loops.project(warnings, t, q, v)?;
                loops.look_for_singularity(warnings, t, q);
                Ok(loops.projects())
            };
            let state = &mut motion.state;
            let done = self.method.integrate_settling(
                self.acceleration.as_vector_field(),
                (&mut state.t, &mut state.q, &mut state.v),
                until,
                forced,
                settle,
                after_step,
            );
            let error = match done {
                Ok(_) => {
                    steps.is_done = state.t >= until;
                    return Ok(may_pass);
                }
                Err(SimulationError::Integrator(error)) => motion.loops.explain(&state.q, error),
                Err(error) => error,
            };
            if forced_steps == MOST_FORCED_STEPS
                || !matches!(error, SimulationError::NearSingular { .. })
            {
                return Err(error);
            }
            (motion.loops).look_for_singularity(&mut motion.warnings, state.t, &state.q);
            let fastest = state.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            forced = Some((FORCED_STEP_MOTION / fastest).min(LONGEST_FORCED_STEP));
            forced_steps += 1;
        }
    }

    fn prepare_interpolation(&self, _: &mut EventDetector<'m>) -> Result<()> {
        Ok(())
    }

    fn interpolate(&mut self, t: f64, events: &mut EventDetector<'m>) -> Result<()> {
        let (q, v) = self.method.dense.at(t)?;
        events.between.set(t, q, v);
        Ok(())
    }

    fn total_force(&mut self) -> &mut TotalForce<'m> {
        self.acceleration.total_force()
    }

    fn longest_step(&self) -> f64 {
        self.method.tolerance().greatest_step
    }

    fn stability(&self) -> Option<(&'static str, Stability)> {
        None
    }

    fn worst_condition(&self) -> Option<f64> {
        self.acceleration.worst_condition()
    }
}
