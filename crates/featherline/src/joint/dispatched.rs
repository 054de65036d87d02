//! What joints of any kind do, as kernels of their own.
//!
//! The code for every kind of joint is large. Kernels that meet any kind call it here, where it is
//! compiled once for a scalar and an instruction set, and do not inline it.

use super::JointKind;
use crate::scalar::kernel;
use crate::spatial::{Motion, Se3};

kernel!(
    /// [`JointKind::evaluate`].
    pub fn evaluate<S: Scalar>(
        #[plain] kind: &JointKind,
        q: &[S],
        subspace: &mut [Motion<S>],
    ) -> Se3<S> {
        kind.evaluate(q, subspace)
    }
);

kernel!(
    /// [`JointKind::subspace_rates`].
    pub fn subspace_rates<S: Scalar>(
        #[plain] kind: &JointKind,
        q: &[S],
        v: &[S],
        rates: &mut [Motion<S>],
    ) {
        kind.subspace_rates(q, v, rates);
    }
);

kernel!(
    /// [`JointKind::integrate`].
    pub fn integrate<S: Scalar>(#[plain] kind: &JointKind, q: &[S], v: &[S], out: &mut [S]) {
        kind.integrate(q, v, out);
    }
);
