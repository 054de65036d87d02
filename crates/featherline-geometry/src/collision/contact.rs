//! Points of contact, and the choice of a few among many.

use super::separation::Separation;
use featherline::spatial::Vec3;

/// A point where two shapes touch, overlap, or are within range of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// A point on each shape, in the world, in m: `points[1] − points[0]` is `distance` · `normal`.
    pub points: [Vec3<f64>; 2],
    /// The unit vector from the first shape to the second, in the world.
    pub normal: Vec3<f64>,
    /// The gap at the point along the normal, in m; negative where the shapes overlap.
    pub distance: f64,
    /// Which corners, edges and faces meet. The same in the next call where the same ones meet, so
    /// that a solver can begin with the last step's impulse.
    pub feature: u32,
}

/// The most points that a pair of convex shapes has.
pub(crate) const MOST: usize = 4;

/// Adds a separation as a point, if it is within range.
#[inline(always)]
pub(crate) fn push_contact(s: Separation, feature: u32, range: f64, out: &mut Vec<ContactPoint>) {
    if s.distance <= range {
        out.push(ContactPoint {
            points: s.points,
            normal: s.normal,
            distance: s.distance,
            feature,
        });
    }
}

/// The number of a feature from the numbers of two. A hash (multiplication by an odd number and a
/// rotation), equal for equal arguments on all machines.
#[inline(always)]
pub(crate) fn feature(first: u32, second: u32) -> u32 {
    let mixed = |h: u32, x: u32| (h.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9);
    mixed(mixed(0x517C_C1B7, first), second)
}

/// Keeps at most four of the points from `first` on: the deepest, the farthest from it, the one
/// that makes the largest triangle with both, and the one that adds most to it on the other side.
///
/// Cost O(points). Points keep their order.
pub(crate) fn reduce(points: &mut Vec<ContactPoint>, first: usize) {
    let some = &mut points[first..];
    if some.len() <= MOST {
        return;
    }
    let at = |i: usize| some[i].points[0];
    let best = |score: &dyn Fn(usize) -> f64| {
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for i in 0..some.len() {
            let value = score(i);
            if value > most {
                (best, most) = (i, value);
            }
        }
        best
    };
    let n = some[0].normal;
    let a = best(&|i| -some[i].distance);
    let b = best(&|i| (at(i) - at(a)).norm_squared());
    let edge = at(b) - at(a);
    let area = |i: usize| edge.cross(at(i) - at(a)).dot(n);
    let c = best(&|i| area(i).abs());
    let side = area(c).signum();
    // Beyond one of the three edges of the triangle, by area.
    let (ca, cb) = (at(a) - at(c), at(c) - at(b));
    let d = best(&|i| {
        let beyond_ab = -side * area(i);
        let beyond_bc = -side * cb.cross(at(i) - at(b)).dot(n);
        let beyond_ca = -side * ca.cross(at(i) - at(c)).dot(n);
        beyond_ab.max(beyond_bc).max(beyond_ca)
    });
    let mut kept = [a, b, c, d];
    kept.sort_unstable();
    let mut count = 0;
    for (k, &i) in kept.iter().enumerate() {
        if k == 0 || kept[k - 1] != i {
            some[count] = some[i];
            count += 1;
        }
    }
    points.truncate(first + count);
}
