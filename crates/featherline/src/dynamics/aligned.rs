//! All links in one frame: Jacobian columns, their rates, velocities and composite inertias.
//!
//! Algorithms that combine every pair of joints on a path save the transformations between links
//! when all quantities are given in one frame. That frame is the *aligned* one: the world's axes,
//! and the origin of the first joint's link, taken as a point at rest. Subtracting the robot's own
//! position keeps the accuracy of a robot that stands far from the world's origin.
//!
//! With Jacobian columns J, composite inertia Y, its rate Ẏ and momentum h of a subtree, the
//! derivatives of the momentum columns Y J are sums: d(Y J)/dt = Y J̇ + Ẏ J.

use crate::kinematics::jacobian::place_column;
use crate::kinematics::joint_pass::{place_links, rate_columns};
use crate::model::{Class, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Motion, Vec3};
use crate::workspace::Scratch;

/// Places a link in the aligned frame, and writes its Jacobian columns.
#[inline(always)]
pub(crate) fn place<S: Scalar>(
    i: usize,
    link: &Link,
    ws: &mut Scratch<S>,
    jacobian: &mut [Motion<S>],
) {
    let mut placement = ws.placement[i];
    if link.parent == 0 {
        if i == 1 {
            ws.origin = placement.translation;
        }
        placement.translation -= ws.origin;
    } else {
        placement = ws.world[link.parent].compose(&placement);
    }
    for k in link.column_range() {
        jacobian[k] = place_column(link, &placement, &ws.subspaces.column[k]);
    }
    ws.world[i] = placement;
}

/// Writes a link's velocity and the rates of its Jacobian columns, both in the aligned frame.
#[inline(always)]
fn set_moving<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    (q, v): (&[S], &[S]),
    ws: &mut Scratch<S>,
    jacobian: &[Motion<S>],
    rate: &mut [Motion<S>],
) {
    let own = &jacobian[link.column_range()];
    let mut velocity = ws.velocity[link.parent];
    for (k, j) in own.iter().enumerate() {
        velocity = j.mul_add(v[link.idx_v + k], &velocity);
    }
    ws.velocity[i] = velocity;
    let rate = &mut rate[link.column_range()];
    for (r, j) in rate.iter_mut().zip(own) {
        *r = velocity.cross(j);
    }
    if link.class == Class::General && !model.joints()[i].kind.has_constant_subspace() {
        rate_columns(model, i, link, q, v, &mut ws.subspaces);
        for (r, c) in rate.iter_mut().zip(&ws.subspaces.rate[link.column_range()]) {
            *r += ws.world[i].act_motion(c);
        }
    }
}

/// Places all links, and writes velocities and accelerations (the universe's: −g) in that frame.
#[inline(always)]
pub(crate) fn links_in_motion<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    (q, v, a): (&[S], &[S], &[S]),
    gravity: Vec3<f64>,
    jacobian: &mut [Motion<S>],
    rate: &mut [Motion<S>],
) {
    ws.velocity[0] = Motion::zero();
    ws.acceleration[0] = Motion::new(-Vec3::<S>::constant(gravity), Vec3::zero());
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        place(i, link, ws, jacobian);
        set_moving(model, i, link, (q, v), ws, jacobian, rate);
        // a_i = a_λ + J a + J̇ v
        let mut acceleration = ws.acceleration[link.parent];
        for k in 0..link.columns {
            let (c, k) = (link.column + k, link.idx_v + k);
            acceleration = jacobian[c].mul_add(a[k], &acceleration);
            acceleration = rate[c].mul_add(v[k], &acceleration);
        }
        ws.acceleration[i] = acceleration;
    }
}

/// Places all links and sums inertias, their rates, and momenta (in `ws.force`) of each subtree;
/// those of the whole robot under index 0.
#[inline(always)]
pub(super) fn composites_in_motion<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    v: &[S],
    jacobian: &mut [Motion<S>],
    rate: &mut [Motion<S>],
) {
    ws.velocity[0] = Motion::zero();
    ws.composite[0] = DynamicParameters::zero();
    ws.composite_rate[0] = DynamicParameters::zero();
    ws.force[0] = Force::zero();
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        place(i, link, ws, jacobian);
        set_moving(model, i, link, (q, v), ws, jacobian, rate);
        let own = ws.parameters_of(i, link).transformed_by(&ws.world[i]);
        ws.composite[i] = own;
        ws.composite_rate[i] = own.rate(&ws.velocity[i]);
        ws.force[i] = own.mul_motion(&ws.velocity[i]);
    }
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        let (own, rate, momentum) = (ws.composite[i], ws.composite_rate[i], ws.force[i]);
        ws.composite[link.parent] += own;
        ws.composite_rate[link.parent] += rate;
        ws.force[link.parent] += momentum;
    }
}
