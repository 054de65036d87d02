//! LᵀDL with many right-hand sides at once: their numbers lie side by side for each coordinate.

use super::Ltdl;
use crate::error::{Error, check_size};
use crate::model::EliminationTree;
use crate::scalar::row::{add_rows, add_scaled, scale};
use crate::scalar::{Scalar, all_finite, kernel};
use std::ops::Range;

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

    /// Replaces B by L⁻ᵀ B, B by rows as in [`solve_rows`](Self::solve_rows).
    ///
    /// Row k of B is zero outside the columns `reach[k]`, and stays so: the reach of a coordinate
    /// holds those of all coordinates below it. With the rows of a contact's Jacobian, one range
    /// for each leg or arm, most of the work is left out. Cost O(n d) for each column at most.
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has `width` entries for each coordinate, and `reach` one range.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let factors = model.ltdl(&mut ws, &[0.3, -0.2])?;
    /// let (mut rows, mut x) = ([1.0_f64, 0.5], [1.0, 0.5]);
    /// factors.solve_l_transposed_rows(&mut rows, 1, &[0..1, 0..1])?;
    /// factors.solve_l_transposed(&mut x)?;
    /// assert_eq!(rows, x);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn solve_l_transposed_rows(
        &self,
        b: &mut [S],
        width: usize,
        reach: &[Range<usize>],
    ) -> Result<(), Error> {
        check_size("the right-hand sides", self.len() * width, b.len())?;
        check_size("the ranges of columns", self.len(), reach.len())?;
        solve_l_transposed_rows(self.tree, self.packed, b, width, reach);
        Ok(())
    }

    /// Replaces B by L⁻¹ D⁻¹ B, B by rows as in [`solve_rows`](Self::solve_rows): after
    /// [`solve_l_transposed_rows`](Self::solve_l_transposed_rows) the solution of H X = B. Cost
    /// O(n d) for each column.
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has `width` entries for each coordinate.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let factors = model.ltdl(&mut ws, &[0.3, -0.2])?;
    /// let (mut rows, mut x) = ([1.0_f64, 0.5], [1.0, 0.5]);
    /// factors.solve_l_transposed(&mut rows)?;
    /// factors.solve_dl_rows(&mut rows, 1)?;
    /// factors.solve(&mut x)?;
    /// assert!((rows[0] - x[0]).abs() < 1e-15);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn solve_dl_rows(&self, b: &mut [S], width: usize) -> Result<(), Error> {
        check_size("the right-hand sides", self.len() * width, b.len())?;
        solve_dl_rows(self.tree, self.packed, b, width);
        Ok(())
    }
}

/// The most rows that are combined at once: longer paths and larger subtrees in parts.
const MOST_ROWS: usize = 32;

kernel!(
    avx512:
    fn solve_l_transposed_rows<S: Scalar>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        rows: &mut [S],
        #[plain] width: usize,
        #[plain] reach: &[Range<usize>],
    ) {
        if tree.is_preorder() && width >= MOST_ROWS {
            gather_from_subtrees(tree, packed, rows, width, reach);
            return;
        }
        for k in (0..tree.len()).rev() {
            let (begin, end) = (reach[k].start, reach[k].end);
            if begin >= end {
                continue;
            }
            let factors = &packed[tree.row::<S>(k)..];
            let (above, own) = rows.split_at_mut(k * width);
            let own = &own[begin..end];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let factor = -factors[tree.place_in_row::<S>(i)];
                add_scaled(&mut above[i * width + begin..i * width + end], factor, own);
                next = tree.parent(i);
            }
        }
    }
);

/// L⁻ᵀ B from the last row to the first, each from those of its subtree, numbered without gaps.
#[inline(always)]
fn gather_from_subtrees<S: Scalar>(
    tree: &EliminationTree,
    packed: &[S],
    rows: &mut [S],
    width: usize,
    reach: &[Range<usize>],
) {
    let (mut below, mut along) = ([0; MOST_ROWS], [S::zero(); MOST_ROWS]);
    for i in (0..tree.len()).rev() {
        let (begin, end) = (reach[i].start, reach[i].end);
        let (own, after) = rows.split_at_mut((i + 1) * width);
        let own = &mut own[i * width + begin..i * width + end.max(begin)];
        let (level, place) = (tree.level(i), tree.place_in_row::<S>(i));
        let mut k = i + 1;
        while k < tree.len() && tree.level(k) > level {
            let mut count = 0;
            while k < tree.len() && tree.level(k) > level && count < MOST_ROWS {
                below[count] = k - (i + 1);
                along[count] = -packed[tree.row::<S>(k) + place];
                count += 1;
                k += 1;
            }
            add_rows(own, &along[..count], &below[..count], after, width, begin);
        }
    }
}

kernel!(
    avx512:
    fn solve_dl_rows<S: Scalar>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        rows: &mut [S],
        #[plain] width: usize,
    ) {
        let (mut path, mut along) = ([0; MOST_ROWS], [S::zero(); MOST_ROWS]);
        for k in 0..tree.len() {
            let factors = &packed[tree.row::<S>(k)..];
            let (above, own) = rows.split_at_mut(k * width);
            let own = &mut own[..width];
            scale(own, factors[tree.place_in_row::<S>(k)]);
            let mut next = tree.parent(k);
            while next.is_some() {
                let mut count = 0;
                while let Some(i) = next
                    && count < MOST_ROWS
                {
                    path[count] = i;
                    along[count] = -factors[tree.place_in_row::<S>(i)];
                    count += 1;
                    next = tree.parent(i);
                }
                add_rows(own, &along[..count], &path[..count], above, width, 0);
            }
        }
    }
);

kernel!(
    avx512:
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
