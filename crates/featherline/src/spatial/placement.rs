//! Rigid transformations of space: placements of one frame in another.

use super::matrix_form::blocks;
use super::{Force, Inertia, Mat3, Motion, Vec3};
use crate::scalar::{Form, Scalar, SeenAs, large};
use std::ops::Mul;

/// The placement `aMb` of a frame b in a frame a: it maps coordinates in b to coordinates in a.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Se3<S: Scalar> {
    /// The rotation `aRb`: its columns are the axes of b in coordinates of a.
    pub rotation: Mat3<S>,
    /// The origin of b in coordinates of a, in m.
    pub translation: Vec3<S>,
}

impl<S: Scalar> Default for Se3<S> {
    fn default() -> Self {
        Self::identity()
    }
}

impl<S: Scalar> Se3<S> {
    /// The placement with the given rotation matrix and translation.
    #[inline(always)]
    pub fn new(rotation: Mat3<S>, translation: Vec3<S>) -> Self {
        Self {
            rotation,
            translation,
        }
    }

    /// The identity: both frames coincide.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::new(Mat3::identity(), Vec3::zero())
    }

    /// A pure rotation.
    #[inline(always)]
    pub fn from_rotation(rotation: Mat3<S>) -> Self {
        Self::new(rotation, Vec3::zero())
    }

    /// A pure translation.
    #[inline(always)]
    pub fn from_translation(translation: Vec3<S>) -> Self {
        Self::new(Mat3::identity(), translation)
    }

    /// Whether all components are finite.
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        let Mat3 { x, y, z } = self.rotation;
        let columns = [x, y, z, self.translation];
        columns.iter().all(|column| column.is_finite())
    }

    /// Writes the 3 × 4 matrix \[R p\], column by column.
    #[cfg(feature = "quantities")]
    #[inline(always)]
    pub(crate) fn write_columns(&self, out: &mut [S]) {
        let Mat3 { x, y, z } = self.rotation;
        let columns = [x, y, z, self.translation];
        for k in 0..4 {
            (out[3 * k], out[3 * k + 1], out[3 * k + 2]) =
                (columns[k].x, columns[k].y, columns[k].z);
        }
    }

    /// A placement of constants.
    #[inline(always)]
    pub fn constant(m: &Se3<f64>) -> Self {
        Self::new(Mat3::constant(&m.rotation), Vec3::constant(m.translation))
    }

    /// The composition `aMb · bMc = aMc`.
    #[inline(always)]
    pub fn compose(&self, other: &Self) -> Self {
        large!(S, {
            Self::new(
                self.rotation.mul_mat(&other.rotation),
                self.rotation
                    .mul_vec_add(other.translation, self.translation),
            )
        })
    }

    /// The inverse `bMa`.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Self::new(
            self.rotation.transpose(),
            -self.rotation.tr_mul_vec(self.translation),
        )
    }

    /// `aMb⁻¹ · aMc = bMc`, cheaper than inverting first.
    #[inline(always)]
    pub fn inverse_compose(&self, other: &Self) -> Self {
        large!(S, {
            Self::new(
                self.rotation.tr_mul_mat(&other.rotation),
                self.rotation
                    .tr_mul_vec(other.translation - self.translation),
            )
        })
    }

    /// Coordinates in a of a point given in b.
    #[inline(always)]
    pub fn act_point(&self, point: Vec3<S>) -> Vec3<S> {
        self.rotation.mul_vec_add(point, self.translation)
    }

    /// Coordinates in b of a point given in a.
    #[inline(always)]
    pub fn inverse_act_point(&self, point: Vec3<S>) -> Vec3<S> {
        self.rotation.tr_mul_vec(point - self.translation)
    }

    /// Coordinates in a of a motion given in b: `aXb · motion`.
    #[inline(always)]
    pub fn act_motion(&self, motion: &Motion<S>) -> Motion<S> {
        large!(S, {
            let angular = self.rotation.mul_vec(motion.angular);
            let carried = self.translation.cross(angular);
            Motion::new(self.rotation.mul_vec_add(motion.linear, carried), angular)
        })
    }

    /// Coordinates in b of a motion given in a: `bXa · motion`.
    #[inline(always)]
    pub fn inverse_act_motion(&self, motion: &Motion<S>) -> Motion<S> {
        large!(S, {
            let at_b = motion.angular.cross_add(self.translation, motion.linear);
            Motion::new(
                self.rotation.tr_mul_vec(at_b),
                self.rotation.tr_mul_vec(motion.angular),
            )
        })
    }

    /// Coordinates in a of a force given in b: `aXb* · force`.
    #[inline(always)]
    pub fn act_force(&self, force: &Force<S>) -> Force<S> {
        large!(S, {
            let linear = self.rotation.mul_vec(force.linear);
            let carried = self.translation.cross(linear);
            Force::new(linear, self.rotation.mul_vec_add(force.angular, carried))
        })
    }

    /// As [`act_force`](Self::act_force), for a momentum without a linear part along z.
    #[inline(always)]
    pub(crate) fn act_momentum_of_turn(&self, momentum: &Force<S>) -> Force<S> {
        let (x, y) = (momentum.linear.x, momentum.linear.y);
        let linear = self.rotation.x.mul_add(x, self.rotation.y * y);
        let angular = self.rotation.mul_vec(momentum.angular);
        Force::new(linear, self.translation.cross_add(linear, angular))
    }

    /// Coordinates in b of a force given in a: `bXa* · force`.
    #[inline(always)]
    pub fn inverse_act_force(&self, force: &Force<S>) -> Force<S> {
        large!(S, {
            let at_b = force.linear.cross_add(self.translation, force.angular);
            Force::new(
                self.rotation.tr_mul_vec(force.linear),
                self.rotation.tr_mul_vec(at_b),
            )
        })
    }

    /// An inertia given in b, expressed in a.
    #[inline(always)]
    pub fn act_inertia(&self, inertia: &Inertia<S>) -> Inertia<S> {
        inertia.transformed_by(self)
    }

    /// The action matrix `aXb` on motions, rows and columns in the order \[linear; angular\].
    pub fn action_matrix(&self) -> [[S; 6]; 6] {
        blocks(
            &self.rotation,
            &self.coupling(),
            &Mat3::zero(),
            &self.rotation,
        )
    }

    /// The action matrix `aXb*` on forces, rows and columns in the order \[linear; angular\].
    pub fn dual_action_matrix(&self) -> [[S; 6]; 6] {
        blocks(
            &self.rotation,
            &Mat3::zero(),
            &self.coupling(),
            &self.rotation,
        )
    }

    /// `p× R`.
    fn coupling(&self) -> Mat3<S> {
        Mat3::skew(self.translation).mul_mat(&self.rotation)
    }

    /// The homogeneous 4×4 matrix, by rows.
    pub fn to_homogeneous(&self) -> [[S; 4]; 4] {
        let r = self.rotation.to_rows();
        let t = self.translation.to_array();
        let (zero, one) = (S::zero(), S::one());
        [
            [r[0][0], r[0][1], r[0][2], t[0]],
            [r[1][0], r[1][1], r[1][2], t[1]],
            [r[2][0], r[2][1], r[2][2], t[2]],
            [zero, zero, zero, one],
        ]
    }
}

// SAFETY: made of vectors and scalars, for which `InPlaceOf` promises the same layout, in C's
// order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for Se3<S> {
    type As<F: Form> = Se3<F::Of<S>>;
}

impl<S: Scalar> Mul for Se3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.compose(&other)
    }
}
