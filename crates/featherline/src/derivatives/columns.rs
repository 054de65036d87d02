//! The first pass of every derivative: what each coordinate does to the motion of all that it
//! carries.
//!
//! A small motion of a coordinate displaces all that it carries by its Jacobian column J, and
//! changes how the coordinate itself moves: ψ̇ of its velocity, ψ̈ of its acceleration. In the
//! aligned frame, with v_λ and a_λ those of the link that carries the joint,
//!
//! * ψ̇ = v_λ × J + D, ψ̈ = a_λ × J + v_λ × ψ̇ + vᵢ × D + E, J̇ = vᵢ × J + Ṡ,
//!
//! where D = ∂(S v)/∂q and E = ∂(S a + Ṡ v)/∂q are zero for joints with a constant motion subspace
//! S. Source: S. Singh, R. P. Russell and P. M. Wensing, *Efficient analytical derivatives of
//! rigid-body dynamics using spatial vector algebra*, 2022, which has no D and E.

use crate::dynamics::aligned::place;
use crate::joint::dispatched::variation;
use crate::kinematics::joint_pass::{joint_motion, place_links, rate_columns};
use crate::model::{Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Vec3};
use crate::workspace::{DerivativeView, MotionColumn, Scratch};

/// Places all links in the aligned frame; writes their velocities and Jacobian columns.
#[inline(always)]
pub(crate) fn place_in_motion<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    (q, v): (&[S], &[S]),
    jacobian: &mut [Motion<S>],
) {
    ws.velocity[0] = Motion::zero();
    for (i, link) in model.links.iter().enumerate().skip(1) {
        place(i, link, ws, jacobian);
        // v_i = v_λ + J v
        let mut v_i = ws.velocity[link.parent];
        for (k, j) in jacobian[link.column_range()].iter().enumerate() {
            v_i = j.mul_add(v[link.idx_v + k], &v_i);
        }
        ws.velocity[i] = v_i;
        if link.is_varying {
            rate_columns(model, i, link, q, v, &mut ws.subspaces);
        }
    }
}

/// Places all links; writes their motions, without gravity, and the columns of all coordinates.
#[inline(always)]
pub(crate) fn columns_in_motion<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    (q, v, a): (&[S], &[S], &[S]),
    memory: &mut DerivativeView<'_, S>,
) {
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    place_in_motion(model, ws, (q, v), memory.jacobian);
    write_columns(model, ws, (q, v, a), Vec3::zero(), memory);
}

/// Writes the accelerations of links placed in motion (the universe's: −g), and all columns.
#[inline(always)]
pub(crate) fn write_columns<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    (q, v, a): (&[S], &[S], &[S]),
    gravity: Vec3<f64>,
    memory: &mut DerivativeView<'_, S>,
) {
    let DerivativeView {
        jacobian,
        columns,
        velocity_change,
        acceleration_change,
        ..
    } = memory;
    ws.acceleration[0] = Motion::new(-Vec3::<S>::constant(gravity), Vec3::zero());
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let own = &jacobian[link.column_range()];
        let (v_parent, a_parent) = (ws.velocity[link.parent], ws.acceleration[link.parent]);
        let v_i = ws.velocity[i];
        if link.is_varying {
            let changes = (&mut **velocity_change, &mut **acceleration_change);
            vary(model, i, link, ws, (q, v, a), changes);
        }
        // a_i = a_λ + J a + J̇ v
        let mut a_i = a_parent;
        for (k, j) in own.iter().enumerate() {
            let mut rate = v_i.cross(j);
            let mut psi = v_parent.cross(j);
            let mut psi_rate = a_parent.cross(j);
            if link.is_varying {
                let world = &ws.world[i];
                let change = world.act_motion(&velocity_change[k]);
                rate += world.act_motion(&ws.subspaces.rate[link.column + k]);
                psi += change;
                psi_rate += v_i.cross(&change) + world.act_motion(&acceleration_change[k]);
            }
            psi_rate += v_parent.cross(&psi);
            let xi = psi + rate;
            columns[link.column + k] = MotionColumn::new(j, &psi, &psi_rate, &xi);
            a_i = j.mul_add(a[link.idx_v + k], &a_i);
            a_i = rate.mul_add(v[link.idx_v + k], &a_i);
        }
        ws.acceleration[i] = a_i;
    }
}

/// Writes D and E of a joint, in its link's frame.
#[inline(always)]
fn vary<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    ws: &Scratch<S>,
    (q, v, a): (&[S], &[S], &[S]),
    (by_velocity, by_acceleration): (&mut [Motion<S>], &mut [Motion<S>]),
) {
    let joint = &model.joints()[i];
    let coordinates = link.idx_v..link.idx_v + link.columns;
    let subspaces = &ws.subspaces;
    variation(
        &joint.kind,
        &q[link.idx_q..link.idx_q + joint.nq],
        &v[coordinates.clone()],
        &a[coordinates],
        &subspaces.column[link.column_range()],
        joint_motion(link, &subspaces.column, v),
        joint_motion(link, &subspaces.column, a) + subspaces.bias[i],
        by_velocity,
        by_acceleration,
    );
}
