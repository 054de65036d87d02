//! Numbers of several states side by side, for code that is made while a program runs.

use super::Precision;
use super::pack::{Pack, gather, scatter_places};
use super::precision::sealed::Registers;
use super::worker::MOST_LANES;
use crate::scalar::form::WideInstructions;
use crate::scalar::{InstructionSet, Scalar, kernel};

/// A list of numbers, each of as many states as a vector register has lanes: one register for each
/// number.
///
/// The transfers of [`Batch`](super::Batch) between rows and lanes, for kernels that do not come
/// with this library: rows are gathered into lanes, a kernel works on the memory, numbers are
/// scattered to rows.
///
/// ```
/// use featherline::batch::Block;
/// use featherline::scalar::InstructionSet;
///
/// let mut block = Block::<f64>::new(3, InstructionSet::in_use());
/// let rows = [1.0, 2.0, 3.0, 4.0]; // two states of two numbers
/// let states: Vec<usize> = (0..block.lanes()).map(|lane| lane % 2).collect();
/// block.gather(1, 2, &rows, &states);
///
/// let mut swapped = [0.0; 2]; // one state
/// block.scatter(&[2, 1], &mut swapped);
/// assert_eq!(swapped, [2.0, 1.0]);
/// ```
#[derive(Clone)]
pub struct Block<T: Precision>(Memory<T>);

#[derive(Clone)]
enum Memory<T: Precision> {
    Scalar(Vec<T>),
    Narrow(Vec<T::Narrow<WideInstructions>>),
    Wide(Vec<<T as Registers>::Wide<WideInstructions>>),
}

/// Does the same with the numbers whatever their registers.
macro_rules! with_numbers {
    ($block:expr, $numbers:ident => $result:expr) => {
        match $block {
            Memory::Scalar($numbers) => $result,
            Memory::Narrow($numbers) => $result,
            Memory::Wide($numbers) => $result,
        }
    };
}

impl<T: Precision> Block<T> {
    /// Memory for so many numbers, all zero, in the registers of an instruction set, or of the best
    /// that the processor has if that is less. [`Baseline`](InstructionSet::Baseline) stands for
    /// one state.
    pub fn new(len: usize, set: InstructionSet) -> Self {
        Self(match set.min(InstructionSet::available()) {
            InstructionSet::Baseline => Memory::Scalar(zeros(len)),
            InstructionSet::Avx2 => Memory::Narrow(zeros(len)),
            InstructionSet::Avx512 => Memory::Wide(zeros(len)),
        })
    }

    /// How many states a number is of.
    pub fn lanes(&self) -> usize {
        fn lanes<S: Pack>(_: &[S]) -> usize {
            S::LANES
        }
        with_numbers!(&self.0, numbers => lanes(numbers))
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        with_numbers!(&self.0, numbers => numbers.len())
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets a number to the same value for all states.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn fill(&mut self, number: usize, value: f64) {
        fn fill<S: Scalar>(numbers: &mut [S], number: usize, value: f64) {
            numbers[number] = S::constant(value);
        }
        with_numbers!(&mut self.0, numbers => fill(numbers, number, value));
    }

    /// Takes rows of a length into the numbers from `first` on: row `states[l]` into lane l.
    ///
    /// # Panics
    /// If there are fewer numbers, rows, or states than lanes.
    pub fn gather(&mut self, first: usize, length: usize, rows: &[T], states: &[usize]) {
        with_numbers!(&mut self.0, numbers => gather(rows, states, &mut numbers[first..first + length]));
    }

    /// Writes lane l of number `places[k]` to number k of row l, for as many rows of the length of
    /// `places` as there are, of at most as many states as there are lanes; zero where there is no
    /// such number.
    pub fn scatter(&self, places: &[u32], rows: &mut [T]) {
        with_numbers!(&self.0, numbers => scatter_places(numbers, places, rows));
    }

    /// Sine and cosine: for each triple, of the number `angle` to the numbers `sine` and `cosine`.
    /// No angle may be a result of the same list.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn sin_cos(&mut self, list: &[[u32; 3]]) {
        with_numbers!(&mut self.0, numbers => sin_cos(numbers, list));
    }

    /// The angle of a vector: for each triple (y, x, angle), of the numbers (x, y) to the number
    /// `angle`.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn atan2(&mut self, list: &[[u32; 3]]) {
        with_numbers!(&mut self.0, numbers => atan2(numbers, list));
    }

    /// For which states all the numbers named are finite: bit l for lane l.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn finite(&self, list: &[u32]) -> u32 {
        with_numbers!(&self.0, numbers => finite(numbers, list))
    }

    /// The memory: lane l of number k is at `k * lanes + l`. Aligned to registers.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        with_numbers!(&mut self.0, numbers => numbers.as_mut_ptr().cast())
    }
}

impl<T: Precision> std::fmt::Debug for Block<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("lanes", &self.lanes())
            .field("len", &self.len())
            .finish()
    }
}

fn zeros<S: Scalar>(len: usize) -> Vec<S> {
    vec![S::zero(); len]
}

kernel!(
    fn sin_cos<S: Pack>(numbers: &mut [S], list: &[[u32; 3]]) {
        // Numbers of one state are fastest by fours, which share a register.
        let (fours, rest) = list.as_chunks::<4>();
        for four in fours {
            let (sin, cos) = S::sin_cos_of_four(four.map(|[angle, ..]| numbers[angle as usize]));
            for k in 0..4 {
                numbers[four[k][1] as usize] = sin[k];
                numbers[four[k][2] as usize] = cos[k];
            }
        }
        for &[angle, sine, cosine] in rest {
            let (sin, cos) = numbers[angle as usize].sin_cos();
            numbers[sine as usize] = sin;
            numbers[cosine as usize] = cos;
        }
    }
);

kernel!(
    fn atan2<S: Pack>(numbers: &mut [S], list: &[[u32; 3]]) {
        for &[y, x, angle] in list {
            let (y, x) = (numbers[y as usize], numbers[x as usize]);
            numbers[angle as usize] = y.atan2(x);
        }
    }
);

kernel!(
    fn finite<S: Pack>(numbers: &[S], list: &[u32]) -> u32 {
        // Zero as long as all are finite, NaN from then on; four sums, so that none waits for the
        // one before.
        let mut sums = [S::zero(); 4];
        let (fours, rest) = list.as_chunks::<4>();
        for four in fours {
            for k in 0..4 {
                sums[k] = numbers[four[k] as usize].mul_add(S::zero(), sums[k]);
            }
        }
        for &number in rest {
            sums[0] = numbers[number as usize].mul_add(S::zero(), sums[0]);
        }
        let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        let mut lanes = [S::Element::zero(); MOST_LANES];
        S::scatter(&[sum], &mut lanes[..S::LANES], 0..1);
        let mut finite = 0;
        for l in 0..S::LANES {
            finite |= u32::from(lanes[l].is_finite()) << l;
        }
        finite
    }
);
