//! Contact points of two convex shapes: the faces that look at each other, clipped.
//!
//! Both faces are seen along the contact normal. Where they overlap in that view is a polygon; at
//! each of its corners the gap between both faces is taken along the normal. The clipping is that
//! of I. E. Sutherland and G. W. Hodgman, *Reentrant polygon clipping*, 1974.

use super::contact::{ContactPoint, feature, push_contact};
use super::convex::{Convex, Core, Corner};
use super::pair::segment_segment;
use super::separation::Separation;
use featherline::kernel;
use featherline::spatial::{Se3, Vec3};

/// The cosine of the angle to the contact normal within which a face takes part as a face.
const FACING: f64 = 0.998;
/// A face at less than this cosine to the normal has no height along it.
const GRAZING: f64 = 0.05;
/// The contact at the nearest points is one of the corners if its distance is that of a corner, to
/// this part of the size of the faces.
const SAME: f64 = 1e-9;
/// A point that is no farther beyond an edge than this part of its length is on it: edges of flush
/// faces cross nowhere, but rounding would cut them in the middle.
const ON_EDGE: f64 = 1e-9;

/// A corner of the overlap, seen along the normal.
#[derive(Clone, Copy, Debug)]
struct Seen {
    x: f64,
    y: f64,
    /// Which corner it is.
    id: u32,
    /// Which edge leads to the next corner.
    edge: u32,
}

/// Memory for faces and what is clipped of them.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    pub corners: [Vec<Corner>; 2],
    outline: Vec<Seen>,
    polygon: Vec<Seen>,
    clipped: Vec<Seen>,
}

/// A view along the normal: an origin, two axes across, and the normal.
struct View {
    origin: Vec3<f64>,
    across: [Vec3<f64>; 2],
    normal: Vec3<f64>,
}

impl View {
    #[inline(always)]
    fn along(normal: Vec3<f64>, origin: Vec3<f64>) -> Self {
        // The axis that is least along the normal gives a well-conditioned product.
        let [x, y, z] = normal.to_array().map(f64::abs);
        let axis = match (x <= y && x <= z, y <= z) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let first = normal.cross(Vec3::unit(axis)).normalised();
        Self {
            origin,
            across: [first, normal.cross(first)],
            normal,
        }
    }

    #[inline(always)]
    fn seen(&self, point: Vec3<f64>) -> (f64, f64) {
        let offset = point - self.origin;
        (offset.dot(self.across[0]), offset.dot(self.across[1]))
    }

    #[inline(always)]
    fn point(&self, (x, y): (f64, f64), height: f64) -> Vec3<f64> {
        self.origin + self.across[0] * x + self.across[1] * y + self.normal * height
    }
}

/// The height of a face, edge or corner over the view's plane, as a function of the place.
#[derive(Clone, Copy, Debug)]
struct Height {
    at_origin: f64,
    slope: (f64, f64),
}

impl Height {
    #[inline(always)]
    fn of_plane(view: &View, point: Vec3<f64>, normal: Vec3<f64>) -> Self {
        // m · (x t₁ + y t₂ + h n − p) = 0.
        let scale = 1.0 / normal.dot(view.normal);
        Self {
            at_origin: normal.dot(point - view.origin) * scale,
            slope: (
                -normal.dot(view.across[0]) * scale,
                -normal.dot(view.across[1]) * scale,
            ),
        }
    }

    #[inline(always)]
    fn of_edge(view: &View, from: Vec3<f64>, to: Vec3<f64>) -> Self {
        let (x, y) = view.seen(from);
        let low = (from - view.origin).dot(view.normal);
        let high = (to - view.origin).dot(view.normal);
        let (u, v) = view.seen(to);
        let (u, v) = (u - x, v - y);
        let square = u * u + v * v;
        let rise = match square > 0.0 {
            true => (high - low) / square,
            false => 0.0,
        };
        let slope = (u * rise, v * rise);
        Self {
            at_origin: low - slope.0 * x - slope.1 * y,
            slope,
        }
    }

    #[inline(always)]
    fn at(&self, (x, y): (f64, f64)) -> f64 {
        self.at_origin + self.slope.0 * x + self.slope.1 * y
    }
}

/// The corners of a shape's face towards a direction, in the world, and its normal.
#[inline(always)]
fn face(
    shape: &Convex<'_>,
    placement: &Se3<f64>,
    direction: Vec3<f64>,
    corners: &mut Vec<Corner>,
) -> Option<Vec3<f64>> {
    corners.clear();
    let d = placement.rotation.tr_mul_vec(direction);
    let normal = shape.core.face_towards(d, corners);
    for corner in corners {
        corner.point = placement.act_point(corner.point);
    }
    normal.map(|normal| placement.rotation.mul_vec(normal))
}

kernel!(
    /// All points of two convex shapes within range, from their separation; four or more of them
    /// if two faces meet. The nearest points are always among them.
    pub(crate) fn contacts(
        nearest: Separation,
        shapes: [&Convex<'_>; 2],
        placements: [&Se3<f64>; 2],
        range: f64,
        faces: &mut Faces,
        out: &mut Vec<ContactPoint>,
    ) {
        let ([a, b], [first, second]) = (shapes, placements);
        let begin = out.len();
        let n = nearest.normal;
        if let (Core::Segment(p), Core::Segment(q)) = (a.core, b.core) {
            let ends = segment_segment::side_by_side([p, q], first, second);
            for (end, points) in ends.into_iter().flatten().enumerate() {
                let distance = (points[1] - points[0]).dot(n);
                let s = Separation {
                    distance,
                    points,
                    normal: n,
                };
                push_contact(s.thickened([a.radius, b.radius]), end as u32, range, out);
            }
        } else {
            clip([a, b], [first, second], nearest, range, faces, out);
        }
        let size = nearest.points[0].max_norm().max(1.0);
        let has_nearest = out[begin..]
            .iter()
            .any(|point| point.distance <= nearest.distance + SAME * size);
        if !has_nearest {
            push_contact(nearest, feature(u32::MAX, 0), range, out);
        }
    }
);

#[inline(always)]
fn clip(
    [a, b]: [&Convex<'_>; 2],
    [first, second]: [&Se3<f64>; 2],
    nearest: Separation,
    range: f64,
    faces: &mut Faces,
    out: &mut Vec<ContactPoint>,
) {
    let n = nearest.normal;
    let Faces {
        corners: [of_a, of_b],
        outline,
        polygon,
        clipped,
    } = faces;
    let normal_a = face(a, first, n, of_a);
    let normal_b = face(b, second, -n, of_b);
    let facing_a = normal_a.map_or(0.0, |m| m.dot(n));
    let facing_b = normal_b.map_or(0.0, |m| -m.dot(n));
    if facing_a.max(facing_b) < FACING || of_a.len() < 2 || of_b.len() < 2 {
        return;
    }
    let view = View::along(n, nearest.points[0]);
    let height = |corners: &[Corner], normal: Option<Vec3<f64>>, facing: f64| match normal {
        Some(m) if facing > GRAZING => Some(Height::of_plane(&view, corners[0].point, m)),
        Some(_) => None,
        None => Some(Height::of_edge(&view, corners[0].point, corners[1].point)),
    };
    let heights = (
        height(of_a, normal_a, facing_a),
        height(of_b, normal_b, facing_b),
    );
    let (Some(height_a), Some(height_b)) = heights else {
        return;
    };
    // The outline is a polygon; what is clipped may be an edge.
    let a_is_outline = facing_a >= facing_b;
    let (outer, inner) = match a_is_outline {
        true => (&*of_a, &*of_b),
        false => (&*of_b, &*of_a),
    };
    look(&view, outer, 0x4000_0000, outline);
    look(&view, inner, 0, polygon);
    let is_edge = polygon.len() == 2;
    for i in 0..outline.len() {
        let (from, to) = (outline[i], outline[(i + 1) % outline.len()]);
        cut(from, to, is_edge, polygon, clipped);
        std::mem::swap(polygon, clipped);
        if polygon.is_empty() {
            return;
        }
    }
    for corner in &*polygon {
        let place = (corner.x, corner.y);
        let points = [
            view.point(place, height_a.at(place)),
            view.point(place, height_b.at(place)),
        ];
        let distance = height_b.at(place) - height_a.at(place);
        let s = Separation {
            distance,
            points,
            normal: n,
        };
        push_contact(s.thickened([a.radius, b.radius]), corner.id, range, out);
    }
}

/// Corners as they are seen, counterclockwise. `mark` tells the edges of one shape from those of
/// the other.
#[inline(always)]
fn look(view: &View, corners: &[Corner], mark: u32, out: &mut Vec<Seen>) {
    out.clear();
    for corner in corners {
        let (x, y) = view.seen(corner.point);
        out.push(Seen {
            x,
            y,
            id: feature(mark, corner.id),
            edge: 0,
        });
    }
    if corners.len() > 2 {
        let area: f64 = (0..out.len())
            .map(|i| {
                let (p, q) = (out[i], out[(i + 1) % out.len()]);
                p.x * q.y - p.y * q.x
            })
            .sum();
        if area < 0.0 {
            out.reverse();
        }
    }
    for i in 0..out.len() {
        let next = out[(i + 1) % out.len()].id;
        // An edge has one number from either end.
        out[i].edge = feature(out[i].id.min(next), out[i].id.max(next));
    }
}

/// The part of a polygon, or of an edge, on the left of a line.
#[inline(always)]
fn cut(from: Seen, to: Seen, is_edge: bool, polygon: &[Seen], out: &mut Vec<Seen>) {
    out.clear();
    let (u, v) = (to.x - from.x, to.y - from.y);
    let left = |p: &Seen| u * (p.y - from.y) - v * (p.x - from.x);
    let is_within = |p: &Seen| left(p) >= -ON_EDGE * (u * u + v * v);
    let crossing = |p: &Seen, q: &Seen, edge: u32| {
        let (dp, dq) = (left(p), left(q));
        let share = (dp / (dp - dq)).clamp(0.0, 1.0);
        Seen {
            x: p.x + share * (q.x - p.x),
            y: p.y + share * (q.y - p.y),
            id: feature(from.edge.min(edge), from.edge.max(edge)),
            edge,
        }
    };
    let sides = if is_edge {
        polygon.len().saturating_sub(1)
    } else {
        polygon.len()
    };
    for i in 0..sides {
        let (p, q) = (&polygon[i], &polygon[(i + 1) % polygon.len()]);
        match (is_within(p), is_within(q)) {
            (true, true) => out.push(*p),
            (true, false) => {
                out.push(*p);
                // From here the line itself is the outline.
                out.push(Seen {
                    edge: from.edge,
                    ..crossing(p, q, p.edge)
                });
            }
            (false, true) => out.push(crossing(p, q, p.edge)),
            (false, false) => {}
        }
    }
    if is_edge
        && let Some(last) = polygon.last()
        && is_within(last)
    {
        out.push(*last);
    }
}
