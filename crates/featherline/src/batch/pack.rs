//! States side by side in lanes, and back: the transposition between rows and registers.

use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};

/// A scalar that holds the same number of several states.
pub trait Pack: Scalar {
    /// The number of one state.
    type Element: Scalar;

    /// How many states.
    const LANES: usize;

    /// Takes number k of row `states[l]` into lane l of `to[k]`, for rows of the length of `to`.
    fn gather(rows: &[Self::Element], states: &[usize], to: &mut [Self]);

    /// Writes lane l of `from[k]` to number k of row l, for as many rows of the length of `from` as there are.
    fn scatter(from: &[Self], rows: &mut [Self::Element]);

    /// Writes lane `lane` of `from[k]` to number k of `row`.
    fn extract(from: &[Self], lane: usize, row: &mut [Self::Element]);
}

/// A number alone: for processors without vectors wide enough.
macro_rules! impl_pack_for_float {
    ($float:ty) => {
        impl Pack for $float {
            type Element = Self;
            const LANES: usize = 1;

            fn gather(rows: &[Self], states: &[usize], to: &mut [Self]) {
                let len = to.len();
                to.copy_from_slice(&rows[states[0] * len..][..len]);
            }

            fn scatter(from: &[Self], rows: &mut [Self]) {
                rows.copy_from_slice(from);
            }

            fn extract(from: &[Self], _: usize, row: &mut [Self]) {
                row.copy_from_slice(from);
            }
        }
    };
}

impl_pack_for_float!(f32);
impl_pack_for_float!(f64);

#[cfg(target_arch = "x86_64")]
mod lanes {
    use super::{Pack, Scalar};
    use crate::scalar::{Lanes, Register};

    impl<T: Scalar, const N: usize> Pack for Lanes<T, N>
    where
        [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
    {
        type Element = T;
        const LANES: usize = N;

        #[inline(always)]
        fn gather(rows: &[T], states: &[usize], to: &mut [Self]) {
            let len = to.len();
            let mut row = [&rows[..0]; N];
            for l in 0..N {
                row[l] = &rows[states[l] * len..][..len];
            }
            if len < N {
                for k in 0..len {
                    let mut values = [T::zero(); N];
                    for l in 0..N {
                        values[l] = row[l][k];
                    }
                    to[k] = Self::new(values);
                }
                return;
            }
            let mut k = 0;
            while k < len {
                // The last block ends with the rows, and overlaps the one before.
                k = k.min(len - N);
                let mut square = [Self::zero(); N];
                for l in 0..N {
                    if let Some(values) = row[l][k..].first_chunk::<N>() {
                        square[l] = Self::new(*values);
                    }
                }
                to[k..k + N].copy_from_slice(&Self::transpose(square));
                k += N;
            }
        }

        #[inline(always)]
        fn scatter(from: &[Self], rows: &mut [T]) {
            let len = from.len();
            let count = rows.len() / len.max(1);
            if len < N {
                for (k, values) in from.iter().enumerate() {
                    let values = values.to_array();
                    for l in 0..count {
                        rows[l * len + k] = values[l];
                    }
                }
                return;
            }
            let mut k = 0;
            while k < len {
                k = k.min(len - N);
                let mut square = [Self::zero(); N];
                square.copy_from_slice(&from[k..k + N]);
                let square = Self::transpose(square);
                for l in 0..count {
                    rows[l * len + k..][..N].copy_from_slice(&square[l].to_array());
                }
                k += N;
            }
        }

        #[inline(always)]
        fn extract(from: &[Self], lane: usize, row: &mut [T]) {
            for k in 0..from.len() {
                row[k] = from[k].to_array()[lane];
            }
        }
    }
}

struct Gather<'a, S: Pack> {
    rows: &'a [S::Element],
    states: &'a [usize],
    to: &'a mut [S],
}

impl<S: Pack> Kernel for Gather<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        S::gather(self.rows, self.states, self.to);
    }
}

struct Scatter<'a, S: Pack> {
    from: &'a [S],
    rows: &'a mut [S::Element],
}

impl<S: Pack> Kernel for Scatter<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        S::scatter(self.from, self.rows);
    }
}

/// [`Pack::gather`] with the lanes' instructions.
pub(super) fn gather<S: Pack>(rows: &[S::Element], states: &[usize], to: &mut [S]) {
    dispatch(Gather { rows, states, to });
}

/// [`Pack::scatter`] with the lanes' instructions.
pub(super) fn scatter<S: Pack>(from: &[S], rows: &mut [S::Element]) {
    dispatch(Scatter { from, rows });
}
