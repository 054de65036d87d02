//! A vector with its components by name.

use featherline::spatial::Vec3;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Xyz {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}

impl From<Vec3<f64>> for Xyz {
    fn from(vector: Vec3<f64>) -> Self {
        let [x, y, z] = vector.to_array();
        Self { x, y, z }
    }
}
