//! Sparse factorisation of the mass matrix: LᵀDL and LᵀL in place, over ancestors only.
//!
//! Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for branched kinematic trees"; 2008,
//! section 6.5. Eliminating from the last coordinate to the first produces no fill-in: row k of L has elements only at
//! the ancestors of k. The cost is O(nd²) instead of O(n³).
//!
//! Matrices are stored by columns, and the *upper* triangle holds the factor: column k has L's row k above the diagonal,
//! so that the ancestors of k are read from consecutive memory. The lower triangle is neither read nor written.
//!
//! With d_k the number of ancestors of k, D₁ = Σ d_k and D₂ = Σ d_k(d_k + 1)/2, the operations are:
//!
//! | | divisions | square roots | multiplications | additions |
//! |---|---|---|---|---|
//! | LᵀDL | number of k with d_k > 0 | | D₁ + D₂ | D₂ |
//! | LᵀL | n | n | D₁ + D₂ | D₂ |
//! | solve with LᵀDL | n | | 2 D₁ | 2 D₁ |
//! | dense Cholesky, for comparison | n | n | n(n−1)/2 + (n³−n)/6 | (n³−n)/6 |

use super::crba::Target;

use crate::error::{Error, check_size};
use crate::model::{EliminationTree, Model};
use crate::scalar::{Kernel, Scalar, dispatch};
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// The factorisation H = LᵀDL, with L unit lower triangular and D diagonal: a view of memory that holds both.
#[derive(Clone, Copy, Debug)]
pub struct Ltdl<'a, S> {
    tree: &'a EliminationTree,
    factor: &'a DMatrix<S>,
}

/// Factorises H = LᵀDL in place: D on the diagonal, row k of L in column k above it.
///
/// `tree` is the matrix's elimination tree ([`Model::elimination_tree`]). Only the upper triangle of `h` is read. Cost
/// O(nd²). The result is not checked: a singular matrix gives a zero in D and infinities in L.
///
/// # Errors
/// [`Error::Size`] unless `h` is square with as many rows as the tree has coordinates.
///
/// ```
/// use featherline::dynamics::ltdl::factorize_ltdl;
/// use featherline::model::EliminationTree;
/// use nalgebra::DMatrix;
///
/// let tree = EliminationTree::new(vec![None, Some(0)])?;
/// let mut h = DMatrix::from_row_slice(2, 2, &[5.0, 2.0, 2.0, 4.0]);
/// let factor = factorize_ltdl(&tree, &mut h)?;
/// let mut x = [1.0, 2.0];
/// factor.solve(&mut x)?;
/// assert_eq!(x, [0.0, 0.5]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn factorize_ltdl<'a, S: Scalar>(
    tree: &'a EliminationTree,
    h: &'a mut DMatrix<S>,
) -> Result<Ltdl<'a, S>, Error> {
    check_square(tree, h)?;
    dispatch(Factorize {
        tree,
        h: h.as_mut_slice(),
    });
    Ok(Ltdl { tree, factor: h })
}

/// Factorises H = LᵀL in place, L lower triangular: row k of L in column k, from the diagonal upwards.
///
/// Arguments and cost as for [`factorize_ltdl`]. A matrix that is not positive definite gives NaN.
///
/// # Errors
/// [`Error::Size`] unless `h` is square with as many rows as the tree has coordinates.
pub fn factorize_ltl<S: Scalar>(tree: &EliminationTree, h: &mut DMatrix<S>) -> Result<(), Error> {
    check_square(tree, h)?;
    dispatch(FactorizeRoot {
        tree,
        h: h.as_mut_slice(),
    });
    Ok(())
}

fn check_square<S>(tree: &EliminationTree, h: &DMatrix<S>) -> Result<(), Error> {
    check_size("rows of the matrix", tree.len(), h.nrows())?;
    check_size("columns of the matrix", tree.len(), h.ncols())
}

/// `target −= factor · column` over coordinate i and its ancestors.
#[inline(always)]
fn subtract<S: Scalar>(
    tree: &EliminationTree,
    i: usize,
    factor: S,
    column: &[S],
    target: &mut [S],
) {
    let mut last = i;
    loop {
        let (first, next) = tree.run(last);
        let (from, to) = (&column[first..=last], &mut target[first..=last]);
        for j in 0..to.len() {
            to[j] = (-factor).mul_add(from[j], to[j]);
        }
        match next {
            Some(ancestor) => last = ancestor,
            None => return,
        }
    }
}

pub(crate) struct Factorize<'a, S> {
    pub tree: &'a EliminationTree,
    pub h: &'a mut [S],
}

impl<S: Scalar> Kernel for Factorize<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { tree, h } = self;
        let n = tree.len();
        for k in (0..n).rev() {
            let Some(first) = tree.parent(k) else {
                continue;
            };
            let (others, column) = h.split_at_mut(k * n);
            let column = &mut column[..n];
            let inverse = column[k].recip();
            let mut next = Some(first);
            while let Some(i) = next {
                let a = column[i] * inverse;
                subtract(tree, i, a, column, &mut others[i * n..i * n + n]);
                // The column's element is read for the last time above.
                column[i] = a;
                next = tree.parent(i);
            }
        }
    }
}

struct FactorizeRoot<'a, S> {
    tree: &'a EliminationTree,
    h: &'a mut [S],
}

impl<S: Scalar> Kernel for FactorizeRoot<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { tree, h } = self;
        let n = tree.len();
        for k in (0..n).rev() {
            let (others, column) = h.split_at_mut(k * n);
            let column = &mut column[..n];
            column[k] = column[k].sqrt();
            let inverse = column[k].recip();
            let mut next = tree.parent(k);
            while let Some(i) = next {
                column[i] = column[i] * inverse;
                next = tree.parent(i);
            }
            let mut next = tree.parent(k);
            while let Some(i) = next {
                subtract(tree, i, column[i], column, &mut others[i * n..i * n + n]);
                next = tree.parent(i);
            }
        }
    }
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
    #[inline(always)]
    pub fn pivot(&self, k: usize) -> S {
        self.factor[(k, k)]
    }

    /// Element (row, column) of L.
    pub fn l(&self, row: usize, column: usize) -> S {
        if row == column {
            S::one()
        } else if self.tree.ancestors(row).any(|i| i == column) {
            self.factor[(column, row)]
        } else {
            S::zero()
        }
    }

    /// Solves H x = b in place of b. Cost O(nd).
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has one entry for each coordinate.
    pub fn solve(&self, b: &mut [S]) -> Result<(), Error> {
        check_size("the right-hand side", self.len(), b.len())?;
        dispatch(Solve {
            tree: self.tree,
            h: self.factor.as_slice(),
            b,
        });
        Ok(())
    }

    /// Replaces x by L x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn mul_l(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in (0..self.len()).rev() {
            for i in self.tree.ancestors(k) {
                x[k] = self.factor[(i, k)].mul_add(x[i], x[k]);
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
                x[i] = self.factor[(i, k)].mul_add(x[k], x[i]);
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
        back_substitute(self.tree, self.factor.as_slice(), x);
        Ok(())
    }

    /// Replaces x by L⁻ᵀ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn solve_l_transposed(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        substitute(self.tree, self.factor.as_slice(), x);
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
        inverse.fill(S::zero());
        for k in 0..n {
            inverse[(k, k)] = S::one();
        }
        for b in inverse.as_mut_slice().chunks_exact_mut(n.max(1)) {
            dispatch(Solve {
                tree: self.tree,
                h: self.factor.as_slice(),
                b,
            });
        }
        Ok(())
    }
}

pub(crate) struct Solve<'a, S> {
    pub tree: &'a EliminationTree,
    pub h: &'a [S],
    pub b: &'a mut [S],
}

impl<S: Scalar> Kernel for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { tree, h, b } = self;
        let n = tree.len();
        substitute(tree, h, b);
        for k in 0..n {
            b[k] = b[k] / h[k * n + k];
        }
        back_substitute(tree, h, b);
    }
}

/// x ← L⁻ᵀ x.
#[inline(always)]
fn substitute<S: Scalar>(tree: &EliminationTree, h: &[S], x: &mut [S]) {
    let n = tree.len();
    for k in (0..n).rev() {
        if let Some(i) = tree.parent(k) {
            subtract(tree, i, x[k], &h[k * n..k * n + n], x);
        }
    }
}

/// x ← L⁻¹ x.
#[inline(always)]
fn back_substitute<S: Scalar>(tree: &EliminationTree, h: &[S], x: &mut [S]) {
    let n = tree.len();
    for k in 0..n {
        let column = &h[k * n..k * n + n];
        let mut value = x[k];
        let mut next = tree.parent(k);
        while let Some(last) = next {
            let (first, above) = tree.run(last);
            for i in first..=last {
                value = (-column[i]).mul_add(x[i], value);
            }
            next = above;
        }
        x[k] = value;
    }
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
        self.run_crba(ws, q, Target::Factor)?;
        let Some(matrices) = &mut ws.matrices else {
            return Err(Error::NoMatrices);
        };
        let tree = self.elimination_tree();
        dispatch(Factorize {
            tree,
            h: matrices.factor.as_mut_slice(),
        });
        let factor = &matrices.factor;
        // In the order of elimination: the first pivot to vanish spoils the others.
        for k in (0..self.nv()).rev() {
            self.check_pivot(k, factor[(k, k)])?;
        }
        Ok(Ltdl { tree, factor })
    }

    /// Forward dynamics by RNEA, CRBA and LTDL: the accelerations q̈ that the joint forces `tau` cause in the state
    /// (`q`, `v`).
    ///
    /// Solves M(q) q̈ = τ − C(q, v); passive forces are left out, as in [`aba`](Self::aba), whose result is the same. Cost
    /// O(nd²). Source: Featherstone 2008, chapter 6.
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
        self.check_tangent("tau", tau)?;
        ws.check_matrices(self)?;
        self.bias(ws, q, v)?;
        for (b, &t) in ws.vector.iter_mut().zip(tau) {
            *b = t - *b;
        }
        self.ltdl(ws, q)?;
        let Some(matrices) = &ws.matrices else {
            return Err(Error::NoMatrices);
        };
        let h = matrices.factor.as_slice();
        dispatch(Solve {
            tree: self.elimination_tree(),
            h,
            b: &mut ws.vector,
        });
        if !crate::workspace::all_finite(&ws.vector) {
            return Err(self.explain_not_finite(
                "the acceleration",
                q,
                &[("v", v), ("tau", tau)],
                None,
            ));
        }
        Ok(&ws.vector)
    }

    /// Fails if a pivot of the mass matrix is zero within rounding.
    #[inline(always)]
    pub(crate) fn check_pivot<S: Scalar>(&self, k: usize, pivot: S) -> Result<(), Error> {
        // A pivot is a difference of terms as large as the scale; 32 roundings is what a few joints accumulate.
        let threshold = S::constant(32.0 * S::EPSILON * self.inertia_scale[k]);
        if S::all(threshold.less(pivot)) {
            Ok(())
        } else {
            Err(self.singular(k))
        }
    }

    /// As [`check_pivot`](Self::check_pivot) for the inverse of a pivot.
    #[inline(always)]
    pub(crate) fn check_inverse_pivot<S: Scalar>(&self, k: usize, inverse: S) -> Result<(), Error> {
        let threshold = S::constant(32.0 * S::EPSILON * self.inertia_scale[k]);
        // A pivot must exceed the threshold, and a negative one has a negative inverse.
        let large = S::all((threshold * inverse).less(S::one()));
        if large && S::all(S::zero().less(inverse)) {
            Ok(())
        } else {
            Err(self.singular(k))
        }
    }

    #[cold]
    fn singular(&self, k: usize) -> Error {
        let owner = self
            .joints()
            .iter()
            .find(|j| j.mimic.is_none() && (j.idx_v..j.idx_v + j.nv).contains(&k));
        Error::SingularInertia {
            joint: owner.map(|j| j.name.clone()).unwrap_or_default(),
        }
    }
}
