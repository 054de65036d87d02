//! The constraints of a step, as rows.

use super::warm_start::Origin;
use super::{ContactSource, TimeStepping};
use crate::integrator::{IntegratorError, Result};
use featherline::configuration;
use featherline::kernel::link_kinematics;
use featherline::model::JointId;
use featherline_constraint::nonsmooth::{Contact, Law, Set, approach, push_limits};
use featherline_constraint::push_loops;

impl<L, C: ContactSource> TimeStepping<'_, L, C> {
    /// The rows of the step; returns the largest overlap.
    #[inline(always)]
    pub(super) fn find_rows(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<f64> {
        let model = self.model;
        if self.tendons.ahead.iter().any(Option::is_some) {
            self.find_tendons_ahead(t, q, v, h)?;
        }
        let kinematics = link_kinematics(model, &mut self.ws, q, v)
            .map_err(|source| IntegratorError::at(model, t, v, source))?;
        self.robot.place(model, &kinematics);
        self.drives.find_lengths(model, &self.robot, q, h);
        self.tendons.find(model, &self.robot, q);
        let robot = (model, &self.robot);
        let (source, contacts) = (&mut self.source, &mut self.contacts);
        self.reach
            .find(h, robot, &kinematics, source, contacts)
            .map_err(|source| IntegratorError::Field { t, source })?;
        self.reach.find_limits(h, &self.limits, (q, v));
        self.push_rows(t, q, v, h)?;
        Ok(self.reach.penetration())
    }

    /// How the lengths of tendons change after a step in which nothing acts.
    #[cold]
    fn find_tendons_ahead(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<()> {
        let model = self.model;
        let at = |source| IntegratorError::at(model, t, v, source);
        let [mut step, mut ahead, mut velocity] = std::mem::take(&mut self.tendons.memory);
        for (memory, from) in [(&mut step, v), (&mut ahead, q), (&mut velocity, v)] {
            memory.clear();
            memory.extend_from_slice(from);
        }
        step.iter_mut().for_each(|it| *it *= h);
        configuration::integrate_into(model, q, &step, &mut ahead).map_err(at)?;
        for joint in &self.moving {
            let linear = joint.linear(v);
            let seen = linear + linear.cross(joint.angular(v)) * h;
            joint.write_linear(seen, &mut velocity);
        }
        let kinematics = link_kinematics(model, &mut self.ws, &ahead, &velocity).map_err(at)?;
        self.robot.place(model, &kinematics);
        self.tendons
            .find_ahead(model, &self.robot, &ahead, &velocity);
        self.tendons.memory = [step, ahead, velocity];
        Ok(())
    }

    /// Whether the velocity that was found closes gaps without rows in `h` seconds.
    #[inline(always)]
    pub(super) fn finds_more(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<bool> {
        let (model, found) = (self.model, self.solver.velocity());
        if !found.iter().all(|v| v.is_finite()) {
            return Ok(false);
        }
        let more = self.reach.find_more_limits(h, &self.limits, (q, found));
        if !self.reach.is_near.contains(&false) {
            return Ok(more);
        }
        let kinematics = link_kinematics(model, &mut self.ws, q, found)
            .map_err(|source| IntegratorError::at(model, t, v, source))?;
        let robot = (model, &self.robot);
        let (reach, contacts) = (&mut self.reach, &mut self.contacts);
        Ok(reach.find_more(h, robot, &kinematics, contacts) || more)
    }

    /// The rows of the contacts within reach, of limits, friction, drives and loops.
    #[inline(always)]
    pub(super) fn push_rows(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<()> {
        let model = self.model;
        self.rows.clear();
        self.origins.clear();
        let source = &self.source;
        let law = |contact: &Contact| {
            let mut law = Law::rigid(Set::Cone {
                friction: contact.greatest_friction(),
            });
            law.bias = contact.surface_bias();
            let (bias, compliance) = match source.softness(contact) {
                Some(soft) => soft.row(contact.gap, h),
                None => (approach(contact.gap, h), 0.0),
            };
            law.bias[2] += bias;
            law.compliance = compliance;
            law
        };
        self.robot
            .push_contacts(model, &self.contacts, &mut self.rows, law);
        for contact in &self.contacts {
            self.origins.push(Origin::Contact {
                feature: contact.feature,
                bodies: contact.bodies.map(JointId::index),
            });
        }
        let (rows, origins) = (&mut self.rows, &mut self.origins);
        let limits = self.limits.iter().zip(&self.reach.limits);
        for (index, (limited, is_near)) in limits.enumerate() {
            push_limits(limited, q, h, *is_near, rows, |is_upper| {
                origins.push(Origin::Limit { index, is_upper });
            });
        }
        for (index, friction) in self.friction.iter().enumerate() {
            let set = Set::Interval {
                bound: friction.friction * h,
            };
            rows.push_coordinate(friction.coordinate, friction.ratio, Law::rigid(set));
            origins.push(Origin::Friction { index });
        }
        (self.drives).push(q, h, rows, |row| origins.push(Origin::Drive(row)));
        self.tendons.push(v, h, rows, |row| {
            origins.push(Origin::Tendon { row });
        });
        if let Some(loops) = &mut self.loops {
            let before = rows.blocks();
            push_loops(model, loops, q, v, rows)
                .map_err(|source| IntegratorError::field(t, source))?;
            for row in 0..rows.blocks() - before {
                origins.push(Origin::Loop { row });
            }
        }
        self.push_couplings(v, h);
        Ok(())
    }
}
