//! Steps in parts, where something turns far beside what it touches.
//!
//! The laws of a step are those of the orientation before it: what an impact spins would sweep
//! through what is thin. Where a body within reach of a contact would turn too far by the velocity
//! that was found, the step is made again, in parts that are steps of their own.

use super::{ContactSource, StepKernel, StepReport, TimeStepping};
use crate::integrator::forces::ForceModel;
use crate::integrator::stepper::StepState;
use crate::integrator::{IntegratorError, Result};
use featherline::kernel::{dispatch, link_kinematics};
use featherline::model::JointId;

/// The rotation of a body in rad that is too far for one step.
const FAR: f64 = 0.5;

/// The rotation in rad of a part of a step, about.
const PART: f64 = 0.2;

/// The most parts.
const MOST: usize = 16;

/// The way of a coordinate in rad or m below which no body turns too far.
const SHORT: f64 = 0.1;

impl<L: ForceModel, C: ContactSource> TimeStepping<'_, L, C> {
    /// In how many parts a step of `h` seconds should be made by the velocity that was found.
    #[inline(always)]
    pub(super) fn parts_needed(&mut self, start: StepState<'_>) -> Result<usize> {
        let mut velocity = self.solver.velocity().iter();
        if self.contacts.is_empty() || velocity.all(|v| (start.h * v).abs() < SHORT) {
            return Ok(1);
        }
        self.count_parts(start)
    }

    #[cold]
    fn count_parts(&mut self, start: StepState<'_>) -> Result<usize> {
        let StepState { t, q, v, h } = start;
        let (model, found) = (self.model, self.solver.velocity());
        let kinematics = link_kinematics(model, &mut self.ws, q, found)
            .map_err(|source| IntegratorError::at(model, t, v, source))?;
        let mut farthest: f64 = 0.0;
        for body in self.contacts.iter().flat_map(|contact| contact.bodies) {
            if body != JointId::UNIVERSE {
                farthest = farthest.max(h * kinematics.velocity(body).angular.norm());
            }
        }
        match farthest > FAR {
            true => Ok(((farthest / PART).ceil() as usize).min(MOST)),
            false => Ok(1),
        }
    }

    /// Makes a step in parts: the worst of their reports, and the contacts of all.
    #[cold]
    pub(super) fn step_in_parts(
        &mut self,
        t: f64,
        (q, v): (&mut [f64], &mut [f64]),
        h: f64,
        parts: usize,
    ) -> Result<StepReport> {
        self.keep_before(q, v);
        self.parts = parts;
        let own = h / parts as f64;
        let mut worst: Option<StepReport> = None;
        for part in 0..parts {
            self.part = part;
            let step = StepKernel {
                t: own.mul_add(part as f64, t),
                q: &mut *q,
                v: &mut *v,
                h: own,
                stepping: self,
            };
            let report = dispatch(step)?;
            worst = Some(worst.map_or(report, |worst| worst.or_worse(report)));
        }
        worst.ok_or_else(|| IntegratorError::diverged(self.model, t, v, v))
    }
}
