//! Boxes that lie along the triangles that they hold.
//!
//! A box along the frame's axes is as thick as the part of a surface in it is wide; one along the
//! part's normal is as thick as it is curved, and bounds distances from below much more closely.
//! Source: S. Gottschalk, M. C. Lin and D. Manocha, *OBBTree: a hierarchical structure for rapid
//! interference detection*, 1996.

use featherline::spatial::{Mat3, Se3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

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
        Self {
            center: axes.mul_vec((low + high) * 0.5),
            axes,
            half: (high - low) * 0.5,
        }
    }

    /// The square of half the diagonal.
    #[inline(always)]
    pub fn size(&self) -> f64 {
        self.half.norm_squared()
    }

    /// A lower bound of the distance of what two boxes hold, negative where they overlap: by the
    /// gaps along the axes of each, and along the line of the middles.
    #[inline(always)]
    pub fn gap(&self, other: &Self, other_in_self: &Se3<f64>) -> f64 {
        let offset = other_in_self.act_point(other.center) - self.center;
        // Axes of the other box in those of this one.
        let axes = self
            .axes
            .tr_mul_mat(&other_in_self.rotation.mul_mat(&other.axes));
        let in_self = abs(self.axes.tr_mul_vec(offset));
        let in_other = abs(axes.tr_mul_vec(self.axes.tr_mul_vec(offset)));
        let size = Mat3::from_columns(abs(axes.x), abs(axes.y), abs(axes.z));
        let along_own = in_self - self.half - size.mul_vec(other.half);
        let along_others = in_other - other.half - size.tr_mul_vec(self.half);
        let length = offset.norm();
        let reach = self.half.dot(in_self) + other.half.dot(in_other);
        let of_axes = of_gaps(along_own).max(of_gaps(along_others));
        match length > 0.0 {
            true => (length - reach / length).max(of_axes),
            false => of_axes,
        }
    }
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
