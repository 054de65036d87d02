//! Impacts with restitution, at the end of a step.

use super::{ContactSource, ImpactLaw, TimeStepping};
use crate::integrator::forces::ForceModel;
use crate::integrator::{IntegratorError, Result};
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::{Contact, Outcome, Set, SolverOptions};

/// Slower hits, in multiples of what gravity gives in a step, do not rebound: they would
/// rebound for ever.
pub(super) const REST: f64 = 2.0;

/// The part of the tolerance for impacts: what rebounds a thousand times keeps its energy.
const EXACT: f64 = 1e-4;

/// A velocity in m/s or rad/s at which nothing closes.
pub(super) const OPEN: f64 = 1e9;

/// A contact that was hit and rebounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub contact: Contact,
    /// The speed at the beginning of the step, negative.
    pub speed: f64,
}

impl Hit {
    /// Whether it is that of a contact.
    #[inline(always)]
    pub fn is_of(&self, contact: &Contact) -> bool {
        self.contact.feature == contact.feature && self.contact.bodies == contact.bodies
    }
}

impl<L: ForceModel, C: ContactSource> TimeStepping<'_, L, C> {
    /// The contacts with restitution that were hit: whether there is one.
    #[inline(always)]
    pub(super) fn find_rebounds(&mut self, v: &[f64], h: f64) -> bool {
        self.hits.clear();
        let least = REST * h * self.model.gravity().norm();
        for (block, contact) in self.contacts.iter().enumerate() {
            let pushes = self.impulses[self.rows.first_row(block) + 2] > 0.0;
            let is_soft = self.rows.law(block).compliance > 0.0;
            if contact.restitution <= 0.0 || !pushes || is_soft {
                continue;
            }
            let speed = self.contact_velocity(block, v)[2];
            if speed < -least {
                let contact = *contact;
                self.hits.push(Hit { contact, speed });
            }
        }
        let rebounds = !self.hits.is_empty();
        if rebounds && self.impact_law() == ImpactLaw::Reflections {
            self.keep_energies(v);
        }
        rebounds
    }

    /// The law of impacts: beside surfaces that move by themselves, which give energy, Newton's.
    fn impact_law(&self) -> ImpactLaw {
        let mut contacts = self.contacts.iter();
        match contacts.any(|it| it.surface_velocity != Vec3::zero()) {
            true => ImpactLaw::Newton,
            false => self.impact,
        }
    }

    /// The impact at the end of a step of `h` seconds, at the time `t`. Finite forces do nothing.
    pub(super) fn rebound(&mut self, t: f64, h: f64) -> Result<Outcome> {
        let impact = self.impact_law();
        self.source.place_moved(&self.moved);
        self.find_rows_after(t, h)?;
        if !self.solver.set_mass(&self.mass_after) {
            let velocity = &self.velocity;
            return Err(IntegratorError::diverged(self.model, t, velocity, velocity));
        }
        self.openings.clear();
        for block in 0..self.rows.blocks() {
            let law = self.rows.law_mut(block);
            let is_soft = std::mem::take(&mut law.compliance) > 0.0;
            let bias = match &mut law.set {
                // Its force is finite.
                Set::Cone { .. } if is_soft => OPEN,
                Set::Cone { .. } => law.bias[2] - self.contacts[block].surface_bias()[2],
                Set::NonNegative => law.bias[0],
                Set::Interval { bound } => {
                    *bound = 0.0;
                    0.0
                }
                // A coupling yields.
                Set::Equality if is_soft => {
                    law.set = Set::Interval { bound: 0.0 };
                    0.0
                }
                Set::Equality => {
                    law.bias[0] = 0.0;
                    0.0
                }
            };
            // A gap that is still open may close as fast as it takes to close it within the step.
            self.openings.push(bias.max(0.0));
        }
        let reflected = match impact {
            ImpactLaw::Newton => None,
            ImpactLaw::Reflections => {
                let reflected = self.reflect(h);
                // From here on nothing rebounds.
                self.hits.clear();
                reflected
            }
        };
        for block in 0..self.rows.blocks() {
            let opening = self.openings[block];
            let law = self.rows.law_mut(block);
            match law.set {
                Set::Cone { .. } => {
                    // Newton's law: what was hit leaves at e times the speed at which it came.
                    let contact = &self.contacts[block];
                    let hit = self.hits.iter().find(|hit| hit.is_of(contact));
                    law.bias[2] = hit.map_or(opening, |hit| hit.contact.restitution * hit.speed);
                    law.bias[2] += contact.surface_bias()[2];
                }
                Set::NonNegative => law.bias[0] = opening,
                Set::Equality | Set::Interval { .. } => {}
            }
        }
        let outcome = self.solve_impact();
        self.moved_work += self.surface_work(&self.impacts);
        self.velocity.copy_from_slice(self.solver.velocity());
        Ok(reflected.map_or(outcome, |worst| worst.or_worse(outcome)))
    }

    /// The rows at the end of the step.
    fn find_rows_after(&mut self, t: f64, h: f64) -> Result<()> {
        let q = std::mem::take(&mut self.after);
        let v = std::mem::take(&mut self.velocity);
        let found = self.find_rows(t, &q, &v, h);
        (self.after, self.velocity) = (q, v);
        found.map(|_| ())
    }
}

impl<L, C> TimeStepping<'_, L, C> {
    /// Solves for the impulses of the rows from the velocity at the end of the step.
    pub(super) fn solve_impact(&mut self) -> Outcome {
        self.impacts.clear();
        self.impacts.resize(self.rows.len(), 0.0);
        let options = SolverOptions {
            tolerance: EXACT * self.options.tolerance,
            in_motion: 0.0,
            ..self.options
        };
        let (free, rows) = (&self.velocity, &self.rows);
        self.solver.solve(free, rows, &mut self.impacts, &options)
    }
}
