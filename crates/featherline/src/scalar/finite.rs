//! Whether many numbers are finite.

use super::{InstructionSet, Kernel, Scalar, dispatch};

/// Whether all entries are finite, with one branch for the whole slice.
#[inline(always)]
pub fn all_finite<S: Scalar>(values: &[S]) -> bool {
    if S::IS_LANES {
        return dispatch(AllFinite(values));
    }
    are_finite(values.iter().copied())
}

struct AllFinite<'a, S>(&'a [S]);

impl<S: Scalar> Kernel for AllFinite<'_, S> {
    type Output = bool;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> bool {
        // Zero times a number is zero, times an infinity or NaN it is NaN. Four sums, so that none
        // waits for the one before.
        let mut sums = [S::zero(); 4];
        let (fours, rest) = self.0.as_chunks::<4>();
        for four in fours {
            for k in 0..4 {
                sums[k] = four[k].mul_add(S::zero(), sums[k]);
            }
        }
        for value in rest {
            sums[0] = value.mul_add(S::zero(), sums[0]);
        }
        let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        S::all(sum.abs().less(S::one()))
    }
}

/// Whether all values are finite, with one branch for all of them.
#[inline(always)]
pub fn are_finite<S: Scalar>(values: impl Iterator<Item = S>) -> bool {
    let mut finite = true;
    for value in values {
        finite &= value.is_finite();
    }
    finite
}
