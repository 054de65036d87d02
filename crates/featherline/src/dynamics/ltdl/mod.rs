//! Sparse factorisation of the mass matrix: LᵀDL and LᵀL in place, over ancestors only.
//!
//! Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for branched
//! kinematic trees"; 2008, section 6.5. Eliminating from the last coordinate to the first produces
//! no fill-in: row k of L has elements only at the ancestors of k. The cost is O(nd²) instead of
//! O(n³).
//!
//! Matrices are in the packed storage of an [`EliminationTree`]: row k of L side by side, and in
//! the place of the diagonal the inverse of D's. The textbook's algorithm is in `textbook.rs`; the
//! enum `Route` says which number types take another way to the same factors.
//!
//! With d_k the number of ancestors of k, D₁ = Σ d_k and D₂ = Σ d_k(d_k + 1)/2, the operations are
//! (padding not counted):
//!
//! | | divisions | square roots | multiplications | additions |
//! |---|---|---|---|---|
//! | LᵀDL | n | | D₁ + D₂ | D₂ |
//! | LᵀL | n | n | D₁ + D₂ | D₂ |
//! | solve with LᵀDL | | | 2 D₁ + n | 2 D₁ |
//! | dense Cholesky, for comparison | n | n | n(n−1)/2 + (n³−n)/6 | (n³−n)/6 |

mod inverse;
mod ltl;
mod many;
mod panels;
mod paths;
mod rows;
mod textbook;

pub use ltl::{Ltl, factorize_ltl};
pub(crate) use many::solve_rows;

use super::DynamicsOptions;
use crate::error::{Error, check_size};
use crate::model::{EliminationTree, Model};
use crate::scalar::{Scalar, all_finite, kernel};
use crate::workspace::{Matrices, Workspace};
use nalgebra::{DMatrix, DMatrixViewMut};

/// The factorisation H = LᵀDL, with L unit lower triangular and D diagonal: a view of the packed
/// memory that holds both.
#[derive(Clone, Copy, Debug)]
pub struct Ltdl<'a, S: Scalar> {
    pub(super) tree: &'a EliminationTree,
    pub(super) packed: &'a [S],
}

/// Factorises a packed matrix H = LᵀDL in place: D⁻¹ takes the place of the diagonal, L that of the
/// other elements.
///
/// `tree` is the matrix's elimination tree
/// ([`kernel::elimination_tree`](crate::kernel::elimination_tree)). Cost O(nd²). The result is not
/// checked: a singular matrix gives an infinity in D⁻¹ and infinities or NaN in L.
///
/// # Errors
/// [`Error::Size`] unless `packed` has as many elements as the tree packs.
///
/// ```
/// use featherline::dynamics::ltdl::factorize_ltdl;
/// use featherline::model::EliminationTree;
/// use nalgebra::DMatrix;
///
/// let tree = EliminationTree::new(vec![None, Some(0)])?;
/// let mut h = tree.pack(&DMatrix::from_row_slice(2, 2, &[5.0, 2.0, 2.0, 4.0]))?;
/// let factor = factorize_ltdl(&tree, &mut h)?;
/// let mut x = [1.0, 2.0];
/// factor.solve(&mut x)?;
/// assert_eq!(x, [0.0, 0.5]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn factorize_ltdl<'a, S: Scalar>(
    tree: &'a EliminationTree,
    packed: &'a mut [S],
) -> Result<Ltdl<'a, S>, Error> {
    check_size("the packed matrix", tree.packed_len::<S>(), packed.len())?;
    factorize(tree, packed);
    Ok(Ltdl { tree, packed })
}

/// How a packed matrix is factorised and its systems are solved.
enum Route {
    /// Row by row, as in table 6.3: any number type, any tree.
    Textbook,
    /// Up to four rows together, without padding: lanes, of which each fills a register.
    Rows,
    /// Up to four rows together, in whole registers: numbers of which several share a register.
    Panels,
}

impl Route {
    #[inline(always)]
    fn of<S: Scalar>() -> Self {
        match (S::SHARES_REGISTERS, S::IS_LANES) {
            (true, _) => Self::Panels,
            (false, true) => Self::Rows,
            (false, false) => Self::Textbook,
        }
    }
}

#[inline(always)]
fn factorize<S: Scalar>(tree: &EliminationTree, packed: &mut [S]) {
    match Route::of::<S>() {
        Route::Textbook => textbook::factorize(tree, packed),
        Route::Rows => rows::factorize(tree, packed),
        Route::Panels => panels::factorize(tree, packed),
    }
}

/// Factorises H = LᵀDL in place, and solves H x = b in place of b.
#[inline(always)]
fn factorize_and_solve<S: Scalar>(tree: &EliminationTree, packed: &mut [S], x: &mut [S]) {
    match (Route::of::<S>(), tree.path_chunks()) {
        (Route::Panels, 0..=8) if tree.is_preorder() => {
            panels::factorize_and_solve::<S, 8>(tree, packed, x);
        }
        (Route::Rows, 0..=8) if tree.is_preorder() => {
            paths::factorize_and_solve::<S, 32>(tree, packed, x);
        }
        _ => {
            factorize(tree, packed);
            solve(tree, packed, x);
        }
    }
}

/// Solves LᵀDL x = b in place of b.
#[inline(always)]
pub(crate) fn solve<S: Scalar>(tree: &EliminationTree, packed: &[S], x: &mut [S]) {
    // A path is kept on the stack, side by side, up to 8 KiB of it; longer ones are those of long
    // chains, whose factorisation costs far more.
    match (Route::of::<S>(), tree.path_chunks()) {
        (Route::Panels, 0..=8) if tree.is_preorder() => panels::solve::<S, 8>(tree, packed, x),
        (Route::Panels, 9..=32) if tree.is_preorder() => panels::solve::<S, 32>(tree, packed, x),
        (Route::Panels, 33..=256) if tree.is_preorder() => panels::solve::<S, 256>(tree, packed, x),
        (Route::Rows, 0..=8) if tree.is_preorder() => paths::solve::<S, 32>(tree, packed, x),
        (Route::Rows, 9..=32) if tree.is_preorder() => paths::solve::<S, 128>(tree, packed, x),
        _ => textbook::solve(tree, packed, x),
    }
}

kernel!(
    avx512:
    /// As [`solve`], with the instructions of this processor.
    fn solve_one<S: Scalar>(#[plain] tree: &EliminationTree, packed: &[S], x: &mut [S]) {
        solve(tree, packed, x);
    }
);

/// Writes H⁻¹ of a factorised H, both triangles; `scratch` is room for it in tiles.
#[inline(always)]
pub(crate) fn invert<S: Scalar>(
    tree: &EliminationTree,
    packed: &[S],
    scratch: &mut [S],
    inverse: &mut [S],
) {
    match Route::of::<S>() {
        Route::Textbook => textbook::invert(tree, packed, inverse),
        Route::Rows => inverse::by_rows(tree, packed, inverse),
        Route::Panels => inverse::by_tiles(tree, packed, scratch, inverse),
    }
}

/// The elements of row k of a factor left of the diagonal: each ancestor of k, the nearest first.
fn row<S: Scalar>(
    tree: &EliminationTree,
    packed: &[S],
    k: usize,
) -> impl Iterator<Item = (usize, S)> {
    let (rows, places) = tree.rows_and_places::<S>();
    let own = &packed[rows[k]..];
    tree.ancestors(k).map(move |i| (i, own[places[i]]))
}

/// Writes what a factor has left of the diagonal, and zeros.
fn write_rows<S: Scalar>(
    tree: &EliminationTree,
    packed: &[S],
    l: &mut DMatrixViewMut<'_, S>,
) -> Result<(), Error> {
    check_size("rows of the factor", tree.len(), l.nrows())?;
    check_size("columns of the factor", tree.len(), l.ncols())?;
    l.fill(S::zero());
    for k in 0..tree.len() {
        for (i, element) in row(tree, packed, k) {
            l[(k, i)] = element;
        }
    }
    Ok(())
}

/// Fails unless a solution is finite.
fn check_solution<S: Scalar>(x: &[S]) -> Result<(), Error> {
    if all_finite(x) {
        return Ok(());
    }
    Err(Error::NotFinite {
        what: "the solution of the right-hand side given",
        index: x.iter().position(|x| !x.is_finite()).unwrap_or(0),
    })
}

impl<S: Scalar> Ltdl<'_, S> {
    /// How many coordinates the factorisation has.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Element (k, k) of D.
    ///
    /// # Panics
    /// If there is no coordinate k.
    pub fn pivot(&self, k: usize) -> S {
        self.inverse_pivot(k).recip()
    }

    /// Element (k, k) of D⁻¹.
    ///
    /// # Panics
    /// If there is no coordinate k.
    #[inline(always)]
    pub fn inverse_pivot(&self, k: usize) -> S {
        self.element(k, k)
    }

    /// The elements of row k of L left of the diagonal, which is one: each ancestor of k, the
    /// nearest first, with its element. The others are zero.
    ///
    /// # Panics
    /// If there is no coordinate k.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let factors = model.ltdl(&mut ws, &[0.3, -0.2_f64])?;
    /// assert_eq!(factors.row(1).collect::<Vec<_>>(), [(0, factors.l(1, 0))]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn row(&self, k: usize) -> impl Iterator<Item = (usize, S)> {
        row(self.tree, self.packed, k)
    }

    /// Writes L, zeros and the unit diagonal included. Cost O(nd), and n² zeros.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is square with one row for each coordinate.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut l = DMatrix::zeros(2, 2);
    /// let factors = model.ltdl(&mut ws, &[0.3, -0.2_f64])?;
    /// factors.l_into(&mut l)?;
    /// assert_eq!(l[(1, 0)], factors.l(1, 0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn l_into<'o>(&self, out: impl Into<DMatrixViewMut<'o, S>>) -> Result<(), Error> {
        let mut l = out.into();
        write_rows(self.tree, self.packed, &mut l)?;
        l.fill_diagonal(S::one());
        Ok(())
    }

    /// Element (row, column) of L. Cost O(d): to read them all, take [`row`](Self::row) or
    /// [`l_into`](Self::l_into).
    ///
    /// # Panics
    /// If there is no coordinate `row`.
    pub fn l(&self, row: usize, column: usize) -> S {
        if row == column {
            S::one()
        } else if self.tree.ancestors(row).any(|i| i == column) {
            self.element(row, column)
        } else {
            S::zero()
        }
    }

    #[inline(always)]
    pub(super) fn element(&self, k: usize, ancestor: usize) -> S {
        self.packed[self.tree.place::<S>(k, ancestor)]
    }

    /// Solves H x = b in place of b. Cost O(nd).
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has one entry for each coordinate, and [`Error::NotFinite`] for
    /// one without a finite solution.
    pub fn solve(&self, b: &mut [S]) -> Result<(), Error> {
        check_size("the right-hand side", self.len(), b.len())?;
        solve_one(self.tree, self.packed, b);
        check_solution(b)
    }

    /// Replaces x by L x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn mul_l(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in (0..self.len()).rev() {
            for i in self.tree.ancestors(k) {
                x[k] = self.element(k, i).mul_add(x[i], x[k]);
            }
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
            for i in self.tree.ancestors(k) {
                x[k] = (-self.element(k, i)).mul_add(x[i], x[k]);
            }
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
            for i in self.tree.ancestors(k) {
                x[i] = (-self.element(k, i)).mul_add(x[k], x[i]);
            }
        }
        Ok(())
    }

    /// Writes H⁻¹ to `inverse`. Cost O(n²d).
    ///
    /// # Errors
    /// [`Error::Size`] unless `inverse` is square with one row for each coordinate.
    pub fn inverse(&self, inverse: &mut DMatrix<S>) -> Result<(), Error> {
        let n = self.len();
        check_size("rows of the inverse", n, inverse.nrows())?;
        check_size("columns of the inverse", n, inverse.ncols())?;
        textbook::invert(self.tree, self.packed, inverse.as_mut_slice());
        Ok(())
    }
}

/// The factorisation that the last call of [`Model::ltdl`] left in a workspace, if nothing has
/// written a mass matrix since.
///
/// # Errors
/// [`Error::WorkspaceMismatch`] and [`Error::NoMatrices`].
pub fn last_ltdl<'w, S: Scalar>(
    model: &'w Model,
    ws: &'w mut Workspace<S>,
) -> Result<Ltdl<'w, S>, Error> {
    let packed = &ws.packed_parts(model)?.1.packed;
    Ok(Ltdl {
        tree: model.elimination_tree(),
        packed,
    })
}

impl Model {
    /// The factorisation LᵀDL of the mass matrix M(q).
    ///
    /// Cost O(nd²). Source: Featherstone 2008, table 6.3.
    ///
    /// # Errors
    /// As [`crba`](Self::crba), and [`Error::SingularInertia`] if M has no inverse.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut x = [1.0_f64, 0.0];
    /// model.ltdl(&mut ws, &[0.3, -0.2])?.solve(&mut x)?;
    /// let mass = model.crba(&mut ws, &[0.3, -0.2])?;
    /// assert!((mass[(0, 0)] * x[0] + mass[(0, 1)] * x[1] - 1.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn ltdl<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<Ltdl<'w, S>, Error> {
        let tree = self.elimination_tree();
        let packed = self.unchecked_mass_matrix(ws, q)?;
        factorize(tree, packed);
        self.keep_sound_factor(ws, q)?;
        let packed = &ws.packed_parts(self)?.1.packed;
        Ok(Ltdl { tree, packed })
    }

    /// The solution x of M(q) x = b, in place of b: the accelerations that the joint forces b cause
    /// at rest, without gravity.
    ///
    /// The same as [`ltdl`](Self::ltdl) and [`Ltdl::solve`], to the last bit, in less time. Cost
    /// O(nd²). Source: Featherstone 2008, section 6.5.
    ///
    /// # Errors
    /// As [`ltdl`](Self::ltdl), and [`Error::NotFinite`] for a right-hand side without a finite
    /// solution. What stands in b is then no result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut x = [1.0_f64, 0.0];
    /// model.mass_matrix_solve(&mut ws, &[0.3, -0.2], &mut x)?;
    /// let mass = model.crba(&mut ws, &[0.3, -0.2])?;
    /// assert!((mass[(0, 0)] * x[0] + mass[(0, 1)] * x[1] - 1.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn mass_matrix_solve<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        b: &mut [S],
    ) -> Result<(), Error> {
        self.check_tangent("the right-hand side", b)?;
        self.solve_by_factor(ws, q, b)?;
        check_solution(b)
    }

    /// As [`mass_matrix_solve`](Self::mass_matrix_solve), whatever the solution is.
    fn solve_by_factor<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        b: &mut [S],
    ) -> Result<(), Error> {
        let packed = self.unchecked_mass_matrix(ws, q)?;
        factorize_and_solve(self.elimination_tree(), packed, b);
        self.keep_sound_factor(ws, q)
    }

    /// Fails if a pivot of the factor is zero within rounding, or the mass matrix was not finite.
    #[inline(always)]
    fn keep_sound_factor<S: Scalar>(&self, ws: &mut Workspace<S>, q: &[S]) -> Result<(), Error> {
        let (scratch, Matrices { packed, .. }) = ws.packed_parts(self)?;
        let Err(singular) = self.check_factor(packed, &scratch.pivot_bound) else {
            return Ok(());
        };
        // Padding that is not zero would spoil the next factorisation.
        packed.fill(S::zero());
        // A mass matrix that is not finite has no sound pivots, and is the cause of the error.
        self.packed_mass_matrix(ws, q)?;
        Err(singular)
    }

    /// Forward dynamics by RNEA, CRBA and LTDL: the accelerations q̈ that the joint forces `tau`
    /// cause in the state (`q`, `v`).
    ///
    /// Solves M(q) q̈ = τ − C(q, v); passive forces are left out, as in [`aba`](Self::aba), whose
    /// result is the same. Cost O(nd²). Source: Featherstone 2008, chapter 6.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea) and [`ltdl`](Self::ltdl).
    pub fn forward_dynamics_crba<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Result<&'w [S], Error> {
        let options = DynamicsOptions::default().without_passive_forces();
        self.forward_dynamics_crba_with_options(ws, q, v, tau, options)
    }

    /// [`forward_dynamics_crba`](Self::forward_dynamics_crba) with the external forces of
    /// `options`, and with [passive forces](Self::passive_forces) if they count: the result of
    /// [`forward_dynamics`](Self::forward_dynamics) with the same options.
    ///
    /// # Errors
    /// As [`forward_dynamics_crba`](Self::forward_dynamics_crba).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let push = Force::from_array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// let forces = [Force::zero(), Force::zero(), push];
    /// let options = DynamicsOptions::default().with_forces(&forces);
    /// let (mut ws, q, zero) = (Workspace::new(&model), [0.3_f64, -0.2], [0.0; 2]);
    /// let qdd = model.forward_dynamics(&mut ws, &q, &zero, &zero, options)?[0];
    /// let same = model.forward_dynamics_crba_with_options(&mut ws, &q, &zero, &zero, options)?;
    /// assert!((same[0] - qdd).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_dynamics_crba_with_options<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<&'w [S], Error> {
        self.check_tangent("tau", tau)?;
        ws.check_matrices(self)?;
        self.bias_with_options(ws, q, v, options)?;
        for (b, &t) in ws.scratch.vector.iter_mut().zip(tau) {
            *b = t - *b;
        }
        // It can't be borrowed from the workspace while its other parts are being written.
        let mut rest = std::mem::take(&mut ws.scratch.vector);
        let solved = self.solve_by_factor(ws, q, &mut rest);
        ws.scratch.vector = rest;
        solved?;
        self.check_finite(
            all_finite(&ws.scratch.vector),
            "the acceleration",
            q,
            &[("v", v), ("tau", tau)],
        )?;
        Ok(&ws.scratch.vector)
    }
}
