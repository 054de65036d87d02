//! The triangles that MuJoCo 4.0 makes of the faces of an OBJ file.
//!
//! It reads the faces up to the second object or group, in single precision. A quadrilateral is cut
//! along its shorter diagonal, also where it is concave. A larger polygon is clipped in a plane of
//! coordinates. A corner is refused there whose turn has another sign than the moment of the edge
//! before it about the origin, although that sign depends on where the polygon is; if all corners
//! that are left are refused, they have no triangles.

use super::MeshErrorKind;
use super::triangulate::too_long;
use featherline::spatial::Vec3;

/// A point in a plane of coordinates.
type Point = [f32; 2];

/// The faces up to the second object or group.
#[derive(Default)]
pub(super) struct Faces {
    pub(super) faces: Vec<[u32; 3]>,
    /// Whether the group has lines or points.
    pub(super) has_others: bool,
    is_over: bool,
}

impl Faces {
    /// A group begins, or an object: it ends the first one also if that has no faces.
    pub(super) fn begin_group(&mut self, is_object: bool) {
        self.is_over |= !self.faces.is_empty() || (is_object && self.has_others);
        self.has_others = false;
    }

    /// Adds a polygon of three corners or more, which are vertices, within the budget of corners
    /// that are looked at.
    pub(super) fn add(
        &mut self,
        vertices: &[Vec3<f64>],
        polygon: &[u32],
        budget: &mut u64,
    ) -> Result<(), MeshErrorKind> {
        if self.is_over {
            return Ok(());
        }
        let at = |corner: u32| vertices[corner as usize].to_array().map(|x| x as f32);
        match *polygon {
            [a, b, c] => self.faces.push([a, b, c]),
            [a, b, c, d] => {
                let squared = |from: u32, to: u32| {
                    let ([x, y, z], [u, v, w]) = (at(from), at(to));
                    (u - x) * (u - x) + (v - y) * (v - y) + (w - z) * (w - z)
                };
                self.faces.extend(match squared(a, c) < squared(b, d) {
                    true => [[a, b, c], [a, c, d]],
                    false => [[a, b, d], [b, c, d]],
                });
            }
            _ => {
                let corners: Vec<_> = polygon.iter().map(|&corner| at(corner)).collect();
                let axes = plane(&corners);
                let corners: Vec<Point> = corners.iter().map(|v| axes.map(|k| v[k])).collect();
                let triangles = clip(&corners, budget).ok_or_else(|| too_long(polygon))?;
                let of_file = triangles.iter().map(|face| face.map(|k| polygon[k]));
                self.faces.extend(of_file);
            }
        }
        Ok(())
    }
}

/// The two coordinates in which the first corner that turns is widest.
fn plane(corners: &[[f32; 3]]) -> [usize; 2] {
    let n = corners.len();
    for k in 0..n {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % n]);
        let [e, f] = [[a, b], [b, c]].map(|[from, to]| [0, 1, 2].map(|i| to[i] - from[i]));
        let along = |i: usize, j: usize| (e[i] * f[j] - e[j] * f[i]).abs();
        let (x, y, z) = (along(1, 2), along(2, 0), along(0, 1));
        if x.max(y).max(z) > f32::EPSILON {
            return if x > y && x > z {
                [1, 2]
            } else if z > x && z > y {
                [0, 1]
            } else {
                [0, 2]
            };
        }
    }
    [1, 2]
}

/// The triangles of a polygon in a plane; none beyond the budget.
fn clip(corners: &[Point], budget: &mut u64) -> Option<Vec<[usize; 3]>> {
    let mut triangles = Vec::new();
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let (mut start, mut tries) = (0, corners.len());
    while left.len() > 3 && tries > 0 {
        tries -= 1;
        let count = left.len();
        *budget = budget.checked_sub(count as u64)?;
        start %= count;
        let face = [0, 1, 2].map(|k| left[(start + k) % count]);
        let [a, b, c] = face.map(|k| corners[k]);
        let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        let moment = (a[0] * b[1] - a[1] * b[0]) * 0.5;
        let mut others = (3..count).map(|k| corners[left[(start + k) % count]]);
        if turn * moment < 0.0 || others.any(|it| is_inside([a, b, c], it)) {
            start += 1;
            continue;
        }
        triangles.push(face);
        left.remove((start + 1) % count);
        // The last try of all corners ends the face, also if it succeeds.
        if tries > 0 {
            tries = count;
        }
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    Some(triangles)
}

/// Whether a ray from a point along the first axis leaves a triangle once.
fn is_inside(triangle: [Point; 3], [x, y]: Point) -> bool {
    let edges = [0, 1, 2].map(|k| (triangle[k], triangle[(k + 2) % 3]));
    let crossed = edges.iter().filter(|([ax, ay], [bx, by])| {
        (*ay > y) != (*by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
    });
    crossed.count() % 2 == 1
}
