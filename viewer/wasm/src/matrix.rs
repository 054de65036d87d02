//! Placements as matrices, vectors as slices.

use featherline::spatial::{Mat3, Se3, Vec3};
use wasm_bindgen::prelude::JsError;

/// What a function returns, or the error that it throws.
pub type Thrown<T> = Result<T, JsError>;

/// A placement as a matrix of 4 × 4 by columns.
pub fn matrix(placement: &Se3<f64>) -> [f64; 16] {
    let [x, y, z] = placement.rotation.to_rows();
    let p = placement.translation;
    [
        x[0], y[0], z[0], 0.0, x[1], y[1], z[1], 0.0, x[2], y[2], z[2], 0.0, p.x, p.y, p.z, 1.0,
    ]
}

/// The placement of a matrix of 4 × 4 by columns.
pub fn from_matrix(entries: &[f64]) -> Thrown<Se3<f64>> {
    let Ok(m) = <[f64; 16]>::try_from(entries) else {
        return Err(JsError::new("a placement has 16 entries"));
    };
    let rows = [[m[0], m[4], m[8]], [m[1], m[5], m[9]], [m[2], m[6], m[10]]];
    Ok(Se3::new(
        Mat3::from_rows(rows),
        Vec3::new(m[12], m[13], m[14]),
    ))
}

/// A vector of three entries.
pub fn vector(what: &str, entries: &[f64]) -> Thrown<Vec3<f64>> {
    match entries {
        &[x, y, z] => Ok(Vec3::new(x, y, z)),
        other => {
            let message = format!("{what} has {} entries, and needs three", other.len());
            Err(JsError::new(&message))
        }
    }
}
