//! Impulses of the step before, to begin the next one with.

use super::{ContactImpulse, TimeStepping};
use featherline::spatial::Vec3;

/// What a row belongs to, to begin the next step with its impulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Contact { feature: u64, bodies: [usize; 2] },
    Limit { index: usize, is_upper: bool },
    Friction { index: usize },
    Drive { coordinate: usize },
    Loop { row: usize },
}

/// A block of rows of the step before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remembered {
    origin: Origin,
    /// The impulse; of contacts in the world.
    impulse: [f64; 3],
}

impl<L, C> TimeStepping<'_, L, C> {
    /// The impulses of the step before, of rows that are there again.
    #[inline(always)]
    pub(super) fn warm_start(&mut self) {
        self.impulses.clear();
        self.impulses.resize(self.rows.len(), 0.0);
        let mut next = 0;
        for (block, origin) in self.origins.iter().enumerate() {
            // Most rows come in the same order again.
            let found = match self.remembered.get(next) {
                Some(same) if same.origin == *origin => Some(next),
                _ => self.remembered.iter().position(|it| it.origin == *origin),
            };
            let Some(at) = found else { continue };
            next = at + 1;
            let impulse = self.remembered[at].impulse;
            let first = self.rows.first_row(block);
            match origin {
                Origin::Contact { .. } => {
                    let impulse = Vec3::from(impulse);
                    for (k, axis) in self.contacts[block].axes().iter().enumerate() {
                        self.impulses[first + k] = axis.dot(impulse);
                    }
                }
                _ => self.impulses[first] = impulse[0],
            }
        }
    }

    /// Keeps the impulses for the next step, and those of contacts for whoever asks.
    #[inline(always)]
    pub(super) fn remember(&mut self) {
        self.remembered.clear();
        self.report.clear();
        for (block, origin) in self.origins.iter().enumerate() {
            let first = self.rows.first_row(block);
            let mut impulse = [self.impulses[first], 0.0, 0.0];
            if let Origin::Contact { .. } = origin {
                let contact = self.contacts[block];
                let axes = contact.axes();
                let u = self.rows.velocity(block, self.solver.velocity());
                let (mut sum, mut velocity) = (Vec3::zero(), Vec3::zero());
                for (k, axis) in axes.into_iter().enumerate() {
                    sum += axis * self.impulses[first + k];
                    velocity += axis * u[k];
                }
                impulse = sum.to_array();
                self.report.push(ContactImpulse {
                    contact,
                    impulse: sum,
                    velocity,
                });
            }
            self.remembered.push(Remembered {
                origin: *origin,
                impulse,
            });
        }
    }
}
