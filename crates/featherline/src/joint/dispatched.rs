//! What joints of any kind do, as kernels of their own.
//!
//! The code for every kind of joint is large. Kernels that meet any kind call it here, where it is
//! compiled once for a scalar and an instruction set, and do not inline it.

use super::JointKind;
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Motion, Se3};

/// [`JointKind::evaluate`].
pub fn evaluate<S: Scalar>(kind: &JointKind, q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    dispatch(Evaluate { kind, q, subspace })
}

struct Evaluate<'a, S: Scalar> {
    kind: &'a JointKind,
    q: &'a [S],
    subspace: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for Evaluate<'_, S> {
    type Output = Se3<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Se3<S> {
        self.kind.evaluate(self.q, self.subspace)
    }
}

/// [`JointKind::subspace_rates`].
pub fn subspace_rates<S: Scalar>(kind: &JointKind, q: &[S], v: &[S], rates: &mut [Motion<S>]) {
    dispatch(SubspaceRates { kind, q, v, rates });
}

struct SubspaceRates<'a, S: Scalar> {
    kind: &'a JointKind,
    q: &'a [S],
    v: &'a [S],
    rates: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for SubspaceRates<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        self.kind.subspace_rates(self.q, self.v, self.rates);
    }
}

/// [`JointKind::integrate`].
pub fn integrate<S: Scalar>(kind: &JointKind, q: &[S], v: &[S], out: &mut [S]) {
    dispatch(Integrate { kind, q, v, out });
}

struct Integrate<'a, S: Scalar> {
    kind: &'a JointKind,
    q: &'a [S],
    v: &'a [S],
    out: &'a mut [S],
}

impl<S: Scalar> Kernel for Integrate<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        self.kind.integrate(self.q, self.v, self.out);
    }
}
