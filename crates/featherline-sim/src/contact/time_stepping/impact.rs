//! Impacts with restitution, at the end of a step.

use super::TimeStepping;
use featherline_constraint::nonsmooth::{Outcome, Set};

/// Speeds of an impact below which nothing rebounds, in multiples of what gravity gives in a step:
/// what lies would hop for ever.
const REST: f64 = 2.0;

impl<L, C> TimeStepping<'_, L, C> {
    /// The speeds at which contacts with restitution were hit: whether there is one.
    #[inline(always)]
    pub(super) fn find_rebounds(&mut self, v: &[f64], h: f64) -> bool {
        self.hits.clear();
        if self
            .contacts
            .iter()
            .all(|contact| contact.restitution <= 0.0)
        {
            return false;
        }
        let least = REST * h * self.model.gravity().norm();
        self.rows.velocities(v, &mut self.speeds);
        for (block, contact) in self.contacts.iter().enumerate() {
            let pushes = self.impulses[self.rows.first_row(block) + 2] > 0.0;
            let speed = self.speeds[block][2];
            let is_hit = contact.restitution > 0.0 && pushes && speed < -least;
            self.hits.push(if is_hit {
                contact.restitution * speed
            } else {
                0.0
            });
        }
        self.hits.iter().any(|hit| *hit != 0.0)
    }

    /// The impact at the end of the step: what was hit leaves at e times the speed at which it came
    /// (Newton's law in Moreau's form); everything else holds. Forces that are finite do nothing.
    pub(super) fn rebound(&mut self) -> Outcome {
        self.free.copy_from_slice(self.solver.velocity());
        self.rows.velocities(&self.free, &mut self.speeds);
        for block in 0..self.rows.blocks() {
            let u = self.speeds[block];
            let law = self.rows.law_mut(block);
            match &mut law.set {
                Set::Cone { .. } => {
                    let open = (law.bias[2] + u[2]).max(0.0);
                    // What is not closed by now may be as fast as it takes to close it.
                    law.bias[2] = open + self.hits[block];
                }
                Set::Interval { bound } => *bound = 0.0,
                _ => law.bias[0] = (law.bias[0] + u[0]).max(0.0),
            }
            law.compliance = 0.0;
        }
        self.impacts.clear();
        self.impacts.resize(self.rows.len(), 0.0);
        let (free, rows) = (&self.free, &self.rows);
        self.solver
            .solve(free, rows, &mut self.impacts, &self.options)
    }
}
