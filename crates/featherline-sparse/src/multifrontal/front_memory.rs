//! The memory of a reduction to an R factor: rows of a frontal matrix, and where their numbers come
//! from.

use super::fronts::Fronts;
use super::transformations::Transformations;

/// The rounding of a number when all of it cancels, in roundings.
pub(crate) const REST: f64 = 64.0;

/// Bounds of rounding multiply from link to link, what is rounded does not: no number is taken for
/// more than this many times the largest that its row began with.
pub(crate) const MOST: f64 = 1e4;

/// Some rows of a front; exact ones have each entry with the largest number behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub numbers: Vec<f64>,
    pub origins: Vec<Origin>,
    pub count: usize,
}

/// Where the numbers of a row come from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    pub row: u32,
    /// The largest entry of an exact row at first; of one with an error, the largest that it came
    /// from.
    pub size: f64,
}

impl Origin {
    /// Whether an entry of an exact row, that came from numbers of a size, is nothing but rounding:
    /// of doubles, which the equations' own numbers are.
    #[inline(always)]
    pub fn is_rounding(&self, x: f64, size: f64) -> bool {
        x.abs() <= REST * f64::EPSILON * size.min(MOST * self.size)
    }
}

/// Memory of a factorisation.
#[derive(Clone, Debug)]
pub(crate) struct FrontMemory {
    pub exact: Block,
    pub soft: Block,
    pub is_done: Vec<bool>,
    pub reflector: Vec<f64>,
    pub touched: Vec<usize>,
    pub done: Transformations,
    /// The largest number that an exact row came from, its pivot being one.
    pub exact_growth: f64,
    /// The largest entry of a row with an error: the finest of these has one over that for its
    /// deviation.
    pub heaviest: f64,
    /// The positions that no exact row states well though some have them: they have to be
    /// eliminated later.
    pub delayed: Vec<u32>,
    /// Rows that are left over, the exact ones of a front first, and how many of both.
    pub aside: Vec<f64>,
    pub origins_aside: Vec<Origin>,
    pub left: Vec<(usize, usize)>,
}

impl Block {
    fn new(fronts: &Fronts, numbers: usize) -> Self {
        Self {
            numbers: vec![0.0; numbers],
            origins: vec![Origin::default(); fronts.most_rows],
            count: 0,
        }
    }

    /// Another row, all zero.
    #[inline(always)]
    pub fn push(&mut self, stride: usize, origin: Origin) -> &mut [f64] {
        let row = &mut self.numbers[self.count * stride..(self.count + 1) * stride];
        row.fill(0.0);
        self.origins[self.count] = origin;
        self.count += 1;
        row
    }

    /// Exchanges two rows.
    #[inline(always)]
    pub fn swap(&mut self, stride: usize, a: usize, b: usize) {
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            let (above, below) = self.numbers.split_at_mut(high * stride);
            above[low * stride..(low + 1) * stride].swap_with_slice(&mut below[..stride]);
            self.origins.swap(a, b);
        }
    }
}

impl FrontMemory {
    /// The transformations that were applied to the rows.
    pub fn done(&mut self) -> &mut Transformations {
        &mut self.done
    }

    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        Self {
            exact: Block::new(fronts, 2 * fronts.largest),
            soft: Block::new(fronts, fronts.largest),
            is_done: vec![false; fronts.most_columns],
            reflector: vec![0.0; fronts.most_rows],
            touched: vec![0; fronts.most_rows],
            done: Transformations::new(fronts.starts.len() - 1, fronts.steps, fronts.touched),
            exact_growth: 0.0,
            heaviest: 0.0,
            delayed: Vec::new(),
            aside: vec![0.0; 2 * fronts.stacked],
            origins_aside: vec![Origin::default(); fronts.stacked_rows],
            left: vec![(0, 0); fronts.fronts.len()],
        }
    }
}
