//! The Coriolis matrix in O(nd), d the depth of the tree.
//!
//! S. Echeandia and P. Wensing, *Numerical methods to compute the Coriolis matrix and Christoffel
//! symbols for rigid-body systems*, 2021, algorithm 1; the factorisation is that of G. Niemeyer and
//! J.-J. Slotine, *Performance in adaptive manipulator control*, 1991. For each body C = Jᵀ(Y J̇ +
//! B J) with B = ½ (ν×* Y − Y ν× + (Yν) ×̄*), where f ×̄* ν = ν ×* f. The first two terms are the
//! rate Ẏ of the inertia in a frame at rest, so that composite bodies need their rates and momenta
//! only: B J = ½ (Ẏ J + J ×* h) and Bᵀ J = ½ (Ẏ J − J ×* h).

use super::aligned::composites_in_motion;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::Motion;
use crate::workspace::{Matrices, Scratch, Workspace};
use nalgebra::DMatrix;

struct Coriolis<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Scratch<S>,
    matrices: &'a mut Matrices<S>,
    q: &'a [S],
    v: &'a [S],
}

impl<S: Scalar> Kernel for Coriolis<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;
    const WIDEST: InstructionSet = InstructionSet::Avx512;

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            matrices,
            q,
            v,
        } = self;
        let (jacobian, rate) = (&mut matrices.jacobian, &mut matrices.jacobian_rate);
        composites_in_motion(model, ws, q, v, jacobian, rate);
        let coriolis = &mut matrices.coriolis;
        // Mimic joints share coordinates, so that several pairs of joints add up in one element.
        if model.has_mimic_joints() {
            coriolis.fill(S::zero());
            elements::<S, true>(model, ws, jacobian, rate, coriolis);
        } else {
            elements::<S, false>(model, ws, jacobian, rate, coriolis);
        }
    }
}

#[inline(always)]
fn elements<S: Scalar, const ADD: bool>(
    model: &Model,
    ws: &Scratch<S>,
    jacobian: &[Motion<S>],
    rate: &[Motion<S>],
    coriolis: &mut DMatrix<S>,
) {
    let n = model.nv();
    let coriolis = coriolis.as_mut_slice();
    let half = S::constant(0.5);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let (inertia, inertia_rate) = (&ws.composite[i], &ws.composite_rate[i]);
        for c in 0..link.columns {
            let k = link.idx_v + c;
            let own = &jacobian[link.column + c];
            let even = inertia_rate.mul_motion(own) * half;
            let odd = own.cross_force(&ws.force[i]) * half;
            let column = inertia.mul_motion(&rate[link.column + c]) + even + odd;
            let (row, row_rate) = (even - odd, inertia.mul_motion(own));
            for (d, other) in jacobian[link.column_range()].iter().enumerate() {
                put::<S, ADD>(coriolis, n, link.idx_v + d, k, other.dot(&column));
            }
            let mut j = link.parent;
            while j != 0 {
                let above = &model.links[j];
                for d in 0..above.columns {
                    let other = &jacobian[above.column + d];
                    let other_rate = &rate[above.column + d];
                    let l = above.idx_v + d;
                    put::<S, ADD>(coriolis, n, l, k, other.dot(&column));
                    let element = other.dot(&row) + other_rate.dot(&row_rate);
                    put::<S, ADD>(coriolis, n, k, l, element);
                }
                j = above.parent;
            }
        }
    }
}

#[inline(always)]
fn put<S: Scalar, const ADD: bool>(matrix: &mut [S], n: usize, row: usize, col: usize, value: S) {
    let place = &mut matrix[col * n + row];
    *place = if ADD { *place + value } else { value };
}

impl Model {
    /// The Coriolis matrix C(q, v), nv × nv.
    ///
    /// C v is the [bias](Self::bias) without gravity, C + Cᵀ the time derivative of the mass
    /// matrix, so that Ṁ − 2 C is skew-symmetric. Among the matrices with both properties it is the
    /// one of the Christoffel symbols wherever the coordinates are those of a vector space.
    /// Armature contributes nothing: it is constant and couples no coordinates. `q` has nq entries,
    /// `v` nv. Cost O(nd). Source: Echeandia and Wensing 2021, algorithm 1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.3, -0.2], [1.5_f64, 0.5]);
    /// let coriolis = model.coriolis_matrix(&mut ws, &q, &v)?;
    /// let force = coriolis[(0, 0)] * v[0] + coriolis[(0, 1)] * v[1];
    /// let gravity = model.gravity_torque(&mut ws, &q)?[0];
    /// let bias = model.bias(&mut ws, &q, &v)?[0];
    /// assert!((force + gravity - bias).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn coriolis_matrix<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<&'w DMatrix<S>, Error> {
        let (ws, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        dispatch(Coriolis {
            model: self,
            ws,
            matrices,
            q,
            v,
        });
        // A non-finite entry of a body makes the elements of its own column non-finite, the
        // diagonal one among them.
        let coriolis = &matrices.coriolis;
        let mut finite = true;
        for k in 0..self.nv() {
            finite &= coriolis[(k, k)].is_finite();
        }
        self.check_finite(finite, "the Coriolis matrix", q, &[("v", v)])?;
        Ok(coriolis)
    }
}
