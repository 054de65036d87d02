//! Frames that make constant placements screws about one axis.
//!
//! The frame of a body is free to choose. In the canonical one, z lies along the body's own joint
//! axis and x along the common normal to the axis of one child, the *main* one: the placement of
//! that child's joint is then a screw about x, and its own motion a screw about z (Denavit and
//! Hartenberg 1955, in the form of Khalil and Kleinfinger 1986). A screw about one axis carries a
//! vector by 4 multiplications and 2 additions where a general rotation takes 9 and 6. Further
//! children need a rotation about z first. A leaf has no such child: its x goes through its centre
//! of mass.
//!
//! Where two axes are parallel but for less than about a degree, their common normal is far away
//! and would cost accuracy: the child's origin is then a general point of the parent, and its axis
//! still a rotation about x off the parent's.

use super::base_parameters::{BaseParameters, Regrouping};
use super::elementary::{ElementaryJoint, Mobility};
use super::transformation::Turn;
use featherline::spatial::{Mat3, Se3, Vec3};

/// The rounding of a zero by a few products and sums, as a share of their size: of one for the
/// cosines and sines of a rotation, of the ways on both sides of an edge for the way between.
/// Whatever is larger was meant, such as the 5e-12 that twelve digits of π/2 leave of a cosine, and
/// is kept.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Sine of the angle between two axes below which their common normal is not used.
const NEARLY_PARALLEL: f64 = 0.02;

/// How a body's frame follows from its parent's: a translation, rotations, the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    /// Where the child's axes begin, in the parent's frame.
    pub p: [f64; 3],
    /// Constant rotation about z.
    pub gamma: Turn<f64>,
    /// Constant rotation about x.
    pub alpha: Turn<f64>,
    /// Constant part of the rotation about the joint's axis z, and its angle.
    pub theta: Turn<f64>,
    pub theta_angle: f64,
    /// Constant translation along that axis.
    pub d: f64,
    /// The universe's acceleration minus gravity in the frame behind the constant rotations, for
    /// bodies that it carries.
    pub base_acceleration: [f64; 3],
}

/// The free choices of a body's frame and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Which of its children, counted from 0, its x axis serves.
    pub main: usize,
    /// How its parameters are regrouped.
    pub regrouping: Regrouping,
    /// Which component of the way from its parent a translation along its axis makes zero; the
    /// fewest in all without.
    pub split: Option<Split>,
}

/// Which component of the way from the parent a translation along the joint's axis makes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// None: there is no translation along the axis.
    Straight,
    /// The given one.
    Component(usize),
}

/// A body in its canonical frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    /// The parent body; 0 is the universe.
    pub parent: usize,
    pub mobility: Mobility,
    pub edge: Edge,
    pub parameters: BaseParameters,
}

/// Places all bodies, with a choice for each.
pub(super) fn bodies(
    tree: &[ElementaryJoint],
    choices: &[Choice],
    gravity: Vec3<f64>,
) -> Vec<Body> {
    let mut children = vec![Vec::new(); tree.len()];
    for (i, joint) in tree.iter().enumerate().skip(1) {
        children[joint.parent].push(i);
    }
    let mut frames = vec![Se3::identity(); tree.len()];
    for i in (1..tree.len()).rev() {
        let child = children[i].get(choices[i].main).copied();
        frames[i] = match (&tree[i].mobility, child) {
            (Mobility::None | Mobility::Free { .. }, _) => Se3::identity(),
            (_, Some(child)) => towards_child(&tree[i], &tree[child], &frames[child]),
            (_, None) => leaf(&tree[i], &tree[tree[i].parent]),
        };
    }
    let place = |(i, joint): (usize, &ElementaryJoint)| Body {
        parent: joint.parent,
        mobility: joint.mobility,
        edge: match (joint.parent, &joint.mobility) {
            (0, Mobility::Free { .. }) => root_edge(joint.placement.rotation, gravity, true),
            (0, _) => root_edge(
                joint.placement.rotation.mul_mat(&frames[i].rotation),
                gravity,
                false,
            ),
            (parent, _) => edge(
                [&frames[parent], &joint.placement, &frames[i]],
                choices[i].split,
            ),
        },
        parameters: BaseParameters::of(&joint.parameters.inverse_transformed_by(&frames[i])),
    };
    tree.iter().enumerate().map(place).collect()
}

/// The frame with the given origin and unit axes x and z.
fn frame(origin: Vec3<f64>, x: Vec3<f64>, z: Vec3<f64>) -> Se3<f64> {
    Se3::new(Mat3::from_columns(x, z.cross(x), z), origin)
}

/// The part of a vector across a unit vector.
fn across(v: Vec3<f64>, z: Vec3<f64>) -> Vec3<f64> {
    v - z * z.dot(v)
}

/// The direction of the part across a unit vector, exactly across however short it is.
fn direction(v: Vec3<f64>, z: Vec3<f64>) -> Vec3<f64> {
    across(across(v, z).normalised(), z).normalised()
}

/// A direction across z with simple moments: towards the centre of mass, or a principal one.
fn direction_of_mass(joint: &ElementaryJoint) -> Vec3<f64> {
    let z = joint.axis;
    let first = across(joint.parameters.first_moment, z);
    if first.norm() > 1e-9 * joint.parameters.mass {
        return first.normalised();
    }
    let some = if z.x.abs() < 0.6 {
        Vec3::unit(0)
    } else {
        Vec3::unit(1)
    };
    let u = across(some, z).normalised();
    let v = z.cross(u);
    let inertia = joint.parameters.second_moment;
    let (uu, uv, vv) = (
        u.dot(inertia.mul_vec(u)),
        u.dot(inertia.mul_vec(v)),
        v.dot(inertia.mul_vec(v)),
    );
    if uv.abs() <= 1e-12 * inertia.trace() {
        return u;
    }
    let angle = 0.5 * (2.0 * uv).atan2(uu - vv);
    u * angle.cos() + v * angle.sin()
}

/// Where on a line along z the common normal with a line through `point` along `w` stands.
fn foot(z: Vec3<f64>, point: Vec3<f64>, w: Vec3<f64>) -> f64 {
    let normal = z.cross(w);
    point.cross(w).dot(normal) / normal.norm_squared()
}

/// The frame of a body with children, in its output frame.
fn towards_child(
    joint: &ElementaryJoint,
    child: &ElementaryJoint,
    child_frame: &Se3<f64>,
) -> Se3<f64> {
    let z = joint.axis;
    let w = child.placement.rotation.mul_vec(child.axis);
    let origin = child.placement.act_point(child_frame.translation);
    let normal = z.cross(w);
    let sine = normal.norm();
    let aside = across(origin, z);
    let reach = child.placement.translation.norm() + child_frame.translation.norm();
    let x = if sine > ROUNDING {
        direction(normal, z)
    } else if aside.norm() > ROUNDING * reach {
        direction(aside, z)
    } else {
        direction_of_mass(joint)
    };
    let own = match (&joint.mobility, &child.mobility) {
        // A body that only slides may have its origin anywhere.
        (Mobility::Prismatic(..), _) => origin,
        (_, Mobility::Revolute(..)) if sine > NEARLY_PARALLEL => z * foot(z, origin, w),
        _ => z * z.dot(origin),
    };
    frame(own, x, z)
}

/// The frame of a body without children, in its output frame.
fn leaf(joint: &ElementaryJoint, parent: &ElementaryJoint) -> Se3<f64> {
    let z = joint.axis;
    let to_parent = joint.placement.inverse();
    let w = to_parent.rotation.mul_vec(parent.axis);
    let normal = w.cross(z);
    let sine = normal.norm();
    let parameters = &joint.parameters;
    if let Mobility::Prismatic(..) = joint.mobility {
        let x = if sine > ROUNDING {
            direction(normal, z)
        } else {
            direction_of_mass(joint)
        };
        let com = if parameters.mass > 0.0 {
            parameters.first_moment * (1.0 / parameters.mass)
        } else {
            Vec3::zero()
        };
        return frame(com, x, z);
    }
    let x = direction_of_mass(joint);
    if matches!(parent.mobility, Mobility::Revolute(..)) && sine > NEARLY_PARALLEL {
        return frame(z * foot(z, to_parent.translation, w), x, z);
    }
    // Where the origin is free on the axis, it goes to where the moment ∫ x z dm vanishes.
    let first = x.dot(parameters.first_moment);
    let mixed = -x.dot(parameters.second_moment.mul_vec(z));
    let height = mixed / first;
    // Far off, it would cost accuracy.
    let at = if height.abs() < 1.0 { height } else { 0.0 };
    frame(z * at, x, z)
}

fn snapped(cos: f64, sin: f64) -> Turn<f64> {
    let (cos, sin) = if sin.abs() < ROUNDING {
        (cos.signum(), 0.0)
    } else if cos.abs() < ROUNDING {
        (0.0, sin.signum())
    } else {
        (cos, sin)
    };
    Turn::by_constants(cos, sin)
}

fn about_z(turn: &Turn<f64>) -> Mat3<f64> {
    let (c, s) = (turn.cos, turn.sin);
    Mat3::from_columns(Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::unit(2))
}

fn about_x(turn: &Turn<f64>) -> Mat3<f64> {
    let (c, s) = (turn.cos, turn.sin);
    Mat3::from_columns(Vec3::unit(0), Vec3::new(0.0, c, s), Vec3::new(0.0, -s, c))
}

/// The edge to a body that the universe carries: only the direction of gravity matters.
fn root_edge(orientation: Mat3<f64>, gravity: Vec3<f64>, free: bool) -> Edge {
    let up = without_rounding(orientation.tr_mul_vec(-gravity), gravity.norm());
    let mut edge = Edge {
        p: [0.0; 3],
        gamma: Turn::NONE,
        alpha: Turn::NONE,
        theta: Turn::NONE,
        theta_angle: 0.0,
        d: 0.0,
        base_acceleration: up,
    };
    if !free && up[0] != 0.0 && up[1] != 0.0 {
        // An offset of the angle costs less than a gravity with all components.
        let level = up[0].hypot(up[1]);
        edge.base_acceleration = [level, 0.0, up[2]];
        edge.theta = snapped(up[0] / level, -up[1] / level);
        edge.theta_angle = edge.theta.sin.atan2(edge.theta.cos);
    }
    edge
}

/// The edge from the parent's frame, the joint's placement, and the body's frame behind it.
fn edge([parent, joint, own]: [&Se3<f64>; 3], choice: Option<Split>) -> Edge {
    let placement = parent.inverse().compose(joint).compose(own);
    let ways = [parent, joint, own].map(|frame| frame.translation.norm());
    let r = placement.rotation;
    let w = r.z;
    let sine = w.x.hypot(w.y);
    let (gamma, alpha) = if sine < ROUNDING {
        (Turn::NONE, snapped(w.z, 0.0))
    } else if w.x.abs() < ROUNDING {
        (Turn::NONE, snapped(w.z, -w.y))
    } else {
        (snapped(-w.y / sine, w.x / sine), snapped(w.z, sine))
    };
    let rest = about_z(&gamma).mul_mat(&about_x(&alpha)).tr_mul_mat(&r);
    let theta = snapped(rest.x.x, rest.x.y);
    let (p, d) = split(placement.translation, ways.iter().sum(), w, choice);
    Edge {
        p,
        gamma,
        alpha,
        theta,
        theta_angle: theta.sin.atan2(theta.cos),
        d,
        base_acceleration: [0.0; 3],
    }
}

/// Components with zero for those that are only the rounding of numbers of size `scale`.
fn without_rounding(v: Vec3<f64>, scale: f64) -> [f64; 3] {
    v.to_array()
        .map(|x| if x.abs() < ROUNDING * scale { 0.0 } else { x })
}

/// Splits the way to a child's origin, a sum of ways as long as `reach`, into one in the parent's
/// frame and one along the child's axis `w`: as chosen, or with the fewest components in all.
fn split(way: Vec3<f64>, reach: f64, w: Vec3<f64>, choice: Option<Split>) -> ([f64; 3], f64) {
    let clean = |p: Vec3<f64>| without_rounding(p, reach);
    let components = |(p, d): &([f64; 3], f64)| p.iter().chain([d]).filter(|x| **x != 0.0).count();
    let straight = (clean(way), 0.0);
    let without = |k: usize| {
        let (along, part) = (way.to_array()[k], w.to_array()[k]);
        // Far away is where accuracy is lost.
        if part.abs() < NEARLY_PARALLEL || along.abs() < ROUNDING * reach {
            return straight;
        }
        let d = along / part;
        (clean(way - w * d), d)
    };
    match choice {
        Some(Split::Straight) => straight,
        Some(Split::Component(k)) => without(k),
        None => {
            let all = [straight, without(0), without(1), without(2)];
            all.into_iter().min_by_key(components).unwrap_or(straight)
        }
    }
}
