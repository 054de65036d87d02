//! The first pass of every algorithm: where each joint places its link, and how it can move.

use crate::joint::JointKind;
use crate::model::{Class, Link, Mimic, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Mat3, Motion, Se3};
use crate::workspace::Workspace;

/// The placement after a turn about z: `placement · Rz`.
#[inline(always)]
fn turned<S: Scalar>(placement: &Se3<f64>, sin: S, cos: S) -> Se3<S> {
    let r = Mat3::<S>::constant(&placement.rotation);
    let x = r.x.mul_add(cos, r.y * sin);
    let y = r.y.mul_add(cos, -(r.x * sin));
    Se3::new(
        Mat3::from_columns(x, y, r.z),
        Se3::constant(placement).translation,
    )
}

/// The placement of a link frame in its parent's.
///
/// Columns of general joints are written to the workspace on the way; those of axial joints never change.
#[inline(always)]
pub(crate) fn place_link<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    q: &[S],
    column: &mut [Motion<S>],
) -> Se3<S> {
    match link.class {
        Class::Revolute => {
            let (sin, cos) = q[link.idx_q].sin_cos();
            turned(&link.placement, sin, cos)
        }
        Class::Prismatic => {
            let constant = Se3::<S>::constant(&link.placement);
            let translation = constant
                .rotation
                .z
                .mul_add(q[link.idx_q], constant.translation);
            Se3::new(constant.rotation, translation)
        }
        Class::Unbounded => {
            let (cos, sin) = (q[link.idx_q], q[link.idx_q + 1]);
            // Not finite where the length is zero or too large to be squared, so that no such pair passes unseen.
            let squared = cos.mul_add(cos, sin * sin);
            let scale = squared.sqrt() / squared;
            turned(&link.placement, sin * scale, cos * scale)
        }
        Class::General => dispatch(PlaceGeneral {
            model,
            i,
            q,
            column,
        }),
    }
}

/// Placement of a link by a general joint, which writes its columns on the way.
///
/// A kernel of its own: the code for every kind of joint is large and shall not be inlined into each algorithm.
struct PlaceGeneral<'a, S> {
    model: &'a Model,
    i: usize,
    q: &'a [S],
    column: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for PlaceGeneral<'_, S> {
    type Output = Se3<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Se3<S> {
        let Self {
            model,
            i,
            q,
            column,
        } = self;
        let (joint, link) = (&model.joints()[i], &model.links[i]);
        let column = &mut column[link.column_range()];
        let own = match &joint.mimic {
            None => joint
                .kind
                .evaluate(&q[link.idx_q..link.idx_q + joint.nq], column),
            Some(mimic) => {
                let ratio = S::constant(mimic.ratio);
                let displacement = follower_displacement(model, mimic, &q[link.idx_q..]);
                let placement = joint.kind.evaluate_displacement(displacement, column);
                for c in column {
                    *c = *c * ratio;
                }
                placement
            }
        };
        Se3::constant(&link.placement).compose(&own)
    }
}

/// Rates of a general joint's columns, and their product with its velocity.
struct RateColumns<'a, S> {
    model: &'a Model,
    i: usize,
    q: &'a [S],
    v: &'a [S],
    rates: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for RateColumns<'_, S> {
    type Output = Motion<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Motion<S> {
        let Self {
            model,
            i,
            q,
            v,
            rates,
        } = self;
        let (joint, link) = (&model.joints()[i], &model.links[i]);
        // A joint whose motion subspace varies is never a follower, so its coordinates are its own.
        let own_q = &q[link.idx_q..link.idx_q + joint.nq];
        let own_v = &v[link.idx_v..link.idx_v + link.columns];
        joint.kind.subspace_rates(own_q, own_v, rates);
        let mut bias = Motion::zero();
        for k in 0..rates.len() {
            bias = rates[k].mul_add(own_v[k], &bias);
        }
        bias
    }
}

/// The displacement of a follower. `q` begins with its master's configuration.
#[inline(always)]
pub(crate) fn follower_displacement<S: Scalar>(model: &Model, mimic: &Mimic, q: &[S]) -> S {
    let master = match &model.joint(mimic.master).kind {
        JointKind::RevoluteUnbounded { .. } => q[1].atan2(q[0]),
        _ => q[0],
    };
    master.mul_add(S::constant(mimic.ratio), S::constant(mimic.offset))
}

/// Rates of a general joint's columns and their product with its velocity, for joints whose motion subspace depends on q.
#[inline(always)]
pub(crate) fn rate_columns<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    q: &[S],
    v: &[S],
    ws: &mut Workspace<S>,
) {
    if link.is_varying {
        let rates = &mut ws.column_rate[link.column_range()];
        ws.joint_bias[i] = dispatch(RateColumns {
            model,
            i,
            q,
            v,
            rates,
        });
    }
}

/// Places all links in their parents' frames.
#[inline(always)]
pub(crate) fn place_links<S: Scalar>(model: &Model, ws: &mut Workspace<S>, q: &[S]) {
    for (i, link) in model.links.iter().enumerate().skip(1) {
        ws.placement[i] = place_link(model, i, link, q, &mut ws.column);
    }
}

/// Places all links in the world.
#[inline(always)]
pub(crate) fn place_in_world<S: Scalar>(model: &Model, ws: &mut Workspace<S>, q: &[S]) {
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let placement = place_link(model, i, link, q, &mut ws.column);
        ws.placement[i] = placement;
        ws.world[i] = ws.world[link.parent].compose(&placement);
    }
}

/// The velocity that a joint gives its link relative to the parent, in the link frame.
#[inline(always)]
pub(crate) fn joint_motion<S: Scalar>(link: &Link, column: &[Motion<S>], v: &[S]) -> Motion<S> {
    if link.is_free_flyer {
        let v = &v[link.idx_v..link.idx_v + 6];
        return Motion::from_array([v[0], v[1], v[2], v[3], v[4], v[5]]);
    }
    let mut motion = Motion::zero();
    for (k, c) in column[link.column_range()].iter().enumerate() {
        motion = c.mul_add(v[link.idx_v + k], &motion);
    }
    motion
}

/// The velocity of a link, and the part of its acceleration that neither q̈ nor the parent's acceleration causes:
/// Ṡ q̇ + ν × S q̇.
#[inline(always)]
pub(crate) fn move_link<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    q: &[S],
    v: &[S],
    ws: &mut Workspace<S>,
) -> (Motion<S>, Motion<S>) {
    let mut velocity = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
    let mut bias = Motion::zero();
    match link.class {
        Class::Revolute | Class::Unbounded => {
            let rate = v[link.idx_v];
            bias.linear.x = velocity.linear.y * rate;
            bias.linear.y = -(velocity.linear.x * rate);
            bias.angular.x = velocity.angular.y * rate;
            bias.angular.y = -(velocity.angular.x * rate);
            velocity.angular.z += rate;
        }
        Class::Prismatic => {
            let rate = v[link.idx_v];
            bias.linear.x = velocity.angular.y * rate;
            bias.linear.y = -(velocity.angular.x * rate);
            velocity.linear.z += rate;
        }
        Class::General => {
            rate_columns(model, i, link, q, v, ws);
            let own = joint_motion(link, &ws.column, v);
            velocity += own;
            bias = velocity.cross(&own) + ws.joint_bias[i];
        }
    }
    (velocity, bias)
}
