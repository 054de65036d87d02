//! Rotations about a joint's axis.

use crate::scalar::Scalar;
use crate::spatial::{Mat3, Vec3};

/// The rotation about a unit axis, of the angle with the given sine and cosine.
///
/// The axis is the model's and therefore the same for every state, so that the three coordinate
/// axes may have their own forms: their zeros and ones are exact and cost nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_for_coordinate_axes_agree_with_the_general_one() {
        let (sin, cos) = 0.7_f64.sin_cos();
        for k in 0..3 {
            for sign in [1.0, -1.0] {
                let axis = Vec3::<f64>::unit(k) * sign;
                // An axis off by less than rounding takes the general form and turns by the same
                // angle.
                let tiny = Vec3::new(1e-300, 1e-300, 1e-300);
                let difference = rotation(axis, sin, cos) - rotation(axis + tiny, sin, cos);
                assert!(difference.x.norm() + difference.y.norm() + difference.z.norm() < 1e-15);
            }
        }
    }
}
