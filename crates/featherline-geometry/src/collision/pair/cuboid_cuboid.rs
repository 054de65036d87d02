//! Box × box: separating axes.
//!
//! Of overlapping boxes the least overlap along the fifteen axes of two boxes (the normals of both,
//! and the vector products of their edges) is the penetration depth. Source: S. Gottschalk,
//! M. C. Lin and D. Manocha, *OBBTree: a hierarchical structure for rapid interference detection*,
//! 1996.

use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Edges whose squared sine is below this give no axis: faces of both boxes already have it.
const PARALLEL: f64 = 1e-10;
/// By how much of its depth an edge's axis must be better than a face's.
const FACES_FIRST: f64 = 1e-9;

/// The axis on which two boxes overlap least, or are farthest apart.
pub(crate) struct Axis {
    /// The gap along the axis: negative where the boxes overlap along all axes.
    pub gap: f64,
    /// The unit vector from the first box to the second, in the frame of the first.
    pub normal: Vec3<f64>,
    /// Edges of the boxes whose product the axis is; none for a normal of either.
    pub edges: Option<[usize; 2]>,
}

/// The separating axis of boxes of half sides `a` and `b`, the second placed in the first.
#[inline(always)]
pub(crate) fn axis(a: Vec3<f64>, b: Vec3<f64>, placement: &Se3<f64>) -> Axis {
    let r = &placement.rotation;
    let t = placement.translation;
    let (half_a, half_b) = (a.to_array(), b.to_array());
    let columns = [r.x, r.y, r.z];
    let rows = r.to_rows();
    let center = t.to_array();
    let mut best = Axis {
        gap: f64::NEG_INFINITY,
        normal: Vec3::unit(2),
        edges: None,
    };
    // Normals of the first box: |t_i| − a_i − Σ_j b_j |R_ij|.
    for i in 0..3 {
        let reach = half_b[0] * rows[i][0].abs()
            + half_b[1] * rows[i][1].abs()
            + half_b[2] * rows[i][2].abs();
        let gap = center[i].abs() - half_a[i] - reach;
        if gap > best.gap {
            best.gap = gap;
            best.normal = Vec3::unit(i) * 1f64.copysign(center[i]);
        }
    }
    // Normals of the second: |R_j · t| − b_j − Σ_i a_i |R_ij|.
    for j in 0..3 {
        let along = columns[j].dot(t);
        let reach = half_a[0] * rows[0][j].abs()
            + half_a[1] * rows[1][j].abs()
            + half_a[2] * rows[2][j].abs();
        let gap = along.abs() - half_b[j] - reach;
        if gap > best.gap + FACES_FIRST * gap.abs() {
            best.gap = gap;
            best.normal = columns[j] * 1f64.copysign(along);
        }
    }
    // Products of edges e_i × R_j, of length √(1 − R_ij²).
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let square = rows[i1][j] * rows[i1][j] + rows[i2][j] * rows[i2][j];
            if square < PARALLEL {
                continue;
            }
            let along = center[i2] * rows[i1][j] - center[i1] * rows[i2][j];
            let reach_a = half_a[i1] * rows[i2][j].abs() + half_a[i2] * rows[i1][j].abs();
            let reach_b = half_b[j1] * rows[i][j2].abs() + half_b[j2] * rows[i][j1].abs();
            let scale = 1.0 / square.sqrt();
            let gap = (along.abs() - reach_a - reach_b) * scale;
            if gap > best.gap + FACES_FIRST * gap.abs() {
                best.gap = gap;
                let axis = Vec3::unit(i).cross(columns[j]);
                best.normal = axis * scale.copysign(along);
                best.edges = Some([i, j]);
            }
        }
    }
    best
}

/// Overlapping boxes: the separation along the axis of least overlap, in the frame of the first.
#[inline(always)]
pub(crate) fn overlap(a: Vec3<f64>, b: Vec3<f64>, placement: &Se3<f64>, axis: &Axis) -> Separation {
    let n = axis.normal;
    let in_second = placement.rotation.tr_mul_vec(n);
    let corner = |half: Vec3<f64>, d: Vec3<f64>| {
        Vec3::new(
            half.x.copysign(d.x),
            half.y.copysign(d.y),
            half.z.copysign(d.z),
        )
    };
    // Corners farthest along the axis, in the frame of their box.
    let on_a = corner(a, n);
    let on_b = placement.act_point(corner(b, -in_second));
    let columns = [
        placement.rotation.x,
        placement.rotation.y,
        placement.rotation.z,
    ];
    let points = match axis.edges {
        Some([i, j]) => {
            // Lines on_a + s e and on_b + t f cross along n: (on_b − on_a) · (f × n) = s e · (f ×
            // n).
            let (e, f) = (Vec3::unit(i), columns[j]);
            let across = f.cross(n);
            let s = (on_b - on_a).dot(across) / e.dot(across);
            let p = on_a + e * s;
            [p, p + n * axis.gap]
        }
        None => {
            // Of a face and an edge or a face, the middle of what lies on each other is taken by
            // the manifold; of a corner it is the corner.
            let of_first = n.max_norm() >= 1.0 - 1e-12;
            match of_first {
                true => [on_b - n * axis.gap, on_b],
                false => [on_a, on_a + n * axis.gap],
            }
        }
    };
    Separation {
        distance: axis.gap,
        points,
        normal: n,
    }
}
