//! Capsule × capsule: two segments.

use super::between_points;
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Segments are parallel if the squared sine of their angle is below this.
const PARALLEL: f64 = 1e-14;

/// Segment × segment, of half lengths about z.
///
/// The nearest points minimise |r + t b − s a|² over both ranges; where the free minimum lies
/// outside, the end that bounds it is projected on the other segment. Source: C. Ericson,
/// *Real-time collision detection*, 2005. Of parallel segments, the middle of what lies side by
/// side.
#[inline(always)]
pub(crate) fn separation([p, q]: [f64; 2], first: &Se3<f64>, second: &Se3<f64>) -> Separation {
    let (a, b) = (first.rotation.z, second.rotation.z);
    let r = second.translation - first.translation;
    let (along_a, along_b, cos) = (a.dot(r), b.dot(r), a.dot(b));
    let cross = a.cross(b);
    let sin_squared = cross.norm_squared();
    let (s, t) = if sin_squared > PARALLEL {
        // s − t c = a·r, s c − t = b·r.
        let s = ((along_a - cos * along_b) / sin_squared).clamp(-p, p);
        let t = s * cos - along_b;
        if t.abs() <= q {
            (s, t)
        } else {
            let t = t.clamp(-q, q);
            ((along_a + t * cos).clamp(-p, p), t)
        }
    } else {
        let reach = q * cos.abs();
        let (low, high) = ((along_a - reach).max(-p), (along_a + reach).min(p));
        let s = (0.5 * (low + high)).clamp(-p, p);
        (s, (s * cos - along_b).clamp(-q, q))
    };
    let on_a = first.translation + a * s;
    let on_b = second.translation + b * t;
    let across = match sin_squared > PARALLEL {
        true => cross * (1.0 / sin_squared.sqrt()),
        false => first.rotation.x,
    };
    between_points(on_a, on_b, across)
}

/// The ends of what two almost parallel segments have side by side, as points of both; none if
/// they are not almost parallel or have nothing side by side.
#[inline(always)]
pub(crate) fn side_by_side(
    [p, q]: [f64; 2],
    first: &Se3<f64>,
    second: &Se3<f64>,
) -> Option<[[Vec3<f64>; 2]; 2]> {
    /// The squared sine of the angle up to which two ends touch.
    const NEARLY: f64 = 4e-4;
    let (a, b) = (first.rotation.z, second.rotation.z);
    if a.cross(b).norm_squared() > NEARLY {
        return None;
    }
    let r = second.translation - first.translation;
    let (along_a, along_b, cos) = (a.dot(r), b.dot(r), a.dot(b));
    let reach = q * cos.abs();
    let (low, high) = ((along_a - reach).max(-p), (along_a + reach).min(p));
    let pair = |s: f64| {
        let t = (s * cos - along_b).clamp(-q, q);
        [first.translation + a * s, second.translation + b * t]
    };
    (low < high).then(|| [pair(low), pair(high)])
}
