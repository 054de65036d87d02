//! Rotation matrices from angles, and back.

use super::{Mat3, Quaternion, Vec3};
use crate::scalar::{Scalar, large};

impl<S: Scalar> Mat3<S> {
    /// The rotation about the unit vector `axis` by the angle with the given sine and cosine
    /// (Rodrigues' formula): cos · 1 + sin · \[axis\]× + (1 − cos) · axis axisᵀ.
    #[inline(always)]
    pub fn from_axis_sin_cos(axis: Vec3<S>, sin: S, cos: S) -> Self {
        large!(S, {
            let bent = axis * (S::one() - cos);
            let turned = axis * sin;
            let (xy, xz, yz) = (bent.x * axis.y, bent.x * axis.z, bent.y * axis.z);
            Self::from_columns(
                Vec3::new(bent.x.mul_add(axis.x, cos), xy + turned.z, xz - turned.y),
                Vec3::new(xy - turned.z, bent.y.mul_add(axis.y, cos), yz + turned.x),
                Vec3::new(xz + turned.y, yz - turned.x, bent.z.mul_add(axis.z, cos)),
            )
        })
    }

    /// The rotation by `angle` radians about the unit vector `axis`.
    ///
    /// ```
    /// use featherline::spatial::{Mat3, Vec3};
    /// use std::f64::consts::FRAC_PI_2;
    ///
    /// let r = Mat3::from_axis_angle(Vec3::unit(0), FRAC_PI_2);
    /// assert!((r * Vec3::unit(1) - Vec3::unit(2)).norm() < 1e-15);
    /// ```
    #[inline(always)]
    pub fn from_axis_angle(axis: Vec3<S>, angle: S) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self::from_axis_sin_cos(axis, sin, cos)
    }

    /// The unit axis and the angle, in \[0, π\], of a rotation matrix. The axis of no rotation is
    /// the first one.
    #[inline(always)]
    pub fn to_axis_angle(&self) -> (Vec3<S>, S) {
        let q = Quaternion::from_rotation(self);
        let u = Vec3::select(q.w.less(S::zero()), -q.vector(), q.vector());
        let largest = u.x.abs() + u.y.abs() + u.z.abs();
        let turning = S::zero().less(largest);
        // Scaled first: squares of tiny components would vanish.
        let scaled = u * S::select(turning, largest, S::one()).recip();
        let scaled = Vec3::select(turning, scaled, Vec3::unit(0));
        let length = scaled.norm();
        let angle = (length * largest).atan2(q.w.abs()) * S::constant(2.0);
        (scaled * length.recip(), angle)
    }

    /// The rotation Rz(`yaw`) · Ry(`pitch`) · Rx(`roll`), angles in radians: about the fixed axes
    /// x, y, z in this order, as in URDF.
    #[inline(always)]
    pub fn from_roll_pitch_yaw(roll: S, pitch: S, yaw: S) -> Self {
        Self::from_sin_cos_of_roll_pitch_yaw(roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos())
    }

    /// [`Mat3::from_roll_pitch_yaw`], given the angles' sines and cosines.
    #[inline(always)]
    pub fn from_sin_cos_of_roll_pitch_yaw(
        (sr, cr): (S, S),
        (sp, cp): (S, S),
        (sy, cy): (S, S),
    ) -> Self {
        let (sp_sr, sp_cr) = (sp * sr, sp * cr);
        Self::from_columns(
            Vec3::new(cy * cp, sy * cp, -sp),
            Vec3::new(
                cy.mul_add(sp_sr, -(sy * cr)),
                sy.mul_add(sp_sr, cy * cr),
                cp * sr,
            ),
            Vec3::new(
                cy.mul_add(sp_cr, sy * sr),
                sy.mul_add(sp_cr, -(cy * sr)),
                cp * cr,
            ),
        )
    }

    /// Roll, pitch and yaw, in radians, of a rotation matrix: the inverse of
    /// [`Mat3::from_roll_pitch_yaw`], with the pitch in \[−π/2, π/2\] and the others in \[−π, π\].
    ///
    /// The yaw is taken off before pitch and roll are read, so that the three reproduce the
    /// rotation to rounding also at and near a pitch of ±π/2, where yaw and roll turn about the
    /// same axis and only their sum or difference matters. Derivatives do not exist exactly there.
    ///
    /// ```
    /// use featherline::spatial::Mat3;
    ///
    /// let [roll, pitch, yaw] = Mat3::from_roll_pitch_yaw(0.1, -0.4, 2.5).to_roll_pitch_yaw();
    /// assert!((roll - 0.1_f64).abs() + (pitch + 0.4).abs() + (yaw - 2.5).abs() < 1e-15);
    /// ```
    #[inline(always)]
    pub fn to_roll_pitch_yaw(&self) -> [S; 3] {
        let yaw = self.x.y.atan2(self.x.x);
        let (sin, cos) = yaw.sin_cos();
        let pitch = (-self.x.z).atan2(cos.mul_add(self.x.x, sin * self.x.y));
        let roll_sin = sin.mul_add(self.z.x, -(cos * self.z.y));
        let roll_cos = cos.mul_add(self.y.y, -(sin * self.y.x));
        [roll_sin.atan2(roll_cos), pitch, yaw]
    }

    /// The nearest rotation of a matrix that is a rotation but for small errors: that of its unit
    /// quaternion. Repeated products drift from orthogonality by a rounding error each; this takes
    /// the drift out.
    #[inline(always)]
    pub fn orthonormalised(&self) -> Self {
        Quaternion::from_rotation(self).to_rotation()
    }
}

impl Mat3<f64> {
    /// Whether the matrix is a rotation: orthonormal to within `tolerance` in each entry of RᵀR,
    /// and right-handed. One with entries that are not finite is none.
    ///
    /// ```
    /// use featherline::spatial::{Mat3, Vec3};
    ///
    /// let mirror = Mat3::from_columns(Vec3::unit(1), Vec3::unit(0), Vec3::unit(2));
    /// assert!(Mat3::<f64>::identity().is_rotation(0.0) && !mirror.is_rotation(1e-3));
    /// ```
    pub fn is_rotation(&self, tolerance: f64) -> bool {
        let excess = self.tr_mul_mat(self) - Self::identity();
        let entries = [excess.x, excess.y, excess.z].map(|column| column.to_array());
        entries.iter().flatten().all(|e| e.abs() <= tolerance) && self.determinant() > 0.0
    }
}
