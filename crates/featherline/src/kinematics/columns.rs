//! Results in a caller's matrix, column by column.

use crate::error::{Error, check_size};
use crate::model::Model;
use crate::scalar::{Form, InForm, Scalar};
use nalgebra::{Const, DMatrixViewMut, Dyn, MatrixViewMut, U1, ViewStorageMut};

/// R rows of a caller's matrix, one column for each coordinate.
pub(crate) struct Columns<'o, S: Scalar, const R: usize> {
    rows: MatrixViewMut<'o, S, Const<R>, Dyn, U1, Dyn>,
}

impl<'o, S: Scalar, const R: usize> Columns<'o, S, R> {
    /// Fails unless the matrix has R rows and a column for each coordinate.
    #[inline(always)]
    pub(crate) fn new(model: &Model, out: &'o mut DMatrixViewMut<'_, S>) -> Result<Self, Error> {
        check_size("a column of the Jacobian", R, out.nrows())?;
        check_size("a row of the Jacobian", model.nv(), out.ncols())?;
        Ok(Self {
            rows: out.fixed_rows_mut::<R>(0),
        })
    }

    /// Sets everything to zero.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        for k in 0..self.rows.ncols() {
            self.rows.column_mut(k).as_mut_slice().fill(S::zero());
        }
    }

    /// Adds to a column.
    #[inline(always)]
    pub(crate) fn add(&mut self, column: usize, values: [S; R]) {
        let mut column = self.rows.column_mut(column);
        for (entry, value) in column.as_mut_slice().iter_mut().zip(values) {
            *entry += value;
        }
    }
}

impl<'o, S: Scalar, const R: usize> InForm for Columns<'o, S, R> {
    type As<F: Form> = Columns<'o, F::Of<S>, R>;

    #[inline(always)]
    #[allow(unsafe_code)] // one type's memory seen as another's of the same layout
    fn in_form<F: Form>(mut self, _: F) -> Self::As<F> {
        let shape = self.rows.shape_generic();
        let (_, stride) = self.rows.strides();
        // SAFETY: the matrix is borrowed for 'o and not used otherwise from here on; `InPlaceOf`
        // promises the same layout.
        let storage = unsafe {
            ViewStorageMut::from_raw_parts(self.rows.as_mut_ptr().cast(), shape, (U1, Dyn(stride)))
        };
        Columns {
            rows: MatrixViewMut::from_data(storage),
        }
    }
}
