//! Convex shapes as distance algorithms read them: a core and a radius around it.
//!
//! A ball is a point with a radius, a capsule a segment with a radius. The distance of two such
//! shapes is that of their cores less both radii, also where the shapes overlap and the cores do
//! not.

use super::facets::Facets;
use featherline::spatial::{Mat3, Vec3};

/// A convex shape: all points within `radius` of its core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    pub core: Core<'a>,
    pub radius: f64,
}

/// The core of a convex shape, in the frame of the shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    /// The origin.
    Point,
    /// From −z to z, of this half length.
    Segment(f64),
    /// A box of these half sides.
    Cuboid(Vec3<f64>),
    /// A cylinder about z: radius and half length.
    Cylinder(f64, f64),
    /// A cone about z: radius of the base, half length.
    Cone(f64, f64),
    /// An ellipsoid of these semi-axes.
    Ellipsoid(Vec3<f64>),
    /// A polytope.
    Polytope(&'a Facets),
    /// A triangle.
    Triangle([Vec3<f64>; 3]),
}

/// A corner of a face of a convex shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub point: Vec3<f64>,
    /// Which corner of the shape.
    pub id: u32,
}

/// Corners of a circle: as many as stand for it where faces are clipped.
const RIM: usize = 8;
/// The sine of the tilt below which the corners of a rim no longer turn with it.
const FLAT: f64 = 1e-6;

impl Core<'_> {
    /// A point of the core that is farthest in a direction, of any length.
    #[inline(always)]
    pub fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
        match self {
            Self::Point => Vec3::zero(),
            Self::Segment(half) => Vec3::new(0.0, 0.0, half.copysign(d.z)),
            Self::Cuboid(half) => Vec3::new(
                half.x.copysign(d.x),
                half.y.copysign(d.y),
                half.z.copysign(d.z),
            ),
            Self::Cylinder(radius, half) => {
                let rim = on_circle(*radius, d);
                Vec3::new(rim.x, rim.y, half.copysign(d.z))
            }
            Self::Cone(radius, half) => {
                // The apex is farther than the rim where 2 h d_z > r |d_xy|.
                let across = (d.x * d.x + d.y * d.y).sqrt();
                if 2.0 * half * d.z > radius * across {
                    return Vec3::new(0.0, 0.0, *half);
                }
                let rim = on_circle(*radius, d);
                Vec3::new(rim.x, rim.y, -half)
            }
            Self::Ellipsoid(axes) => {
                // s = D² d / |D d|.
                let scaled = Vec3::new(axes.x * d.x, axes.y * d.y, axes.z * d.z);
                let square = scaled.x * scaled.x + scaled.y * scaled.y + scaled.z * scaled.z;
                let factor = match square > 0.0 {
                    true => 1.0 / square.sqrt(),
                    false => 0.0,
                };
                Vec3::new(
                    axes.x * scaled.x * factor,
                    axes.y * scaled.y * factor,
                    axes.z * scaled.z * factor,
                )
            }
            Self::Polytope(facets) => facets.vertices[facets.support(d) as usize],
            Self::Triangle(corners) => {
                let along = |p: Vec3<f64>| p.x * d.x + p.y * d.y + p.z * d.z;
                let [a, b, c] = corners.map(along);
                corners[match (a >= b && a >= c, b >= c) {
                    (true, _) => 0,
                    (false, true) => 1,
                    (false, false) => 2,
                }]
            }
        }
    }

    /// Whether part of the surface is curved.
    #[inline(always)]
    pub fn is_curved(&self) -> bool {
        matches!(
            self,
            Self::Cylinder(..) | Self::Cone(..) | Self::Ellipsoid(_)
        )
    }

    /// The second derivative of the support function h(d) = d · s(d) at a unit vector.
    #[inline(always)]
    pub fn curvature(&self, d: Vec3<f64>) -> Mat3<f64> {
        // Of a circle about z: r / |d_xy| along its tangent.
        let of_rim = |radius: f64| {
            let square = d.x * d.x + d.y * d.y;
            let tangent = Vec3::new(-d.y, d.x, 0.0);
            match square > 0.0 {
                true => Mat3::outer(tangent, tangent * (radius / (square * square.sqrt()))),
                false => Mat3::zero(),
            }
        };
        match self {
            Self::Cylinder(radius, _) => of_rim(*radius),
            // The apex has none.
            Self::Cone(radius, _) if self.support(d).z < 0.0 => of_rim(*radius),
            Self::Ellipsoid(axes) => {
                // (D² − s sᵀ) / h with s = D² d / h.
                let s = self.support(d);
                let h = 1.0 / s.dot(d);
                let square = [axes.x * axes.x, axes.y * axes.y, axes.z * axes.z];
                Mat3::from_columns(
                    (Vec3::unit(0) * square[0] - s * s.x) * h,
                    (Vec3::unit(1) * square[1] - s * s.y) * h,
                    (Vec3::unit(2) * square[2] - s * s.z) * h,
                )
            }
            Self::Point
            | Self::Segment(_)
            | Self::Cuboid(_)
            | Self::Cone(..)
            | Self::Polytope(_)
            | Self::Triangle(_) => Mat3::zero(),
        }
    }

    /// A point well inside of the core.
    #[inline(always)]
    pub fn center(&self) -> Vec3<f64> {
        match self {
            Self::Polytope(facets) => facets.center,
            Self::Triangle([a, b, c]) => (*a + *b + *c) * (1.0 / 3.0),
            Self::Point
            | Self::Segment(_)
            | Self::Cuboid(_)
            | Self::Cylinder(..)
            | Self::Cone(..)
            | Self::Ellipsoid(_) => Vec3::zero(),
        }
    }

    /// All corners that can touch a plane, from which its normal looks along −d.
    #[inline(always)]
    pub fn corners_towards(&self, d: Vec3<f64>, out: &mut Vec<Corner>) {
        let mut push = |point, id| out.push(Corner { point, id });
        match self {
            Self::Point | Self::Ellipsoid(_) => push(self.support(d), 0),
            Self::Segment(half) => {
                push(Vec3::new(0.0, 0.0, -half), 0);
                push(Vec3::new(0.0, 0.0, *half), 1);
            }
            Self::Cuboid(half) => {
                for id in 0..8 {
                    push(corner_of_box(*half, id), id);
                }
            }
            Self::Cylinder(radius, half) => {
                for (k, rim) in rim::<4>(*radius, d).into_iter().enumerate() {
                    push(rim - Vec3::new(0.0, 0.0, *half), k as u32);
                    push(rim + Vec3::new(0.0, 0.0, *half), 4 + k as u32);
                }
            }
            Self::Cone(radius, half) => {
                for (k, rim) in rim::<4>(*radius, d).into_iter().enumerate() {
                    push(rim - Vec3::new(0.0, 0.0, *half), k as u32);
                }
                push(Vec3::new(0.0, 0.0, *half), 4);
            }
            Self::Polytope(facets) => {
                for (id, point) in facets.vertices.iter().enumerate() {
                    push(*point, id as u32);
                }
            }
            Self::Triangle(corners) => {
                for (id, point) in corners.iter().enumerate() {
                    push(*point, id as u32);
                }
            }
        }
    }

    /// The corners of the face whose normal is closest to a unit direction, counterclockwise about
    /// that normal, and the normal: two corners for an edge, one for a vertex, without a normal.
    #[inline(always)]
    pub fn face_towards(&self, d: Vec3<f64>, out: &mut Vec<Corner>) -> Option<Vec3<f64>> {
        let mut push = |point, id| out.push(Corner { point, id });
        match self {
            Self::Point | Self::Ellipsoid(_) => {
                push(self.support(d), 0);
                None
            }
            Self::Segment(half) => {
                push(Vec3::new(0.0, 0.0, -half), 0);
                push(Vec3::new(0.0, 0.0, *half), 1);
                None
            }
            Self::Cuboid(half) => {
                let [x, y, z] = d.to_array().map(f64::abs);
                let axis = match (x >= y && x >= z, y >= z) {
                    (true, _) => 0,
                    (false, true) => 1,
                    (false, false) => 2,
                };
                let positive = d.to_array()[axis] > 0.0;
                // Around the axis: −−, +−, ++, −+ in the two that come after it.
                let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let (u, v) = if positive { (u, v) } else { (v, u) };
                let base = u32::from(positive) << axis;
                for id in [base, base | u, base | u | v, base | v] {
                    push(corner_of_box(*half, id), id);
                }
                let sign = if positive { 1.0 } else { -1.0 };
                Some(Vec3::unit(axis) * sign)
            }
            Self::Cylinder(radius, half) => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let end = Vec3::new(0.0, 0.0, half.copysign(d.z));
                if d.z.abs() >= across {
                    let first = if d.z > 0.0 { RIM as u32 } else { 0 };
                    let mut corners = rim::<RIM>(*radius, d);
                    if d.z < 0.0 {
                        corners[1..].reverse();
                    }
                    for (k, rim) in corners.into_iter().enumerate() {
                        push(rim + end, first + k as u32);
                    }
                    return Some(Vec3::new(0.0, 0.0, 1f64.copysign(d.z)));
                }
                let side = on_circle(*radius, d);
                push(side - Vec3::new(0.0, 0.0, *half), 16);
                push(side + Vec3::new(0.0, 0.0, *half), 17);
                None
            }
            Self::Cone(radius, half) => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let slant = radius.hypot(2.0 * half);
                // The normal of the side is (2 h u + r z) / s.
                let side = (2.0 * half * across + radius * d.z) / slant;
                if -d.z >= side {
                    let mut corners = rim::<RIM>(*radius, d);
                    corners[1..].reverse();
                    for (k, rim) in corners.into_iter().enumerate() {
                        push(rim - Vec3::new(0.0, 0.0, *half), k as u32);
                    }
                    return Some(-Vec3::unit(2));
                }
                push(on_circle(*radius, d) - Vec3::new(0.0, 0.0, *half), 16);
                push(Vec3::new(0.0, 0.0, *half), 17);
                None
            }
            Self::Polytope(facets) => {
                let facet = facets.facet_towards(d);
                for id in facets.corners(facet) {
                    push(facets.vertices[*id as usize], *id);
                }
                Some(facets.normals[facet])
            }
            Self::Triangle(corners) => {
                let [a, b, c] = *corners;
                let normal = (b - a).cross(c - a).normalised();
                let (order, normal) = match normal.dot(d) >= 0.0 {
                    true => ([0, 1, 2], normal),
                    false => ([0, 2, 1], -normal),
                };
                for id in order {
                    push(corners[id], id as u32);
                }
                Some(normal)
            }
        }
    }
}

/// The corner of a box of half sides: bits 0, 1, 2 of its number are set where x, y, z are
/// positive.
#[inline(always)]
pub(crate) fn corner_of_box(half: Vec3<f64>, id: u32) -> Vec3<f64> {
    let signed = |h: f64, bit: u32| if id & bit == 0 { -h } else { h };
    Vec3::new(signed(half.x, 1), signed(half.y, 2), signed(half.z, 4))
}

/// The point of a circle about z that is farthest in a direction; on x where all are.
#[inline(always)]
fn on_circle(radius: f64, d: Vec3<f64>) -> Vec3<f64> {
    let length = (d.x * d.x + d.y * d.y).sqrt();
    match length > 0.0 {
        true => Vec3::new(d.x * (radius / length), d.y * (radius / length), 0.0),
        false => Vec3::new(radius, 0.0, 0.0),
    }
}

/// Points of a circle about z, at equal angles: the first farthest in a direction, or on x where
/// the circle is flat to it.
#[inline(always)]
fn rim<const N: usize>(radius: f64, d: Vec3<f64>) -> [Vec3<f64>; N] {
    let across = (d.x * d.x + d.y * d.y).sqrt();
    let (x, y) = match across > FLAT {
        true => (d.x / across, d.y / across),
        false => (1.0, 0.0),
    };
    let mut angle = (radius * x, radius * y);
    let (sin, cos) = (std::f64::consts::TAU / N as f64).sin_cos();
    std::array::from_fn(|_| {
        let (x, y) = angle;
        angle = (x * cos - y * sin, x * sin + y * cos);
        Vec3::new(x, y, 0.0)
    })
}
