//! The recursion over a whole tree without mimic joints.
//!
//! It does what the passes over parts of a tree do one after the other, and moves as few bytes as
//! it can. The way to the root takes bodies in blocks: places and velocities of a block and of the
//! parents that are not in it stay in the nearest cache. What children hand on is gathered in as
//! many places as branches are open, where the last child, which the way meets first, replaces what
//! is there, by a choice of addresses and not by a branch that nothing predicts. What the way to
//! the leaves needs is written [together](super::crossing) and read once. There, too, accelerations
//! stay in one place along a chain, and the free fall with them, which turns what was computed with
//! gravity into accelerations in the world. What is checked of pivots and accelerations is checked
//! on the way.

use super::MaximalError;
use super::crossing::Crossing;
use super::recursion::{
    Recursion, any_bias, into_link, motion_out_of_link, out_of_link, turned, world,
};
use super::tree_memory::{BLOCK, Gathered, Placed};
use featherline::kernel;
use featherline::kernel::InertiaBound;
use featherline::kernel::PivotShare;
use featherline::kernel::articulated::{
    accelerated, axial_component, axial_force, cross_bias, cross_inertia, transmitted,
};
use featherline::kernel::force_in_link;
use featherline::kernel::{Bodies, Body, Class};
use featherline::kernel::{bodies, coordinates, is_pivot_sound, links, mobilities};
use featherline::scalar::Scalar;
use featherline::spatial::{ArticulatedInertia, Force, Motion, Se3, Vec3};
use featherline_constraint::Stabilisation;

impl<S: Scalar> Recursion<'_, S> {
    /// All passes. Says whether no pivot is small and all accelerations are finite.
    #[inline(always)]
    pub(super) fn whole_tree(&mut self) -> Result<bool, MaximalError> {
        let sound = self.inward_by_blocks()?;
        Ok(self.accelerate_in_place() && sound)
    }

    /// Writes where a body is and how it moves, in its link frame.
    #[inline(always)]
    fn place_in_block(&mut self, at: usize, i: usize, body: &Body) {
        let turn = body.turn();
        self.memory.placed[at] = Placed {
            world: world(&turn, &self.state.poses[i]),
            velocity: into_link(&turn, &self.velocities[i]),
        };
    }

    #[inline(always)]
    fn inward_by_blocks(&mut self) -> Result<bool, MaximalError> {
        let bodies = &bodies(self.model);
        let mut sound = true;
        let mut end = bodies.links.len();
        while end > 1 {
            let begin = end.saturating_sub(BLOCK).max(1);
            // Beside each other, so that what is far is fetched at the same time.
            for (at, i) in (begin..end).enumerate().rev() {
                let body = &bodies.links[i];
                self.place_in_block(at + 1, i, body);
                let parent = body.parent as usize;
                if (1..begin).contains(&parent) {
                    self.place_in_block(BLOCK + at + 1, parent, &bodies.links[parent]);
                }
            }
            for (at, i) in (begin..end).enumerate().rev() {
                let above = match bodies.links[i].parent as usize {
                    0 => 0,
                    far if far < begin => BLOCK + at + 1,
                    near => near + 1 - begin,
                };
                sound &= self.cross(bodies, i, at + 1, above)?;
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
        above: usize,
    ) -> Result<bool, MaximalError> {
        let (model, body) = (self.model, &bodies.links[i]);
        let Placed { world, velocity } = self.memory.placed[at];
        let above = &self.memory.placed[above];
        let placement = above.world.inverse_compose(&world);
        let relative = velocity - placement.inverse_act_motion(&above.velocity);
        let c = self.bias_acceleration(i, body, &velocity, &relative)?;
        let parameters = bodies.parameters(i);
        let mut force = parameters.velocity_force(&velocity);
        if let Some(external) = self.external.get(i) {
            force = force - force_in_link(model, i, external);
        }
        let none = Gathered::zero();
        let gathered = if body.has_children {
            &self.memory.gathered[body.place as usize]
        } else {
            &none
        };
        let inertia = gathered.inertia.plus_body(&parameters);
        let force = gathered.force + force;
        let is_clear = self.is_clear(i, body, &inertia, &placement);
        let left;
        let sound;
        if body.is_simple {
            let k = body.idx_v as usize;
            let (along, component) = axial_force(body.class, &inertia);
            let inverse = (component + S::constant(kernel::reflected_inertias(model)[k])).recip();
            let side = self.tau[k] - axial_component(body.class, &force);
            let inertia = inertia.sub_outer(&along, inverse);
            let crossing = Crossing {
                placement,
                bias_acceleration: c,
                inertia,
                force,
                along,
                inverse,
                side,
            };
            crossing.write(&mut self.memory.crossed, i);
            let mut bias = along.mul_add(side * inverse, &force);
            bias += inertia.mul_motion(&c);
            left = Gathered {
                inertia: inertia.transformed_by(&placement),
                force: placement.act_force(&bias),
            };
            sound = is_pivot_sound(model, k, inverse, is_clear);
        } else {
            let ws = &mut *self.scratch;
            ws.placement[i] = placement;
            ws.bias_acceleration[i] = c;
            (ws.articulated[i], ws.force[i]) = (inertia, force);
            let parent = body.parent as usize;
            (ws.articulated[parent], ws.force[parent]) = (none.inertia, none.force);
            sound = self.cross_front(i, is_clear);
            let ws = &*self.scratch;
            left = Gathered {
                inertia: ws.articulated[parent],
                force: ws.force[parent],
            };
        }
        // The universe takes what it is given, which nobody reads.
        let above = &mut self.memory.gathered[body.place_above as usize];
        let others = if body.is_last_child { &none } else { &*above };
        *above = Gathered {
            inertia: others.inertia + left.inertia,
            force: others.force + left.force,
        };
        Ok(sound)
    }

    /// Whether what rounds the pivots of a body is known to be less than they are.
    #[inline(always)]
    fn is_clear(
        &mut self,
        i: usize,
        body: &Body,
        inertia: &ArticulatedInertia<S>,
        placement: &Se3<S>,
    ) -> bool {
        let Some(mobility) = mobilities(self.model).get(i) else {
            return false;
        };
        let shares = &mut self.memory.shares;
        let none = PivotShare::zero();
        let own = if body.has_children {
            &shares[body.place as usize]
        } else {
            &none
        };
        let share = own.handed_on(mobility, InertiaBound::of(inertia), placement.translation);
        let above = &mut shares[body.place_above as usize];
        *above = if body.is_last_child {
            share
        } else {
            above.with(&share)
        };
        share.is_clear()
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
        let (model, link) = (self.model, &links(self.model)[i]);
        let own = link.idx_v..link.idx_v + link.columns;
        self.scratch.second[own.clone()].copy_from_slice(&self.tau[own]);
        any_bias(model, i, link, self.state, &mut self.joints, self.scratch)
    }

    /// Crosses a joint of several coordinates.
    #[inline(always)]
    fn cross_front(&mut self, i: usize, is_clear: bool) -> bool {
        let (model, ws) = (self.model, &mut *self.scratch);
        let (link, front) = (&links(model)[i], &coordinates(model).fronts[i]);
        // It can't be borrowed from the workspace while its other parts are being written.
        let tau = std::mem::take(&mut ws.second);
        cross_inertia(model, i, link, None, ws);
        cross_bias(model, i, link, None, &tau, ws);
        ws.second = tau;
        (0..front.eliminated).all(|k| {
            let inverse = ws.fronts.square[front.square + k * (front.coordinates.len() + 1)];
            is_pivot_sound(model, front.coordinates[k], inverse, is_clear)
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
        for (i, body) in bodies(model).links.iter().enumerate().skip(1) {
            let ws = &mut *self.scratch;
            let (above, fall) = if body.parent == 0 {
                (Motion::new(-gravity, Vec3::zero()), gravity)
            } else {
                let place = body.place_above as usize;
                (ws.acceleration[place], ws.velocity[place].linear)
            };
            let (mut acceleration, force);
            let turned_fall;
            if body.is_simple {
                let crossing = Crossing::read(&self.memory.crossed, i);
                let placement = &crossing.placement;
                turned_fall = placement.rotation.tr_mul_vec(fall);
                acceleration = placement.inverse_act_motion(&above) + crossing.bias_acceleration;
                let (along, rate) = (&crossing.along, crossing.side * crossing.inverse);
                let carried = crossing.inertia.mul_motion(&acceleration) + crossing.force;
                force = along.mul_add(rate, &carried);
                let rate = (crossing.side - acceleration.dot(along)) * crossing.inverse;
                match body.class {
                    Class::Prismatic => acceleration.linear.z += rate,
                    Class::Revolute | Class::Unbounded | Class::General => {
                        acceleration.angular.z += rate
                    }
                }
            } else {
                let placement = &ws.placement[i];
                turned_fall = placement.rotation.tr_mul_vec(fall);
                acceleration = placement.inverse_act_motion(&above) + ws.bias_acceleration[i];
                let link = &links(model)[i];
                let (rates, forces) = (&mut rates[..], &mut []);
                acceleration = accelerated(model, i, link, None, acceleration, rates, forces, ws);
                force = transmitted(model, i, link, acceleration, rates, ws);
            }
            let fall = turned_fall;
            ws.acceleration[body.place as usize] = acceleration;
            ws.velocity[body.place as usize].linear = fall;
            let turn = body.turn();
            self.joint_forces[i] = out_of_link(&turn, &force);
            acceleration.linear += fall;
            let found = motion_out_of_link(&turn, &acceleration);
            beyond += found * S::zero();
            self.accelerations[i] = found;
        }
        self.scratch.vector = rates;
        beyond == Motion::zero()
    }
}
