//! Triangles.

use featherline::spatial::Vec3;

/// The area of a triangle along its normal, which its corners run about counterclockwise.
pub(crate) fn area_vector([a, b, c]: &[Vec3<f64>; 3]) -> Vec3<f64> {
    (*b - *a).cross(*c - *a) * 0.5
}
