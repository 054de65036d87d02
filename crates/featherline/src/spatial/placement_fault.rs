//! Reasons why a matrix is no rotation or no placement.

use super::{Mat3, Se3, Vec3};
use thiserror::Error;

/// How far a rotation that was read may be from orthonormal, in each entry of RᵀR.
const ROUNDING: f64 = 1e-5;

/// Why a matrix is no rotation, or no placement.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PlacementFault {
    /// A number is infinite or none.
    #[error("it has a number that is not finite")]
    NotFinite,
    /// The last row of a homogeneous matrix.
    #[error("its last row is {} {} {} {}, and that of a placement is 0 0 0 1", .row[0], .row[1], .row[2], .row[3])]
    LastRow {
        /// The row.
        row: [f64; 4],
    },
    /// The columns of a rotation have length one.
    #[error(
        "column {column} of its rotation has length {length}, and the axes of a frame have length 1"
    )]
    Length {
        /// The column, from 1.
        column: usize,
        /// Its length.
        length: f64,
    },
    /// The columns of a rotation are perpendicular.
    #[error("columns {} and {} of its rotation are not perpendicular: their scalar product is {product}", .columns[0], .columns[1])]
    NotPerpendicular {
        /// The columns, from 1.
        columns: [usize; 2],
        /// Their scalar product.
        product: f64,
    },
    /// The columns of a rotation are a right-handed system.
    #[error("its rotation is a reflection: its determinant is -1, and that of a rotation is 1")]
    Reflection,
}

impl Mat3<f64> {
    /// The reason why a matrix that was read is no rotation; none for one that is a rotation
    /// within 1e-5 in each entry of RᵀR.
    ///
    /// ```
    /// use featherline::spatial::{Mat3, PlacementFault, Vec3};
    ///
    /// let mirror = Mat3::from_columns(Vec3::unit(1), Vec3::unit(0), Vec3::unit(2));
    /// assert_eq!(mirror.rotation_fault(), Some(PlacementFault::Reflection));
    /// assert_eq!(Mat3::identity().rotation_fault(), None);
    /// ```
    pub fn rotation_fault(&self) -> Option<PlacementFault> {
        let columns = [self.x, self.y, self.z];
        let is_finite = |it: &Vec3<f64>| it.to_array().iter().all(|x| x.is_finite());
        if !columns.iter().all(is_finite) {
            return Some(PlacementFault::NotFinite);
        }
        for (k, column) in columns.iter().enumerate() {
            if (column.norm_squared() - 1.0).abs() > ROUNDING {
                let length = column.norm();
                return Some(PlacementFault::Length {
                    column: k + 1,
                    length,
                });
            }
        }
        for [i, j] in [[0, 1], [0, 2], [1, 2]] {
            let product = columns[i].dot(columns[j]);
            if product.abs() > ROUNDING {
                let columns = [i + 1, j + 1];
                return Some(PlacementFault::NotPerpendicular { columns, product });
            }
        }
        (self.determinant() < 0.0).then_some(PlacementFault::Reflection)
    }
}

impl Se3<f64> {
    /// The placement of a homogeneous matrix, given by rows, as it is.
    ///
    /// # Errors
    /// [`PlacementFault`] unless its last row is 0 0 0 1, its numbers are finite, and its rotation
    /// is one within 1e-5 in each entry of RᵀR.
    ///
    /// ```
    /// use featherline::spatial::Se3;
    ///
    /// let rows = Se3::from_translation([1.0, 2.0, 3.0].into()).to_homogeneous();
    /// assert_eq!(Se3::from_homogeneous(rows)?.to_homogeneous(), rows);
    /// let doubled = rows.map(|row| row.map(|x| 2.0 * x));
    /// assert!(Se3::from_homogeneous(doubled).is_err());
    /// # Ok::<(), featherline::spatial::PlacementFault>(())
    /// ```
    pub fn from_homogeneous(rows: [[f64; 4]; 4]) -> Result<Self, PlacementFault> {
        let [x, y, z, last] = rows;
        if !rows.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(PlacementFault::NotFinite);
        }
        let expected = [0.0, 0.0, 0.0, 1.0];
        if last
            .iter()
            .zip(expected)
            .any(|(a, b)| (a - b).abs() > ROUNDING)
        {
            return Err(PlacementFault::LastRow { row: last });
        }
        let rotation = Mat3::from_rows([x, y, z].map(|[a, b, c, _]| [a, b, c]));
        match rotation.rotation_fault() {
            Some(fault) => Err(fault),
            None => Ok(Self::new(rotation, Vec3::new(x[3], y[3], z[3]))),
        }
    }
}
