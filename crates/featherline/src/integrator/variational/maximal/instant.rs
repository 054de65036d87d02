//! What belongs to one instant: the eliminated system, loads, velocities.

use super::MaximalVariationalIntegrator;
use super::motion::{Factorise, FindVelocities};
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceLaw, Loads, State};
use crate::scalar::dispatch;
use crate::spatial::{Force, Motion};
use nalgebra::Vector6;

impl<L: ForceLaw> MaximalVariationalIntegrator<'_, L> {
    /// Computes what belongs to this instant: directions of impulses, the eliminated system, loads.
    pub(super) fn prepare(&mut self) -> Result<(), IntegratorError> {
        if !self.factorised {
            let factorised = dispatch(Factorise {
                poses: &self.state.poses,
                world: &mut self.here,
                constraints: &self.constraints,
                system: &mut self.system,
            });
            factorised.map_err(|place| self.singular(place))?;
            self.factorised = true;
        }
        if self.loaded {
            return Ok(());
        }
        self.weigh();
        if !self.law.is_nothing() {
            self.evaluate_law()?;
        }
        self.loaded = true;
        Ok(())
    }

    /// Writes the weights of the bodies to the loads.
    fn weigh(&mut self) {
        let gravity = self.model.gravity();
        for i in 1..self.load.len() {
            let fall = self.here[i].rotation.tr_mul_vec(gravity);
            let parameters = &self.parameters[i];
            self.load[i] = Force::new(fall * parameters.mass, parameters.first_moment.cross(fall));
        }
    }

    /// Adds the law's forces to the loads, which hold the weights so far.
    fn evaluate_law(&mut self) -> Result<(), IntegratorError> {
        let on_bodies = self.law.acts_on_bodies();
        // The law is asked with a velocity that the loads of the instant before give: right to second order.
        if on_bodies {
            self.add_body_forces();
        }
        self.find_velocity();
        self.tau.fill(0.0);
        self.bodies.fill(Force::zero());
        let state = State {
            t: self.t,
            q: &self.state.coordinates,
            v: &self.v,
        };
        let mut loads = Loads {
            tau: &mut self.tau,
            bodies: &mut self.bodies,
        };
        self.law.add(&state, &mut loads)?;
        if on_bodies {
            self.weigh();
            self.add_body_forces();
        }
        Ok(())
    }

    fn add_body_forces(&mut self) {
        for i in 1..self.load.len() {
            self.load[i] += self.bodies[i];
        }
    }

    /// Writes the bodies' momenta when loads and drives have acted for a time.
    pub(super) fn find_leaving(&mut self, time: f64) {
        for i in 1..self.leaving.len() {
            self.leaving[i] = self.load[i].mul_add(time, &self.momentum[i]);
        }
        for (constraint, joint) in self.constraints.iter().zip(&self.model.joints()[1..]) {
            let mut drive = Force::zero();
            for degree in 0..joint.nv {
                let k = joint.idx_v + degree;
                let own = self.reflected[k] + time * self.tau[k];
                drive = constraint
                    .force(constraint.rigid() + degree)
                    .mul_add(own, &drive);
            }
            let (above, body) = (constraint.predecessor, constraint.successor);
            self.leaving[body] += drive;
            let across = self.here[above].inverse_compose(&self.here[body]);
            self.leaving[above] += -across.act_force(&drive);
        }
    }

    /// Writes the velocities of this instant, of bodies and of coordinates.
    pub(super) fn find_velocity(&mut self) {
        self.find_leaving(0.5 * self.before);
        dispatch(FindVelocities {
            momentum: &self.leaving,
            system: &mut self.system,
        });
        for i in 1..self.leaving.len() {
            self.state.velocities[i] = Motion::from_array(self.system.found(i));
        }
        for (constraint, joint) in self.constraints.iter().zip(&self.model.joints()[1..]) {
            let (above, body) = (constraint.predecessor, constraint.successor);
            let across = self.here[above].inverse_compose(&self.here[body]);
            let carried = across.inverse_act_motion(&self.state.velocities[above]);
            let relative = Vector6::from(self.state.velocities[body] - carried);
            for degree in 0..joint.nv {
                let along = constraint.basis.columns.column(constraint.rigid() + degree);
                self.v[joint.idx_v + degree] = along.dot(&relative);
            }
        }
    }
}
