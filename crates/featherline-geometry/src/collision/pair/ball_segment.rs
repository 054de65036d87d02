//! Ball × capsule: a point and a segment.

use super::between_points;
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Point × segment of a half length about z.
#[inline(always)]
pub(crate) fn separation(point: Vec3<f64>, half: f64, placement: &Se3<f64>) -> Separation {
    let axis = placement.rotation.z;
    let along = axis.dot(point - placement.translation);
    let nearest = placement.translation + axis * along.clamp(-half, half);
    between_points(point, nearest, placement.rotation.x)
}
