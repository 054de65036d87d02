//! LᵀDL with many right-hand sides at once: their numbers lie side by side for each coordinate.

use super::Ltdl;
use crate::error::{Error, check_size};
use crate::model::EliminationTree;
use crate::scalar::row::{add_scaled, scale};
use crate::scalar::{Scalar, kernel};
use crate::workspace::all_finite;

impl<S: Scalar> Ltdl<'_, S> {
    /// Solves H X = B in place of B, which is given by rows: the `width` numbers of coordinate 0,
    /// those of coordinate 1, and so on. Cost O(n d) for each of the `width` right-hand sides;
    /// several at once are faster than one after the other.
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has `width` entries for each coordinate, and [`Error::NotFinite`]
    /// for a solution that is not finite.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// // The inverse of the mass matrix, from the identity.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut inverse = [1.0_f64, 0.0, 0.0, 1.0];
    /// model.ltdl(&mut ws, &[0.3, -0.2])?.solve_rows(&mut inverse, 2)?;
    /// let expected = model.mass_matrix_inverse(&mut ws, &[0.3, -0.2])?;
    /// assert!((inverse[1] - expected[(0, 1)]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn solve_rows(&self, b: &mut [S], width: usize) -> Result<(), Error> {
        check_size("the right-hand sides", self.len() * width, b.len())?;
        if width == 0 {
            return Ok(());
        }
        let Self { tree, packed } = *self;
        solve_rows(tree, packed, b, width);
        if !all_finite(b) {
            let index = b.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return Err(Error::NotFinite {
                what: "the solution of the right-hand sides given",
                index,
            });
        }
        Ok(())
    }
}

kernel!(
    pub(crate) fn solve_rows<S: Scalar>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        rows: &mut [S],
        #[plain] width: usize,
    ) {
        for k in (0..tree.len()).rev() {
            let factors = &packed[tree.row::<S>(k)..];
            let (above, own) = rows.split_at_mut(k * width);
            let own = &mut own[..width];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let factor = -factors[tree.place_in_row::<S>(i)];
                add_scaled(&mut above[i * width..(i + 1) * width], factor, own);
                next = tree.parent(i);
            }
            scale(own, factors[tree.place_in_row::<S>(k)]);
        }
        for k in 0..tree.len() {
            let factors = &packed[tree.row::<S>(k)..];
            let (above, own) = rows.split_at_mut(k * width);
            let own = &mut own[..width];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let factor = -factors[tree.place_in_row::<S>(i)];
                add_scaled(own, factor, &above[i * width..(i + 1) * width]);
                next = tree.parent(i);
            }
        }
    }
);
