//! Steps of the variational integrator in joint coordinates.

use super::{
    Engine, EventDetector, IntegratorError, Motion, SimulationError, Steps, TimedState, TotalForce,
};
use crate::integrator::{Stability, VariationalIntegrator};

/// The stability of both variational integrators: springs as in any leapfrog. Dampers see a
/// velocity that the force before has changed, v = u − ½ z v₋, u' = u − z v, whose larger root is
/// −1 at z = 1.
pub(super) const STABILITY: (&str, Stability) = (
    "the variational integrator",
    Stability {
        damping: 1.0,
        oscillation: 2.0,
    },
);

/// The variational integrator, which keeps the motion itself.
pub(in super::super) struct Variational<'m> {
    pub integrator: Box<VariationalIntegrator<'m, TotalForce<'m>>>,
    /// The longest step, in s.
    pub step: f64,
}

impl<'m> Engine<'m> for Variational<'m> {
    fn step(
        &mut self,
        motion: &mut Motion<'m>,
        steps: &mut Steps,
        events: &mut EventDetector<'m>,
    ) -> Result<bool, SimulationError> {
        let (t, h) = steps.next();
        let state = &mut motion.state;
        self.integrator.step(h)?;
        state.t = t + h;
        state.q.copy_from_slice(self.integrator.configuration());
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
