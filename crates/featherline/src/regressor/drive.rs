//! The regressor of what drives take.

use crate::error::{Error, check_size};
use crate::scalar::Scalar;
use nalgebra::DMatrixViewMut;

/// The regressor of reflected inertia, viscous damping and dry friction of all coordinates, nv ×
/// 3 nv: τ = diag(a) I + diag(v) d + diag(sign v) f.
///
/// Its columns are those of all reflected inertias (armature and rotors, kg·m²), of all dampings
/// (N·m·s/rad) and of all frictions (N·m), to stand beside the [joint torque
/// regressor](crate::Model::joint_torque_regressor_into). A mimic joint's drive acts on the
/// coordinate that it mimics: inertia and damping count there with the square of the ratio,
/// friction with its amount. Cost O(nv²) for writing all entries.
///
/// # Errors
/// [`Error::Size`] unless `v` and `a` have one length and `out` fits it.
///
/// ```
/// use featherline::regressor::drive_regressor_into;
/// use nalgebra::DMatrix;
///
/// let mut out = DMatrix::zeros(1, 3);
/// drive_regressor_into(&[-2.0], &[5.0], &mut out)?;
/// assert_eq!(out.as_slice(), [5.0, -2.0, -1.0]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn drive_regressor_into<'o, S: Scalar>(
    v: &[S],
    a: &[S],
    out: impl Into<DMatrixViewMut<'o, S>>,
) -> Result<(), Error> {
    let (n, mut out) = (v.len(), out.into());
    check_size("a", n, a.len())?;
    for (what, numbers) in [("v", v), ("a", a)] {
        if let Some(index) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what, index });
        }
    }
    check_size("the rows of the regressor", n, out.nrows())?;
    check_size("the columns of the regressor", 3 * n, out.ncols())?;
    out.fill(S::zero());
    let (zero, one) = (S::zero(), S::one());
    for k in 0..n {
        let positive = S::select(zero.less(v[k]), one, zero);
        out[(k, k)] = a[k];
        out[(k, n + k)] = v[k];
        out[(k, 2 * n + k)] = S::select(v[k].less(zero), -one, positive);
    }
    Ok(())
}
