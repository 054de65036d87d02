//! Conversions from and to nalgebra's types.
//!
//! Six-vectors and 6×6 matrices keep the order \[linear; angular\]. A placement becomes an isometry
//! through the unit quaternion of its rotation matrix.

use super::{
    ArticulatedInertia, DynamicParameters, Force, Inertia, Mat3, Motion, Quaternion, Se3, Vec3,
};
use crate::scalar::Scalar;
use nalgebra::{Isometry3, Matrix3, Matrix6, Translation3, UnitQuaternion, Vector3, Vector6};

impl<S: Scalar> From<Vec3<S>> for Vector3<S> {
    fn from(v: Vec3<S>) -> Self {
        v.to_array().into()
    }
}

impl<S: Scalar> From<Vector3<S>> for Vec3<S> {
    fn from(v: Vector3<S>) -> Self {
        <[S; 3]>::from(v).into()
    }
}

impl<S: Scalar> From<Mat3<S>> for Matrix3<S> {
    fn from(m: Mat3<S>) -> Self {
        [m.x.to_array(), m.y.to_array(), m.z.to_array()].into()
    }
}

impl<S: Scalar> From<Matrix3<S>> for Mat3<S> {
    fn from(m: Matrix3<S>) -> Self {
        let [x, y, z]: [[S; 3]; 3] = m.into();
        Self::from_columns(x.into(), y.into(), z.into())
    }
}

macro_rules! six_vectors {
    ($($type:ident)+) => {$(
        impl<S: Scalar> From<$type<S>> for Vector6<S> {
            fn from(six: $type<S>) -> Self {
                six.to_array().into()
            }
        }

        impl<S: Scalar> From<Vector6<S>> for $type<S> {
            fn from(v: Vector6<S>) -> Self {
                Self::from_array(v.into())
            }
        }
    )+};
}

six_vectors!(Motion Force);

/// Nothing is normalised: give it a unit quaternion.
impl<S: Scalar> From<Quaternion<S>> for UnitQuaternion<S> {
    fn from(q: Quaternion<S>) -> Self {
        Self::new_unchecked(nalgebra::Quaternion::new(q.w, q.x, q.y, q.z))
    }
}

impl<S: Scalar> From<UnitQuaternion<S>> for Quaternion<S> {
    fn from(q: UnitQuaternion<S>) -> Self {
        let [x, y, z, w]: [S; 4] = q.into_inner().coords.into();
        Self::new(x, y, z, w)
    }
}

/// ```
/// use featherline::spatial::{Se3, Vec3};
/// use nalgebra::Isometry3;
///
/// let placement = Se3::from_translation(Vec3::new(1.0, 2.0, 3.0));
/// let isometry = Isometry3::from(placement);
/// assert_eq!(isometry.translation.z, 3.0);
/// assert_eq!(Se3::from(isometry), placement);
/// ```
impl<S: Scalar> From<Se3<S>> for Isometry3<S> {
    fn from(m: Se3<S>) -> Self {
        Self {
            rotation: Quaternion::from_rotation(&m.rotation).into(),
            translation: Translation3 {
                vector: m.translation.into(),
            },
        }
    }
}

impl<S: Scalar> From<Isometry3<S>> for Se3<S> {
    fn from(m: Isometry3<S>) -> Self {
        Self::new(
            Quaternion::<S>::from(m.rotation).to_rotation(),
            m.translation.vector.into(),
        )
    }
}

macro_rules! six_by_six {
    ($($type:ident)+) => {$(
        impl<S: Scalar> From<$type<S>> for Matrix6<S> {
            fn from(inertia: $type<S>) -> Self {
                let rows = inertia.to_matrix();
                Self::from_fn(|i, j| rows[i][j])
            }
        }

        #[doc = concat!("As [`", stringify!($type), "::from_matrix`].")]
        impl<S: Scalar> From<Matrix6<S>> for $type<S> {
            fn from(m: Matrix6<S>) -> Self {
                Self::from_matrix(&m.transpose().into())
            }
        }
    )+};
}

six_by_six!(Inertia DynamicParameters ArticulatedInertia);
