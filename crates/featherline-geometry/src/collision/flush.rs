//! Bodies that slide past the edge of a box whose face they are flush with.
//!
//! The nearest points of a body on one box and of the box beside it lie on an edge. Rounding turns
//! the line between them into any direction, and a normal across the face would stop a body that
//! only slides from one box to the next.

use super::convex::{Convex, Core};
use super::separation::Separation;
use featherline::kernel::Kernel;
use featherline::spatial::{Se3, Vec3};

/// Gaps below this, in m, are those of bodies at rest on each other; a higher step is one.
const FLUSH: f64 = 1e-6;
/// The cosine within which two faces look the same way.
const ONE_WAY: f64 = 0.9;
/// Normals are those of two flat faces on each other, or of a face and a curved shape on it, if
/// one less their cosine is below these.
const PARALLEL_FACES: f64 = 1e-6;
const SAME: f64 = 1e-12;

/// The separation that contacts are taken from: none if shapes pass each other at an edge.
pub(crate) struct Flush<'a> {
    pub nearest: Separation,
    pub shapes: [&'a Convex<'a>; 2],
    pub placements: [&'a Se3<f64>; 2],
}

impl Kernel for Flush<'_> {
    type Output = Option<Separation>;

    /// Along a face's normal m with a gap g of rounding, bodies are flush. If the nearest points
    /// are apart in another direction, or bodies are flush along two, an edge passes and nothing
    /// touches. Else m takes the place of a normal that rounding or a round surface leans.
    #[inline(always)]
    fn run(self) -> Option<Separation> {
        let Self {
            nearest,
            shapes: [a, b],
            placements: [first, second],
        } = self;
        let (n, distance) = (nearest.normal, nearest.distance);
        // A gap along any direction is none above the distance.
        if distance < -FLUSH {
            return Some(nearest);
        }
        // Of what lies beyond a face, so does the centre.
        let between = second.act_point(b.core.center()) - first.act_point(a.core.center());
        let parallel = match is_flat(a) && is_flat(b) {
            true => PARALLEL_FACES,
            false => SAME,
        };
        let mut flush: Option<Separation> = None;
        for (shape, placement) in [(a, first), (b, second)] {
            if !matches!(shape.core, Core::Cuboid(_)) {
                continue;
            }
            let r = &placement.rotation;
            for column in [r.x, r.y, r.z] {
                let m = column * 1f64.copysign(column.dot(between));
                let (m, gap) = match 1.0 - m.dot(n) < parallel {
                    true => (n, distance),
                    false => (m, gap_along(m, [a, b], [first, second])),
                };
                if gap.abs() > FLUSH {
                    continue;
                }
                if distance > FLUSH {
                    return None;
                }
                let on_second = nearest.points[1];
                flush = match flush {
                    Some(other) if other.normal.dot(m) < ONE_WAY => return None,
                    Some(other) if other.distance >= gap => Some(other),
                    _ => Some(Separation {
                        distance: gap,
                        points: [on_second - m * gap, on_second],
                        normal: m,
                    }),
                };
            }
        }
        Some(flush.unwrap_or(nearest))
    }
}

/// Whether all faces are flat.
#[inline(always)]
fn is_flat(shape: &Convex<'_>) -> bool {
    let Convex { core, radius } = shape;
    *radius == 0.0
        && matches!(
            core,
            Core::Cuboid(_) | Core::Polytope(_) | Core::Triangle(_)
        )
}

/// The gap of two convex shapes along a unit vector, n · (s_B(−n) − s_A(n)): a lower bound of their
/// distance.
#[inline(always)]
pub(crate) fn gap_along(
    n: Vec3<f64>,
    [a, b]: [&Convex<'_>; 2],
    [first, second]: [&Se3<f64>; 2],
) -> f64 {
    n.dot(farthest(b, second, -n) - farthest(a, first, n)) - a.radius - b.radius
}

/// The point of a placed shape's core that is farthest along a direction.
#[inline(always)]
fn farthest(shape: &Convex<'_>, placement: &Se3<f64>, n: Vec3<f64>) -> Vec3<f64> {
    placement.act_point(shape.core.support(placement.rotation.tr_mul_vec(n)))
}
