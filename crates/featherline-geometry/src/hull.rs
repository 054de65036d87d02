//! Convex hulls.
//!
//! The algorithm is quickhull (C. B. Barber, D. P. Dobkin and H. Huhdanpaa, *The quickhull
//! algorithm for convex hulls*, 1996): a face with points outside takes the farthest of them, the
//! faces that this point sees are removed, and the rim of the hole is joined to it. Whether a point
//! sees a face is decided by an exact predicate (J. R. Shewchuk, *Adaptive precision floating-point
//! arithmetic and fast robust geometric predicates*, 1997, in the crate `robust`), so that rounding
//! cannot tear the surface, and no point is outside of any face by any amount.

use featherline::spatial::Vec3;
use robust::{Coord3D, orient3d};
use std::collections::HashMap;
use thiserror::Error;

/// Why points have no convex hull with a volume.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HullError {
    /// There are fewer than four points.
    #[error("{count} points have no convex hull; it needs four at least")]
    TooFew {
        /// The number of points.
        count: usize,
    },
    /// There are too many points to be counted.
    #[error("{count} points are too many for a convex hull; it takes at most 2³⁰")]
    TooMany {
        /// The number of points.
        count: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("point {point} is not finite; check where its coordinates come from")]
    NotFinite {
        /// The index of the point.
        point: usize,
    },
    /// All points are equal.
    #[error("all points are equal, and have no convex hull; use a sphere in their place")]
    Coincident,
    /// All points lie on one line.
    #[error("all points lie on one line, and their convex hull has no volume; use a capsule")]
    Collinear,
    /// All points lie in one plane.
    #[error("all points lie in one plane, and their convex hull has no volume; use a thin box")]
    Coplanar,
}

/// Vertices, and faces between them.
pub(crate) type Faces = (Vec<Vec3<f64>>, Vec<[u32; 3]>);

/// The vertices and faces of the convex hull of points.
pub(crate) fn convex_hull(points: &[Vec3<f64>]) -> Result<Faces, HullError> {
    let count = points.len();
    if count < 4 {
        return Err(HullError::TooFew { count });
    }
    // Faces are fewer than twice the points, and counted in 32 bits.
    if count > 1 << 30 {
        return Err(HullError::TooMany { count });
    }
    if let Some(point) = points.iter().position(|p| !p.is_finite()) {
        return Err(HullError::NotFinite { point });
    }
    let points = Points::new(points);
    let corners = points.first_tetrahedron()?;
    let mut hull = Hull::new(&points, corners);
    // A face that still has points outside.
    while let Some(face) = hull.pending.pop() {
        if hull.faces[face as usize].outside.is_empty() {
            continue;
        }
        hull.grow(face);
    }
    Ok(hull.into_faces(points.original))
}

/// Points, and the same scaled by a power of two so that no product of them overflows.
struct Points<'a> {
    original: &'a [Vec3<f64>],
    scaled: Vec<Coord3D<f64>>,
}

impl<'a> Points<'a> {
    fn new(original: &'a [Vec3<f64>]) -> Self {
        let largest = original.iter().flat_map(|p| p.to_array());
        let largest = largest.fold(0.0, |a: f64, x| a.max(x.abs()));
        // The exponent by its bits; steps of two factors, as one may overflow.
        let exponent = (largest.to_bits() >> 52) as i32 - 1023;
        let (half, rest) = (-exponent / 2, -exponent - -exponent / 2);
        let (half, rest) = (2f64.powi(half), 2f64.powi(rest));
        // Below 2⁻²⁰⁰ of the largest, products of three could underflow: such a coordinate counts
        // as 0.
        let scale = |x: f64| x * half * rest;
        let scale = |x: f64| match scale(x) {
            small if small.abs() < 2f64.powi(-200) => 0.0,
            other => other,
        };
        let scaled = original.iter().map(|p| Coord3D {
            x: scale(p.x),
            y: scale(p.y),
            z: scale(p.z),
        });
        let scaled = scaled.collect();
        Self { original, scaled }
    }

    /// Six times the signed volume of the tetrahedron between a face and a point, positive where
    /// the point is outside. Its sign is exact.
    fn height(&self, [a, b, c]: [u32; 3], point: u32) -> f64 {
        let at = |i: u32| self.scaled[i as usize];
        // `orient3d` is positive where a, b, c run clockwise, seen from the point.
        -orient3d(at(a), at(b), at(c), at(point))
    }

    fn vector(&self, from: u32, to: u32) -> Vec3<f64> {
        let (a, b) = (self.scaled[from as usize], self.scaled[to as usize]);
        Vec3::new(b.x - a.x, b.y - a.y, b.z - a.z)
    }

    /// The index of the point for which a number is the greatest.
    fn greatest(&self, number: impl Fn(u32) -> f64) -> u32 {
        let indices = 0..self.scaled.len() as u32;
        let best = indices.map(|i| (i, number(i)));
        let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(i, _)| i)
    }

    /// Four points of a tetrahedron that is not flat, and not small if there is a larger one.
    fn first_tetrahedron(&self) -> Result<[u32; 4], HullError> {
        let a = self.greatest(|i| -self.scaled[i as usize].x);
        let b = self.greatest(|i| self.vector(a, i).norm_squared());
        if self.scaled[a as usize] == self.scaled[b as usize] {
            return Err(HullError::Coincident);
        }
        let line = self.vector(a, b);
        let c = self.greatest(|i| line.cross(self.vector(a, i)).norm_squared());
        let d = self.greatest(|i| self.height([a, b, c], i).abs());
        if self.height([a, b, c], d) != 0.0 {
            return Ok([a, b, c, d]);
        }
        // Rounding may have chosen a third point on the line, and no point spans a volume with it.
        let is_collinear = |i: u32| self.collinear(a, b, i);
        let Some(c) = (0..self.scaled.len() as u32).find(|&i| !is_collinear(i)) else {
            return Err(HullError::Collinear);
        };
        let d = self.greatest(|i| self.height([a, b, c], i).abs());
        match self.height([a, b, c], d) != 0.0 {
            true => Ok([a, b, c, d]),
            false => Err(HullError::Coplanar),
        }
    }

    /// Whether three points lie on a line, exactly: their projections along each axis do.
    fn collinear(&self, a: u32, b: u32, c: u32) -> bool {
        let at = |i: u32| self.scaled[i as usize];
        let flat = |take: fn(Coord3D<f64>) -> (f64, f64)| {
            let coord = |i| {
                let (x, y) = take(at(i));
                robust::Coord { x, y }
            };
            robust::orient2d(coord(a), coord(b), coord(c)) == 0.0
        };
        flat(|p| (p.x, p.y)) && flat(|p| (p.y, p.z)) && flat(|p| (p.z, p.x))
    }
}

/// A triangle of the hull.
struct Face {
    corners: [u32; 3],
    /// The faces beyond the edges 01, 12 and 20.
    neighbours: [u32; 3],
    /// Points that lie outside of this face, and are kept here alone; the last is the farthest.
    outside: Vec<u32>,
    is_removed: bool,
}

struct Hull<'a> {
    points: &'a Points<'a>,
    faces: Vec<Face>,
    /// Faces that may have points outside.
    pending: Vec<u32>,
}

/// An edge of the hole that a point sees, and the face on its other side.
struct RimEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

impl<'a> Hull<'a> {
    fn new(points: &'a Points<'a>, [a, b, c, d]: [u32; 4]) -> Self {
        // Outward faces: the fourth point is below the first face.
        let (b, c) = match points.height([a, b, c], d) > 0.0 {
            true => (c, b),
            false => (b, c),
        };
        let face = |corners, neighbours| Face {
            corners,
            neighbours,
            outside: Vec::new(),
            is_removed: false,
        };
        let faces = vec![
            face([a, b, c], [1, 2, 3]),
            face([b, a, d], [0, 3, 2]),
            face([c, b, d], [0, 1, 3]),
            face([a, c, d], [0, 2, 1]),
        ];
        let mut hull = Self {
            points,
            faces,
            pending: vec![0, 1, 2, 3],
        };
        let others = (0..points.scaled.len() as u32).collect();
        hull.distribute(others, 0);
        hull
    }

    /// Gives each point to a face, from `first` on, outside of which it lies; drops those that are
    /// outside of none.
    fn distribute(&mut self, points: Vec<u32>, first: usize) {
        let mut farthest = vec![0.0; self.faces.len() - first];
        for point in points {
            for (face, farthest) in self.faces[first..].iter_mut().zip(&mut farthest) {
                let height = self.points.height(face.corners, point);
                if height > 0.0 {
                    face.outside.push(point);
                    if height > *farthest {
                        *farthest = height;
                    } else {
                        // The farthest stays last.
                        let last = face.outside.len() - 1;
                        face.outside.swap(last, last - 1);
                    }
                    break;
                }
            }
        }
    }

    /// Takes in the farthest point outside of a face.
    fn grow(&mut self, face: u32) {
        let Some(point) = self.faces[face as usize].outside.pop() else {
            return;
        };
        let (seen, rim) = self.horizon(face, point);
        let mut orphans = Vec::new();
        for &face in &seen {
            orphans.append(&mut self.faces[face as usize].outside);
        }
        let first = self.faces.len();
        // The new face of each vertex of the rim, by the edge that begins there.
        let mut face_from = HashMap::with_capacity(rim.len());
        for (i, edge) in rim.iter().enumerate() {
            face_from.insert(edge.from, (first + i) as u32);
        }
        for edge in &rim {
            let index = self.faces.len() as u32;
            // The rim is one closed line: the next edge begins where this one ends.
            let next = face_from.get(&edge.to).copied().unwrap_or(index);
            self.faces.push(Face {
                corners: [edge.from, edge.to, point],
                neighbours: [edge.beyond, next, index],
                outside: Vec::new(),
                is_removed: false,
            });
            let beyond = &mut self.faces[edge.beyond as usize];
            let side = (0..3).find(|&k| beyond.corners[k] == edge.to).unwrap_or(0);
            beyond.neighbours[side] = index;
            self.pending.push(index);
        }
        for index in first..self.faces.len() {
            let next = self.faces[index].neighbours[1] as usize;
            self.faces[next].neighbours[2] = index as u32;
        }
        self.distribute(orphans, first);
    }

    /// The faces that a point sees, from one of them on, and the edges around them; these faces are
    /// marked as removed.
    fn horizon(&mut self, start: u32, point: u32) -> (Vec<u32>, Vec<RimEdge>) {
        let mut seen = vec![start];
        let mut rim = Vec::new();
        self.faces[start as usize].is_removed = true;
        let mut next = 0;
        while next < seen.len() {
            let Face {
                corners,
                neighbours,
                ..
            } = self.faces[seen[next] as usize];
            next += 1;
            for side in 0..3 {
                let beyond = neighbours[side];
                let other = &self.faces[beyond as usize];
                if other.is_removed {
                    continue;
                }
                if self.points.height(other.corners, point) > 0.0 {
                    self.faces[beyond as usize].is_removed = true;
                    seen.push(beyond);
                } else {
                    let (from, to) = (corners[side], corners[(side + 1) % 3]);
                    rim.push(RimEdge { from, to, beyond });
                }
            }
        }
        (seen, rim)
    }

    /// The faces that are left, with their vertices renumbered in the order of the points.
    fn into_faces(self, points: &[Vec3<f64>]) -> Faces {
        let kept = self.faces.into_iter().filter(|face| !face.is_removed);
        let mut faces: Vec<[u32; 3]> = kept.map(|face| face.corners).collect();
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        for index in faces.iter_mut().flatten() {
            // Every corner is among those that are used.
            *index = used.partition_point(|&u| u < *index) as u32;
        }
        let vertices = used.iter().map(|&i| points[i as usize]).collect();
        (vertices, faces)
    }
}
