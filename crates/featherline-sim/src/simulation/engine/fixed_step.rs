//! Steps of a fixed length by any one-step method, with projection on the loops.

use super::acceleration::Acceleration;
use super::{Engine, EventDetector, Motion, Result, SimulationError, Steps, TotalForce};
use crate::integrator::{Stability, Stepper};

/// A stepper with the accelerations that it integrates.
pub(in super::super) struct FixedStep<'m> {
    pub stepper: Box<dyn Stepper + 'm>,
    /// The longest step, in s.
    pub step: f64,
    pub acceleration: Acceleration<'m>,
}

impl<'m> Engine<'m> for FixedStep<'m> {
    fn step(&mut self, motion: &mut Motion<'m>, steps: &mut Steps) -> Result<bool> {
        let (t, h) = steps.next();
        let state = &mut motion.state;
        let field = self.acceleration.as_vector_field();
        self.stepper
            .step(field, t, &mut state.q, &mut state.v, h)
            .map_err(SimulationError::of)?;
        state.t = t + h;
        motion.end_step(steps)
    }

    fn prepare_interpolation(&self, _: &mut EventDetector<'m>) -> Result<()> {
        Ok(())
    }

    fn interpolate(&mut self, t: f64, events: &mut EventDetector<'m>) -> Result<()> {
        let (begin, between) = (&events.begin, &mut events.between);
        between.set(t, &begin.q, &begin.v);
        if t > begin.t {
            let (q, v) = (&mut between.q, &mut between.v);
            let field = self.acceleration.as_vector_field();
            self.stepper
                .step(field, begin.t, q, v, t - begin.t)
                .map_err(SimulationError::of)?;
        }
        Ok(())
    }

    fn total_force(&mut self) -> &mut TotalForce<'m> {
        self.acceleration.total_force()
    }

    fn longest_step(&self) -> f64 {
        self.step
    }

    fn stability(&self) -> Option<(&'static str, Stability)> {
        Some((self.stepper.name(), self.stepper.stability()?))
    }

    fn worst_condition(&self) -> Option<f64> {
        self.acceleration.worst_condition()
    }
}
