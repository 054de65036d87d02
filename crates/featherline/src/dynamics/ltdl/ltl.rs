//! The factorisation without a diagonal of its own, H = LᵀL.

use super::{check_solution, row, textbook, write_rows};
use crate::error::{Error, check_size};
use crate::model::EliminationTree;
use crate::scalar::Scalar;
use nalgebra::{DMatrix, DMatrixViewMut};

/// The factorisation H = LᵀL, with L lower triangular: a view of the packed memory that holds L.
///
/// A half of the mass matrix's metric: |L v|² = vᵀ H v.
#[derive(Clone, Copy, Debug)]
pub struct Ltl<'a, S: Scalar> {
    tree: &'a EliminationTree,
    packed: &'a [S],
}

/// Factorises a packed matrix H = LᵀL in place, L lower triangular.
///
/// Arguments and cost as for [`factorize_ltdl`](super::factorize_ltdl). A matrix that is not
/// positive definite gives NaN.
///
/// # Errors
/// [`Error::Size`] unless `packed` has as many elements as the tree packs.
///
/// ```
/// use featherline::dynamics::ltdl::factorize_ltl;
/// use featherline::model::EliminationTree;
/// use nalgebra::DMatrix;
///
/// let tree = EliminationTree::new(vec![None, Some(0)])?;
/// let mut h = tree.pack(&DMatrix::from_row_slice(2, 2, &[5.0, 2.0, 2.0, 4.0]))?;
/// let factor = factorize_ltl(&tree, &mut h)?;
/// assert_eq!((factor.l(0, 0), factor.l(1, 0), factor.l(1, 1)), (2.0, 1.0, 2.0));
/// let mut x = [1.0, 2.0];
/// factor.solve(&mut x)?;
/// assert_eq!(x, [0.0, 0.5]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn factorize_ltl<'a, S: Scalar>(
    tree: &'a EliminationTree,
    packed: &'a mut [S],
) -> Result<Ltl<'a, S>, Error> {
    check_size("the packed matrix", tree.packed_len::<S>(), packed.len())?;
    textbook::factorize_root(tree, packed);
    Ok(Ltl { tree, packed })
}

impl<S: Scalar> Ltl<'_, S> {
    /// How many coordinates the factorisation has.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The elements of row k of L left of the diagonal: each ancestor of k, the nearest first, with
    /// its element. The others are zero.
    ///
    /// # Panics
    /// If there is no coordinate k.
    pub fn row(&self, k: usize) -> impl Iterator<Item = (usize, S)> {
        row(self.tree, self.packed, k)
    }

    /// Writes L, zeros included. Cost O(nd), and n² zeros.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is square with one row for each coordinate.
    pub fn l_into<'o>(&self, out: impl Into<DMatrixViewMut<'o, S>>) -> Result<(), Error> {
        let mut l = out.into();
        write_rows(self.tree, self.packed, &mut l)?;
        for k in 0..self.len() {
            l[(k, k)] = self.element(k, k);
        }
        Ok(())
    }

    /// Element (row, column) of L. Cost O(d): to read them all, take [`row`](Self::row) or
    /// [`l_into`](Self::l_into).
    ///
    /// # Panics
    /// If there is no coordinate `row`.
    pub fn l(&self, row: usize, column: usize) -> S {
        if row == column || self.tree.ancestors(row).any(|i| i == column) {
            self.element(row, column)
        } else {
            S::zero()
        }
    }

    fn element(&self, k: usize, ancestor: usize) -> S {
        self.packed[self.tree.place::<S>(k, ancestor)]
    }

    /// Solves H x = b in place of b. Cost O(nd).
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has one entry for each coordinate, and [`Error::NotFinite`] for
    /// one without a finite solution.
    pub fn solve(&self, b: &mut [S]) -> Result<(), Error> {
        self.solve_l_transposed(b)?;
        self.solve_l(b)?;
        check_solution(b)
    }

    /// Replaces x by L x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn mul_l(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in (0..self.len()).rev() {
            let mut sum = self.element(k, k) * x[k];
            for i in self.tree.ancestors(k) {
                sum = self.element(k, i).mul_add(x[i], sum);
            }
            x[k] = sum;
        }
        Ok(())
    }

    /// Replaces x by Lᵀ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn mul_l_transposed(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in 0..self.len() {
            for i in self.tree.ancestors(k) {
                x[i] = self.element(k, i).mul_add(x[k], x[i]);
            }
            x[k] = self.element(k, k) * x[k];
        }
        Ok(())
    }

    /// Replaces x by L⁻¹ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn solve_l(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in 0..self.len() {
            let mut rest = x[k];
            for i in self.tree.ancestors(k) {
                rest = (-self.element(k, i)).mul_add(x[i], rest);
            }
            x[k] = rest / self.element(k, k);
        }
        Ok(())
    }

    /// Replaces x by L⁻ᵀ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn solve_l_transposed(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in (0..self.len()).rev() {
            x[k] = x[k] / self.element(k, k);
            for i in self.tree.ancestors(k) {
                x[i] = (-self.element(k, i)).mul_add(x[k], x[i]);
            }
        }
        Ok(())
    }

    /// Writes H⁻¹ to `inverse`. Cost O(n²d).
    ///
    /// # Errors
    /// [`Error::Size`] unless `inverse` is square with one row for each coordinate, and
    /// [`Error::NotFinite`] if H has no finite inverse.
    pub fn inverse(&self, inverse: &mut DMatrix<S>) -> Result<(), Error> {
        let n = self.len();
        check_size("rows of the inverse", n, inverse.nrows())?;
        check_size("columns of the inverse", n, inverse.ncols())?;
        inverse.fill(S::zero());
        for k in 0..n {
            inverse[(k, k)] = S::one();
        }
        for b in inverse.as_mut_slice().chunks_exact_mut(n.max(1)) {
            self.solve(b)?;
        }
        Ok(())
    }
}
