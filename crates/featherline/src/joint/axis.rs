//! Rotations about a joint's axis.

use crate::scalar::Scalar;
use crate::spatial::{Mat3, Vec3};

/// The rotation about a unit axis, of the angle with the given sine and cosine.
///
/// The axis is the model's and therefore the same for every state, so that the three coordinate axes may have their own
/// forms: their zeros and ones are exact and cost nothing.
#[inline(always)]
pub(super) fn rotation<S: Scalar>(axis: Vec3<f64>, sin: S, cos: S) -> Mat3<S> {
    let zero = S::zero();
    if axis.y == 0.0 && axis.z == 0.0 {
        let s = if axis.x < 0.0 { -sin } else { sin };
        Mat3::from_columns(
            Vec3::unit(0),
            Vec3::new(zero, cos, s),
            Vec3::new(zero, -s, cos),
        )
    } else if axis.x == 0.0 && axis.z == 0.0 {
        let s = if axis.y < 0.0 { -sin } else { sin };
        Mat3::from_columns(
            Vec3::new(cos, zero, -s),
            Vec3::unit(1),
            Vec3::new(s, zero, cos),
        )
    } else if axis.x == 0.0 && axis.y == 0.0 {
        let s = if axis.z < 0.0 { -sin } else { sin };
        Mat3::from_columns(
            Vec3::new(cos, s, zero),
            Vec3::new(-s, cos, zero),
            Vec3::unit(2),
        )
    } else {
        Mat3::from_axis_sin_cos(Vec3::constant(axis), sin, cos)
    }
}

/// The vector divided by its length; unchanged where the length is zero or not finite, for validation to name.
///
/// What is of length one to rounding stays as it is, so that normalising twice is the same as once.
pub(super) fn normalised(axis: Vec3<f64>) -> Vec3<f64> {
    let largest = axis.x.abs().max(axis.y.abs()).max(axis.z.abs());
    let usable = largest > 0.0 && axis.is_finite();
    if !usable || (axis.norm_squared() - 1.0).abs() <= 8.0 * f64::EPSILON {
        return axis;
    }
    // Scaling by the largest component first keeps the squares in range; a coordinate axis comes out exact.
    let scaled = Vec3::new(axis.x / largest, axis.y / largest, axis.z / largest);
    let norm = scaled.norm();
    Vec3::new(scaled.x / norm, scaled.y / norm, scaled.z / norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_for_coordinate_axes_agree_with_the_general_one() {
        let (sin, cos) = 0.7_f64.sin_cos();
        for k in 0..3 {
            for sign in [1.0, -1.0] {
                let axis = Vec3::<f64>::unit(k) * sign;
                // An axis off by less than rounding takes the general form and turns by the same angle.
                let tiny = Vec3::new(1e-300, 1e-300, 1e-300);
                let difference = rotation(axis, sin, cos) - rotation(axis + tiny, sin, cos);
                assert!(difference.x.norm() + difference.y.norm() + difference.z.norm() < 1e-15);
            }
        }
    }

    #[test]
    fn normalising_survives_extreme_lengths_and_keeps_coordinate_axes_exact() {
        assert_eq!(
            normalised(Vec3::new(0.0, -7.3, 0.0)),
            Vec3::new(0.0, -1.0, 0.0)
        );
        for scale in [1e-300, 1.0, 1e300] {
            let axis = normalised(Vec3::new(0.0, 3.0 * scale, 4.0 * scale));
            assert!((axis - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-15);
            assert_eq!(normalised(axis), axis);
        }
        assert_eq!(normalised(Vec3::zero()), Vec3::zero());
    }
}
