//! The textbook's articulated-body recursion (Featherstone 2008, table 7.1) for lanes: no
//! mimic joints, all forces known.
//!
//! What a link hands on is needed by its parent alone, so that inertias of chains stay in one place
//! of memory; a link whose inertia nothing has been added to yet is begun by its last child, the
//! first one that the pass to the root meets.

use super::articulated::{
    axial_component, axial_force, back_substitute, eliminate, join_bias, join_columns,
};
use crate::kinematics::hinge::{hinge_of, into_link, out_of_link, placed, turn_or_place};
use crate::kinematics::joint_pass::{joint_motion, move_link};
use crate::model::link_parameters;
use crate::model::{Class, Model, Order};
use crate::scalar::Scalar;
use crate::spatial::InertiaBound;
use crate::spatial::{Force, HingedInertia, Motion, Vec3};
use crate::workspace::Scratch;

/// Velocities, and the forces that they ask for, from the root to the leaves. Needs the links'
/// placements.
#[inline(always)]
fn set_moving<S: Scalar>(
    model: &Model,
    q: &[S],
    v: &[S],
    forces: Option<&[Force<S>]>,
    ws: &mut Scratch<S>,
) {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let velocity = &mut ws.velocity[..n];
    let bias_acceleration = &mut ws.bias_acceleration[..n];
    let force = &mut ws.force[..n];
    velocity[0] = Motion::zero();
    for i in 1..n {
        let link = &links[i];
        let parent = link.parent.min(i - 1);
        let carried = into_link(link, &turn[i], &placement[i], &velocity[parent]);
        let (moving, bias) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
        let mut needed = link_parameters(&ws.parameters, i, link).velocity_force(&moving);
        if let Some(forces) = forces {
            needed = needed - model.force_in_link(i, &forces[i]);
        }
        velocity[i] = moving;
        bias_acceleration[i] = bias;
        force[i] = needed;
    }
}

/// Articulated-body inertias and bias forces, from the leaves to the root.
#[inline(always)]
fn cross_joints<S: Scalar>(model: &Model, tau: &[S], ws: &mut Scratch<S>) {
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let all_fronts = &model.coordinates.fronts[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let bias_acceleration = &ws.bias_acceleration[..n];
    let articulated = &mut ws.articulated[..n];
    let force = &mut ws.force[..n];
    let (column, fronts) = (&ws.subspaces.column, &mut ws.fronts);
    let noted = &mut ws.rounding.carried[..n];
    for i in (1..n).rev() {
        let (link, front) = (&links[i], &all_fronts[i]);
        let own = link_parameters(&ws.parameters, i, link);
        let has_children = i + 1 < n && links[i + 1].parent == i;
        // A hinge without armature leaves no moment about its axis.
        let free = match hinge_of::<S>(link) {
            Some(hinge) if model.reflected_inertia[link.idx_v] == 0.0 => Some(hinge),
            _ => None,
        };
        let mut inertia = if has_children {
            articulated[places[i]].plus_body(&own)
        } else {
            own.to_articulated()
        };
        noted[i] = InertiaBound::of(&inertia);
        let mut bias = force[i];
        if front.simple {
            let k = link.idx_v;
            let (along, component) = axial_force(link.class, &inertia);
            let inverse = (component + S::constant(model.reflected_inertia[k])).recip();
            let side = tau[k] - axial_component(link.class, &bias);
            fronts.force[front.offset] = along;
            fronts.square[front.square] = inverse;
            fronts.side[front.offset] = side;
            bias = along.mul_add(side * inverse, &bias);
            if free.is_none() {
                inertia = inertia.sub_outer(&along, inverse);
            }
        } else {
            join_columns(front, link, &inertia, column, fronts);
            inertia = eliminate(model, front, None, link.parent != 0, inertia, fronts);
            bias = join_bias(front, link, None, tau, bias, column, fronts);
        }
        if link.parent == 0 {
            continue;
        }
        let c = &bias_acceleration[i];
        let carried = if let Some(hinge) = free {
            let (along, inverse) = (&fronts.force[front.offset], fronts.square[front.square]);
            let left = HingedInertia::new(&inertia, along, inverse);
            bias += left.mul_planar(c.linear, c.angular);
            let turned = left.turned(turn[i].sin, turn[i].cos);
            let shifted = turned.shifted(Vec3::constant(hinge.offset));
            match hinge.order {
                Order::Same => shifted,
                Order::Next => shifted.cycled(),
                Order::Previous => shifted.cycled().cycled(),
            }
        } else {
            bias += inertia.mul_motion(c);
            inertia.transformed_by(&placed(link, &turn[i], &placement[i]))
        };
        let parent = link.parent.min(i - 1);
        force[parent] += out_of_link(link, &turn[i], &placement[i], &bias);
        let above = &mut articulated[places[parent]];
        if model.is_last_child(i) {
            *above = carried;
        } else {
            *above += carried;
        }
    }
}

/// Accelerations, from the root to the leaves.
#[inline(always)]
fn accelerate<S: Scalar>(model: &Model, base: Motion<S>, ws: &mut Scratch<S>) {
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let all_fronts = &model.coordinates.fronts[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let bias_acceleration = &ws.bias_acceleration[..n];
    let acceleration = &mut ws.acceleration[..n];
    let (column, fronts) = (&ws.subspaces.column, &ws.fronts);
    let rates = &mut ws.vector[..];
    for i in 1..n {
        let (link, front) = (&links[i], &all_fronts[i]);
        let above = match link.parent {
            0 => base,
            parent => acceleration[places[parent.min(i - 1)]],
        };
        let mut own = into_link(link, &turn[i], &placement[i], &above) + bias_acceleration[i];
        if front.simple {
            let sum = own.dot(&fronts.force[front.offset]);
            let k = link.idx_v;
            let rate = (fronts.side[front.offset] - sum) * fronts.square[front.square];
            rates[k] = rate;
            match link.class {
                Class::Prismatic => own.linear.z += rate,
                _ => own.angular.z += rate,
            }
        } else {
            back_substitute(front, None, &own, rates, &mut [], fronts);
            own += joint_motion(link, column, rates);
        }
        acceleration[places[i]] = own;
    }
}

/// Finds turns and placements, and eliminates all coordinates at rest: what is left of articulated
/// bodies is in the fronts.
#[inline(always)]
pub(super) fn eliminate_at_rest<S: Scalar>(model: &Model, q: &[S], ws: &mut Scratch<S>) {
    turn_or_place(
        model,
        q,
        &mut ws.turn,
        &mut ws.placement,
        &mut ws.subspaces.column,
    );
    ws.bias_acceleration.fill(Motion::zero());
    ws.force.fill(Force::zero());
    // It can't be borrowed from the workspace while its other parts are being written.
    let mut none = std::mem::take(&mut ws.vector);
    none.fill(S::zero());
    cross_joints(model, &none, ws);
    ws.vector = none;
}

/// Forward dynamics: accelerations in `ws.vector`.
#[inline(always)]
pub(super) fn forward<S: Scalar>(
    model: &Model,
    q: &[S],
    v: &[S],
    tau: &[S],
    forces: Option<&[Force<S>]>,
    ws: &mut Scratch<S>,
) {
    turn_or_place(
        model,
        q,
        &mut ws.turn,
        &mut ws.placement,
        &mut ws.subspaces.column,
    );
    set_moving(model, q, v, forces, ws);
    cross_joints(model, tau, ws);
    let base = Motion::new(-Vec3::<S>::constant(model.gravity()), Vec3::zero());
    accelerate(model, base, ws);
}
