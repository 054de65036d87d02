//! States side by side in lanes, and back: the transposition between rows and registers.

#[cfg(target_arch = "x86_64")]
use crate::scalar::Unfused;
use crate::scalar::{Scalar, kernel};
use std::convert;
use std::ops::Range;

/// A scalar that holds the same number of several states.
pub trait Pack: Scalar {
    /// The number of one state.
    type Element: Scalar;

    /// How many states.
    const LANES: usize;

    /// Takes number k of row `states[l]` into lane l of `to[k]`, for rows of the length of `to`.
    fn gather(rows: &[Self::Element], states: &[usize], to: &mut [Self]);

    /// Writes lane l of `from[k]` to number k of row l, for as many rows of the length of `from` as
    /// there are, and for k in a range that begins at a multiple of [`LANES`](Self::LANES), and
    /// ends at one or with the rows.
    fn scatter(from: &[Self], rows: &mut [Self::Element], range: Range<usize>);

    /// Writes lane l of `from[places[k]]` to number k of row l, for as many rows of the length of
    /// `places` as there are, and zero where there is no such place.
    fn scatter_places(from: &[Self], places: &[u32], rows: &mut [Self::Element]);
}

/// A number alone.
macro_rules! impl_pack_for_one {
    ($float:ty, $number:ty, $of:expr, $back:expr) => {
        impl Pack for $number {
            type Element = $float;
            const LANES: usize = 1;

            fn gather(rows: &[$float], states: &[usize], to: &mut [Self]) {
                let row = &rows[states[0] * to.len()..];
                to.iter_mut().zip(row).for_each(|(to, &x)| *to = $of(x));
            }

            fn scatter(from: &[Self], rows: &mut [$float], range: Range<usize>) {
                let from = &from[range.clone()];
                let to = rows[range].iter_mut();
                to.zip(from).for_each(|(to, &x)| *to = $back(x));
            }

            fn scatter_places(from: &[Self], places: &[u32], rows: &mut [$float]) {
                for (element, place) in rows.iter_mut().zip(places) {
                    *element = $back(from.get(*place as usize).copied().unwrap_or_default());
                }
            }
        }
    };
}

impl_pack_for_one!(f64, f64, convert::identity, convert::identity);
impl_pack_for_one!(f32, f32, convert::identity, convert::identity);
// No program of ours has kernels of `f32` alone but those of batches for the baseline; with this
// type they are compiled for that set only.
#[cfg(target_arch = "x86_64")]
impl_pack_for_one!(f32, Unfused<f32>, Unfused, |x: Unfused<f32>| x.0);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes {
    use super::{Pack, Scalar};
    use crate::scalar::{Lanes, Register, prefetch};
    use std::ops::Range;

    impl<T: Scalar, const N: usize> Pack for Lanes<T, N>
    where
        [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
    {
        type Element = T;
        const LANES: usize = N;

        #[inline(always)]
        fn gather(rows: &[T], states: &[usize], to: &mut [Self]) {
            let len = to.len();
            let together = are_consecutive::<N>(states);
            if len < N {
                // The numbers after a short row are loaded with it where there are some.
                let mut square = [Self::zero(); N];
                let begin = states[0] * len;
                match rows.get(begin..begin + (N - 1) * len + N) {
                    Some(block) if together => {
                        for l in 0..N {
                            if let Some(values) = block[l * len..].first_chunk::<N>() {
                                square[l] = Self::new(*values);
                            }
                        }
                    }
                    _ => {
                        for l in 0..N {
                            let from = &rows[states[l] * len..];
                            let mut values = [T::zero(); N];
                            match from.first_chunk::<N>() {
                                Some(following) => values = *following,
                                None => values[..len].copy_from_slice(&from[..len]),
                            }
                            square[l] = Self::new(values);
                        }
                    }
                }
                let square = Self::transpose(square);
                for k in 0..N {
                    // From registers: a copy of so many would go through memory.
                    if k == len {
                        break;
                    }
                    to[k] = square[k];
                }
                return;
            }
            let mut row = [&rows[..0]; N];
            if together {
                let mut rest = &rows[states[0] * len..][..N * len];
                for l in 0..N {
                    (row[l], rest) = rest.split_at(len);
                }
            } else {
                for l in 0..N {
                    row[l] = &rows[states[l] * len..][..len];
                }
            }
            for k in 0..len / N {
                let mut square = [Self::zero(); N];
                for l in 0..N {
                    square[l] = Self::new(row[l].as_chunks::<N>().0[k]);
                }
                to[N * k..N * (k + 1)].copy_from_slice(&Self::transpose(square));
            }
            if !len.is_multiple_of(N) {
                // The last square ends with the rows, and overlaps the one before.
                let mut square = [Self::zero(); N];
                for l in 0..N {
                    if let Some(values) = row[l].last_chunk::<N>() {
                        square[l] = Self::new(*values);
                    }
                }
                to[len - N..].copy_from_slice(&Self::transpose(square));
            }
        }

        #[inline(always)]
        fn scatter(from: &[Self], rows: &mut [T], range: Range<usize>) {
            let len = from.len();
            if len < N && rows.len() == N * len {
                // The numbers that are written beyond a short row are overwritten by the next ones.
                let mut square = [Self::zero(); N];
                square[..len].copy_from_slice(from);
                let square = Self::transpose(square);
                for l in 0..N {
                    let (to, values) = (&mut rows[l * len..], square[l].to_array());
                    match to.first_chunk_mut::<N>() {
                        Some(following) => *following = values,
                        None => to[..len].copy_from_slice(&values[..len]),
                    }
                }
                return;
            }
            if len < N || rows.len() != N * len {
                return scatter_some(from, rows, range);
            }
            let mut k = range.start;
            while k < range.end {
                // The last square ends with the rows, and may overlap the one before.
                let first = k.min(len - N);
                if let Some(square) = from[first..].first_chunk::<N>() {
                    put_square(rows, len, first, *square);
                }
                k += N;
            }
        }

        #[inline(always)]
        fn scatter_places(from: &[Self], places: &[u32], rows: &mut [T]) {
            let len = places.len();
            let zero = Self::zero();
            let element = |place: u32| *from.get(place as usize).unwrap_or(&zero);
            if len < N || rows.len() != N * len {
                for (lane, row) in rows.chunks_exact_mut(len.max(1)).enumerate() {
                    for k in 0..len {
                        row[k] = element(places[k]).to_array()[lane];
                    }
                }
                return;
            }
            let nowhere = [from.len() as u32; N];
            let mut k = 0;
            while k < len {
                k = k.min(len - N);
                let own = &places[k..k + N];
                let mut square = [zero; N];
                if *own == nowhere {
                    fill_square(rows, len, k, T::zero());
                } else {
                    for m in 0..N {
                        square[m] = element(own[m]);
                    }
                    put_square(rows, len, k, square);
                }
                k += N;
            }
        }
    }

    /// Fewer rows than there are lanes, or short ones that fill no square: number by number.
    #[cold]
    fn scatter_some<T: Scalar, const N: usize>(
        from: &[Lanes<T, N>],
        rows: &mut [T],
        range: Range<usize>,
    ) where
        [T; N]: Register,
    {
        for (lane, row) in rows.chunks_exact_mut(from.len().max(1)).enumerate() {
            for k in range.clone() {
                row[k] = from[k].to_array()[lane];
            }
        }
    }

    /// Whether states follow one another, as all but those of the last block do.
    #[inline(always)]
    fn are_consecutive<const N: usize>(states: &[usize]) -> bool {
        let Some(states) = states.first_chunk::<N>() else {
            return false;
        };
        let mut together = true;
        for l in 0..N {
            together &= states[l] == states[0] + l;
        }
        together
    }

    /// Writes lane l of `square[m]` to number k + m of row l of a length.
    #[inline(always)]
    fn put_square<T: Scalar, const N: usize>(
        rows: &mut [T],
        len: usize,
        k: usize,
        square: [Lanes<T, N>; N],
    ) where
        [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
    {
        let to = &mut rows[k..];
        // Stores that wait for their lines hold up the loads behind them, wherever addresses agree
        // in their low bits.
        for l in 0..N {
            prefetch(to.as_ptr().wrapping_add(l * len + N));
        }
        Lanes::store_rows(Lanes::transpose(square), to, len);
    }

    /// Writes a value to the numbers `k..k + N` of all rows.
    #[inline(always)]
    fn fill_square<T: Scalar, const N: usize>(rows: &mut [T], len: usize, k: usize, value: T)
    where
        [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
    {
        let to = &mut rows[k..];
        for l in 0..N {
            prefetch(to.as_ptr().wrapping_add(l * len + N));
        }
        Lanes::store_rows([Lanes::new([value; N]); N], to, len);
    }
}

kernel!(
    /// [`Pack::gather`] with the lanes' instructions.
    pub(super) fn gather<S: Pack>(rows: &[S::Element], states: &[usize], to: &mut [S]) {
        S::gather(rows, states, to);
    }
);

kernel!(
    /// [`Pack::scatter`] of all numbers, with the lanes' instructions.
    pub(super) fn scatter<S: Pack>(from: &[S], rows: &mut [S::Element]) {
        S::scatter(from, rows, 0..from.len());
    }
);

kernel!(
    /// [`Pack::scatter_places`] with the lanes' instructions.
    pub(super) fn scatter_places<S: Pack>(from: &[S], places: &[u32], rows: &mut [S::Element]) {
        S::scatter_places(from, places, rows);
    }
);
