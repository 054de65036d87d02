//! The states that are still to be done, handed out piece by piece.

use super::BatchStatus;
use super::pack::{Pack, scatter, scatter_places};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most results that one algorithm has.
pub(super) const RESULTS: usize = 9;

/// Results of consecutive states: rows of each result, and their lengths.
pub(super) struct Rows<'a, T> {
    pub values: [&'a mut [T]; RESULTS],
    pub lengths: [usize; RESULTS],
    /// How many results there are.
    pub count: usize,
    /// The states whose rows are to be written.
    pub states: Range<usize>,
    /// For each element of the mass matrix, where it is packed.
    pub square_places: &'a [u32],
}

impl<T> Rows<'_, T> {
    /// The rows of one result that are to be written.
    #[inline(always)]
    pub fn of(&mut self, result: usize) -> &mut [T] {
        let (Range { start, end }, length) = (self.states.clone(), self.lengths[result]);
        &mut self.values[result][start * length..end * length]
    }

    /// Writes the lanes of one result to its rows.
    pub fn put<S: Pack<Element = T>>(&mut self, result: usize, from: &[S]) {
        scatter(from, self.of(result));
    }

    /// Writes the lanes of one result, packed as the mass matrix is, to its rows, squares of which
    /// what is not packed is zero.
    pub fn put_square<S: Pack<Element = T>>(&mut self, result: usize, packed: &[S]) {
        scatter_places(packed, self.square_places, self.of(result));
    }
}

/// Consecutive states, with the memory for their results.
pub(super) struct Chunk<'a, T> {
    /// The index of the first state.
    pub first: usize,
    pub results: Rows<'a, T>,
    pub status: &'a mut [BatchStatus],
}

/// The most blocks of lanes that a thread takes: some microseconds of work.
const MOST_BLOCKS: usize = 32;

/// Into how many pieces for each thread the rest is cut, so that none waits long for another.
const PIECES: usize = 3;

/// The remaining states of a batch.
pub(super) struct Queue<'a, T> {
    rest: Mutex<Chunk<'a, T>>,
    /// How many states share a register.
    lanes: usize,
    /// How many threads take pieces.
    threads: usize,
}

impl<'a, T> Queue<'a, T> {
    pub fn new(
        results: Rows<'a, T>,
        status: &'a mut [BatchStatus],
        lanes: usize,
        threads: usize,
    ) -> Self {
        let rest = Mutex::new(Chunk {
            first: 0,
            results,
            status,
        });
        Self {
            rest,
            lanes,
            threads,
        }
    }

    /// How many of the states that are left a thread takes: whole blocks, but for the last one.
    fn piece(&self, left: usize) -> usize {
        let blocks = left.div_ceil(self.lanes);
        let share = match self.threads {
            1 => blocks,
            threads => blocks.div_ceil(PIECES * threads),
        };
        left.min(share.min(MOST_BLOCKS) * self.lanes)
    }

    /// The next states, if any are left.
    pub fn next(&self) -> Option<Chunk<'a, T>> {
        // A thread that panicked leaves the queue as it was between two pieces.
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.piece(rest.status.len());
        if count == 0 {
            return None;
        }
        let first = rest.first;
        rest.first += count;
        let (status, later) = std::mem::take(&mut rest.status).split_at_mut(count);
        rest.status = later;
        let Rows {
            lengths,
            count: results,
            square_places,
            ..
        } = rest.results;
        let mut values: [&'a mut [T]; RESULTS] = Default::default();
        for r in 0..results {
            let all = std::mem::take(&mut rest.results.values[r]);
            (values[r], rest.results.values[r]) = all.split_at_mut(count * lengths[r]);
        }
        Some(Chunk {
            first,
            results: Rows {
                values,
                lengths,
                count: results,
                states: 0..0,
                square_places,
            },
            status,
        })
    }
}
