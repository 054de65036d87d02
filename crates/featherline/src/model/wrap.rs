//! Ways around spheres and cylinders.

use super::{JointId, LengthGradient};
use crate::spatial::{Se3, Vec3};
use std::f64::consts::TAU;

/// A sphere or a cylinder that a path goes around where it is in the way: straight to its surface,
/// along it, and straight again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrap {
    /// The joint that carries it, and its frame in the output frame; a cylinder's axis is z,
    /// and it has no ends.
    pub shape: (JointId, Se3<f64>),
    /// Its radius in m.
    pub radius: f64,
    /// Whether it is a cylinder.
    pub is_cylinder: bool,
    /// A joint and a point in its output frame: the path does not pass the side of the shape
    /// opposite to it, also where the straight way would.
    pub side: Option<(JointId, Vec3<f64>)>,
}

/// A way around a circle: where it meets the circle, and the lengths before, on and after it.
struct Detour {
    points: [[f64; 2]; 2],
    lengths: [f64; 3],
}

impl Wrap {
    /// The length between points of two bodies in the world, times a factor; adds the gradient. By
    /// the shortest way, moving the points of contact changes nothing: the gradient is that of the
    /// straight parts.
    pub(super) fn evaluate(
        &self,
        bodies: [JointId; 2],
        ends: [Vec3<f64>; 2],
        factor: f64,
        placements: &[Se3<f64>],
        gradient: &mut LengthGradient,
    ) -> f64 {
        let in_world = |body: JointId, point| placements[body.index()].act_point(point);
        let shape = placements[self.shape.0.index()].compose(&self.shape.1);
        let seen = |point: Vec3<f64>| {
            let d = point - shape.translation;
            shape.rotation.tr_mul_vec(d)
        };
        let own = ends.map(seen);
        let side = self.side.map(|(body, point)| seen(in_world(body, point)));
        // The axes of the plane of the circle, and the third one.
        let [x, y, z] = match self.is_cylinder {
            true => [0, 1, 2].map(Vec3::unit),
            false => plane_of(own),
        };
        let planar = |it: Vec3<f64>| [x.dot(it), y.dot(it)];
        let Some(around) = around(own.map(planar), side.map(planar), self.radius) else {
            return gradient.push_straight(bodies, ends, factor);
        };
        // Along the axis as fast as along the unrolled way.
        let [first, on, last] = around.lengths;
        let rise = z.dot(own[1] - own[0]);
        let slope = rise / (first + on + last);
        let heights = [first, first + on].map(|way| z.dot(own[0]) + slope * way);
        let touches = [0, 1].map(|k| {
            let [a, b] = around.points[k];
            shape.act_point(x * a + y * b + z * heights[k])
        });
        for k in [0, 1] {
            let pair = [self.shape.0, bodies[k]];
            gradient.push_straight(pair, [touches[k], ends[k]], factor);
        }
        factor * (first + on + last).hypot(rise)
    }
}

/// Axes of the plane through the origin and two points, and its normal.
fn plane_of([a, b]: [Vec3<f64>; 2]) -> [Vec3<f64>; 3] {
    let along = if a.norm() > 0.0 { a } else { Vec3::unit(0) };
    let x = along * along.norm().recip();
    let mut normal = x.cross(b);
    if normal.norm() <= 1e-12 * b.norm() {
        // On one line: any plane through it.
        let axes = [0, 1].map(|k| x.cross(Vec3::unit(k)));
        normal = if axes[0].norm() > axes[1].norm() {
            axes[0]
        } else {
            axes[1]
        };
    }
    let z = normal * normal.norm().recip();
    [x, z.cross(x), z]
}

/// The way between two points around a circle of a radius; none where the straight way is free, or
/// a point is in the circle. It goes the short way round, unless that passes the side opposite to
/// `side`.
fn around(points: [[f64; 2]; 2], side: Option<[f64; 2]>, radius: f64) -> Option<Detour> {
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let distances = points.map(|it| it[0].hypot(it[1]));
    if distances.iter().any(|it| *it <= radius) {
        return None;
    }
    let [first, second] = points;
    let turn = if cross(first, second) >= 0.0 {
        1.0
    } else {
        -1.0
    };
    let passes_opposite = side.is_some_and(|side| {
        let opposite = side.map(|it| -it);
        turn * cross(first, opposite) >= 0.0 && turn * cross(opposite, second) >= 0.0
    });
    if !passes_opposite {
        // The nearest point of the straight way.
        let way = [second[0] - first[0], second[1] - first[1]];
        let square = dot(way, way);
        let part = if square > 0.0 {
            -dot(first, way) / square
        } else {
            0.0
        };
        let part = part.clamp(0.0, 1.0);
        let nearest = [0, 1].map(|k| way[k].mul_add(part, first[k]));
        if dot(nearest, nearest) > radius * radius {
            return None;
        }
    }
    let turn: f64 = if passes_opposite { -turn } else { turn };
    // Tangents from a point at the distance d touch where cos α = r/d.
    let angles = points.map(|[x, y]| y.atan2(x));
    let widths = distances.map(|d| (radius / d).acos());
    let begin = turn.mul_add(widths[0], angles[0]);
    let end = (-turn).mul_add(widths[1], angles[1]);
    let arc = (turn * (end - begin)).rem_euclid(TAU);
    let on = |angle: f64| [radius * angle.cos(), radius * angle.sin()];
    let straight = distances.map(|d| (d * d - radius * radius).sqrt());
    Some(Detour {
        points: [on(begin), on(end)],
        lengths: [straight[0], radius * arc, straight[1]],
    })
}
