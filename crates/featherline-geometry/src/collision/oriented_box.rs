//! Boxes that lie along the triangles that they hold.
//!
//! A box along the frame's axes is as thick as the part of a surface in it is wide; one along the
//! part's normal is as thick as it is curved, and bounds distances from below much more closely.
//! Source: S. Gottschalk, M. C. Lin and D. Manocha, *OBBTree: a hierarchical structure for rapid
//! interference detection*, 1996.

use crate::aabb::Aabb;
use featherline::spatial::{Mat3, Se3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

/// A box is wider than what it holds by this part of its coordinates: shapes that touch must not be
/// parted by rounding.
const ROUNDING: f64 = 1e-14;

/// A box in the frame of a mesh: its middle, its axes as columns and half its sides. The third axis
/// is along the normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    center: Vec3<f64>,
    axes: Mat3<f64>,
    half: Vec3<f64>,
}

impl OrientedBox {
    /// The box around triangles.
    pub fn around(triangles: impl Iterator<Item = [Vec3<f64>; 3]> + Clone) -> Self {
        let axes = principal_axes(triangles.clone());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in triangles.flatten() {
            let along = axes.tr_mul_vec(corner).to_array();
            low = std::array::from_fn(|k| low[k].min(along[k]));
            high = std::array::from_fn(|k| high[k].max(along[k]));
        }
        let (low, high) = (Vec3::from(low), Vec3::from(high));
        let slack = ROUNDING * low.max_norm().max(high.max_norm());
        Self {
            center: axes.mul_vec((low + high) * 0.5),
            axes,
            half: (high - low) * 0.5 + Vec3::new(slack, slack, slack),
        }
    }

    /// The square of half the diagonal.
    #[inline(always)]
    pub fn size(&self) -> f64 {
        self.half.norm_squared()
    }

    /// The box of a shape, whose own is along the axes of its frame, in the frame of a mesh.
    #[inline(always)]
    pub fn of_shape(around: &Aabb, placement: &Se3<f64>) -> Self {
        Self {
            center: placement.act_point(around.center()),
            axes: placement.rotation,
            half: around.sides() * 0.5,
        }
    }

    /// The same box in another frame.
    #[inline(always)]
    pub fn placed(&self, placement: &Se3<f64>) -> Self {
        Self {
            center: placement.act_point(self.center),
            axes: placement.rotation.mul_mat(&self.axes),
            half: self.half,
        }
    }

    /// The axis of the longest side.
    pub fn longest_axis(&self) -> Vec3<f64> {
        let [x, y, z] = self.half.to_array();
        match (x >= y && x >= z, y >= z) {
            (true, _) => self.axes.x,
            (false, true) => self.axes.y,
            (false, false) => self.axes.z,
        }
    }

    /// A lower bound of the distance of what two boxes in one frame hold, negative where they
    /// overlap: by the gap along the line from a point of this box, the nearest to the other's
    /// middle, to the nearest of the other box; where there is none, by the gaps along the axes of
    /// each.
    #[inline(always)]
    pub fn gap(&self, other: &Self) -> f64 {
        // The other's middle from this one's, and its axes, in the axes of this box.
        let offset = self.axes.tr_mul_vec(other.center - self.center);
        let axes = self.axes.tr_mul_mat(&other.axes);
        let nearest = nearest_in_box(offset, self.half);
        let seen = axes.tr_mul_vec(nearest - offset);
        let line = nearest_in_box(seen, other.half) - seen;
        let line_in_self = axes.mul_vec(line);
        let along =
            line_in_self.dot(offset) - self.half.dot(abs(line_in_self)) - other.half.dot(abs(line));
        if along > 0.0 {
            return along / line.norm();
        }
        let size = Mat3::from_columns(abs(axes.x), abs(axes.y), abs(axes.z));
        let along_own = abs(offset) - self.half - size.mul_vec(other.half);
        let along_others = abs(axes.tr_mul_vec(offset)) - other.half - size.tr_mul_vec(self.half);
        of_gaps(along_own).max(of_gaps(along_others))
    }
}

/// The point of a box around the origin, of half these sides, that is nearest to a point.
#[inline(always)]
fn nearest_in_box(v: Vec3<f64>, half: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(
        v.x.max(-half.x).min(half.x),
        v.y.max(-half.y).min(half.y),
        v.z.max(-half.z).min(half.z),
    )
}

#[inline(always)]
fn abs(v: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(v.x.abs(), v.y.abs(), v.z.abs())
}

/// The distance of two boxes along the same axes, from their gaps along these; where
/// they overlap, the greatest of the negative gaps.
#[inline(always)]
pub(crate) fn of_gaps(gaps: Vec3<f64>) -> f64 {
    let greatest = gaps.x.max(gaps.y).max(gaps.z);
    match greatest > 0.0 {
        true => Vec3::new(gaps.x.max(0.0), gaps.y.max(0.0), gaps.z.max(0.0)).norm(),
        false => greatest,
    }
}

/// The principal axes of the corners of triangles, the one along which they vary least last.
fn principal_axes(triangles: impl Iterator<Item = [Vec3<f64>; 3]> + Clone) -> Mat3<f64> {
    let corners = triangles.flatten();
    let (mut count, mut sum) = (0.0, Vec3::zero());
    for corner in corners.clone() {
        (count, sum) = (count + 1.0, sum + corner);
    }
    let mean = sum * (1.0 / count);
    let mut spread = Matrix3::zeros();
    for corner in corners {
        let offset = Vector3::from((corner - mean).to_array());
        spread += offset * offset.transpose();
    }
    let eigen = SymmetricEigen::new(spread);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let [x, y] = [order[0], order[1]].map(|k| {
        let axis = eigen.eigenvectors.column(k);
        Vec3::new(axis[0], axis[1], axis[2])
    });
    Mat3::from_columns(x, y, x.cross(y))
}
