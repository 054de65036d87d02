//! Polygons become triangles.
//!
//! * A quadrilateral is cut from its corner that does not turn outwards, if there is one such
//!   corner, else along its shorter diagonal, whatever corner it begins with. Of two diagonals of
//!   one length, that between its second and its fourth corner is taken, as MuJoCo does.
//! * A larger polygon is cut by clipping ears (G. H. Meisters, *Polygons have ears*, 1975), seen
//!   along its area vector: the sum of the cross products of its edges, which M. E. Newell gave for
//!   polygons that are not flat. The first ear is sought at the second corner. The triangles of a
//!   convex polygon have the first corner in common, therefore.
//!
//! A polygon of n corners gives n − 2 triangles, also where some have no area, so that neighbours
//! share all of its edges. A polygon that crosses itself has no right triangles; those that it
//! gets have its area vector.

use super::MeshErrorKind;
use featherline::spatial::Vec3;
use robust::{Coord, orient2d};

/// Adds the triangles of a polygon of three corners or more, which are vertices. `budget` is how
/// many more corners may be looked at in the file.
pub(super) fn cut(
    vertices: &[Vec3<f64>],
    polygon: &[u32],
    budget: &mut u64,
    faces: &mut Vec<[u32; 3]>,
) -> Result<(), MeshErrorKind> {
    let at = |corner: u32| vertices[corner as usize];
    match *polygon {
        [a, b, c] => faces.push([a, b, c]),
        [a, b, c, d] => {
            let is_along_ac = is_cut_along_ac([a, b, c, d].map(at));
            faces.extend(match is_along_ac {
                true => [[a, b, c], [a, c, d]],
                false => [[a, b, d], [b, c, d]],
            });
        }
        _ => {
            let corners: Vec<_> = polygon.iter().map(|&corner| at(corner)).collect();
            let corners = flattened(&corners);
            let triangles = clip(&corners, budget).ok_or_else(|| too_long(polygon))?;
            faces.extend(triangles.iter().map(|face| face.map(|k| polygon[k])));
        }
    }
    Ok(())
}

/// The error of a polygon for which the budget does not suffice.
pub(super) fn too_long(polygon: &[u32]) -> MeshErrorKind {
    MeshErrorKind::Malformed(format!(
        "a face of {} corners takes too long to cut; export the mesh with triangles",
        polygon.len()
    ))
}

/// Whether a quadrilateral is cut between its first and its third corner.
fn is_cut_along_ac([a, b, c, d]: [Vec3<f64>; 4]) -> bool {
    let (ac, bd) = (c - a, d - b);
    let normal = ac.cross(bd);
    let is_in = |before: Vec3<f64>, at: Vec3<f64>, after: Vec3<f64>| {
        (at - before).cross(after - at).dot(normal) <= 0.0
    };
    match [
        is_in(d, a, b),
        is_in(a, b, c),
        is_in(b, c, d),
        is_in(c, d, a),
    ] {
        [true, false, false, false] | [false, false, true, false] => true,
        [false, true, false, false] | [false, false, false, true] => false,
        _ => ac.dot(ac) < bd.dot(bd),
    }
}

/// The corners of a polygon as they are seen along its area vector, so that they run
/// counterclockwise; to scale in each direction, which keeps what is convex and what is inside.
fn flattened(corners: &[Vec3<f64>]) -> Vec<Coord<f64>> {
    let first = corners[0];
    let area = corners.windows(2).fold(Vec3::zero(), |sum, pair| {
        sum + (pair[0] - first).cross(pair[1] - first)
    });
    let [x, y, z] = area.to_array().map(f64::abs);
    let normal = area * (1.0 / x.max(y).max(z));
    // An axis that is not along it: the views along axes have no rounding.
    let axis = match (x <= y && x <= z, y <= z) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let right = Vec3::unit(axis).cross(normal);
    let up = normal.cross(right);
    let coordinates = corners.iter().map(|&corner| Coord {
        x: (corner - first).dot(right),
        y: (corner - first).dot(up),
    });
    coordinates.collect()
}

/// The triangles of a polygon in a plane, counterclockwise, as indices of its corners; none beyond
/// the budget.
fn clip(corners: &[Coord<f64>], budget: &mut u64) -> Option<Vec<[usize; 3]>> {
    let n = corners.len();
    let turn = |face: [usize; 3]| {
        let [a, b, c] = face.map(|k| corners[k]);
        orient2d(a, b, c)
    };
    let mut triangles = Vec::with_capacity(n - 2);
    if (0..n).all(|k| turn([k, (k + 1) % n, (k + 2) % n]) > 0.0) {
        triangles.extend((1..n - 1).map(|k| [0, k, k + 1]));
        return Some(triangles);
    }
    let mut left: Vec<usize> = (0..n).collect();
    // The place of the corner before the next candidate, and how many were none since the last.
    let (mut before, mut refused) = (0, 0);
    while left.len() > 3 {
        let count = left.len();
        let candidate = [0, 1, 2].map(|k| left[(before + k) % count]);
        *budget = budget.checked_sub(count as u64)?;
        let turned = turn(candidate);
        // In a second round a corner without area will do, and in a third any.
        let is_taken = match refused / count {
            0 => turned > 0.0 && !left.iter().any(|&k| is_inside(corners, candidate, k)),
            1 => turned == 0.0,
            _ => true,
        };
        if !is_taken {
            (before, refused) = ((before + 1) % count, refused + 1);
            continue;
        }
        triangles.push(candidate);
        let tip = (before + 1) % count;
        left.remove(tip);
        if tip < before {
            before -= 1;
        }
        refused = 0;
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles)
}

/// Whether a corner is in a triangle or on its rim, without being at one of its corners.
fn is_inside(corners: &[Coord<f64>], triangle: [usize; 3], k: usize) -> bool {
    let p = corners[k];
    let [a, b, c] = triangle.map(|k| corners[k]);
    let is_left = |a: Coord<f64>, b: Coord<f64>| orient2d(a, b, p) >= 0.0;
    is_left(a, b) && is_left(b, c) && is_left(c, a) && ![a, b, c].contains(&p)
}
