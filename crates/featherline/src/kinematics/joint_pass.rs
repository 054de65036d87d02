//! The first pass of every algorithm: where each joint places its link, and how it can move.

use crate::joint::JointKind;
use crate::joint::dispatched::{evaluate, subspace_rates};
use crate::model::{Class, Link, Mimic, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Force, Mat3, Motion, Se3, Vec3};
use crate::workspace::{Scratch, Subspaces};

/// The placement after a turn about z: `placement · Rz`.
#[inline(always)]
pub(super) fn turned<S: Scalar>(placement: &Se3<f64>, sin: S, cos: S) -> Se3<S> {
    let r = Mat3::<S>::constant(&placement.rotation);
    let x = r.x.mul_add(cos, r.y * sin);
    let y = r.y.mul_add(cos, -(r.x * sin));
    Se3::new(
        Mat3::from_columns(x, y, r.z),
        Se3::constant(placement).translation,
    )
}

/// Sine and cosine of an unbounded joint, of length one.
#[inline(always)]
pub fn unbounded_turn<S: Scalar>(cos: S, sin: S) -> (S, S) {
    // Not finite where the length is zero or too large to be squared, so that no such pair passes
    // unseen.
    let squared = cos.mul_add(cos, sin * sin);
    let scale = squared.sqrt() / squared;
    (sin * scale, cos * scale)
}

/// Places all links in their parents' frames.
///
/// Columns of general joints are written on the way; those of axial joints never change.
#[inline(always)]
pub fn place_links<S: Scalar>(
    model: &Model,
    q: &[S],
    placement: &mut [Se3<S>],
    column: &mut [Motion<S>],
) {
    let links = &model.links[..];
    let n = links.len();
    let placement = &mut placement[..n];
    let mut i = 1;
    if S::SHARES_REGISTERS {
        // Sine and cosine of four numbers cost little more than of one, even where a joint has no
        // use for them.
        while i + 4 <= n {
            let (a, b, c, d) = (&links[i], &links[i + 1], &links[i + 2], &links[i + 3]);
            let last = a.idx_q.max(b.idx_q).max(c.idx_q).max(d.idx_q);
            if last >= q.len() {
                // A joint without coordinates, behind all that have some.
                break;
            }
            let angles = [q[a.idx_q], q[b.idx_q], q[c.idx_q], q[d.idx_q]];
            let (sin, cos) = S::sin_cos_of_four(angles);
            for l in 0..4 {
                let at = (sin[l], cos[l]);
                place_link(model, i + l, q, at, &mut placement[i + l], column);
            }
            i += 4;
        }
    }
    while i < n {
        place_one(model, i, q, &mut placement[i], column);
        i += 1;
    }
}

/// Places one link in its parent's frame.
#[inline(always)]
pub fn place_one<S: Scalar>(
    model: &Model,
    i: usize,
    q: &[S],
    placement: &mut Se3<S>,
    column: &mut [Motion<S>],
) {
    let link = &model.links[i];
    let at = if link.class == Class::Revolute {
        q[link.idx_q].sin_cos()
    } else {
        (S::zero(), S::one())
    };
    place_link(model, i, q, at, placement, column);
}

/// Places one link. `at` are the sine and cosine of a revolute joint's angle.
#[inline(always)]
fn place_link<S: Scalar>(
    model: &Model,
    i: usize,
    q: &[S],
    at: (S, S),
    placement: &mut Se3<S>,
    column: &mut [Motion<S>],
) {
    let link = &model.links[i];
    match link.class {
        Class::Revolute => *placement = turned(&link.placement, at.0, at.1),
        Class::Prismatic => {
            let constant = Se3::<S>::constant(&link.placement);
            let along = constant.rotation.z;
            let translation = along.mul_add(q[link.idx_q], constant.translation);
            *placement = Se3::new(constant.rotation, translation);
        }
        Class::Unbounded => {
            let (sin, cos) = unbounded_turn(q[link.idx_q], q[link.idx_q + 1]);
            *placement = turned(&link.placement, sin, cos);
        }
        Class::General => place_general(model, i, &link.placement, q, placement, column),
    }
}

/// Places a link by a general joint, whose input frame is `base`, and writes the joint's columns.
#[inline(always)]
pub fn place_general<S: Scalar>(
    model: &Model,
    i: usize,
    base: &Se3<f64>,
    q: &[S],
    placement: &mut Se3<S>,
    column: &mut [Motion<S>],
) {
    let own = place_by_joint(model, i, q, &mut column[model.links[i].column_range()]);
    *placement = Se3::constant(base).compose(&own);
}

/// A joint's placement and motion subspace; a mimic joint's along the mimicked coordinate.
#[inline(always)]
pub(super) fn place_by_joint<S: Scalar>(
    model: &Model,
    i: usize,
    q: &[S],
    column: &mut [Motion<S>],
) -> Se3<S> {
    let (joint, link) = (&model.joints()[i], &model.links[i]);
    match &joint.mimic {
        None => {
            let own_q = &q[link.idx_q..link.idx_q + joint.nq];
            evaluate(&joint.kind, own_q, column)
        }
        Some(mimic) => {
            let displacement = mimic_displacement(model, mimic, &q[link.idx_q..]);
            dispatch(PlaceMimic {
                kind: &joint.kind,
                ratio: mimic.ratio,
                displacement,
                column,
            })
        }
    }
}

/// Placement by a mimic joint of one degree of freedom, which writes its column on the way.
///
/// A kernel of its own: the code for every kind of joint is large and shall not be inlined into
/// each algorithm.
struct PlaceMimic<'a, S: Scalar> {
    kind: &'a JointKind,
    ratio: f64,
    displacement: S,
    column: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for PlaceMimic<'_, S> {
    type Output = Se3<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Se3<S> {
        let placement = self
            .kind
            .evaluate_displacement(self.displacement, self.column);
        for column in self.column {
            *column = *column * S::constant(self.ratio);
        }
        placement
    }
}

/// The displacement of a mimic joint. `q` begins with the mimicked joint's configuration.
#[inline(always)]
pub fn mimic_displacement<S: Scalar>(model: &Model, mimic: &Mimic, q: &[S]) -> S {
    let source = model.joint(mimic.source).kind.displacement(q);
    source.mul_add(S::constant(mimic.ratio), S::constant(mimic.offset))
}

/// Rates of a general joint's columns and their product with its velocity, for joints whose motion
/// subspace depends on q.
#[inline(always)]
pub fn rate_columns<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    q: &[S],
    v: &[S],
    subspaces: &mut Subspaces<S>,
) {
    if link.is_varying {
        // A joint whose motion subspace varies is never a mimic joint: its coordinates are its own.
        let own_q = &q[link.idx_q..link.idx_q + model.joints()[i].nq];
        let own_v = &v[link.idx_v..link.idx_v + link.columns];
        let rates = &mut subspaces.rate[link.column_range()];
        subspace_rates(&model.joints()[i].kind, own_q, own_v, rates);
        let mut bias = Motion::zero();
        for k in 0..rates.len() {
            bias = rates[k].mul_add(own_v[k], &bias);
        }
        subspaces.bias[i] = bias;
    }
}

/// Places all links in their parents' frames and in the world.
#[inline(always)]
pub fn place_in_world<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S]) {
    place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
    let links = &model.links[..];
    let n = links.len();
    let (placement, world) = (&ws.placement[..n], &mut ws.world[..n]);
    for i in 1..n {
        let parent = links[i].parent.min(i - 1);
        world[i] = world[parent].compose(&placement[i]);
    }
}

/// The velocity that a joint gives its link relative to the parent, in the link frame.
#[inline(always)]
pub fn joint_motion<S: Scalar>(link: &Link, column: &[Motion<S>], v: &[S]) -> Motion<S> {
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

/// The velocity of a link, and the part of its acceleration that neither q̈ nor the parent's
/// acceleration causes: Ṡ q̇ + ν × S q̇. `carried` is the parent's velocity in the link frame.
#[inline(always)]
pub fn move_link<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    (q, v): (&[S], &[S]),
    carried: Motion<S>,
    subspaces: &mut Subspaces<S>,
) -> (Motion<S>, Motion<S>) {
    match link.class {
        Class::Revolute | Class::Unbounded => {
            let rate = v[link.idx_v];
            let Motion { linear, angular } = carried;
            let bias = Motion::new(linear.cross_along_z(rate), angular.cross_along_z(rate));
            (Motion::new(linear, angular.plus_along_z(rate)), bias)
        }
        Class::Prismatic => {
            let rate = v[link.idx_v];
            let Motion { linear, angular } = carried;
            let bias = Motion::new(angular.cross_along_z(rate), Vec3::zero());
            (Motion::new(linear.plus_along_z(rate), angular), bias)
        }
        Class::General => {
            rate_columns(model, i, link, q, v, subspaces);
            let own = joint_motion(link, &subspaces.column, v);
            let velocity = carried + own;
            (velocity, velocity.cross(&own) + subspaces.bias[i])
        }
    }
}

/// A motion of a link, with the part that its joint's coordinates give at the given rates.
#[inline(always)]
pub fn add_joint_motion<S: Scalar>(
    link: &Link,
    column: &[Motion<S>],
    rates: &[S],
    motion: Motion<S>,
) -> Motion<S> {
    let Motion { linear, angular } = motion;
    match link.class {
        Class::Revolute | Class::Unbounded => {
            Motion::new(linear, angular.plus_along_z(rates[link.idx_v]))
        }
        Class::Prismatic => Motion::new(linear.plus_along_z(rates[link.idx_v]), angular),
        Class::General => motion + joint_motion(link, column, rates),
    }
}

/// The component of a force along the coordinate of a joint with one axis.
#[inline(always)]
pub fn axial_component<S: Scalar>(class: Class, force: &Force<S>) -> S {
    match class {
        Class::Prismatic => force.linear.z,
        Class::Revolute | Class::Unbounded | Class::General => force.angular.z,
    }
}

/// The component of a force along a column of a joint's motion subspace: sᵀ f.
#[inline(always)]
pub fn component<S: Scalar>(link: &Link, column: &Motion<S>, force: &Force<S>) -> S {
    match link.class {
        Class::General => column.dot(force),
        Class::Revolute | Class::Unbounded | Class::Prismatic => axial_component(link.class, force),
    }
}

/// Adds the components of a force along a joint's coordinates: Sᵀ f.
#[inline(always)]
pub fn add_components<S: Scalar>(
    link: &Link,
    column: &[Motion<S>],
    force: &Force<S>,
    tau: &mut [S],
) {
    match link.class {
        Class::General => {
            for (k, c) in column[link.column_range()].iter().enumerate() {
                tau[link.idx_v + k] += c.dot(force);
            }
        }
        Class::Revolute | Class::Unbounded | Class::Prismatic => {
            tau[link.idx_v] += axial_component(link.class, force)
        }
    }
}
