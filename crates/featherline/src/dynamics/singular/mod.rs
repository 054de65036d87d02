//! Singular mass matrices: whether a pivot is zero within rounding.
//!
//! A mass matrix is singular where a motion moves no inertia, and an elimination then leaves a
//! pivot that is nothing but rounding. Each pivot is first compared with a bound that the model
//! knows from its bodies ([`Model::greatest_inverse_pivot`]); one that is small against all that
//! its joint carries is judged by what rounds it: in the articulated-body elimination by
//! [`rounding`], and in the factors of the mass matrix by their [elements](factor).

mod articulated;
mod factor;
mod rounding;

pub use rounding::ArticulatedElimination;

use crate::error::Error;
use crate::model::Model;
use crate::scalar::Scalar;

/// How many roundings of their terms the sums behind a pivot accumulate over a few joints.
const ROUNDINGS: f64 = 8.0;

/// Whether every lane lies strictly between its two numbers.
#[inline(always)]
fn is_between<S: Scalar>(value: S, low: S, high: S) -> bool {
    S::all(low.less(value)) && S::all(value.less(high))
}

impl Model {
    /// Whether a pivot of the mass matrix, of which the inverse is given, is more than rounding.
    /// `bounds` are those of other bodies than the model's, or empty.
    #[inline(always)]
    pub(crate) fn is_sound_inverse_pivot<S: Scalar>(
        &self,
        k: usize,
        inverse: S,
        bounds: &[S],
    ) -> bool {
        // A negative pivot has a negative inverse.
        is_between(inverse, S::zero(), self.greatest_inverse_pivot(k, bounds))
    }

    /// The largest inverse of a pivot that is not rounding: 32 roundings are those of a few joints.
    #[inline(always)]
    fn greatest_inverse_pivot<S: Scalar>(&self, k: usize, bounds: &[S]) -> S {
        self.pivot_bound_times(S::EPSILON.recip(), k, bounds)
    }

    #[inline(always)]
    fn pivot_bound_times<S: Scalar>(&self, times: f64, k: usize, bounds: &[S]) -> S {
        match bounds.get(k) {
            Some(own) => *own * S::constant(times),
            None => S::constant(times * self.pivot_bound[k]),
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
