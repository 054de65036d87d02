//! Triangle × triangle.
//!
//! The nearest points of triangles that are apart are a corner and a point of the other face, or
//! lie on an edge of each (C. Ericson, *Real-time collision detection*, 2005). Triangles overlap if
//! an edge of one pierces the other. Faces of their difference A − B then have the normals of both,
//! or products of two edges, and the least overlap along these is the depth (S. Gottschalk, M. C.
//! Lin and D. Manocha, *OBBTree: a hierarchical structure for rapid interference detection*, 1996).

use super::between_points;
use crate::collision::separation::Separation;
use featherline::spatial::Vec3;

/// Corners of a triangle.
pub(crate) type Corners = [Vec3<f64>; 3];

/// Edges whose product has a smaller squared sine give no axis.
const PARALLEL: f64 = 1e-20;

/// The separation of two triangles; none if it is known to be greater than `reach`.
#[inline(always)]
pub(crate) fn separation(a: &Corners, b: &Corners, reach: f64) -> Option<Separation> {
    let (plane_a, plane_b) = (Plane::of(a), Plane::of(b));
    let (over_a, over_b) = (plane_a.heights(b), plane_b.heights(a));
    // All corners on one side: the least height bounds the distance from below.
    let bound = |heights: [f64; 3]| {
        let [x, y, z] = heights;
        x.min(y).min(z).max(-x.max(y).max(z))
    };
    let (bound_a, bound_b) = (bound(over_a), bound(over_b));
    if bound_a.max(bound_b) > reach {
        return None;
    }
    if bound_a <= 0.0
        && bound_b <= 0.0
        && (plane_a.is_pierced(a, b, over_a) || plane_b.is_pierced(b, a, over_b))
    {
        return Some(overlap(a, b, &plane_a, &plane_b));
    }
    let mut nearest = Nearest {
        square: f64::INFINITY,
        points: [a[0], b[0]],
    };
    for i in 0..3 {
        for j in 0..3 {
            let [p, q] = between_edges([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            nearest.offer(p, q);
        }
    }
    for k in 0..3 {
        let foot = b[k] - plane_a.normal * over_a[k];
        if plane_a.holds(a, foot) {
            nearest.offer(foot, b[k]);
        }
        let foot = a[k] - plane_b.normal * over_b[k];
        if plane_b.holds(b, foot) {
            nearest.offer(a[k], foot);
        }
    }
    let [p, q] = nearest.points;
    Some(between_points(p, q, plane_a.otherwise()))
}

/// The nearest pair of points so far.
struct Nearest {
    square: f64,
    points: [Vec3<f64>; 2],
}

impl Nearest {
    #[inline(always)]
    fn offer(&mut self, p: Vec3<f64>, q: Vec3<f64>) {
        let square = (q - p).norm_squared();
        if square < self.square {
            (self.square, self.points) = (square, [p, q]);
        }
    }
}

/// The plane of a triangle: its unit normal, zero of a triangle without area, and n · p.
struct Plane {
    normal: Vec3<f64>,
    level: f64,
}

impl Plane {
    #[inline(always)]
    fn of([a, b, c]: &Corners) -> Self {
        let normal = (*b - *a).cross(*c - *a);
        let square = normal.norm_squared();
        let normal = match square > f64::MIN_POSITIVE {
            true => normal * (1.0 / square.sqrt()),
            false => Vec3::zero(),
        };
        Self {
            normal,
            level: normal.dot(*a),
        }
    }

    #[inline(always)]
    fn heights(&self, [a, b, c]: &Corners) -> [f64; 3] {
        let n = self.normal;
        [
            n.dot(*a) - self.level,
            n.dot(*b) - self.level,
            n.dot(*c) - self.level,
        ]
    }

    /// Whether a point of the plane lies within the triangle: left of all edges.
    #[inline(always)]
    fn holds(&self, corners: &Corners, p: Vec3<f64>) -> bool {
        let mut inside = self.normal != Vec3::zero();
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            inside &= (to - from).cross(p - from).dot(self.normal) >= 0.0;
        }
        inside
    }

    /// Whether an edge of another triangle, whose corners have these heights, goes through this.
    #[inline(always)]
    fn is_pierced(&self, corners: &Corners, other: &Corners, heights: [f64; 3]) -> bool {
        for k in 0..3 {
            let next = (k + 1) % 3;
            let (low, high) = (heights[k], heights[next]);
            if low * high < 0.0 {
                let share = low / (low - high);
                let crossing = (other[next] - other[k]).mul_add(share, other[k]);
                if self.holds(corners, crossing) {
                    return true;
                }
            }
        }
        false
    }

    /// A unit vector for points that coincide.
    #[inline(always)]
    fn otherwise(&self) -> Vec3<f64> {
        match self.normal == Vec3::zero() {
            true => Vec3::unit(2),
            false => self.normal,
        }
    }
}

/// The nearest points of two segments.
///
/// The free minimum of |p + s d − q − t e|² is clamped to the first segment, its foot to the
/// second, and that one's foot to the first again. Source: C. Ericson, *Real-time collision
/// detection*, 2005, section 5.1.9.
#[inline(always)]
fn between_edges([p, p_end]: [Vec3<f64>; 2], [q, q_end]: [Vec3<f64>; 2]) -> [Vec3<f64>; 2] {
    let (d, e, r) = (p_end - p, q_end - q, p - q);
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(e));
    let (dr, er) = (d.dot(r), e.dot(r));
    // Lengths of zero give shares of zero.
    let share = |part: f64, whole: f64| match whole > 0.0 {
        true => (part / whole).clamp(0.0, 1.0),
        false => 0.0,
    };
    let s = share(de * er - dr * ee, dd * ee - de * de);
    let t = share(de * s + er, ee);
    let s = share(de * t - dr, dd);
    [d.mul_add(s, p), e.mul_add(t, q)]
}

/// Least and greatest coordinate of a triangle along an axis.
#[inline(always)]
fn interval([a, b, c]: &Corners, axis: Vec3<f64>) -> (f64, f64) {
    let (x, y, z) = (a.dot(axis), b.dot(axis), c.dot(axis));
    (x.min(y).min(z), x.max(y).max(z))
}

/// The corner farthest along an axis.
#[inline(always)]
fn farthest([a, b, c]: &Corners, axis: Vec3<f64>) -> Vec3<f64> {
    let (x, y, z) = (a.dot(axis), b.dot(axis), c.dot(axis));
    match (x >= y && x >= z, y >= z) {
        (true, _) => *a,
        (false, true) => *b,
        (false, false) => *c,
    }
}

/// The axis along which triangles overlap least so far.
struct Least {
    gap: f64,
    /// Of length one, from the first triangle to the second.
    normal: Vec3<f64>,
    /// The edges whose product it is; none for the normal of a triangle.
    edges: Option<[usize; 2]>,
}

impl Least {
    #[inline(always)]
    fn offer(&mut self, [a, b]: [&Corners; 2], axis: Vec3<f64>, edges: Option<[usize; 2]>) {
        let ((low_a, high_a), (low_b, high_b)) = (interval(a, axis), interval(b, axis));
        let (ahead, behind) = (low_b - high_a, low_a - high_b);
        let gap = ahead.max(behind);
        if gap > self.gap {
            let normal = if ahead >= behind { axis } else { -axis };
            *self = Self { gap, normal, edges };
        }
    }
}

/// Triangles that overlap: the axis along which they do least.
#[inline(always)]
fn overlap(a: &Corners, b: &Corners, plane_a: &Plane, plane_b: &Plane) -> Separation {
    let mut least = Least {
        gap: f64::NEG_INFINITY,
        normal: plane_a.otherwise(),
        edges: None,
    };
    for plane in [plane_a, plane_b] {
        if plane.normal != Vec3::zero() {
            least.offer([a, b], plane.normal, None);
        }
    }
    for i in 0..3 {
        let e = a[(i + 1) % 3] - a[i];
        for j in 0..3 {
            let f = b[(j + 1) % 3] - b[j];
            let axis = e.cross(f);
            let square = axis.norm_squared();
            if square > PARALLEL * e.norm_squared() * f.norm_squared() {
                least.offer([a, b], axis * (1.0 / square.sqrt()), Some([i, j]));
            }
        }
    }
    let Least { gap, normal, edges } = least;
    let points = match edges {
        Some([i, j]) => {
            let [p, _] = between_edges([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            [p, p + normal * gap]
        }
        None if normal == plane_a.normal || normal == -plane_a.normal => {
            let q = farthest(b, -normal);
            [q - normal * gap, q]
        }
        None => {
            let p = farthest(a, normal);
            [p, p + normal * gap]
        }
    };
    Separation {
        distance: gap,
        points,
        normal,
    }
}
