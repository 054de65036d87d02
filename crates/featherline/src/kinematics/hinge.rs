//! Hinges whose frame has its parent's axes, perhaps in another order: all that they do is a turn about z.
//!
//! A turn by a known sine and cosine takes four products for a vector, where a rotation matrix takes nine, and two numbers
//! to keep in place of twelve. Scalars that share registers gain nothing from that: for them such joints are placed as all
//! others.

use super::joint_pass::{place_links, place_one, turned};
use crate::model::{Hinge, Link, Model};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Mat3, Motion, Se3, Sym3, Vec3};

/// Sine and cosine of a hinge's angle.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Turn<S: Scalar> {
    pub sin: S,
    pub cos: S,
}

impl<S: Scalar> Turn<S> {
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self {
            sin: S::zero(),
            cos: S::one(),
        }
    }

    /// A vector given after the turn, as it was before.
    #[inline(always)]
    pub(crate) fn forth(&self, v: Vec3<S>) -> Vec3<S> {
        let Self { sin, cos } = *self;
        let x = cos.mul_add(v.x, -(sin * v.y));
        Vec3::new(x, sin.mul_add(v.x, cos * v.y), v.z)
    }

    /// A vector given before the turn, as it is after.
    #[inline(always)]
    pub(crate) fn back(&self, v: Vec3<S>) -> Vec3<S> {
        let Self { sin, cos } = *self;
        let y = cos.mul_add(v.y, -(sin * v.x));
        Vec3::new(cos.mul_add(v.x, sin * v.y), y, v.z)
    }

    /// Axes that turn about the last of them.
    #[inline(always)]
    pub(crate) fn axes(&self, Mat3 { x, y, z }: Mat3<S>) -> Mat3<S> {
        let Self { sin, cos } = *self;
        Mat3::from_columns(x.mul_add(cos, y * sin), y.mul_add(cos, -(x * sin)), z)
    }

    /// A symmetric matrix given after the turn, as it was before.
    #[inline(always)]
    fn symmetric_forth(&self, m: &Sym3<S>) -> Sym3<S> {
        let Self { sin, cos } = *self;
        let [xx, xy, xz, yy, yz, zz] = m.to_elements();
        let (apart, twice) = (yy - xx, xy + xy);
        // By double angles, so that the plane's trace stays.
        let moved = sin * sin.mul_add(apart, -(cos * twice));
        let xy = sin.mul_add(-cos.mul_add(apart, sin * twice), xy);
        let x = cos.mul_add(xz, -(sin * yz));
        Sym3::new(xx + moved, xy, x, yy - moved, sin.mul_add(xz, cos * yz), zz)
    }
}

/// The hinge of a link that is kept as a turn.
#[inline(always)]
pub(crate) fn hinge_of<S: Scalar>(link: &Link) -> Option<&Hinge> {
    if S::SHARES_REGISTERS {
        return None;
    }
    link.hinge.as_ref()
}

/// Finds the turns of hinges, and places all other links in their parents' frames.
#[inline(always)]
pub(crate) fn turn_or_place<S: Scalar>(
    model: &Model,
    q: &[S],
    turn: &mut [Turn<S>],
    placement: &mut [Se3<S>],
    column: &mut [Motion<S>],
) {
    if S::SHARES_REGISTERS {
        place_links(model, q, placement, column);
        return;
    }
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&mut turn[..n], &mut placement[..n]);
    for i in 1..n {
        if links[i].hinge.is_some() {
            let (sin, cos) = q[links[i].idx_q].sin_cos();
            turn[i] = Turn { sin, cos };
        } else {
            place_one(model, i, q, &mut placement[i], column);
        }
    }
}

/// A motion of the parent, in the link's frame.
#[inline(always)]
pub(crate) fn into_link<S: Scalar>(
    link: &Link,
    turn: &Turn<S>,
    placement: &Se3<S>,
    motion: &Motion<S>,
) -> Motion<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return placement.inverse_act_motion(motion);
    };
    let angular = hinge.order.into_link(motion.angular);
    let linear = hinge.order.into_link(motion.linear);
    let linear = angular.cross_add(Vec3::constant(hinge.offset), linear);
    Motion::new(turn.back(linear), turn.back(angular))
}

/// A force on the link, in the parent's frame.
#[inline(always)]
pub(crate) fn out_of_link<S: Scalar>(
    link: &Link,
    turn: &Turn<S>,
    placement: &Se3<S>,
    force: &Force<S>,
) -> Force<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return placement.act_force(force);
    };
    let linear = turn.forth(force.linear);
    let offset = Vec3::<S>::constant(hinge.offset);
    let angular = offset.cross_add(linear, turn.forth(force.angular));
    Force::new(
        hinge.order.out_of_link(linear),
        hinge.order.out_of_link(angular),
    )
}

/// The placement of a link in its parent's frame, however it is kept.
#[inline(always)]
pub(crate) fn placed<S: Scalar>(link: &Link, turn: &Turn<S>, placement: &Se3<S>) -> Se3<S> {
    match hinge_of::<S>(link) {
        Some(_) => turned(&link.placement, turn.sin, turn.cos),
        None => *placement,
    }
}

/// The inertia of a link, in the parent's frame.
#[inline(always)]
pub(crate) fn inertia_out_of_link<S: Scalar>(
    link: &Link,
    turn: &Turn<S>,
    placement: &Se3<S>,
    inertia: &DynamicParameters<S>,
) -> DynamicParameters<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return inertia.transformed_by(placement);
    };
    let (mass, offset) = (inertia.mass, Vec3::<S>::constant(hinge.offset));
    let turned = turn.forth(inertia.first_moment);
    let first_moment = offset.mul_add(mass, turned);
    let second_moment = turn.symmetric_forth(&inertia.second_moment);
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
    turn: &Turn<S>,
    placement: &Se3<S>,
) -> Se3<S> {
    let Some(hinge) = hinge_of::<S>(link) else {
        return parent.compose(placement);
    };
    let turned = turn.axes(hinge.order.axes(&parent.rotation));
    let translation = parent.act_point(Vec3::constant(link.placement.translation));
    Se3::new(turned, translation)
}
