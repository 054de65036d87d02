//! Hinges whose frame has its parent's axes, perhaps in another order: all that they do is a turn
//! about z.
//!
//! A turn by a known sine and cosine takes four products for a vector, where a rotation matrix
//! takes nine, and two numbers to keep in place of twelve. Scalars that share registers gain
//! nothing from that: for them such joints are placed as all others.

use super::joint_pass::{place_links, place_one, turned};
use crate::model::{Hinge, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{AxialRotation, DynamicParameters, Force, Motion, Se3, Vec3};

/// The hinge of a link that is kept as a turn.
#[inline(always)]
pub(crate) fn hinge_of<S: Scalar>(link: &Link) -> Option<&Hinge> {
    if keeps_turns::<S>() {
        link.hinge.as_ref()
    } else {
        None
    }
}

/// Whether hinges are kept as turns.
#[inline(always)]
fn keeps_turns<S: Scalar>() -> bool {
    !S::SHARES_REGISTERS
}

/// Finds the turns of hinges, and places all other links in their parents' frames.
#[inline(always)]
pub(crate) fn turn_or_place<S: Scalar>(
    model: &Model,
    q: &[S],
    turn: &mut [AxialRotation<S>],
    placement: &mut [Se3<S>],
    column: &mut [Motion<S>],
) {
    if !keeps_turns::<S>() {
        place_links(model, q, placement, column);
        return;
    }
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&mut turn[..n], &mut placement[..n]);
    for i in 1..n {
        if links[i].hinge.is_some() {
            let (sin, cos) = q[links[i].idx_q].sin_cos();
            turn[i] = AxialRotation { sin, cos };
        } else {
            place_one(model, i, q, &mut placement[i], column);
        }
    }
}

/// A motion of the parent, in the link's frame.
#[inline(always)]
pub(crate) fn into_link<S: Scalar>(
    link: &Link,
    turn: &AxialRotation<S>,
    placement: &Se3<S>,
    motion: &Motion<S>,
) -> Motion<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return placement.inverse_act_motion(motion);
    };
    let angular = hinge.order.into_link(motion.angular);
    let linear = hinge.order.into_link(motion.linear);
    let linear = angular.cross_add(Vec3::constant(hinge.offset), linear);
    Motion::new(turn.apply_inverse(linear), turn.apply_inverse(angular))
}

/// A force on the link, in the parent's frame.
#[inline(always)]
pub(crate) fn out_of_link<S: Scalar>(
    link: &Link,
    turn: &AxialRotation<S>,
    placement: &Se3<S>,
    force: &Force<S>,
) -> Force<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return placement.act_force(force);
    };
    let linear = turn.apply(force.linear);
    let offset = Vec3::<S>::constant(hinge.offset);
    let angular = offset.cross_add(linear, turn.apply(force.angular));
    Force::new(
        hinge.order.out_of_link(linear),
        hinge.order.out_of_link(angular),
    )
}

/// The placement of a link in its parent's frame, however it is kept.
#[inline(always)]
pub(crate) fn placed<S: Scalar>(
    link: &Link,
    turn: &AxialRotation<S>,
    placement: &Se3<S>,
) -> Se3<S> {
    match hinge_of::<S>(link) {
        Some(_) => turned(&link.placement, turn.sin, turn.cos),
        None => *placement,
    }
}

/// The inertia of a link, in the parent's frame.
#[inline(always)]
pub(crate) fn inertia_out_of_link<S: Scalar>(
    link: &Link,
    turn: &AxialRotation<S>,
    placement: &Se3<S>,
    inertia: &DynamicParameters<S>,
) -> DynamicParameters<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return inertia.transformed_by(placement);
    };
    let (mass, offset) = (inertia.mass, Vec3::<S>::constant(hinge.offset));
    let turned = turn.apply(inertia.first_moment);
    let first_moment = offset.mul_add(mass, turned);
    let second_moment = turn.apply_to_symmetric(&inertia.second_moment);
    let second_moment = second_moment.displaced(offset, turned + first_moment);
    DynamicParameters {
        mass,
        first_moment: hinge.order.out_of_link(first_moment),
        second_moment: hinge.order.symmetric_out_of_link(&second_moment),
    }
}

/// The placement of a link whose parent is placed as given, in the same frame.
#[inline(always)]
pub(crate) fn place_on<S: Scalar>(
    parent: &Se3<S>,
    link: &Link,
    turn: &AxialRotation<S>,
    placement: &Se3<S>,
) -> Se3<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return parent.compose(placement);
    };
    let turned = turn.apply_to_axes(hinge.order.axes(&parent.rotation));
    let translation = parent.act_point(Vec3::constant(link.placement.translation));
    Se3::new(turned, translation)
}
