//! Rotations about z by a known sine and cosine.

use super::{Mat3, Sym3, Vec3};
use crate::scalar::{Scalar, large};

/// Sine and cosine of the angle of a rotation about z.
///
/// Applying it takes four products for a vector, where a rotation matrix takes nine.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AxialRotation<S: Scalar> {
    /// The sine of the angle.
    pub sin: S,
    /// The cosine of the angle.
    pub cos: S,
}

impl<S: Scalar> AxialRotation<S> {
    /// The rotation by nothing.
    #[inline(always)]
    pub fn identity() -> Self {
        Self {
            sin: S::zero(),
            cos: S::one(),
        }
    }

    /// R x: a vector in the rotated frame, in the original one.
    #[inline(always)]
    pub fn apply(&self, v: Vec3<S>) -> Vec3<S> {
        let Self { sin, cos } = *self;
        let x = cos.mul_add(v.x, -(sin * v.y));
        Vec3::new(x, sin.mul_add(v.x, cos * v.y), v.z)
    }

    /// Rᵀ x: a vector in the original frame, in the rotated one.
    #[inline(always)]
    pub fn apply_inverse(&self, v: Vec3<S>) -> Vec3<S> {
        let Self { sin, cos } = *self;
        let y = cos.mul_add(v.y, -(sin * v.x));
        Vec3::new(cos.mul_add(v.x, sin * v.y), y, v.z)
    }

    /// M R: the axes of a frame after a rotation about the last of them.
    #[inline(always)]
    pub fn apply_to_axes(&self, Mat3 { x, y, z }: Mat3<S>) -> Mat3<S> {
        let Self { sin, cos } = *self;
        Mat3::from_columns(x.mul_add(cos, y * sin), y.mul_add(cos, -(x * sin)), z)
    }

    /// R M Rᵀ of a symmetric matrix M.
    #[inline(always)]
    pub fn apply_to_symmetric(&self, m: &Sym3<S>) -> Sym3<S> {
        large!(S, {
            let Self { sin, cos } = *self;
            let [xx, xy, xz, yy, yz, zz] = m.to_elements();
            let (apart, twice) = (yy - xx, xy + xy);
            // By double angles, so that the plane's trace stays.
            let moved = sin * sin.mul_add(apart, -(cos * twice));
            let xy = sin.mul_add(-cos.mul_add(apart, sin * twice), xy);
            let x = cos.mul_add(xz, -(sin * yz));
            Sym3::new(xx + moved, xy, x, yy - moved, sin.mul_add(xz, cos * yz), zz)
        })
    }
}
