//! The recursion over a whole tree without followers.
//!
//! It does what the passes over parts of a tree do one after the other, and moves as few bytes as it can. The way to the root takes
//! bodies in blocks: places and velocities of a block stay in the nearest cache, and of the others a parent alone is placed
//! again. Children's inertias and forces are gathered where their parent's will be; the last child, which the way meets first, replaces
//! what is there, by a choice of addresses and not by a branch that nothing predicts. On the way to the leaves
//! accelerations stay in one place along a chain, and the free fall with them, which turns what was computed with gravity into
//! accelerations in the world. What is checked of pivots and accelerations is checked on the way.

use super::MaximalError;
use super::recursion::{
    Recursion, any_bias, into_link, motion_out_of_link, out_of_link, turned, world,
};
use crate::dynamics::articulated::{
    accelerated, axial_component, axial_force, cross_bias, cross_inertia, transmitted,
};
use crate::dynamics::pivot_rounding::Size;
use crate::loops::Stabilisation;
use crate::model::{Bodies, Body, Class};
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, DynamicParameters, Force, Motion, Se3, Vec3};

/// Bodies whose places and velocities are held together: 12 kB, of the 32 kB or more that the nearest cache has.
const BLOCK: usize = 64;

impl<S: Scalar> Recursion<'_, S> {
    /// All passes. Says whether no pivot is small and all accelerations are finite.
    #[inline(always)]
    pub(super) fn whole_tree(&mut self) -> Result<bool, MaximalError> {
        let sound = self.inward_by_blocks()?;
        Ok(self.accelerate_in_place() && sound)
    }

    /// Where a body is and how it moves, in its link frame.
    #[inline(always)]
    fn placed(&self, i: usize, body: &Body) -> (Se3<S>, Motion<S>) {
        (
            world(&body.turn, &self.state.poses[i]),
            into_link(&body.turn, &self.velocities[i]),
        )
    }

    #[inline(always)]
    fn inward_by_blocks(&mut self) -> Result<bool, MaximalError> {
        let bodies = &self.model.bodies;
        // Of a block, behind those of the universe.
        self.scratch.world[0] = Se3::identity();
        self.scratch.velocity[0] = Motion::zero();
        let mut sound = true;
        let mut end = bodies.links.len();
        while end > 1 {
            let begin = end.saturating_sub(BLOCK).max(1);
            for i in begin..end {
                let (world, velocity) = self.placed(i, &bodies.links[i]);
                self.scratch.world[i + 1 - begin] = world;
                self.scratch.velocity[i + 1 - begin] = velocity;
            }
            for i in (begin..end).rev() {
                let parent = bodies.links[i].parent as usize;
                let above = if parent >= begin || parent == 0 {
                    let at = if parent == 0 { 0 } else { parent + 1 - begin };
                    (self.scratch.world[at], self.scratch.velocity[at])
                } else {
                    self.placed(parent, &bodies.links[parent])
                };
                sound &= self.cross(bodies, i, i + 1 - begin, above)?;
            }
            end = begin;
        }
        Ok(sound)
    }

    /// Crosses a joint. Says whether its pivots are not small.
    #[inline(always)]
    fn cross(
        &mut self,
        bodies: &Bodies,
        i: usize,
        at: usize,
        (above, moving): (Se3<S>, Motion<S>),
    ) -> Result<bool, MaximalError> {
        let (model, body) = (self.model, &bodies.links[i]);
        let velocity = self.scratch.velocity[at];
        let placement = above.inverse_compose(&self.scratch.world[at]);
        let relative = velocity - placement.inverse_act_motion(&moving);
        let c = self.bias_acceleration(i, body, &velocity, &relative)?;
        let parameters = DynamicParameters::constant(&bodies.parameters[i]);
        let mut force = parameters.velocity_force(&velocity);
        if let Some(external) = self.external.get(i) {
            force = force - model.force_in_link(i, external);
        }
        let (nothing, none) = (ArticulatedInertia::zero(), Force::zero());
        let ws = &mut *self.scratch;
        let (gathered, pulling) = (&ws.articulated[i], &ws.force[i]);
        let (gathered, pulling) = if body.has_children {
            (gathered, pulling)
        } else {
            (&nothing, &none)
        };
        let inertia = gathered.plus_body(&parameters);
        let force = *pulling + force;
        ws.placement[i] = placement;
        ws.bias_acceleration[i] = c;
        let parent = body.parent as usize;
        if !body.is_simple {
            (ws.articulated[i], ws.force[i]) = (inertia, force);
            if body.is_last_child {
                (ws.articulated[parent], ws.force[parent]) = (nothing, none);
            }
            return Ok(self.cross_front(i));
        }
        ws.rounding.carried[i] = Size::of(&inertia);
        let k = body.idx_v as usize;
        let (along, component) = axial_force(body.class, &inertia);
        let inverse = (component + S::constant(model.reflected_inertia[k])).recip();
        let side = self.tau[k] - axial_component(body.class, &force);
        let left = inertia.sub_outer(&along, inverse);
        ws.fronts.force[body.front as usize] = along;
        ws.fronts.square[body.square as usize] = inverse;
        ws.fronts.side[body.front as usize] = side;
        (ws.articulated[i], ws.force[i]) = (left, force);
        let mut bias = along.mul_add(side * inverse, &force);
        bias += left.mul_motion(&c);
        // The universe takes what it is given, which nobody reads.
        let (gathered, pulling) = (&ws.articulated[parent], &ws.force[parent]);
        let (gathered, pulling) = if body.is_last_child {
            (&nothing, &none)
        } else {
            (gathered, pulling)
        };
        let inertia = *gathered + left.transformed_by(&placement);
        let force = *pulling + placement.act_force(&bias);
        (ws.articulated[parent], ws.force[parent]) = (inertia, force);
        Ok(model.is_sound_inverse_pivot(k, inverse, &[]))
    }

    /// v × S q̇ with what the joint allows of the relative velocity.
    #[inline(always)]
    fn bias_acceleration(
        &mut self,
        i: usize,
        body: &Body,
        velocity: &Motion<S>,
        relative: &Motion<S>,
    ) -> Result<Motion<S>, MaximalError> {
        let plain = *self.joints.stabilisation == Stabilisation::NONE;
        if let Some(bias) = turned(body.class, velocity, relative).filter(|_| plain) {
            return Ok(bias);
        }
        let (model, link) = (self.model, &self.model.links[i]);
        let own = link.idx_v..link.idx_v + link.columns;
        self.scratch.second[own.clone()].copy_from_slice(&self.tau[own]);
        any_bias(model, i, link, self.state, &mut self.joints, self.scratch)
    }

    /// Crosses a joint of several coordinates.
    #[inline(always)]
    fn cross_front(&mut self, i: usize) -> bool {
        let (model, ws) = (self.model, &mut *self.scratch);
        let (link, front) = (&model.links[i], &model.coordinates.fronts[i]);
        // It can't be borrowed from the workspace while its other parts are being written.
        let tau = std::mem::take(&mut ws.second);
        cross_inertia(model, i, link, None, ws);
        cross_bias(model, i, link, None, &tau, ws);
        ws.second = tau;
        (0..front.eliminated).all(|k| {
            let inverse = ws.fronts.square[front.square + k * (front.coordinates.len() + 1)];
            model.is_sound_inverse_pivot(front.coordinates[k], inverse, &[])
        })
    }

    /// Says whether all accelerations are finite.
    #[inline(always)]
    fn accelerate_in_place(&mut self) -> bool {
        let model = self.model;
        let gravity = Vec3::<S>::constant(model.gravity());
        let mut rates = std::mem::take(&mut self.scratch.vector);
        self.accelerations[0] = Motion::zero();
        self.joint_forces[0] = Force::zero();
        // Nothing, unless one is not finite.
        let mut beyond = Motion::zero();
        for (i, body) in model.bodies.links.iter().enumerate().skip(1) {
            let ws = &mut *self.scratch;
            let (above, fall) = if body.parent == 0 {
                (Motion::new(-gravity, Vec3::zero()), gravity)
            } else {
                let place = body.place_above as usize;
                (ws.acceleration[place], ws.velocity[place].linear)
            };
            let placement = &ws.placement[i];
            let fall = placement.rotation.tr_mul_vec(fall);
            let mut acceleration = placement.inverse_act_motion(&above) + ws.bias_acceleration[i];
            let force;
            if body.is_simple {
                let along = &ws.fronts.force[body.front as usize];
                let inverse = ws.fronts.square[body.square as usize];
                let side = ws.fronts.side[body.front as usize];
                let carried = ws.articulated[i].mul_motion(&acceleration) + ws.force[i];
                force = along.mul_add(side * inverse, &carried);
                let rate = (side - acceleration.dot(along)) * inverse;
                match body.class {
                    Class::Prismatic => acceleration.linear.z += rate,
                    _ => acceleration.angular.z += rate,
                }
            } else {
                let link = &model.links[i];
                let (rates, forces) = (&mut rates[..], &mut []);
                acceleration = accelerated(model, i, link, None, acceleration, rates, forces, ws);
                force = transmitted(model, i, link, acceleration, rates, ws);
            }
            ws.acceleration[body.place as usize] = acceleration;
            ws.velocity[body.place as usize].linear = fall;
            self.joint_forces[i] = out_of_link(&body.turn, &force);
            acceleration.linear += fall;
            let found = motion_out_of_link(&body.turn, &acceleration);
            beyond += found * S::zero();
            self.accelerations[i] = found;
        }
        self.scratch.vector = rates;
        beyond == Motion::zero()
    }
}
