//! How far two convex cores overlap.
//!
//! The expanding polytope of G. van den Bergen, *Proximity queries and penetration depth
//! computation on 3D game objects*, 2001. A polytope inside of A − B that holds the origin grows:
//! of its face nearest to the origin, at distance d along the normal n, the point w of A − B
//! farthest along n is added. The penetration depth lies between d, of the nearest face, and n · w,
//! of any.

use super::nearest::{Cores, Difference, PlacedCores};
use super::separation::Separation;
use super::stationary::{Stationary, stationary};
use featherline::kernel::{Kernel, dispatch};
use featherline::spatial::Vec3;

/// Bounds of the depth that differ by less, in parts of the size, are equal.
const TOLERANCE: f64 = 1e-11;
/// The bound from below, in parts of the size, at which a minimum that Newton's method found is
/// taken.
const OTHER: f64 = 1e-8;
/// After how many steps Newton's method is tried, again and again.
const NEWTON_EVERY: usize = 6;
/// A triangle whose height is below this part of its longest side has no normal.
const FLAT: f64 = 1e-12;
/// By how much rounding brings a face nearer, in parts of the size.
const FLOOR: f64 = 1e-12;
/// The most points that are added.
const MOST_STEPS: usize = 200;

/// A face of the polytope: corners counterclockwise from outside, and the face beyond each edge.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    beyond: [u32; 3],
    /// Zero for a face without area, which has corners on a line.
    normal: Vec3<f64>,
    is_removed: bool,
}

/// An edge of the hole that a new point leaves: the face beyond it, and which of its edges it is.
#[derive(Clone, Copy, Debug)]
struct Edge {
    face: u32,
    edge: u32,
}

/// The polytope, and memory for use again.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    points: Vec<Difference>,
    faces: Vec<Face>,
    /// The distance of each face from the origin; infinite if it has no area, or is removed.
    distances: Vec<f64>,
    hole: Vec<Edge>,
    stack: Vec<Edge>,
}

impl Expansion {
    /// The least translation that parts two cores, from points of a simplex of the difference that
    /// holds or touches the origin. None if sizes are too large.
    pub fn depth(&mut self, cores: PlacedCores<'_>, simplex: &[Difference]) -> Option<Separation> {
        dispatch(Expand {
            memory: self,
            cores,
            simplex,
        })
    }
}

struct Expand<'a, 'b> {
    memory: &'b mut Expansion,
    cores: PlacedCores<'a>,
    simplex: &'b [Difference],
}

impl Kernel for Expand<'_, '_> {
    type Output = Option<Separation>;

    #[inline(always)]
    fn run(self) -> Option<Separation> {
        let relative = self.cores.relative();
        let cores = self.cores.in_first(&relative);
        let found = self.memory.expand(cores, self.simplex)?;
        Some(found.transformed_by(self.cores.placements[0]))
    }
}

impl Expansion {
    /// The depth in the frame of the first core.
    #[inline(always)]
    fn expand(&mut self, cores: Cores<'_>, simplex: &[Difference]) -> Option<Separation> {
        self.points.clear();
        self.faces.clear();
        self.distances.clear();
        self.points.extend_from_slice(simplex);
        if let Some(normal) = self.complete(&cores) {
            // The difference has no volume: it is flat across this normal.
            let on_first = self.points[0].on_first;
            return Some(Separation {
                distance: 0.0,
                points: [on_first, on_first],
                normal,
            });
        }
        let size = self
            .points
            .iter()
            .fold(0.0, |size: f64, p| size.max(p.w.max_norm()));
        if !size.is_finite() {
            return None;
        }
        let tolerance = TOLERANCE * size;
        let is_curved = cores.is_curved();
        // The least upper bound so far: its face and value; and what Newton's method makes of it.
        let mut best = (0, f64::INFINITY);
        let mut smooth: Option<Stationary> = None;
        for step in 0..MOST_STEPS {
            let nearest = self.nearest();
            let lower = self.distances[nearest];
            if best.1 - lower <= tolerance {
                break;
            }
            if is_curved && step % NEWTON_EVERY == NEWTON_EVERY - 1 {
                let found = stationary(&cores, self.faces[best.0].normal);
                let known = smooth.map_or(best.1, |smooth| smooth.extent);
                smooth = found.filter(|found| found.extent <= known).or(smooth);
            }
            // No other minimum is better by more than this.
            if smooth.is_some_and(|smooth| smooth.extent - lower <= OTHER * size) {
                break;
            }
            let normal = self.faces[nearest].normal;
            let added = cores.support(normal);
            let upper = normal.dot(added.w);
            if upper < best.1 {
                best = (nearest, upper);
            }
            if upper - lower <= tolerance || !self.add(nearest, added) {
                break;
            }
        }
        if let Some(smooth) = smooth.filter(|smooth| smooth.extent <= best.1) {
            let on_first = smooth.point.on_first;
            return Some(Separation {
                distance: -smooth.extent,
                points: [on_first, on_first - smooth.normal * smooth.extent],
                normal: smooth.normal,
            });
        }
        // A face that was removed keeps its corners and its normal.
        Some(self.separation(best.0, best.1))
    }

    /// Completes a simplex to a tetrahedron, and makes its faces; or the normal of the plane that
    /// all of the difference lies in.
    #[inline(always)]
    fn complete(&mut self, cores: &Cores<'_>) -> Option<Vec3<f64>> {
        let mut size = 0.0;
        let axes = [Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)];
        if self.points.len() == 1 {
            let mut farthest = self.points[0];
            for axis in axes {
                for d in [axis, -axis] {
                    let point = cores.support(d);
                    let far = (point.w - self.points[0].w).norm_squared();
                    if far > size {
                        (size, farthest) = (far, point);
                    }
                }
            }
            if size == 0.0 {
                return Some(Vec3::unit(2));
            }
            self.points.push(farthest);
        }
        if self.points.len() == 2 {
            let origin = self.points[0].w;
            let line = self.points[1].w - origin;
            let [x, y, z] = line.to_array().map(f64::abs);
            let axis = match (x <= y && x <= z, y <= z) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            let across = line.cross(axes[axis]).normalised();
            let other = line.cross(across).normalised();
            let mut farthest = (0.0, self.points[0]);
            for d in [across, -across, other, -other] {
                let point = cores.support(d);
                let far = (point.w - origin).cross(line).norm_squared();
                if far > farthest.0 {
                    farthest = (far, point);
                }
            }
            if farthest.0 <= FLAT * FLAT * line.norm_squared() * line.norm_squared() {
                return Some(across);
            }
            self.points.push(farthest.1);
        }
        let [a, b, c] = [self.points[0].w, self.points[1].w, self.points[2].w];
        let normal = (b - a).cross(c - a).normalised();
        if self.points.len() == 3 {
            let (up, down) = (cores.support(normal), cores.support(-normal));
            let (above, below) = ((up.w - a).dot(normal), (down.w - a).dot(normal));
            self.points.push(if above >= -below { up } else { down });
            size = (b - a).max_norm().max((c - a).max_norm());
            if above.max(-below) <= FLAT * size {
                return Some(normal);
            }
        }
        // Outward faces: the fourth point is below the first three.
        if (self.points[3].w - a).dot(normal) > 0.0 {
            self.points.swap(1, 2);
        }
        let corners = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let beyond = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for k in 0..4 {
            self.push(corners[k], beyond[k], f64::NEG_INFINITY);
        }
        None
    }

    /// Adds a face, which is not nearer to the origin than `floor`.
    #[inline(always)]
    fn push(&mut self, corners: [u32; 3], beyond: [u32; 3], floor: f64) {
        let [a, b, c] = corners.map(|i| self.points[i as usize].w);
        let (ab, ac, bc) = (b - a, c - a, c - b);
        let across = ab.cross(ac);
        let longest = ab
            .norm_squared()
            .max(ac.norm_squared())
            .max(bc.norm_squared());
        let square = across.norm_squared();
        let is_sound = square > FLAT * FLAT * longest * longest;
        let normal = match is_sound {
            true => across * (1.0 / square.sqrt()),
            false => Vec3::zero(),
        };
        // The mean of three products that are equal but for rounding.
        let distance = normal.dot(a + b + c) * (1.0 / 3.0);
        // No face of a convex polytope that grows comes nearer: that is rounding on a sliver.
        let is_face = is_sound && distance >= floor;
        self.distances
            .push(if is_face { distance } else { f64::INFINITY });
        self.faces.push(Face {
            corners,
            beyond,
            normal,
            is_removed: false,
        });
    }

    /// The face nearest to the origin.
    #[inline(always)]
    fn nearest(&self) -> usize {
        let (mut best, mut least) = (0, f64::INFINITY);
        for (i, &distance) in self.distances.iter().enumerate() {
            if distance < least {
                (best, least) = (i, distance);
            }
        }
        best
    }

    /// Adds a point outside of a face: what it sees is removed, and the rim of the hole joined to
    /// it. False if the polytope has the point already.
    #[inline(always)]
    fn add(&mut self, seen: usize, point: Difference) -> bool {
        if self.points.iter().any(|other| other.w == point.w) {
            return false;
        }
        let new = self.points.len() as u32;
        self.points.push(point);
        self.hole.clear();
        self.stack.clear();
        let floor = self.distances[seen] - FLOOR * point.w.max_norm();
        self.remove(seen as u32, 0, 3);
        while let Some(Edge { face, edge }) = self.stack.pop() {
            let Face {
                corners,
                normal,
                is_removed,
                ..
            } = self.faces[face as usize];
            if is_removed {
                continue;
            }
            let height = normal.dot(point.w - self.points[corners[0] as usize].w);
            // A face without area goes with its neighbour.
            if height > 0.0 || normal == Vec3::zero() {
                // Not back over the edge that led here.
                self.remove(face, edge + 1, 2);
            } else {
                self.hole.push(Edge { face, edge });
            }
        }
        // Edges of the hole come in order around it.
        let first = self.faces.len() as u32;
        let count = self.hole.len() as u32;
        for k in 0..count {
            let Edge { face, edge } = self.hole[k as usize];
            let beyond = &mut self.faces[face as usize];
            let (from, to) = (
                beyond.corners[((edge + 1) % 3) as usize],
                beyond.corners[edge as usize],
            );
            beyond.beyond[edge as usize] = first + k;
            let (before, after) = ((k + count - 1) % count, (k + 1) % count);
            self.push(
                [from, to, new],
                [face, first + after, first + before],
                floor,
            );
        }
        true
    }

    /// Removes a face, and puts those beyond some of its edges on the stack, the first edge on top.
    #[inline(always)]
    fn remove(&mut self, face: u32, first: u32, count: u32) {
        self.distances[face as usize] = f64::INFINITY;
        self.faces[face as usize].is_removed = true;
        let Face {
            corners, beyond, ..
        } = self.faces[face as usize];
        for k in (0..count).rev() {
            let edge = ((first + k) % 3) as usize;
            let other = beyond[edge];
            // The same edge, seen from the other side, ends where it begins here.
            let end = corners[edge];
            let theirs = &self.faces[other as usize].corners;
            let begin = (0..3).find(|&e| theirs[(e + 1) % 3] == end).unwrap_or(0);
            self.stack.push(Edge {
                face: other,
                edge: begin as u32,
            });
        }
    }

    /// The separation along the normal of a face, with the weights of its nearest point.
    #[inline(always)]
    fn separation(&self, face: usize, depth: f64) -> Separation {
        let Face {
            corners, normal, ..
        } = self.faces[face];
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        // Areas of the triangles between the origin's foot and the edges.
        let area = |p: Vec3<f64>, q: Vec3<f64>| p.cross(q).dot(normal);
        let weights = [area(b.w, c.w), area(c.w, a.w), area(a.w, b.w)].map(|w| w.max(0.0));
        let sum = weights[0] + weights[1] + weights[2];
        let [u, v, w] = match sum > 0.0 {
            true => weights.map(|w| w / sum),
            false => [1.0, 0.0, 0.0],
        };
        let on_first = a.on_first * u + b.on_first * v + c.on_first * w;
        Separation {
            distance: -depth,
            points: [on_first, on_first - normal * depth],
            normal,
        }
    }
}
