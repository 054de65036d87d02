//! Sparse factorisation of the mass matrix: LᵀDL and LᵀL in place, over ancestors only.
//!
//! Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for branched kinematic trees"; 2008,
//! section 6.5. Eliminating from the last coordinate to the first produces no fill-in: row k of L has elements only at
//! the ancestors of k. The cost is O(nd²) instead of O(n³).
//!
//! Matrices are in the packed storage of an [`EliminationTree`]: row k of L side by side, the diagonal behind it.
//!
//! With d_k the number of ancestors of k, D₁ = Σ d_k and D₂ = Σ d_k(d_k + 1)/2, the operations are:
//!
//! | | divisions | square roots | multiplications | additions |
//! |---|---|---|---|---|
//! | LᵀDL | number of k with d_k > 0 | | D₁ + D₂ | D₂ |
//! | LᵀL | n | n | D₁ + D₂ | D₂ |
//! | solve with LᵀDL | n | | 2 D₁ | 2 D₁ |
//! | dense Cholesky, for comparison | n | n | n(n−1)/2 + (n³−n)/6 | (n³−n)/6 |

use crate::error::{Error, check_size};
use crate::model::{EliminationTree, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch, row};
use crate::workspace::{Matrices, Workspace};
use nalgebra::DMatrix;

/// The factorisation H = LᵀDL, with L unit lower triangular and D diagonal: a view of the packed memory that holds both.
#[derive(Clone, Copy, Debug)]
pub struct Ltdl<'a, S> {
    tree: &'a EliminationTree,
    packed: &'a [S],
}

/// Factorises a packed matrix H = LᵀDL in place: D takes the place of the diagonal, L that of the other elements.
///
/// `tree` is the matrix's elimination tree ([`Model::elimination_tree`]). Cost O(nd²). The result is not checked: a
/// singular matrix gives a zero in D and infinities in L.
///
/// # Errors
/// [`Error::Size`] unless `packed` has as many elements as the tree packs.
///
/// ```
/// use featherline::dynamics::ltdl::factorize_ltdl;
/// use featherline::model::EliminationTree;
///
/// let tree = EliminationTree::new(vec![None, Some(0)])?;
/// // The matrix [5 2; 2 4].
/// let mut h = [5.0, 2.0, 4.0];
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
    check_size("the packed matrix", tree.packed_len(), packed.len())?;
    dispatch(Factorize { tree, packed });
    Ok(Ltdl { tree, packed })
}

/// Factorises a packed matrix H = LᵀL in place, L lower triangular.
///
/// Arguments and cost as for [`factorize_ltdl`]. A matrix that is not positive definite gives NaN.
///
/// # Errors
/// [`Error::Size`] unless `packed` has as many elements as the tree packs.
pub fn factorize_ltl<S: Scalar>(tree: &EliminationTree, packed: &mut [S]) -> Result<(), Error> {
    check_size("the packed matrix", tree.packed_len(), packed.len())?;
    dispatch(FactorizeRoot { tree, packed });
    Ok(())
}

pub(crate) struct Factorize<'a, S> {
    pub tree: &'a EliminationTree,
    pub packed: &'a mut [S],
}

impl<S: Scalar> Kernel for Factorize<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { tree, packed } = self;
        for k in (0..tree.len()).rev() {
            let mut next = tree.parent(k);
            if next.is_none() {
                continue;
            }
            let (above, own) = packed.split_at_mut(tree.row(k));
            let mut l = tree.level(k);
            let inverse = own[l].recip();
            while let Some(i) = next {
                l -= 1;
                let a = own[l] * inverse;
                let begin = tree.row(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -a, &own[..l + 1]);
                // The element is read for the last time above.
                own[l] = a;
                next = tree.parent(i);
            }
        }
    }
}

struct FactorizeRoot<'a, S> {
    tree: &'a EliminationTree,
    packed: &'a mut [S],
}

impl<S: Scalar> Kernel for FactorizeRoot<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { tree, packed } = self;
        for k in (0..tree.len()).rev() {
            let mut l = tree.level(k);
            let (above, own) = packed.split_at_mut(tree.row(k));
            own[l] = own[l].sqrt();
            let inverse = own[l].recip();
            row::scale(&mut own[..l], inverse);
            let mut next = tree.parent(k);
            while let Some(i) = next {
                l -= 1;
                let begin = tree.row(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -own[l], &own[..l + 1]);
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
    ///
    /// # Panics
    /// If there is no coordinate k.
    #[inline(always)]
    pub fn pivot(&self, k: usize) -> S {
        self.packed[self.tree.place(k, k)]
    }

    /// Element (row, column) of L.
    ///
    /// # Panics
    /// If there is no coordinate `row`.
    pub fn l(&self, row: usize, column: usize) -> S {
        if row == column {
            S::one()
        } else if self.tree.ancestors(row).any(|i| i == column) {
            self.packed[self.tree.place(row, column)]
        } else {
            S::zero()
        }
    }

    /// Row k of L without its diagonal: one element for each ancestor.
    #[inline(always)]
    fn row(&self, k: usize) -> &[S] {
        let begin = self.tree.row(k);
        &self.packed[begin..begin + self.tree.level(k)]
    }

    /// Solves H x = b in place of b. Cost O(nd).
    ///
    /// # Errors
    /// [`Error::Size`] unless `b` has one entry for each coordinate.
    pub fn solve(&self, b: &mut [S]) -> Result<(), Error> {
        check_size("the right-hand side", self.len(), b.len())?;
        dispatch(Solve { factor: *self, b });
        Ok(())
    }

    /// Replaces x by L x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn mul_l(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        for k in (0..self.len()).rev() {
            let mut next = self.tree.parent(k);
            for &l in self.row(k).iter().rev() {
                let Some(i) = next else { break };
                x[k] = l.mul_add(x[i], x[k]);
                next = self.tree.parent(i);
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
            let mut next = self.tree.parent(k);
            for &l in self.row(k).iter().rev() {
                let Some(i) = next else { break };
                x[i] = l.mul_add(x[k], x[i]);
                next = self.tree.parent(i);
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
        self.back_substitute(x);
        Ok(())
    }

    /// Replaces x by L⁻ᵀ x.
    ///
    /// # Errors
    /// [`Error::Size`] unless `x` has one entry for each coordinate.
    pub fn solve_l_transposed(&self, x: &mut [S]) -> Result<(), Error> {
        check_size("x", self.len(), x.len())?;
        self.substitute(x);
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
            dispatch(Solve { factor: *self, b });
        }
        Ok(())
    }

    /// x ← L⁻ᵀ x.
    #[inline(always)]
    fn substitute(&self, x: &mut [S]) {
        for k in (0..self.len()).rev() {
            let value = -x[k];
            let mut next = self.tree.parent(k);
            for &l in self.row(k).iter().rev() {
                let Some(i) = next else { break };
                x[i] = l.mul_add(value, x[i]);
                next = self.tree.parent(i);
            }
        }
    }

    /// x ← L⁻¹ x.
    #[inline(always)]
    fn back_substitute(&self, x: &mut [S]) {
        for k in 0..self.len() {
            let mut value = x[k];
            let mut next = self.tree.parent(k);
            for &l in self.row(k).iter().rev() {
                let Some(i) = next else { break };
                value = (-l).mul_add(x[i], value);
                next = self.tree.parent(i);
            }
            x[k] = value;
        }
    }
}

pub(crate) struct Solve<'a, S> {
    pub factor: Ltdl<'a, S>,
    pub b: &'a mut [S],
}

impl<S: Scalar> Kernel for Solve<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { factor, b } = self;
        factor.substitute(b);
        for k in 0..factor.len() {
            b[k] = b[k] / factor.pivot(k);
        }
        factor.back_substitute(b);
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
        let tree = self.elimination_tree();
        let packed = self.packed_mass_matrix(ws, q)?;
        dispatch(Factorize { tree, packed });
        let factor = Ltdl { tree, packed };
        // In the order of elimination: the first pivot to vanish spoils the others.
        for k in (0..self.nv()).rev() {
            self.check_pivot(k, factor.pivot(k))?;
        }
        Ok(factor)
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
        let Some(Matrices { packed, .. }) = &ws.matrices else {
            return Err(Error::NoMatrices);
        };
        let tree = self.elimination_tree();
        dispatch(Solve {
            factor: Ltdl { tree, packed },
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
        if !self.inertia_scale[k].is_finite() {
            return Error::Overflow {
                what: "the mass matrix",
            };
        }
        let owner = self
            .joints()
            .iter()
            .find(|j| j.mimic.is_none() && (j.idx_v..j.idx_v + j.nv).contains(&k));
        Error::SingularInertia {
            joint: owner.map(|j| j.name.clone()).unwrap_or_default(),
        }
    }
}
