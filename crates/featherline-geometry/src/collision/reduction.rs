//! The choice of a few points of contact among many.
//!
//! Points that touch carry the load: they come first, and only then those that may touch soon. Of
//! many, the corners of their outline stay, those that widen it most first, as in the hull of
//! C. B. Barber, D. P. Dobkin and H. Huhdanpaa, *The Quickhull algorithm for convex hulls*, 1996.

use super::contact::ContactPoint;
use featherline::spatial::Vec3;

/// The most points that a pair of convex shapes has.
const MOST: usize = 8;
/// Fewer points than these take others that barely widen the outline.
const FEW: usize = 4;
/// Gaps within this of the least, in m, are those of points that touch. It is far above the
/// rounding of vertices in files, and below what is seen.
const TOUCHING: f64 = 1e-6;
/// A point widens the outline if it adds more than this part of the square of its extent: rounding
/// of points on one line does not.
const WIDER: f64 = 1e-6;
/// A point that does not touch must add more.
const MUCH_WIDER: f64 = 0.05;
/// The square of the distance of points that are the same, in parts of the square of the extent.
const SAME: f64 = 1e-8;
/// Areas that differ by less, in parts of the square of the extent, are equal.
const TIE: f64 = 1e-9;

/// Keeps at most eight of the points from `first` on: those whose gap is the least within a
/// micrometre, or the corners of their outline; then those of gaps up to ten times larger, and so
/// on, as far as they widen the outline.
///
/// The choice depends on the order of the points no more than on that of their features, and ties
/// are broken by the latter. Cost O(points) but for sorting; no more than four points are left as
/// they are.
pub(crate) fn reduce(points: &mut Vec<ContactPoint>, first: usize) {
    let some = &mut points[first..];
    if some.len() <= FEW {
        return;
    }
    some.sort_unstable_by(|p, q| {
        (p.feature.cmp(&q.feature)).then(p.distance.total_cmp(&q.distance))
    });
    let distances = some.iter().map(|point| point.distance);
    let (least, most) = distances.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), d| {
        (least.min(d), most.max(d))
    });
    let mut outline = Outline::of(some);
    let is_touching = |i: &usize| some[*i].distance <= least + TOUCHING;
    if (0..some.len()).filter(is_touching).count() <= MOST {
        (0..some.len())
            .filter(is_touching)
            .for_each(|i| outline.keep(i));
    }
    let (mut band, mut enough) = (TOUCHING, WIDER);
    loop {
        outline.widen(least + band, enough);
        // A gap that is not finite ends the loop too.
        if outline.count == MOST || !(least + band < most && most.is_finite()) {
            break;
        }
        (band, enough) = (10.0 * band, MUCH_WIDER);
    }
    let Outline {
        mut kept, count, ..
    } = outline;
    kept[..count].sort_unstable();
    for (k, &i) in kept[..count].iter().enumerate() {
        some[k] = some[i];
    }
    points.truncate(first + count);
}

/// A side of the outline, from a corner to the next one.
#[derive(Clone, Copy, Default)]
struct Side {
    from: usize,
    /// The point that is farthest beyond the side, and the area of the triangle with it, twice.
    beyond: (usize, f64),
}

/// The points that are kept, and the convex polygon of those that are its corners.
struct Outline<'a> {
    points: &'a [ContactPoint],
    /// The square of the extent of all points.
    extent: f64,
    kept: [usize; MOST],
    count: usize,
    /// Counterclockwise about the normal.
    sides: [Side; MOST],
    corners: usize,
}

impl<'a> Outline<'a> {
    fn of(points: &'a [ContactPoint]) -> Self {
        let from = points[0].points[0];
        let extent = points.iter().fold(0.0, |extent: f64, point| {
            extent.max(square(point.points[0] - from))
        });
        Self {
            points,
            extent,
            kept: [0; MOST],
            count: 0,
            sides: [Side::default(); MOST],
            corners: 0,
        }
    }

    fn at(&self, i: usize) -> Vec3<f64> {
        self.points[i].points[0]
    }

    /// Keeps a point, unless one is there already: rounding makes two of a corner that two faces
    /// share.
    fn keep(&mut self, i: usize) {
        let own = self.at(i);
        let is_there = |&k: &usize| square(self.at(k) - own) <= SAME * self.extent;
        if !self.kept[..self.count].iter().any(is_there) {
            self.kept[self.count] = i;
            self.count += 1;
        }
    }

    /// Adds corners with a gap of at most `level`, as long as there is room and one adds `enough`.
    fn widen(&mut self, level: f64, enough: f64) {
        while self.corners < 2 {
            let from = match self.corners {
                0 => self.middle(level),
                _ => self.at(self.sides[0].from),
            };
            let (i, far) = self.best(level, |p| square(p - from));
            if self.count == MOST || self.corners == 1 && far <= WIDER * self.extent {
                return;
            }
            self.insert(self.corners, i);
        }
        for side in 0..self.corners {
            self.look_beyond(side, level);
        }
        // Corners that are one may be more than the points that are kept.
        while self.count < MOST && self.corners < MOST {
            let mut widest = 0;
            for side in 1..self.corners {
                let more = self.sides[side].beyond.1 - self.sides[widest].beyond.1;
                if more > TIE * self.extent {
                    widest = side;
                }
            }
            let (i, area) = self.sides[widest].beyond;
            let enough = if self.count < FEW { WIDER } else { enough };
            if area <= enough * self.extent {
                return;
            }
            self.insert(widest + 1, i);
            for side in 0..self.corners {
                let is_new = side == widest || side == widest + 1;
                if is_new || self.sides[side].beyond.0 == i {
                    self.look_beyond(side, level);
                }
            }
        }
    }

    fn insert(&mut self, at: usize, corner: usize) {
        self.sides.copy_within(at..self.corners, at + 1);
        self.sides[at].from = corner;
        self.corners += 1;
        self.keep(corner);
    }

    /// The mean of the points with a gap of at most `level`.
    fn middle(&self, level: f64) -> Vec3<f64> {
        let near = self.points.iter().filter(|point| point.distance <= level);
        let (sum, count) = near.fold((Vec3::zero(), 0.0), |(sum, count), point| {
            (sum + point.points[0], count + 1.0)
        });
        sum * (1.0 / f64::max(count, 1.0))
    }

    /// Finds the point that is farthest beyond a side: the greatest −(q − p) × (r − p) · n.
    fn look_beyond(&mut self, side: usize, level: f64) {
        let p = self.at(self.sides[side].from);
        let q = self.at(self.sides[(side + 1) % self.corners].from);
        let outward = (q - p).cross(self.points[0].normal);
        self.sides[side].beyond = self.best(level, |r| along(outward, r - p));
    }

    /// The first of the points with a gap of at most `level`, corners apart, for which a score is
    /// the greatest. A corner of points that touch may be within the outline of those above it, and
    /// beyond one of its sides.
    fn best(&self, level: f64, score: impl Fn(Vec3<f64>) -> f64) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        let corners = &self.sides[..self.corners];
        for (i, point) in self.points.iter().enumerate() {
            let is_corner = corners.iter().any(|side| side.from == i);
            if point.distance <= level && !is_corner {
                let value = score(point.points[0]);
                if value > best.1 + TIE * self.extent {
                    best = (i, value);
                }
            }
        }
        best
    }
}

/// The scalar product, without the fused operations that only kernels have.
fn along(a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

fn square(a: Vec3<f64>) -> f64 {
    along(a, a)
}
