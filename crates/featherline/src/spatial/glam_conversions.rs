//! Conversions from and to glam's double-precision types.

use super::{Mat3, Quaternion, Se3, Vec3};
use glam::{DAffine3, DMat3, DQuat, DVec3};

impl From<Vec3<f64>> for DVec3 {
    fn from(v: Vec3<f64>) -> Self {
        v.to_array().into()
    }
}

impl From<DVec3> for Vec3<f64> {
    fn from(v: DVec3) -> Self {
        v.to_array().into()
    }
}

impl From<Mat3<f64>> for DMat3 {
    fn from(m: Mat3<f64>) -> Self {
        Self::from_cols(m.x.into(), m.y.into(), m.z.into())
    }
}

impl From<DMat3> for Mat3<f64> {
    fn from(m: DMat3) -> Self {
        Self::from_columns(m.x_axis.into(), m.y_axis.into(), m.z_axis.into())
    }
}

/// Nothing is normalised: give it a unit quaternion.
impl From<Quaternion<f64>> for DQuat {
    fn from(q: Quaternion<f64>) -> Self {
        Self::from_array(q.to_array())
    }
}

impl From<DQuat> for Quaternion<f64> {
    fn from(q: DQuat) -> Self {
        q.to_array().into()
    }
}

impl From<Se3<f64>> for DAffine3 {
    fn from(m: Se3<f64>) -> Self {
        Self {
            matrix3: m.rotation.into(),
            translation: m.translation.into(),
        }
    }
}

/// The linear part is taken as it is: it must be a rotation, without scale or shear.
impl From<DAffine3> for Se3<f64> {
    fn from(m: DAffine3) -> Self {
        Self::new(m.matrix3.into(), m.translation.into())
    }
}
