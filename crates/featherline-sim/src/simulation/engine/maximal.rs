//! Steps of the variational integrator in maximal coordinates, which closes loops itself.

use super::super::loop_projection::LEFT_OPEN;
use super::variational::STABILITY;
use super::{
    Engine, EventDetector, IntegratorError, Motion, SimulationError, Steps, TimedState, TotalForce,
};
use crate::integrator::{MaximalVariationalIntegrator, Stability};

/// The variational integrator in maximal coordinates, which keeps the motion itself.
pub(in super::super) struct MaximalVariational<'m> {
    pub integrator: Box<MaximalVariationalIntegrator<'m, TotalForce<'m>>>,
    /// The longest step, in s.
    pub step: f64,
}

impl<'m> Engine<'m> for MaximalVariational<'m> {
    fn step(
        &mut self,
        motion: &mut Motion<'m>,
        steps: &mut Steps,
        events: &mut EventDetector<'m>,
    ) -> Result<bool, SimulationError> {
        let (t, h) = steps.next();
        let (state, warnings) = (&mut motion.state, &mut motion.warnings);
        self.integrator.step(h)?;
        state.t = t + h;
        state.q.copy_from_slice(self.integrator.configuration());
        if self.integrator.gap() > LEFT_OPEN {
            motion.loops.report_gap(warnings, state)?;
        }
        motion
            .loops
            .look_for_singularity(warnings, state.t, &state.q);
        // The velocity takes a solution of its own.
        if steps.is_done || !events.is_empty() {
            state.v.copy_from_slice(self.integrator.velocity()?);
        }
        events.look_after(steps, state)
    }

    fn prepare_interpolation(&self, events: &mut EventDetector<'m>) -> Result<(), IntegratorError> {
        events.prepare_cubic()
    }

    fn interpolate(
        &mut self,
        t: f64,
        events: &mut EventDetector<'m>,
    ) -> Result<(), SimulationError> {
        events.interpolate_cubic(t)
    }

    fn restart(&mut self, state: &mut TimedState) -> Result<(), IntegratorError> {
        self.integrator.start(state.t, &state.q, &state.v)?;
        state.v.copy_from_slice(self.integrator.velocity()?);
        Ok(())
    }

    fn total_force(&mut self) -> &mut TotalForce<'m> {
        self.integrator.forces_to_ask()
    }

    fn longest_step(&self) -> f64 {
        self.step
    }

    fn stability(&self) -> Option<(&'static str, Stability)> {
        Some(STABILITY)
    }

    fn is_variational(&self) -> bool {
        true
    }
}
