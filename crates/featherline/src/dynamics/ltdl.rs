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
use crate::model::Model;
use crate::scalar::{Kernel, Scalar, dispatch};
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// The factorisation H = LᵀDL, with L unit lower triangular and D diagonal: a view of memory that holds both.
#[derive(Clone, Copy, Debug)]
pub struct Ltdl<'a, S> {
    parent: &'a [Option<usize>],
    factor: &'a DMatrix<S>,
}

/// Factorises H = LᵀDL in place: D on the diagonal, row k of L in column k above it.
///
/// `parent` gives each coordinate's parent in the elimination tree ([`Model::coordinate_parents`]). Only the upper triangle
/// of `h` is read. Cost O(nd²). The result is not checked: a singular matrix gives a zero in D and infinities in L.
///
/// # Errors
/// [`Error::Size`] unless `h` is square with as many rows as `parent` has entries.
///
/// ```
/// use featherline::dynamics::ltdl::factorize_ltdl;
/// use nalgebra::DMatrix;
///
/// let parent = [None, Some(0)];
/// let mut h = DMatrix::from_row_slice(2, 2, &[5.0, 2.0, 2.0, 4.0]);
/// let factor = factorize_ltdl(&parent, &mut h)?;
/// let mut x = [1.0, 2.0];
/// factor.solve(&mut x)?;
/// assert_eq!(x, [0.0, 0.5]);
/// # Ok::<(), featherline::Error>(())
/// ```
pub fn factorize_ltdl<'a, S: Scalar>(
    parent: &'a [Option<usize>],
    h: &'a mut DMatrix<S>,
) -> Result<Ltdl<'a, S>, Error> {
    check_size("rows of the matrix", parent.len(), h.nrows())?;
    check_size("columns of the matrix", parent.len(), h.ncols())?;
    check_tree(parent)?;
    dispatch(Factorize {
        parent,
        h: h.as_mut_slice(),
    });
    Ok(Ltdl { parent, factor: h })
}

fn check_tree(parent: &[Option<usize>]) -> Result<(), Error> {
    for (k, above) in parent.iter().enumerate() {
        if let Some(p) = above
            && *p >= k
        {
            return Err(Error::Size {
                what: "parents before a coordinate",
                expected: k,
                found: *p,
            });
        }
    }
    Ok(())
}

pub(crate) struct Factorize<'a, S> {
    pub parent: &'a [Option<usize>],
    pub h: &'a mut [S],
}

impl<S: Scalar> Kernel for Factorize<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { parent, h } = self;
        let n = parent.len();
        for k in (0..n).rev() {
            let Some(first) = parent[k] else { continue };
            let (others, column) = h.split_at_mut(k * n);
            let inverse = column[k].recip();
            let mut next_i = Some(first);
            while let Some(i) = next_i {
                let a = column[i] * inverse;
                let target = &mut others[i * n..i * n + n];
                let mut next_j = Some(i);
                while let Some(j) = next_j {
                    target[j] = (-a).mul_add(column[j], target[j]);
                    next_j = parent[j];
                }
                // Elements below i in the column were read for the last time above.
                column[i] = a;
                next_i = parent[i];
            }
        }
    }
}

/// Factorises H = LᵀL in place, L lower triangular: row k of L in column k, from the diagonal upwards.
///
/// Arguments, cost and errors as for [`factorize_ltdl`]. A matrix that is not positive definite gives NaN.
///
/// # Errors
/// [`Error::Size`] unless `h` is square with as many rows as `parent` has entries.
pub fn factorize_ltl<S: Scalar>(parent: &[Option<usize>], h: &mut DMatrix<S>) -> Result<(), Error> {
    check_size("rows of the matrix", parent.len(), h.nrows())?;
    check_size("columns of the matrix", parent.len(), h.ncols())?;
    check_tree(parent)?;
    dispatch(FactorizeRoot {
        parent,
        h: h.as_mut_slice(),
    });
    Ok(())
}

struct FactorizeRoot<'a, S> {
    parent: &'a [Option<usize>],
    h: &'a mut [S],
}

impl<S: Scalar> Kernel for FactorizeRoot<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { parent, h } = self;
        let n = parent.len();
        for k in (0..n).rev() {
            let (others, column) = h.split_at_mut(k * n);
            column[k] = column[k].sqrt();
            let inverse = column[k].recip();
            let mut next_i = parent[k];
            while let Some(i) = next_i {
                column[i] = column[i] * inverse;
                next_i = parent[i];
            }
            let mut next_i = parent[k];
            while let Some(i) = next_i {
                let a = column[i];
                let target = &mut others[i * n..i * n + n];
                let mut next_j = Some(i);
                while let Some(j) = next_j {
                    target[j] = (-a).mul_add(column[j], target[j]);
                    next_j = parent[j];
                }
                next_i = parent[i];
            }
        }
    }
}

impl<S: Scalar> Ltdl<'_, S> {
    /// How many coordinates the factorisation has.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Element (k, k) of D.
    #[inline(always)]
    pub fn pivot(&self, k: usize) -> S {
        self.factor[(k, k)]
    }

    /// Element (row, column) of L.
    pub fn l(&self, row: usize, column: usize) -> S {
        let mut ancestor = self.parent[row];
        if row == column {
            return S::one();
        }
        while let Some(i) = ancestor {
            if i == column {
                return self.factor[(column, row)];
            }
            ancestor = self.parent[i];
        }
        S::zero()
    }

    /// Solves H x = b in place of b. Cost O(nd).
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has one entry for each coordinate.
    pub fn solve(&self, b: &mut [S]) -> Result<(), Error> {
        check_size("the right-hand side", self.len(), b.len())?;
        dispatch(Solve {
            parent: self.parent,
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
            let mut next = self.parent[k];
            while let Some(i) = next {
                x[k] = self.factor[(i, k)].mul_add(x[i], x[k]);
                next = self.parent[i];
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
            let mut next = self.parent[k];
            while let Some(i) = next {
                x[i] = self.factor[(i, k)].mul_add(x[k], x[i]);
                next = self.parent[i];
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
        back_substitute(self.parent, self.factor.as_slice(), x);
        Ok(())
    }

    /// Replaces x by L⁻ᵀ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn solve_l_transposed(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        substitute(self.parent, self.factor.as_slice(), x);
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
                parent: self.parent,
                h: self.factor.as_slice(),
                b,
            });
        }
        Ok(())
    }
}

pub(crate) struct Solve<'a, S> {
    pub parent: &'a [Option<usize>],
    pub h: &'a [S],
    pub b: &'a mut [S],
}

impl<S: Scalar> Kernel for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { parent, h, b } = self;
        let n = parent.len();
        substitute(parent, h, b);
        for k in 0..n {
            b[k] = b[k] / h[k * n + k];
        }
        back_substitute(parent, h, b);
    }
}

/// x ← L⁻ᵀ x.
#[inline(always)]
fn substitute<S: Scalar>(parent: &[Option<usize>], h: &[S], x: &mut [S]) {
    let n = parent.len();
    for k in (0..n).rev() {
        let column = &h[k * n..k * n + n];
        let value = -x[k];
        let mut next = parent[k];
        while let Some(i) = next {
            x[i] = column[i].mul_add(value, x[i]);
            next = parent[i];
        }
    }
}

/// x ← L⁻¹ x.
#[inline(always)]
fn back_substitute<S: Scalar>(parent: &[Option<usize>], h: &[S], x: &mut [S]) {
    let n = parent.len();
    for k in 0..n {
        let column = &h[k * n..k * n + n];
        let mut value = x[k];
        let mut next = parent[k];
        while let Some(i) = next {
            value = (-column[i]).mul_add(x[i], value);
            next = parent[i];
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
        let parent = self.coordinate_parents();
        dispatch(Factorize {
            parent,
            h: matrices.factor.as_mut_slice(),
        });
        let factor = &matrices.factor;
        for k in 0..self.nv() {
            self.check_pivot(k, factor[(k, k)])?;
        }
        Ok(Ltdl { parent, factor })
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
            parent: self.coordinate_parents(),
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
