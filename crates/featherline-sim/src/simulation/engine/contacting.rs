//! Time stepping with contact, as a simulation drives it.

use super::{Engine, Motion, Result, Steps, TimedState, TotalForce};
use crate::contact::{ContactSample, ContactSource, MovedBodies, Softness, TimeStepping};
use crate::integrator::Stability;
use crate::simulation::{Bookkeeper, SimulationWarning};
use featherline::model::{JointId, Model};
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
    pub bookkeeper: Bookkeeper<'m>,
    /// The forces of drives in the last step: their targets may be moved since. Empty before.
    driven: Vec<f64>,
}

impl<'m> Contacting<'m> {
    pub fn new(
        model: &'m Model,
        stepping: TimeStepping<'m, TotalForce<'m>, AnySource<'m>>,
        step: f64,
    ) -> Self {
        Self {
            stepping: Box::new(stepping),
            step,
            bookkeeper: Bookkeeper::new(model),
            driven: Vec::with_capacity(model.nv()),
        }
    }

    /// Adds the joint forces of the drives in the step that led to a state; before the first one,
    /// what they are there.
    pub fn add_drive_forces(&mut self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        if self.driven.is_empty() {
            self.stepping.drives_mut().add_forces(q, v, tau);
        }
        for (sum, force) in tau.iter_mut().zip(&self.driven) {
            *sum += force;
        }
    }

    /// The contact data of a sample, whose state has the mechanical energy `energy`, in J.
    pub fn sample(&mut self, energy: f64) -> ContactSample<'_> {
        self.bookkeeper.sample(self.stepping.contacts(), energy)
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

    fn radius(&self, body: JointId) -> f64 {
        self.0.radius(body)
    }

    fn softness(&self, contact: &Contact) -> Option<Softness> {
        self.0.softness(contact)
    }

    fn place_moved(&mut self, moved: &MovedBodies) {
        self.0.place_moved(moved);
    }

    fn fastest_surface(&self) -> f64 {
        self.0.fastest_surface()
    }

    fn body_pairs(&self) -> Vec<[JointId; 2]> {
        self.0.body_pairs()
    }
}

impl<'m> Engine<'m> for Contacting<'m> {
    fn step(&mut self, motion: &mut Motion<'m>, steps: &mut Steps) -> Result<bool> {
        let (t, h) = steps.next();
        let state = &mut motion.state;
        let report = self.bookkeeper.step(
            &mut self.stepping,
            |forces| (&forces.tau, &forces.bodies),
            t,
            (&mut state.q, &mut state.v),
            h,
        )?;
        self.driven.clear();
        self.driven.resize(state.v.len(), 0.0);
        let drives = self.stepping.drives_mut();
        drives.add_forces(&state.q, &state.v, &mut self.driven);
        state.t = t + h;
        let (warnings, account) = (&mut motion.warnings, self.bookkeeper.account());
        SimulationWarning::add_step(warnings, [t, state.t], &report.outcome, account);
        motion.end_step(steps)
    }

    fn restart(&mut self, _: &mut TimedState) -> Result<()> {
        self.bookkeeper.restart();
        Ok(())
    }

    fn contacting(&self) -> Option<&Contacting<'m>> {
        Some(self)
    }

    fn contacting_mut(&mut self) -> Option<&mut Contacting<'m>> {
        Some(self)
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
