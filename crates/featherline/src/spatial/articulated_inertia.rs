//! The inertia that a body appears to have when other bodies are joined to it.

use super::{DynamicParameters, Force, Mat3, Motion, Se3, Sym3, Vec3};
use crate::scalar::{Form, Scalar, SeenAs, large};

/// An articulated-body inertia: a symmetric 6×6 matrix \[M H; Hᵀ J\] that maps motions to forces
/// (Featherstone 2008, section 7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ArticulatedInertia<S: Scalar> {
    /// M: force for each unit of linear acceleration.
    pub linear: Sym3<S>,
    /// H: force for each unit of angular acceleration.
    pub coupling: Mat3<S>,
    /// J: moment for each unit of angular acceleration.
    pub angular: Sym3<S>,
}

impl<S: Scalar> ArticulatedInertia<S> {
    /// No inertia at all.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            linear: Sym3::zero(),
            coupling: Mat3::zero(),
            angular: Sym3::zero(),
        }
    }

    /// The force that gives the acceleration `motion`.
    #[inline(always)]
    pub fn mul_motion(&self, motion: &Motion<S>) -> Force<S> {
        large!(S, {
            Force::new(
                self.linear
                    .mul_vec_add(motion.linear, self.coupling.mul_vec(motion.angular)),
                self.angular
                    .mul_vec_add(motion.angular, self.coupling.tr_mul_vec(motion.linear)),
            )
        })
    }

    /// Subtracts `factor · f fᵀ`: what is left when the coordinate that `f` belongs to is
    /// eliminated.
    #[inline(always)]
    pub fn sub_outer(&self, f: &Force<S>, factor: S) -> Self {
        large!(S, {
            let scaled = -(f.linear * factor);
            let h = &self.coupling;
            Self {
                linear: self.linear.sub_outer(f.linear, factor),
                coupling: Mat3::from_columns(
                    scaled.mul_add(f.angular.x, h.x),
                    scaled.mul_add(f.angular.y, h.y),
                    scaled.mul_add(f.angular.z, h.z),
                ),
                angular: self.angular.sub_outer(f.angular, factor),
            }
        })
    }

    /// The sum with a single body's inertia.
    #[inline(always)]
    pub fn plus_body(&self, body: &DynamicParameters<S>) -> Self {
        large!(S, {
            let (h, c) = (body.first_moment, &self.coupling);
            Self {
                linear: self.linear.plus_scalar(body.mass),
                coupling: Mat3::from_columns(
                    Vec3::new(c.x.x, c.x.y - h.z, c.x.z + h.y),
                    Vec3::new(c.y.x + h.z, c.y.y, c.y.z - h.x),
                    Vec3::new(c.z.x - h.y, c.z.y + h.x, c.z.z),
                ),
                angular: self.angular + body.second_moment,
            }
        })
    }

    /// The same inertia with axes in another order: the new x, y and z are the old z, x and y.
    #[inline(always)]
    pub(crate) fn cycled(&self) -> Self {
        let [lxx, lxy, lxz, lyy, lyz, lzz] = self.linear.to_elements();
        let [axx, axy, axz, ayy, ayz, azz] = self.angular.to_elements();
        let Mat3 { x, y, z } = self.coupling;
        Self {
            linear: Sym3::new(lzz, lxz, lyz, lxx, lxy, lyy),
            coupling: Mat3::from_columns(
                Vec3::new(z.z, z.x, z.y),
                Vec3::new(x.z, x.x, x.y),
                Vec3::new(y.z, y.x, y.y),
            ),
            angular: Sym3::new(azz, axz, ayz, axx, axy, ayy),
        }
    }

    /// The same inertia expressed in the frame in which `placement` places this one.
    #[inline(always)]
    pub fn transformed_by(&self, placement: &Se3<S>) -> Self {
        large!(S, {
            let r = &placement.rotation;
            let p = placement.translation;
            let linear = self.linear.conjugated_by(r);
            let turned = r.conjugate(&self.coupling);
            let angular = self.angular.conjugated_by(r);
            // H − M p×: the rows of M are its columns, and (M p×) = −(p× M)ᵀ.
            let m = linear.columns();
            let px_m = Mat3::from_columns(p.cross(m.x), p.cross(m.y), p.cross(m.z));
            let coupling = turned + px_m.transpose();
            // J + p× H' + (p× H)ᵀ with H' the shifted coupling.
            let a = Mat3::from_columns(
                p.cross(coupling.x),
                p.cross(coupling.y),
                p.cross(coupling.z),
            );
            let b = Mat3::from_columns(p.cross(turned.x), p.cross(turned.y), p.cross(turned.z));
            Self {
                linear,
                coupling,
                angular: angular.plus_transposed(&a, &b),
            }
        })
    }

    /// The same inertia expressed in the frame that `placement` places, when this one is given
    /// where it is placed.
    #[inline(always)]
    pub fn inverse_transformed_by(&self, placement: &Se3<S>) -> Self {
        self.transformed_by(&placement.inverse())
    }
}

// SAFETY: made of matrices and scalars, for which `InPlaceOf` promises the same layout, in C's
// order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for ArticulatedInertia<S> {
    type As<F: Form> = ArticulatedInertia<F::Of<S>>;
}
