//! Newton's method for the normal of two smooth cores.
//!
//! With the support function h(n) = max n · w over w in A − B, the distance of A and B is −h at its
//! least on the unit sphere, also where they overlap. Its gradient is the point w itself, and with
//! the second derivatives H of both support functions, that on the sphere is P H P − h I, where P
//! projects across n. The least h has w along n, so that w bounds the distance from above and h
//! from below.

use super::nearest::{Cores, Difference};
use featherline::spatial::Vec3;

/// The part of w across n, in parts of the size, at which w is along n.
const STATIONARY: f64 = 1e-12;
/// With this part the search has come close, and its result is better than the start.
const CLOSE: f64 = 1e-9;
/// Newton steps: each doubles the number of digits.
const MOST_STEPS: usize = 8;

/// A unit vector, and the point of the difference farthest along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stationary {
    pub normal: Vec3<f64>,
    pub point: Difference,
    /// h = n · w.
    pub extent: f64,
}

/// The nearest stationary direction of h from a unit vector on; none if the cores are not smooth
/// there, or no minimum is near.
#[inline(always)]
pub(crate) fn stationary(cores: &Cores<'_>, start: Vec3<f64>) -> Option<Stationary> {
    let at = |normal: Vec3<f64>| {
        let point = cores.support(normal);
        Stationary {
            normal,
            point,
            extent: normal.dot(point.w),
        }
    };
    let mut here = at(start);
    let size = here.point.w.max_norm() + cores.placement.translation.max_norm();
    for _ in 0..MOST_STEPS {
        let Stationary {
            normal: n,
            point,
            extent,
        } = here;
        let across = point.w - n * extent;
        if across.max_norm() <= STATIONARY * size {
            return Some(here);
        }
        let (t1, t2) = basis(n);
        let h = cores.curvature(n);
        let (h1, h2) = (h.mul_vec(t1), h.mul_vec(t2));
        // (P H P − h I) δ = −P w.
        let (a, b, c) = (t1.dot(h1) - extent, t1.dot(h2), t2.dot(h2) - extent);
        let (g1, g2) = (t1.dot(across), t2.dot(across));
        let determinant = a * c - b * b;
        if !(a > 0.0 && determinant > 0.0) {
            return None;
        }
        let scale = -1.0 / determinant;
        let (d1, d2) = ((c * g1 - b * g2) * scale, (a * g2 - b * g1) * scale);
        let turned = n + t1 * d1 + t2 * d2;
        let next = at(turned * (1.0 / turned.norm()));
        // Not a step down: rounding, or a corner.
        if next.extent.is_nan() || next.extent >= extent {
            return (across.max_norm() <= CLOSE * size).then_some(here);
        }
        here = next;
    }
    None
}

/// Two unit vectors across a third.
#[inline(always)]
fn basis(n: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
    // Source: T. Duff and others, *Building an orthonormal basis, revisited*, 2017.
    let sign = 1f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (
        Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        Vec3::new(b, sign + n.y * n.y * a, -n.y),
    )
}
