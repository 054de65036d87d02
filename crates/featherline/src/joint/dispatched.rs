//! Evaluation, integration and subspace rates of joints of any kind, as kernels of their own.
//!
//! The code for every kind of joint is large. Kernels that meet any kind call it here, where it is
//! compiled once for a scalar and an instruction set, and do not inline it.

use super::JointKind;
use super::variation::{JointState, Variation};
use crate::scalar::kernel;
use crate::spatial::{Force, Motion, Se3};

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

kernel!(
    /// The derivatives of a joint's velocity S v and acceleration α = S a + Ṡ v by its own
    /// coordinates, nv entries each; `column` has the columns of S.
    pub fn variation<S: Scalar>(
        #[plain] kind: &JointKind,
        q: &[S],
        v: &[S],
        a: &[S],
        column: &[Motion<S>],
        velocity: Motion<S>,
        acceleration: Motion<S>,
        by_velocity: &mut [Motion<S>],
        by_acceleration: &mut [Motion<S>],
    ) {
        let state = JointState {
            column,
            velocity,
            acceleration,
        };
        let out = Variation {
            velocity: by_velocity,
            acceleration: by_acceleration,
        };
        kind.variation((q, v, a), state, out);
    }
);

kernel!(
    /// [`JointKind::simple_variation`].
    pub fn simple_variation<S: Scalar>(
        #[plain] kind: &JointKind,
        q: &[S],
        v: &[S],
        a: &[S],
        column: &mut [Motion<S>],
        by_velocity: &mut [Motion<S>],
        by_acceleration: &mut [Motion<S>],
    ) {
        let out = Variation {
            velocity: by_velocity,
            acceleration: by_acceleration,
        };
        kind.simple_variation((q, v, a), column, out);
    }
);

kernel!(
    /// [`JointKind::component_variation`].
    pub fn component_variation<S: Scalar>(
        #[plain] kind: &JointKind,
        q: &[S],
        column: &[Motion<S>],
        force: Force<S>,
        out: &mut [S],
    ) {
        kind.component_variation(q, column, &force, out);
    }
);
