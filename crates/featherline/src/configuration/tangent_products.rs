//! Products with the Jacobians of integrate and difference, without the matrices.
//!
//! Each Jacobian J has one block a joint, so that its product with a matrix of nv rows takes one
//! small product a joint and column. `d_integrate_dq_times` is J X, as the chain rule forwards
//! needs it: a column is a change. `times_d_integrate_dq` is X J, the chain rule backwards: a row
//! is a gradient. Both are in place.

use super::{moves_itself, own_ranges};
use crate::Error;
use crate::error::check_size;
use crate::joint::DifferenceMap::{ByEnd, ByStart};
use crate::joint::IntegrationMap::{ByConfiguration, ByVelocity, Transport};
use crate::joint::TangentMap;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, are_finite, dispatch};
use nalgebra::DMatrixViewMut;

struct Times<'a, 'm, S: Scalar> {
    model: &'a Model,
    map: TangentMap<'a, S>,
    is_from_right: bool,
    matrix: &'a mut DMatrixViewMut<'m, S>,
}

impl<S: Scalar> Kernel for Times<'_, '_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        for joint in self.model.joints() {
            if moves_itself(joint) {
                let (q, v) = own_ranges(joint);
                let (start, count) = (v.start, v.len());
                let map = self.map.of(q, v);
                let mut part = if self.is_from_right {
                    self.matrix.columns_mut(start, count)
                } else {
                    self.matrix.rows_mut(start, count)
                };
                joint
                    .kind
                    .multiply_tangent_map(map, self.is_from_right, &mut part);
            }
        }
    }
}

/// X ← J X with J of [`d_integrate_dq`](super::d_integrate_dq), without the matrix J.
///
/// Columns of X are changes of q, nv entries each; they become the changes of q ⊕ v. X is a matrix,
/// a vector or a view. Cost O(nv · columns), no allocation.
///
/// # Errors
/// [`Error::Size`]; [`Error::NotFinite`] for entries of `v` or of X (column after column);
/// [`Error::Overflow`] where there is no finite result.
///
/// ```
/// use featherline::nalgebra::DMatrix;
/// use featherline::{configuration, samples};
///
/// let model = samples::humanoid();
/// let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 * k as f64).collect();
/// let mut jacobian = DMatrix::zeros(v.len(), v.len());
/// configuration::d_integrate_dq(&model, &v, &mut jacobian)?;
/// let changes = DMatrix::from_fn(v.len(), 2, |i, j| (i + 3 * j) as f64);
/// let mut product = changes.clone();
/// configuration::d_integrate_dq_times(&model, &v, &mut product)?;
/// assert!((product - jacobian * changes).amax() < 1e-12);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn d_integrate_dq_times<'a, S: Scalar>(
    model: &Model,
    v: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(
        TangentMap::Integration(ByConfiguration, v),
        false,
        matrix.into(),
    )
}

/// X ← J X with J of [`d_integrate_dv`](super::d_integrate_dv), without the matrix J.
///
/// Columns of X are changes of v, nv entries each; they become the changes of q ⊕ v. Arguments,
/// cost and errors as of [`d_integrate_dq_times`].
///
/// # Errors
/// As [`d_integrate_dq_times`].
pub fn d_integrate_dv_times<'a, S: Scalar>(
    model: &Model,
    v: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Integration(ByVelocity, v), false, matrix.into())
}

/// X ← X J with J of [`d_integrate_dq`](super::d_integrate_dq), without the matrix J.
///
/// Rows of X are derivatives by q ⊕ v, nv entries each, such as gradients or the Jacobian of a
/// task; they become the derivatives by q. X is a matrix or a view. Cost O(nv · rows), no
/// allocation.
///
/// # Errors
/// As [`d_integrate_dq_times`].
///
/// ```
/// use featherline::nalgebra::DMatrix;
/// use featherline::{configuration, samples};
///
/// // Hinges move in a vector space, where this Jacobian is the identity.
/// let model = samples::double_pendulum();
/// let mut gradient = DMatrix::from_row_slice(1, 2, &[3.0, 4.0]);
/// configuration::times_d_integrate_dq(&model, &[0.3, -0.2], &mut gradient)?;
/// assert_eq!(gradient.as_slice(), [3.0, 4.0]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn times_d_integrate_dq<'a, S: Scalar>(
    model: &Model,
    v: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(
        TangentMap::Integration(ByConfiguration, v),
        true,
        matrix.into(),
    )
}

/// X ← X J with J of [`d_integrate_dv`](super::d_integrate_dv), without the matrix J.
///
/// Rows of X are derivatives by q ⊕ v, nv entries each; they become the derivatives by v. Cost
/// O(nv · rows), no allocation.
///
/// # Errors
/// As [`d_integrate_dq_times`].
pub fn times_d_integrate_dv<'a, S: Scalar>(
    model: &Model,
    v: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Integration(ByVelocity, v), true, matrix.into())
}

/// Velocities at q ⊕ v as they are seen at q: X ← Ad(exp v) X, the inverse of
/// [`d_integrate_dq_times`].
///
/// Columns of X are changes of q ⊕ v, nv entries each; they become the changes of q that cause
/// them. No system is solved. Arguments, cost and errors as of [`d_integrate_dq_times`].
///
/// # Errors
/// As [`d_integrate_dq_times`].
///
/// ```
/// use featherline::nalgebra::DVector;
/// use featherline::{configuration, samples};
///
/// let model = samples::humanoid();
/// let v: Vec<f64> = (0..model.nv()).map(|k| 0.1 * k as f64).collect();
/// let mut change = DVector::from_element(v.len(), 1.0);
/// configuration::d_integrate_dq_times(&model, &v, &mut change)?;
/// configuration::transport_to_start(&model, &v, &mut change)?;
/// assert!(change.iter().all(|x| (x - 1.0).abs() < 1e-12));
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn transport_to_start<'a, S: Scalar>(
    model: &Model,
    v: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Integration(Transport, v), false, matrix.into())
}

/// X ← J X with J of [`d_difference_dq0`](super::d_difference_dq0), without the matrix J.
///
/// Columns of X are changes of q0, nv entries each; they become the changes of q1 ⊖ q0. X is a
/// matrix, a vector or a view. Cost O(nv · columns), no allocation.
///
/// # Errors
/// [`Error::Size`]; [`Error::NotFinite`] for entries of a configuration or of X (column after
/// column); [`Error::ZeroRotation`] or [`Error::Overflow`] where there is no finite result.
pub fn d_difference_dq0_times<'a, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(
        TangentMap::Difference(ByStart, q0, q1),
        false,
        matrix.into(),
    )
}

/// X ← J X with J of [`d_difference_dq1`](super::d_difference_dq1), without the matrix J.
///
/// Columns of X are changes of q1, nv entries each; they become the changes of q1 ⊖ q0. Cost
/// O(nv · columns), no allocation.
///
/// # Errors
/// As [`d_difference_dq0_times`].
pub fn d_difference_dq1_times<'a, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Difference(ByEnd, q0, q1), false, matrix.into())
}

/// X ← X J with J of [`d_difference_dq0`](super::d_difference_dq0), without the matrix J.
///
/// Rows of X are derivatives by q1 ⊖ q0, nv entries each; they become the derivatives by q0. Cost
/// O(nv · rows), no allocation.
///
/// # Errors
/// As [`d_difference_dq0_times`].
pub fn times_d_difference_dq0<'a, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Difference(ByStart, q0, q1), true, matrix.into())
}

/// X ← X J with J of [`d_difference_dq1`](super::d_difference_dq1), without the matrix J.
///
/// Rows of X are derivatives by q1 ⊖ q0, nv entries each; they become the derivatives by q1. Cost
/// O(nv · rows), no allocation.
///
/// # Errors
/// As [`d_difference_dq0_times`].
///
/// ```
/// use featherline::nalgebra::DMatrix;
/// use featherline::{configuration, samples};
///
/// // The gradient of ½ |q ⊖ goal|² for two hinges.
/// let model = samples::double_pendulum();
/// let (goal, q) = ([0.5, 0.5], [1.0, 0.0]);
/// let mut gradient = DMatrix::from_row_slice(1, 2, &model.difference(&goal, &q)?);
/// configuration::times_d_difference_dq1(&model, &goal, &q, &mut gradient)?;
/// assert_eq!(gradient.as_slice(), [0.5, -0.5]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn times_d_difference_dq1<'a, S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    matrix: impl Into<DMatrixViewMut<'a, S>>,
) -> Result<(), Error> {
    model.multiply_tangent(TangentMap::Difference(ByEnd, q0, q1), true, matrix.into())
}

impl Model {
    /// X ← J X or X J.
    fn multiply_tangent<S: Scalar>(
        &self,
        map: TangentMap<'_, S>,
        is_from_right: bool,
        mut matrix: DMatrixViewMut<'_, S>,
    ) -> Result<(), Error> {
        self.check_map(map)?;
        if is_from_right {
            check_size("a row of the matrix", self.nv(), matrix.ncols())?;
        } else {
            check_size("a column of the matrix", self.nv(), matrix.nrows())?;
        }
        // The product overwrites its input.
        if let Some(index) = matrix.iter().position(|x| !x.is_finite()) {
            let what = "the matrix";
            return Err(Error::NotFinite { what, index });
        }
        dispatch(Times {
            model: self,
            map,
            is_from_right,
            matrix: &mut matrix,
        });
        let is_finite = are_finite(matrix.iter().copied());
        self.check_mapped(map, is_finite, "the product with the Jacobian")
    }
}
