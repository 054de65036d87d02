//! Pivots of the factors of the mass matrix.

use super::{ROUNDINGS, is_between};
use crate::dynamics::ltdl::Ltdl;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch_lanes};

/// A pivot above so much of its element of the mass matrix is sound.
const SMALL: f64 = 1e-10;

/// An inverse pivot below so many of the model's bounds is not [`SMALL`], with a wide margin.
const CLEAR: f64 = 4e9;

/// Whether no pivot of a packed factor comes near zero; `bounds` are those of other bodies.
struct PivotsAreSound<'a, S: Scalar> {
    model: &'a Model,
    packed: &'a [S],
    bounds: &'a [S],
}

impl<S: Scalar> Kernel for PivotsAreSound<'_, S> {
    type Output = bool;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> bool {
        let Self {
            model,
            packed,
            bounds,
        } = self;
        let (rows, places) = model.elimination_tree().rows_and_places::<S>();
        let times = S::EPSILON.recip().min(CLEAR);
        let mut sound = true;
        for (k, (row, place)) in rows.iter().zip(places).enumerate() {
            let bound = model.pivot_bound_times(times, k, bounds);
            sound &= is_between(packed[row + place], S::zero(), bound);
        }
        sound
    }
}

impl Model {
    /// Fails if a pivot of a packed factor is zero within rounding.
    #[inline(always)]
    pub(in crate::dynamics) fn check_factor<S: Scalar>(
        &self,
        packed: &[S],
        bounds: &[S],
    ) -> Result<(), Error> {
        let tree = self.elimination_tree();
        let are_sound = PivotsAreSound {
            model: self,
            packed,
            bounds,
        };
        if dispatch_lanes::<S, _>(are_sound) {
            return Ok(());
        }
        let inverse = |k: usize| packed[tree.place::<S>(k, k)];
        // In the order of elimination: the first pivot to vanish spoils the others.
        for k in (0..self.nv()).rev() {
            if !self.is_sound_inverse_pivot(k, inverse(k), bounds) {
                return Err(self.singular(k));
            }
        }
        self.check_rounding(Ltdl { tree, packed })
    }

    /// Fails if a pivot d_k is zero within the rounding of the elements that it comes from.
    ///
    /// With L v = e_k it is vᵀ M v: a sum of terms M_ij v_i v_j, each of which is at most √M_ii
    /// |v_i| √M_jj |v_j|. A direction that moves no inertia may have a small part along coordinate
    /// k, and the rounding of the others shows there. Cost O(nd), with an allocation, and as much
    /// for each pivot that is small against M_kk.
    #[cold]
    fn check_rounding<S: Scalar>(&self, ltdl: Ltdl<'_, S>) -> Result<(), Error> {
        let n = self.nv();
        let mut elements: Vec<S> = (0..n).map(|k| ltdl.pivot(k)).collect();
        for i in 0..n {
            for k in ltdl.tree.ancestors(i) {
                let l = ltdl.element(i, k);
                elements[k] += l * l * ltdl.pivot(i);
            }
        }
        let mut v = vec![S::zero(); n];
        for k in (0..n).rev() {
            let inverse = ltdl.inverse_pivot(k);
            if (inverse * elements[k]).all_between(0.0, SMALL.recip()) {
                continue;
            }
            v.fill(S::zero());
            v[k] = S::one();
            let mut size = elements[k].sqrt();
            for i in k + 1..n {
                for ancestor in ltdl.tree.ancestors(i).filter(|&ancestor| ancestor >= k) {
                    let part = ltdl.element(i, ancestor) * v[ancestor];
                    v[i] -= part;
                }
                size += v[i].abs() * elements[i].sqrt();
            }
            let most = (ROUNDINGS * S::EPSILON).recip();
            if !(inverse * (size * size)).all_between(0.0, most) {
                return Err(self.singular(k));
            }
        }
        Ok(())
    }
}
