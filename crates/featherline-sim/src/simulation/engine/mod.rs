//! Engines: the methods of integration as a simulation drives them.
//!
//! | engine | steps | method |
//! |---|---|---|
//! | [`FixedStep`](fixed_step::FixedStep) | fixed | any [`Stepper`](crate::integrator::Stepper) |
//! | [`Adaptive`](adaptive::Adaptive) | by a tolerance | [`DormandPrince`](crate::integrator::DormandPrince) |
//! | [`Contacting`](contacting::Contacting) | fixed | [`TimeStepping`](crate::contact::TimeStepping) |
//! | [`Variational`](variational::Variational) | fixed | [`VariationalIntegrator`](crate::integrator::VariationalIntegrator) or [`MaximalVariationalIntegrator`](crate::integrator::MaximalVariationalIntegrator) |

pub(super) mod acceleration;
pub(super) mod adaptive;
pub(super) mod contacting;
pub(super) mod fixed_step;
pub(super) mod variational;

use super::event::{EventDetector, TimedState};
use super::loop_projection::LoopProjection;
use super::step_count::Steps;
use super::total_force::TotalForce;
use super::{Result, SimulationError, SimulationWarning};
use crate::integrator::Stability;
use contacting::Contacting;

/// The state that an engine moves on, its loops and events, and the warnings so far.
pub(super) struct Motion<'m> {
    pub state: TimedState,
    pub loops: LoopProjection<'m>,
    pub events: EventDetector<'m>,
    pub warnings: Vec<SimulationWarning>,
}

impl Motion<'_> {
    /// Puts the state on its loops after an equal step. Returns whether an event may have happened.
    fn end_step(&mut self, steps: &Steps) -> Result<bool> {
        let (state, warnings) = (&mut self.state, &mut self.warnings);
        (self.loops).project(warnings, state.t, &mut state.q, &mut state.v)?;
        (self.loops).look_for_singularity(warnings, state.t, &state.q);
        self.events.look_after(steps, state)
    }
}

/// A method of integration with what it integrates.
pub(super) trait Engine<'m> {
    /// Makes the next of `steps`, or, where a tolerance sets the length of steps, goes on to the
    /// end of them or of the first step in which an event may have happened. Returns whether one
    /// may have.
    fn step(&mut self, motion: &mut Motion<'m>, steps: &mut Steps) -> Result<bool>;

    /// Prepares [`interpolate`](Self::interpolate) for the step that was made last.
    fn prepare_interpolation(&self, events: &mut EventDetector<'m>) -> Result<()> {
        events.prepare_cubic()
    }

    /// Writes the state at the time `t`, within the step that was made last, to `events.between`:
    /// unless the method has such an output of its own, that of the cubic through both ends.
    fn interpolate(&mut self, t: f64, events: &mut EventDetector<'m>) -> Result<()> {
        events.interpolate_cubic(t)
    }

    /// Starts again from a state that an event has changed.
    fn restart(&mut self, _: &mut TimedState) -> Result<()> {
        Ok(())
    }

    /// Time stepping, if this is that.
    fn contacting(&self) -> Option<&Contacting<'m>> {
        None
    }

    /// Time stepping, if this is that.
    fn contacting_mut(&mut self) -> Option<&mut Contacting<'m>> {
        None
    }

    /// All applied forces.
    fn total_force(&mut self) -> &mut TotalForce<'m>;

    /// The longest step, in s.
    fn longest_step(&self) -> f64;

    /// The method's name and the stability of its steps; none where a tolerance bounds them.
    fn stability(&self) -> Option<(&'static str, Stability)>;

    /// Whether rotations are too short by the step's own error, which the energy does not show.
    fn is_variational(&self) -> bool {
        false
    }

    /// The largest condition of the loops so far; none where it is not computed.
    fn worst_condition(&self) -> Option<f64> {
        None
    }
}
