//! Affine maps of the nodes of scenes, which rotate, scale and shear.

use featherline::spatial::{Mat3, Vec3};

/// The map x ↦ A x + b.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub(super) linear: Mat3<f64>,
    pub(super) translation: Vec3<f64>,
}

impl Affine {
    pub(super) fn identity() -> Self {
        Self::linear(Mat3::identity())
    }

    pub(super) fn linear(linear: Mat3<f64>) -> Self {
        let translation = Vec3::zero();
        Self {
            linear,
            translation,
        }
    }

    pub(super) fn translation(translation: Vec3<f64>) -> Self {
        Self {
            translation,
            ..Self::identity()
        }
    }

    /// The map that scales along the axes.
    pub(super) fn scale(factors: Vec3<f64>) -> Self {
        let (x, y, z) = (factors.x, factors.y, factors.z);
        Self::linear(Mat3::from_rows([[x, 0., 0.], [0., y, 0.], [0., 0., z]]))
    }

    /// The map of the upper three rows of a matrix, given row by row.
    pub(super) fn from_rows(m: [[f64; 4]; 3]) -> Self {
        Self {
            linear: Mat3::from_rows(m.map(|[x, y, z, _]| [x, y, z])),
            translation: Vec3::new(m[0][3], m[1][3], m[2][3]),
        }
    }

    /// The map that applies `other` first.
    pub(super) fn after(&self, other: &Self) -> Self {
        Self {
            linear: self.linear.mul_mat(&other.linear),
            translation: self.apply(other.translation),
        }
    }

    pub(super) fn apply(&self, point: Vec3<f64>) -> Vec3<f64> {
        self.linear.mul_vec_add(point, self.translation)
    }

    /// Whether the map reflects, so that faces must be flipped to look outwards again.
    pub(super) fn reflects(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}
