//! Articulated-body elimination, one link at a time.
//!
//! The textbook's recursion (Featherstone 2008, section 7.3) eliminates each joint's coordinates
//! when the recursion crosses the joint. A mimic joint shares the mimicked joint's coordinate,
//! which can be eliminated only where all joints that it moves lie below. Until then it travels
//! along: the equation of motion of the articulated body at link i becomes
//!
//! ```text
//! f   = I a + B y + p
//! τ_y = Bᵀ a + D y + w
//! ```
//!
//! with y the coordinates in the link's front, B one force for each, D a symmetric matrix, w the
//! right-hand sides. Crossing the joint, a = a' + S q̈ with a' = ā + c and ā the parent's
//! acceleration, adds I S to B, SᵀB + BᵀS + SᵀI S to D and Sᵀp to w; eliminating a coordinate
//! subtracts its outer products. It is the multifrontal factorisation (Duff and Reid 1983) of the
//! system of all accelerations and forces, and exact: it breaks down only where the reduced mass
//! matrix is singular. A front with one coordinate, eliminated at once, is the textbook's step.

use crate::kinematics::joint_pass::{axial_component, joint_motion};
use crate::model::{Class, Front, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::InertiaBound;
use crate::spatial::{ArticulatedInertia, Force, Motion, Se3};
use crate::workspace::{Fronts, Scratch};

/// Sets all articulated-body inertias to those of the single links, and empties the fronts.
#[inline(always)]
pub fn begin<S: Scalar>(model: &Model, ws: &mut Scratch<S>) {
    for (i, link) in model.links.iter().enumerate().skip(1) {
        ws.articulated[i] = ws.parameters_of(i, link).to_articulated();
    }
    empty_fronts(model, ws);
}

/// Empties the fronts, for passes that set the inertias when they meet the links.
#[inline(always)]
pub fn empty_fronts<S: Scalar>(model: &Model, ws: &mut Scratch<S>) {
    if model.has_mimic_joints() {
        // Without mimic joints, a front holds nothing before its own link is reached.
        ws.fronts.force.fill(Force::zero());
        ws.fronts.square.fill(S::zero());
        ws.fronts.side.fill(S::zero());
    }
}

/// The force on an articulated body for a unit acceleration along an axial joint's coordinate, and
/// its component there.
#[inline(always)]
pub fn axial_force<S: Scalar>(class: Class, inertia: &ArticulatedInertia<S>) -> (Force<S>, S) {
    if class == Class::Prismatic {
        let (m, h) = (&inertia.linear, &inertia.coupling);
        let linear = m.z();
        let angular = crate::spatial::Vec3::new(h.x.z, h.y.z, h.z.z);
        (Force::new(linear, angular), m.zz())
    } else {
        let j = &inertia.angular;
        let angular = j.z();
        (Force::new(inertia.coupling.z, angular), j.zz())
    }
}

/// Crosses a link's joint: eliminates its coordinates from the articulated-body inertia, and hands
/// what is left to the parent. Afterwards the front holds, for each eliminated coordinate, its
/// force, its row, and its inverse pivot.
///
/// `known[k]` tells whether coordinate k is not eliminated because its acceleration is given.
#[inline(always)]
pub fn cross_inertia<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    known: Option<&[bool]>,
    ws: &mut Scratch<S>,
) {
    let front = &model.coordinates.fronts[i];
    let mut inertia = ws.articulated[i];
    ws.rounding.carried[i] = InertiaBound::of(&inertia);
    let is_root = link.parent == 0;
    if front.simple {
        let k = link.idx_v;
        let (force, component) = axial_force(link.class, &inertia);
        let pivot = component + S::constant(model.reflected_inertia[k]);
        ws.fronts.force[front.offset] = force;
        if is_known(known, k) {
            ws.fronts.square[front.square] = pivot;
        } else {
            let inverse = pivot.recip();
            ws.fronts.square[front.square] = inverse;
            if !is_root {
                inertia = inertia.sub_outer(&force, inverse);
            }
        }
    } else {
        let (column, fronts) = (&ws.subspaces.column, &mut ws.fronts);
        join_columns(front, link, &inertia, column, fronts);
        inertia = eliminate(model, front, known, !is_root, inertia, fronts);
    }
    if !is_root {
        ws.articulated[i] = inertia;
        let carried = inertia.transformed_by(&ws.placement[i]);
        ws.articulated[link.parent] += carried;
    }
    if !front.simple {
        pass_on(model, i, link, &ws.placement[i], &mut ws.fronts);
    }
}

#[inline(always)]
pub fn is_known(known: Option<&[bool]>, k: usize) -> bool {
    match known {
        Some(known) => known[k],
        None => false,
    }
}

/// Adds the link's own joint to its front.
#[inline(always)]
pub(super) fn join_columns<S: Scalar>(
    front: &Front,
    link: &Link,
    inertia: &ArticulatedInertia<S>,
    column: &[Motion<S>],
    fronts: &mut Fronts<S>,
) {
    let size = front.coordinates.len();
    let forces = &mut fronts.force[front.offset..front.offset + size];
    let square = &mut fronts.square[front.square..front.square + size * size];
    let columns = &column[link.column_range()];
    if front.fresh && link.is_free_flyer {
        // The motion subspace is the identity: B and D are the inertia itself.
        for (k, row) in inertia.to_matrix().iter().enumerate() {
            forces[k] = Force::from_array(*row);
            square[k * size..k * size + size].copy_from_slice(row);
        }
        return;
    }
    if front.fresh {
        // The front still holds the numbers of the last call.
        forces.fill(Force::zero());
        square.fill(S::zero());
    }
    for (c, column) in columns.iter().enumerate() {
        let k = front.own[c];
        for m in 0..size {
            let t = column.dot(&forces[m]);
            square[k * size + m] += t;
            square[m * size + k] += t;
        }
    }
    for (c, column) in columns.iter().enumerate() {
        let force = inertia.mul_motion(column);
        for (d, other) in columns.iter().enumerate() {
            square[front.own[c] * size + front.own[d]] += other.dot(&force);
        }
        forces[front.own[c]] += force;
    }
}

/// Eliminates the front's own coordinates one by one; the parent sees the inertia that is left.
#[inline(always)]
pub(super) fn eliminate<S: Scalar>(
    model: &Model,
    front: &Front,
    known: Option<&[bool]>,
    keep_inertia: bool,
    mut inertia: ArticulatedInertia<S>,
    fronts: &mut Fronts<S>,
) -> ArticulatedInertia<S> {
    let size = front.coordinates.len();
    let forces = &mut fronts.force[front.offset..front.offset + size];
    let square = &mut fronts.square[front.square..front.square + size * size];
    for k in 0..front.eliminated {
        let coordinate = front.coordinates[k];
        let pivot = square[k * size + k] + S::constant(model.reflected_inertia[coordinate]);
        if is_known(known, coordinate) {
            square[k * size + k] = pivot;
            continue;
        }
        let inverse = pivot.recip();
        square[k * size + k] = inverse;
        if keep_inertia {
            inertia = inertia.sub_outer(&forces[k], inverse);
        }
        for m in k + 1..size {
            let factor = -(square[k * size + m] * inverse);
            forces[m] = forces[k].mul_add(factor, &forces[m]);
            for l in k + 1..size {
                square[m * size + l] = factor.mul_add(square[k * size + l], square[m * size + l]);
            }
        }
    }
    inertia
}

/// Adds the coordinates that remain to the parent's front.
#[inline(always)]
pub(super) fn pass_on<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    placement: &Se3<S>,
    fronts: &mut Fronts<S>,
) {
    let front = &model.coordinates.fronts[i];
    let above = &model.coordinates.fronts[link.parent];
    let (size, size_above) = (front.coordinates.len(), above.coordinates.len());
    for m in front.eliminated..size {
        let to = front.in_parent[m - front.eliminated];
        let carried = placement.act_force(&fronts.force[front.offset + m]);
        fronts.force[above.offset + to] += carried;
        for l in front.eliminated..size {
            let to_l = front.in_parent[l - front.eliminated];
            let element = fronts.square[front.square + m * size + l];
            fronts.square[above.square + to * size_above + to_l] += element;
        }
    }
}

/// Crosses a link's joint with the bias forces: `ws.force[i]` holds p, and `values` the joint
/// forces, or for known coordinates the accelerations.
#[inline(always)]
pub fn cross_bias<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    known: Option<&[bool]>,
    values: &[S],
    ws: &mut Scratch<S>,
) {
    let front = &model.coordinates.fronts[i];
    let is_root = link.parent == 0;
    let mut bias = ws.force[i];
    if front.simple {
        let k = link.idx_v;
        let component = axial_component(link.class, &bias);
        let force = ws.fronts.force[front.offset];
        let rate = if is_known(known, k) {
            ws.fronts.side[front.offset] = component;
            values[k]
        } else {
            let side = values[k] - component;
            ws.fronts.side[front.offset] = side;
            side * ws.fronts.square[front.square]
        };
        bias = force.mul_add(rate, &bias);
    } else {
        let (column, fronts) = (&ws.subspaces.column, &mut ws.fronts);
        bias = join_bias(front, link, known, values, bias, column, fronts);
    }
    let c = ws.bias_acceleration[i];
    if !is_root {
        // The stored inertia is the one that the parent sees, without the eliminated coordinates.
        bias += ws.articulated[i].mul_motion(&c);
        let carried = ws.placement[i].act_force(&bias);
        ws.force[link.parent] += carried;
    }
    if !front.simple {
        let above = &model.coordinates.fronts[link.parent];
        for m in front.eliminated..front.coordinates.len() {
            let to = front.in_parent[m - front.eliminated];
            let side = ws.fronts.side[front.offset + m] + c.dot(&ws.fronts.force[front.offset + m]);
            ws.fronts.side[above.offset + to] += side;
        }
    }
}

/// Adds the joint to its front's right-hand sides and eliminates; returns the bias force left.
#[inline(always)]
pub(super) fn join_bias<S: Scalar>(
    front: &Front,
    link: &Link,
    known: Option<&[bool]>,
    values: &[S],
    mut bias: Force<S>,
    column: &[Motion<S>],
    fronts: &mut Fronts<S>,
) -> Force<S> {
    let size = front.coordinates.len();
    let sides = &mut fronts.side[front.offset..front.offset + size];
    let forces = &fronts.force[front.offset..front.offset + size];
    let square = &fronts.square[front.square..front.square + size * size];
    let columns = &column[link.column_range()];
    if front.fresh {
        sides.fill(S::zero());
    }
    for (c, column) in columns.iter().enumerate() {
        sides[front.own[c]] += column.dot(&bias);
    }
    for k in 0..front.eliminated {
        let coordinate = front.coordinates[k];
        let rate = if is_known(known, coordinate) {
            values[coordinate]
        } else {
            sides[k] = values[coordinate] - sides[k];
            sides[k] * square[k * size + k]
        };
        bias = forces[k].mul_add(rate, &bias);
        for m in k + 1..size {
            sides[m] = square[k * size + m].mul_add(rate, sides[m]);
        }
    }
    bias
}

/// Eliminates the coordinates that several trees share, at the universe.
#[inline(always)]
pub fn eliminate_base<S: Scalar>(model: &Model, known: Option<&[bool]>, ws: &mut Scratch<S>) {
    let front = &model.coordinates.fronts[0];
    if front.eliminated > 0 {
        let nothing = ArticulatedInertia::zero();
        eliminate(model, front, known, false, nothing, &mut ws.fronts);
    }
}

/// Finds the coordinates that several trees share, where the universe accelerates as `base`.
#[inline(always)]
pub fn solve_base<S: Scalar>(
    model: &Model,
    known: Option<&[bool]>,
    values: &[S],
    base: &Motion<S>,
    accelerations: &mut [S],
    forces: &mut [S],
    ws: &mut Scratch<S>,
) {
    let front = &model.coordinates.fronts[0];
    if front.eliminated > 0 {
        let (column, fronts) = (&ws.subspaces.column, &mut ws.fronts);
        let (link, nothing) = (&model.links[0], Force::zero());
        join_bias(front, link, known, values, nothing, column, fronts);
        back_substitute(front, known, base, accelerations, forces, fronts);
    }
}

/// Finds the accelerations of the coordinates that were eliminated at a link, and of the link, from
/// those of its parent.
///
/// `accelerations` holds what is known so far; `forces` receives the joint forces of known
/// coordinates.
#[inline(always)]
pub fn accelerate<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    known: Option<&[bool]>,
    accelerations: &mut [S],
    forces: &mut [S],
    ws: &mut Scratch<S>,
) {
    let above = ws.placement[i].inverse_act_motion(&ws.acceleration[link.parent]);
    let mut acceleration = above + ws.bias_acceleration[i];
    let front = &model.coordinates.fronts[i];
    if front.simple {
        // The front's lists lie elsewhere in memory, and have nothing to tell.
        let sum = acceleration.dot(&ws.fronts.force[front.offset]);
        let (side, square) = (ws.fronts.side[front.offset], ws.fronts.square[front.square]);
        let k = link.idx_v;
        if is_known(known, k) {
            forces[k] = square.mul_add(accelerations[k], sum + side);
        } else {
            accelerations[k] = (side - sum) * square;
        }
    } else {
        back_substitute(
            front,
            known,
            &acceleration,
            accelerations,
            forces,
            &ws.fronts,
        );
    }
    match link.class {
        Class::Revolute | Class::Unbounded => acceleration.angular.z += accelerations[link.idx_v],
        Class::Prismatic => acceleration.linear.z += accelerations[link.idx_v],
        Class::General => acceleration += joint_motion(link, &ws.subspaces.column, accelerations),
    }
    ws.acceleration[i] = acceleration;
}

/// The force that a joint passes on to its link, drive and armature included, once the link's
/// `acceleration` is known; without mimic joints.
///
/// Featherstone 2008, equation 7.29 and what follows: Iᵃ (a' + c) + p + U D⁻¹ u.
#[inline(always)]
pub fn transmitted<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    mut acceleration: Motion<S>,
    accelerations: &[S],
    ws: &Scratch<S>,
) -> Force<S> {
    let front = &model.coordinates.fronts[i];
    if link.parent == 0 {
        // Nothing was handed on, so that the inertia still has the joint's coordinates.
        return ws.articulated[i].mul_motion(&acceleration) + ws.force[i];
    }
    match link.class {
        Class::Revolute | Class::Unbounded => acceleration.angular.z -= accelerations[link.idx_v],
        Class::Prismatic => acceleration.linear.z -= accelerations[link.idx_v],
        Class::General => {
            acceleration = acceleration - joint_motion(link, &ws.subspaces.column, accelerations);
        }
    }
    let mut force = ws.articulated[i].mul_motion(&acceleration) + ws.force[i];
    let size = if front.simple {
        1
    } else {
        front.coordinates.len()
    };
    for k in 0..front.eliminated {
        let pivot = ws.fronts.square[front.square + k * (size + 1)];
        let rate = ws.fronts.side[front.offset + k] * pivot;
        force = ws.fronts.force[front.offset + k].mul_add(rate, &force);
    }
    force
}

/// Finds the coordinates of one front, last first.
#[inline(always)]
pub(super) fn back_substitute<S: Scalar>(
    front: &Front,
    known: Option<&[bool]>,
    acceleration: &Motion<S>,
    accelerations: &mut [S],
    forces: &mut [S],
    fronts: &Fronts<S>,
) {
    let size = front.coordinates.len();
    for k in (0..front.eliminated).rev() {
        let coordinate = front.coordinates[k];
        let row = &fronts.square[front.square + k * size..front.square + k * size + size];
        let mut sum = acceleration.dot(&fronts.force[front.offset + k]);
        for m in k + 1..size {
            sum = row[m].mul_add(accelerations[front.coordinates[m]], sum);
        }
        let side = fronts.side[front.offset + k];
        if is_known(known, coordinate) {
            forces[coordinate] = row[k].mul_add(accelerations[coordinate], sum + side);
        } else {
            accelerations[coordinate] = (side - sum) * row[k];
        }
    }
}
