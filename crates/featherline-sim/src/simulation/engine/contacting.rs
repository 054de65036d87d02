//! Time stepping with contact, as a simulation drives it.

use super::{Engine, EventDetector, Motion, SimulationError, Steps, TotalForce};
use crate::contact::{ContactImpulse, ContactSource, Drives, StepReport, TimeStepping};
use crate::integrator::{IntegratorError, Stability};
use crate::simulation::SimulationWarning;
use featherline::spatial::Se3;
use featherline_constraint::nonsmooth::Contact;

/// The stability of forces that are taken at the beginning of a step, as symplectic Euler has it.
const STABILITY: Stability = Stability {
    damping: 2.0,
    oscillation: 2.0,
};

/// Time stepping.
pub(in super::super) struct Contacting<'m> {
    pub stepping: Box<TimeStepping<'m, TotalForce<'m>, AnySource<'m>>>,
    /// The longest step, in s.
    pub step: f64,
    /// The worst of the steps since a sample asked for it.
    pub worst: Option<StepReport>,
    /// The length of the last step, and the state before it.
    pub before: Option<Before>,
}

/// The length of a step and the state before it.
pub(in super::super) struct Before {
    h: f64,
    q: Box<[f64]>,
    v: Box<[f64]>,
}

impl Before {
    /// Keeps the state before a step in memory that is there.
    fn keep(own: &mut Option<Self>, h: f64, q: &[f64], v: &[f64]) {
        let own = own.get_or_insert_with(|| Self {
            h,
            q: q.into(),
            v: v.into(),
        });
        own.h = h;
        own.q.copy_from_slice(q);
        own.v.copy_from_slice(v);
    }
}

/// A source of contacts that was chosen while the program runs.
pub(in super::super) struct AnySource<'m>(pub Box<dyn ContactSource + 'm>);

impl ContactSource for AnySource<'_> {
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.find(placements, range, out)
    }
}

impl<'m> Engine<'m> for Contacting<'m> {
    fn step(
        &mut self,
        motion: &mut Motion<'m>,
        steps: &mut Steps,
        events: &mut EventDetector<'m>,
    ) -> Result<bool, SimulationError> {
        let (t, h) = steps.next();
        let state = &mut motion.state;
        Before::keep(&mut self.before, h, &state.q, &state.v);
        let report = self
            .stepping
            .step(t, &mut state.q, &mut state.v, h)
            .map_err(SimulationError::of)?;
        state.t = t + h;
        self.worst = Some(match self.worst {
            Some(worst) => worst.or_worse(report),
            None => report,
        });
        let warnings = &mut motion.warnings;
        if !report.outcome.has_converged {
            SimulationWarning::count_inexact(warnings, t, &report.outcome);
        }
        motion
            .loops
            .project(warnings, state.t, &mut state.q, &mut state.v)?;
        motion
            .loops
            .look_for_singularity(warnings, state.t, &state.q);
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

    fn contacts(&self) -> &[ContactImpulse] {
        self.stepping.contacts()
    }

    fn take_report(&mut self) -> Option<StepReport> {
        self.worst.take()
    }

    fn last_step(&self) -> Option<(f64, &[f64], &[f64])> {
        let before = self.before.as_ref()?;
        Some((before.h, &before.q, &before.v))
    }

    fn drives_mut(&mut self) -> Option<&mut Drives> {
        Some(self.stepping.drives_mut())
    }

    fn total_force(&mut self) -> &mut TotalForce<'m> {
        self.stepping.forces_mut()
    }

    fn longest_step(&self) -> f64 {
        self.step
    }

    fn stability(&self) -> Option<(&'static str, Stability)> {
        Some(("time stepping", STABILITY))
    }
}
